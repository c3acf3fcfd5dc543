package timeline_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/replay"
)

// recorded builds the timelines of all recorded runs of a corpus with a shipped
// profile.
func recorded(t testing.TB, name string) map[string]timeline.Run {
	t.Helper()
	folder := shared.Folder(t, "corpora", name)
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := compare.Import(t.Context(), "../../corpus/testdata/import/"+name+".yaml", folder, dir); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load(name)
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
	out := map[string]timeline.Run{}
	for i := range runs {
		r := timeline.Build(&runs[i], p.Milestones, p.Correlation)
		out[fmt.Sprintf("%s/%s/%d", r.Scenario, r.Build, r.Repetition)] = r
	}
	return out
}

func TestDump(t *testing.T) {
	for _, name := range []string{"kueue-multikueue", "kai-binder"} {
		for k, r := range recorded(t, name) {
			var b strings.Builder
			fmt.Fprintf(&b, "== %s failure %v %s restored %s\n", k, r.Failure.State, r.Failure.Detail, r.Restored.Detail)
			at := func(m timeline.Milestone) string {
				if m.State == timeline.Missing {
					return fmt.Sprintf("%s=%s(%s)", m.Name, m.Reason, m.Detail)
				}
				return fmt.Sprintf("%s=%.1f%s", m.Name, time.Duration(m.At-r.Restored.At).Seconds(), map[timeline.State]string{timeline.Before: "<"}[m.State])
			}
			for _, m := range r.Shared {
				fmt.Fprintln(&b, at(m))
			}
			n := 0
			for _, w := range r.Workloads {
				if w.Affected == "" {
					n++
					continue
				}
				fmt.Fprintf(&b, "%s %s kept=%t units=%d/%d:", w.ID, w.Affected, w.KeptRunning, w.UnitsAfter, w.Units)
				for _, m := range w.Milestones {
					fmt.Fprintf(&b, " %s", at(m))
				}
				fmt.Fprintln(&b)
			}
			fmt.Fprintln(&b, n, "others", r.Skews, r.Suspects, r.Notes)
			t.Log(b.String())
		}
	}
}

func TestDumpCompare(t *testing.T) {
	for _, name := range []string{"kueue-multikueue", "kai-binder"} {
		p, _ := profile.Load(name)
		all := recorded(t, name)
		for _, x := range [][3]string{{"delayed-canary", "deployed", "candidate"}, {"finished-history", "deployed", "candidate"}, {"finished-history", "candidate", "deployed"}, {"ordinary-reconnect", "deployed", "v0.15.0"}, {"ordinary-reconnect", "deployed", "candidate"}, {"recovery", "deployed", "candidate"}} {
			d, ok := all[x[0]+"/"+x[1]+"/1"]
			c, ok2 := all[x[0]+"/"+x[2]+"/1"]
			if !ok || !ok2 {
				continue
			}
			cm := timeline.Compare(x[0], p.Milestones, []timeline.Run{d}, []timeline.Run{c})
			if cm == nil {
				t.Log(x, "nil")
				continue
			}
			t.Log(x, cm.Goal)
			for _, s := range []timeline.Side{cm.Deployed, cm.Candidate} {
				t.Log(s.Affected, s.Recovered, s.Failed, s.Open, s.KeptRunning, s.Units, s.QueueAge, s.Slowest, s.Deadlines)
			}
			for _, s := range cm.Stages {
				d := "-"
				if s.Difference != nil {
					d = s.Difference.String()
				}
				t.Log(s.Name, "from", s.From, "D", s.Deployed.Repetitions, s.Deployed.Max, len(s.Deployed.Observed), s.Deployed.Missing, "C", s.Candidate.Repetitions, s.Candidate.Max, s.Candidate.Missing, "diff", d, s.Noise, s.NoiseKnown, s.Resolution, s.Slower, s.Faster, s.Because)
			}
		}
	}
}
