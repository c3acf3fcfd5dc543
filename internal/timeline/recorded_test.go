package timeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/replay"
)

// kept are the recorded runs by corpus: to import and to replay them takes long.
// Nothing changes them.
var kept = map[string]map[string]*outcome.Run{}

// replayed returns the recorded runs of a corpus with what the milestones of its
// profile need.
func replayed(t testing.TB, name string) map[string]*outcome.Run {
	t.Helper()
	if kept[name] != nil {
		return kept[name]
	}
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
	plan := replay.NewPlan(nil, replay.Options{Marks: timeline.Queries(p.Milestones)})
	var jobs []compare.Job
	for _, r := range c.Runs() {
		jobs = append(jobs, compare.Job{Corpus: c, Run: r})
	}
	runs, err := compare.Replay(t.Context(), plan, jobs)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*outcome.Run{}
	for i := range runs {
		r := &runs[i]
		out[fmt.Sprintf("%s/%s/%d", r.Scenario, r.Build, r.Repetition)] = r
	}
	kept[name] = out
	return out
}

// recorded builds the timelines of all recorded runs of a corpus with a shipped
// profile.
func recorded(t testing.TB, name string) map[string]timeline.Run {
	t.Helper()
	p, err := profile.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]timeline.Run{}
	for key, run := range replayed(t, name) {
		out[key] = timeline.Build(run, p.Milestones, p.Correlation)
	}
	return out
}

// since is the time of a milestone after the restoration, in seconds.
func since(r *timeline.Run, m *timeline.Milestone) float64 {
	return time.Duration(m.At - r.Restored.At).Seconds()
}

func milestone(t *testing.T, r *timeline.Run, id, name string) *timeline.Milestone {
	t.Helper()
	for i := range r.Shared {
		if r.Shared[i].Name == name {
			return &r.Shared[i]
		}
	}
	for i := range r.Workloads {
		for j := range r.Workloads[i].Milestones {
			if m := &r.Workloads[i].Milestones[j]; r.Workloads[i].ID == id && m.Name == name {
				return m
			}
		}
	}
	t.Fatalf("%s/%s: %s has no milestone %s", r.Scenario, r.Build, id, name)
	return nil
}

// TestRecorded_Canary holds the milestones of the canary to the table that was
// made by hand of the same recordings.
func TestRecorded_Canary(t *testing.T) {
	runs := recorded(t, "kueue-multikueue")
	readme, err := os.ReadFile(filepath.Join(shared.Folder(t, "corpora", "kueue-multikueue"), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{
		"probe-ok", "watch-restarted", "worker-active", "quota-reserved", "remote-workload", "worker-job-unsuspended",
		"management-job-unsuspended", "pod-running", "useful-work", "finish-seen",
	}
	rows := 0
	_, table, _ := strings.Cut(string(readme), "## Recovery of the canary")
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3+len(names) {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r, ok := runs[cells[0]+"/"+cells[1]+"/1"]
		if !ok {
			continue // the head of the table
		}
		rows++
		if len(r.Skews) > 0 {
			t.Errorf("%s/%s: skews %+v", cells[0], cells[1], r.Skews)
		}
		for i, name := range names {
			want, err := strconv.ParseFloat(cells[3+i], 64)
			if err != nil {
				t.Fatal(err)
			}
			within := 1.0
			if name == "probe-ok" || name == "worker-active" || name == "finish-seen" {
				within = 2 // polled
			}
			m := milestone(t, &r, "team-b/canary-0", name)
			if got := since(&r, m); m.State != timeline.Reached || got < want-within || got > want+within {
				t.Errorf("%s/%s: %s is %s after %.1f s; want %.1f", cells[0], cells[1], name, m.State, got, want)
			}
		}
	}
	if rows != 7 {
		t.Errorf("the table has %d rows", rows)
	}
}

// TestRecorded_Itself: a run compared with itself differs in nothing, and no
// recorded work failed to recover.
func TestRecorded_Itself(t *testing.T) {
	for _, name := range []string{"kueue-multikueue", "kai-binder"} {
		p, err := profile.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for key, r := range recorded(t, name) {
			c := timeline.Compare(r.Scenario, p.Milestones, []timeline.Run{r}, []timeline.Run{r})
			if c == nil {
				continue
			}
			if c.Candidate.Recovered != c.Candidate.Affected {
				t.Errorf("%s: %d of %d recovered", key, c.Candidate.Recovered, c.Candidate.Affected)
			}
			for _, s := range c.Stages {
				if s.Slower || s.Faster || s.Because != nil || s.Difference != nil && *s.Difference != 0 {
					t.Errorf("%s: %s differs: %+v", key, s.Name, s)
				}
			}
		}
	}
}

func stage(t *testing.T, c *timeline.Comparison, name string) *timeline.StagePair {
	t.Helper()
	for i := range c.Stages {
		if c.Stages[i].Name == name {
			return &c.Stages[i]
		}
	}
	t.Fatalf("no stage %s", name)
	return nil
}

// TestRecorded_Stages: what holds a recovery back, and what differs.
func TestRecorded_Stages(t *testing.T) {
	runs := recorded(t, "kueue-multikueue")
	p, err := profile.Load("kueue-multikueue")
	if err != nil {
		t.Fatal(err)
	}
	pair := func(scenario, deployed, candidate string) *timeline.Comparison {
		return timeline.Compare(scenario, p.Milestones,
			[]timeline.Run{runs[scenario+"/"+deployed+"/1"]}, []timeline.Run{runs[scenario+"/"+candidate+"/1"]})
	}
	// The probe is green for two and a half minutes, and nothing is dispatched.
	delayed := pair("delayed-canary", "deployed", "candidate")
	for _, s := range []timeline.Side{delayed.Deployed, delayed.Candidate} {
		if h := s.Slowest; h.Stage != "watch-restarted" || h.From != "probe-ok" || h.Took.D < 140*time.Second || h.Share < 0.8 {
			t.Errorf("what holds back: %+v", h)
		}
		if s.Affected != 13 || s.Recovered != 13 || s.KeptRunning != 2 {
			t.Errorf("%d affected, %d recovered, %d kept running", s.Affected, s.Recovered, s.KeptRunning)
		}
	}
	// Reconciles of finished work keep the manager from seeing the end.
	history := stage(t, pair("finished-history", "deployed", "candidate"), "finish-seen")
	if !history.Faster || len(history.Because) != 1 || history.Because[0].Title != "reconciles of finished workloads" ||
		history.Because[0].Deployed < 100 || history.Because[0].Candidate > 10 || history.From != "work-done" {
		t.Errorf("finish-seen: %+v", history)
	}
	if back := stage(t, pair("finished-history", "candidate", "deployed"), "finish-seen"); !back.Slower || back.Faster {
		t.Errorf("finish-seen, the other way round: %+v", back)
	}
	if older := stage(t, pair("ordinary-reconnect", "deployed", "v0.15.0"), "watch-restarted"); !older.Slower {
		t.Errorf("watch-restarted: %+v", older)
	}
}

// TestRecorded_Binder: the pod that was stuck has its node after the candidate
// began, whatever events said before; of the application nothing was recorded.
func TestRecorded_Binder(t *testing.T) {
	runs := recorded(t, "kai-binder")
	r := runs["recovery/deployed/1"]
	affected := 0
	for _, w := range r.Workloads {
		if w.Affected != "" {
			affected++
		}
	}
	bound, ready := milestone(t, &r, "ml-team/train-a", "bound"), milestone(t, &r, "ml-team/train-a", "app-ready")
	if affected != 1 || bound.State != timeline.Reached || since(&r, bound) > 2 {
		t.Errorf("%d affected; bound is %s after %.1f s", affected, bound.State, since(&r, bound))
	}
	if ready.State != timeline.Missing || ready.Reason != timeline.NoEvidence || ready.At != 0 {
		t.Errorf("app-ready: %+v", ready)
	}
	// Nothing that claims it counts as bound where no object has a node.
	p, err := profile.Load("kai-binder")
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Milestones.List {
		if m := &p.Milestones.List[i]; m.Name == "bound" {
			m.By = m.By[len(m.By)-1:] // the event
		}
	}
	for key, run := range replayed(t, "kai-binder") {
		r := timeline.Build(run, p.Milestones, p.Correlation)
		if r.Scenario != "recovery" || r.Build != "deployed" {
			continue
		}
		if m := milestone(t, &r, "ml-team/train-a", "bound"); m.State != timeline.Reached || since(&r, m) > 2 || since(&r, m) < 0 {
			t.Errorf("%s: by its events it is bound: %s after %.1f s", key, m.State, since(&r, m))
		}
	}
}
