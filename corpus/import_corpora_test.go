package corpus

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// sharedCorpora returns the directory of the recorded corpora.
func sharedCorpora(t testing.TB) string {
	t.Helper()
	return shared.Folder(t, "corpora")
}

func importTree(t testing.TB, name, dir string) {
	t.Helper()
	file := filepath.Join("testdata", "import", name+".yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := ParseDescription(file, text)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), desc, filepath.Join(sharedCorpora(t), name), dir, ImportOptions{Creator: "test"}); err != nil {
		t.Fatal(err)
	}
}

// counted reads a run as replay does: empty lines and exact repeats are left
// out. It returns the rest by stream, and the first and last time.
func counted(t *testing.T, run *Run) (lines []int64, first, last int64) {
	t.Helper()
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	lines = make([]int64, len(run.Manifest.Streams))
	seen := map[string]bool{}
	at := int64(-1)
	for n := 0; e.Scan(); n++ {
		entry := e.Entry()
		if n == 0 {
			first = entry.Time
		}
		last = entry.Time
		if entry.Time != at {
			clear(seen)
			at = entry.Time
		}
		key := strconv.Itoa(e.Stream()) + " " + string(entry.Line)
		if len(entry.Line) == 0 || seen[key] {
			continue
		}
		seen[key] = true
		lines[e.Stream()]++
	}
	if err := e.Err(); err != nil {
		t.Fatal(err)
	}
	return lines, first, last
}

func TestImport_RecordedCorpora(t *testing.T) {
	for _, name := range []string{"kai-binder", "kueue-multikueue"} {
		t.Run(name, func(t *testing.T) {
			var want struct {
				Runs []struct {
					Case, Scenario, Build string
					Lines                 json.RawMessage
					Start, End            string
				}
			}
			text, err := os.ReadFile(filepath.Join(sharedCorpora(t), name, "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			importTree(t, name, dir)
			c, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Runs()) != len(want.Runs) || len(want.Runs) == 0 {
				t.Errorf("%d runs; want %d", len(c.Runs()), len(want.Runs))
			}
			for _, w := range want.Runs {
				run, err := c.OpenRun(w.Build, w.Case+w.Scenario, 1)
				if err != nil {
					t.Error(err)
					continue
				}
				lines, first, last := counted(t, run)
				checkLines(t, run, lines, w.Lines)
				const step = 5e9
				start, end := first/step*step, last/step*step+step
				if got := []string{strconv.FormatInt(start, 10), strconv.FormatInt(end, 10)}; got[0] != w.Start || got[1] != w.End {
					t.Errorf("%s: evaluated from %s to %s; want %s to %s", run, got[0], got[1], w.Start, w.End)
				}
			}
		})
	}
}

// checkLines compares counts with a number for all streams, or one by cluster.
func checkLines(t *testing.T, run *Run, lines []int64, want json.RawMessage) {
	t.Helper()
	total := int64(0)
	got := map[string]int64{}
	for i, n := range lines {
		total += n
		got[run.Manifest.Streams[i].Labels["cluster"]] = n
	}
	var number int64
	if json.Unmarshal(want, &number) == nil {
		if number != total {
			t.Errorf("%s: %d lines; want %d", run, total, number)
		}
		return
	}
	var byCluster map[string]int64
	if err := json.Unmarshal(want, &byCluster); err != nil {
		t.Fatalf("%s: lines %s: %v", run, want, err)
	}
	for k, n := range byCluster {
		if got[k] != n {
			t.Errorf("%s: cluster %s: %d lines; want %d (all: %v)", run, k, got[k], n, got)
		}
	}
}
