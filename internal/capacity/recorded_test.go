package capacity_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/capacity"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/replay"
)

// replayed returns the recorded runs of a corpus and their timelines.
func replayed(t *testing.T, name string) (runs []outcome.Run, lines []timeline.Run) {
	t.Helper()
	p, err := profile.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := shared.Folder(t, "corpora", name)
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := compare.Import(t.Context(), "../../corpus/testdata/import/"+name+".yaml", folder, dir); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []compare.Job
	for _, r := range c.Runs() {
		jobs = append(jobs, compare.Job{Corpus: c, Run: r})
	}
	if runs, err = compare.Replay(t.Context(), replay.NewPlan(nil, replay.Options{Marks: timeline.Queries(p.Milestones)}), jobs); err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		lines = append(lines, timeline.Build(&runs[i], p.Milestones, p.Correlation))
	}
	return runs, lines
}

// TestRecorded_Executions: no work of the recorded runs was executed twice.
func TestRecorded_Executions(t *testing.T) {
	for name, least := range map[string]int{"kueue-multikueue": 600, "kai-binder": 30} {
		runs, lines := replayed(t, name)
		judged := 0
		for i := range runs {
			got := execution.Find(&runs[i], &lines[i])
			judged += got.Judged
			if len(got.Duplicates)+len(got.Repeats)+len(got.Unjudged)+got.Resumed > 0 {
				t.Errorf("%s/%s: %+v", runs[i].Scenario, runs[i].Build, got)
			}
		}
		if judged < least {
			t.Errorf("%s: only %d pieces of work were judged", name, judged)
		}
	}
}

// TestRecorded_Stranded holds the device time of each recorded loss to one that
// is counted from the files themselves: of each job that took its first step
// after the connection was back and none before, the time to that step, times
// the one device that each asks for.
func TestRecorded_Stranded(t *testing.T) {
	folder := shared.Folder(t, "corpora", "kueue-multikueue")
	runs, lines := replayed(t, "kueue-multikueue")
	seen := 0
	for i := range runs {
		r := &runs[i]
		got := capacity.Measure(nil, r, &lines[i])
		if r.Scenario == "queue-change" {
			if len(got.Uses) != 0 || len(got.Notes) != 1 {
				t.Errorf("%s: there is no loss, but %+v", r.Scenario, got)
			}
			continue
		}
		seen++
		want, work := counted(t, filepath.Join(folder, r.Scenario, r.Build))
		if len(got.Uses) != 1 || len(got.Notes) != 0 {
			t.Errorf("%s/%s: %+v, %v", r.Scenario, r.Build, got.Uses, got.Notes)
			continue
		}
		u := got.Uses[0]
		if u.Class != (capacity.Class{Name: "nvidia.com/gpu", Kind: profile.WholeDevice}) || u.Stranded.Censored || len(u.Work) != work {
			t.Errorf("%s/%s: %+v; want %d pieces of work", r.Scenario, r.Build, u, work)
		}
		if stranded := u.Stranded.Amount.Over(int64(time.Millisecond)); !stranded.Equal(capacity.Units(want.Milliseconds())) {
			t.Errorf("%s/%s: %s ms stranded; want %d", r.Scenario, r.Build, stranded, want.Milliseconds())
		}
		held := []string{}
		for _, x := range got.Inventory.Classes[0].Excluded {
			held = append(held, fmt.Sprintf("%s %s %s", x.Units, x.Reason, x.Of))
		}
		if eligible := u.Eligible.String(); r.Scenario != "finished-history" && (eligible != "46" || !slices.Equal(held, []string{"1 held team-a/long-0", "1 held team-a/long-1"})) {
			t.Errorf("%s/%s: %s devices are eligible; excluded %v", r.Scenario, r.Build, eligible, held)
		}
	}
	if seen != 9 {
		t.Errorf("%d runs with a loss", seen)
	}
}

type record struct {
	TS                            time.Time
	Action, Event, Job, Namespace string
}

// counted sums the time to the first step in the files of one recorded run.
func counted(t *testing.T, dir string) (sum time.Duration, work int) {
	t.Helper()
	var restored time.Time
	for _, r := range records(t, dir, "timeline.ndjson") {
		if r.Action == "restore" {
			restored = r.TS
		}
	}
	first := map[string]time.Time{}
	for _, r := range records(t, dir, "app-progress.ndjson") {
		if key := r.Namespace + "/" + r.Job; r.Event == "step" && first[key].IsZero() {
			first[key] = r.TS
		}
	}
	for _, at := range first {
		if at.After(restored) {
			sum += at.Sub(restored)
			work++
		}
	}
	return sum, work
}

func records(t *testing.T, dir, name string) []record {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	var in io.Reader = f
	if os.IsNotExist(err) {
		if f, err = os.Open(filepath.Join(dir, name+".gz")); err == nil {
			in, err = gzip.NewReader(f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []record
	for s := bufio.NewScanner(in); s.Scan(); {
		var r record
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatalf("%s/%s: %v", dir, name, err)
		}
		out = append(out, r)
	}
	return out
}
