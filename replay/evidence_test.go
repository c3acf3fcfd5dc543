package replay

import (
	"strings"
	"testing"
)

func TestEvidence_Bounds(t *testing.T) {
	ev := evidence(nil, 0, []byte(strings.Repeat("\xff", 3*maxEvidenceLine)))
	if len(ev.Line) > maxEvidenceLine || !ev.Truncated || strings.ContainsRune(ev.Line, 0xff) {
		t.Errorf("%d bytes, truncated %t", len(ev.Line), ev.Truncated)
	}
	if ev := evidence(nil, 0, []byte("short")); ev.Truncated || ev.Line != "short" {
		t.Errorf("evidence = %+v", ev)
	}
}
