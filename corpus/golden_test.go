package corpus

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
)

// TestGolden opens the corpus that every version must open, and holds what it
// reads to what was written.
func TestGolden(t *testing.T) {
	const dir = "testdata/golden-v1"
	rep, err := Verify(t.Context(), dir)
	if err != nil || len(rep.Problems) > 0 {
		t.Fatalf("verify: %v %v", err, rep)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "ordinary reconnect", 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var got []string
	for e.Scan() {
		x := e.Entry()
		got = append(got, fmt.Sprintf("%s %s %q %s", run.Manifest.Streams[e.Stream()].LabelSet(),
			time.Unix(0, x.Time).UTC().Format(time.RFC3339Nano), x.Line, logs.New(x.Metadata...)))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	s, err := run.Scrapes()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got = append(got, scrapesOf(t, s)...)
	want, err := os.ReadFile("testdata/golden-v1.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"), got); diff != "" {
		t.Errorf("golden corpus (-want +got):\n%s", diff)
	}
}
