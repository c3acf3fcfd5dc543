package replay

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

func TestAppendWords(t *testing.T) {
	f := func(line, want, wantLevel string) {
		t.Helper()
		got, level := appendWords(nil, []byte(line))
		if string(got) != want || level != wantLevel {
			t.Errorf("appendWords(%q) = %q, %q; want %q, %q", line, got, level, want, wantLevel)
		}
	}
	f(`{"level":"info","ts":"2026-01-01T00:00:00Z","logger":"job","msg":"Job admitted, unsuspending","job":"ns/a-1"}`,
		"job Job admitted, unsuspending", "info")
	f(`{"level":"info","msg":"Event occurred","note":"Created Workload: team-a/job-1"}`,
		"Event occurred Created Workload: #", "info")
	f(`{"level":"error","msg":"Reconciler error","error":"boom\nstack"}`, "Reconciler error", "error")
	f("2026-01-01T00:00:00Z\tERROR\tsetup\tcannot start\t{\"error\": \"no such file\"}", "setup cannot start no such file", "ERROR")
	f("2026-01-01T00:00:00Z\tLEVEL(-2)\tcache\tpod 12 seen", "cache pod # seen", "LEVEL(-2)")
	f(`I0101 00:00:00.000001 1 a.go:12] "Synced pod" pod="ns/a"`, `# # # # "Synced pod" pod="ns/a"`, "")
	f("goroutine 12 [running]:", "goroutine # [running]:", "")
	f(`{"broken`, `{"broken`, "")
	f(`{"msg":42}`, `{"msg":42}`[:0]+"#", "")
	f("\xff\xfe text", "\uFFFD text", "")
	f("", "", "")
}

// The catalogue and each text in it are bounded, and what did not fit is
// counted.
func TestMessageCatalogue_Bounds(t *testing.T) {
	c := newMessageCatalogue()
	for i := range maxMessages + 10 {
		word := strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(i))
		c.add(nil, &logs.Entry{Line: []byte("message " + word)})
	}
	if n := len(c.list()); n != maxMessages || c.cut != 10 {
		t.Errorf("%d kinds, %d cut; want %d and 10", n, c.cut, maxMessages)
	}
	long, _ := appendWords(nil, []byte(strings.Repeat("word ", 10_000)))
	if len(long) > maxMessageText+64 {
		t.Errorf("a text of %d bytes", len(long))
	}
}

func TestEvidence_Bounds(t *testing.T) {
	ev := evidence(nil, 0, []byte(strings.Repeat("\xff", 3*maxEvidenceLine)))
	if len(ev.Line) > maxEvidenceLine || !ev.Truncated || strings.ContainsRune(ev.Line, 0xff) {
		t.Errorf("%d bytes, truncated %t", len(ev.Line), ev.Truncated)
	}
	if ev := evidence(nil, 0, []byte("short")); ev.Truncated || ev.Line != "short" {
		t.Errorf("evidence = %+v", ev)
	}
}
