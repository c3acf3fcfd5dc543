package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/replay"
)

const canary = "canary-0"

// undispatched is a recorded run as it would be had the canary never reached
// the worker: nothing of it is there, and where it was submitted it waits as it
// did before. What the log of the manager says of it stays.
func undispatched(t *testing.T, run *outcome.Run, restored int64) *outcome.Run {
	t.Helper()
	out, f := *run, *run.Facts
	about := func(text string) bool { return strings.Contains(text, canary) }
	f.Progress = slices.DeleteFunc(slices.Clone(f.Progress), func(p facts.Progress) bool { return about(p.Job) || about(p.Pod) })
	f.Actions = slices.DeleteFunc(slices.Clone(f.Actions), func(a facts.Action) bool { return about(a.Target) && a.Time > restored })
	worker := func(cluster string) bool { return cluster == "worker-1" }
	f.Events = slices.DeleteFunc(slices.Clone(f.Events), func(e facts.Event) bool { return about(e.Raw) && worker(e.Cluster) })
	waiting := map[string]string{} // objects before the restoration
	f.Objects = slices.Clone(f.Objects)
	for i := range f.Objects {
		o := &f.Objects[i]
		if !about(o.Name) || worker(o.Cluster) {
			continue
		}
		key := o.Kind + " " + o.Name
		if waiting[key] == "" { // none was recorded while it waited: it has no status yet
			waiting[key] = `{"metadata":{"name":"` + o.Name + `","namespace":"` + o.Namespace + `"}}`
		}
		o.Raw = waiting[key]
	}
	f.Objects = slices.DeleteFunc(f.Objects, func(o facts.Object) bool { return about(o.Name) && worker(o.Cluster) })
	out.Facts = &f
	out.Marks = slices.Clone(out.Marks)
	dropped, kept := 0, 0
	for i := range out.Marks {
		m := &out.Marks[i]
		m.Lines = slices.DeleteFunc(slices.Clone(m.Lines), func(l outcome.Mark) bool {
			gone := about(l.Line) && l.Stream.Get("cluster") == "worker-1"
			if gone {
				dropped++
			} else if about(l.Line) && l.Time > restored {
				kept++
			}
			return gone
		})
	}
	if dropped == 0 || kept == 0 || len(waiting) == 0 {
		t.Fatalf("%d lines of the worker dropped, %d of the manager kept, %d objects", dropped, kept, len(waiting))
	}
	return &out
}

// TestRecovery_NeverDispatched: work that never got to the worker did not
// recover, whatever the log of the manager says of it.
func TestRecovery_NeverDispatched(t *testing.T) {
	shared.Long(t)
	o := recordedOptions(t, t.TempDir())
	c, err := corpus.Open(o.Corpus)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load("kueue-multikueue")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	for _, info := range c.Runs() {
		if info.Build != "v0.15.0" && (info.Scenario == "delayed-canary" || info.Scenario == "ordinary-reconnect") {
			jobs = append(jobs, Job{c, info})
		}
	}
	runs, err := Replay(t.Context(), replay.NewPlan(nil, replay.Options{Marks: timeline.Queries(p.Milestones)}), jobs)
	if err != nil || len(runs) != 4 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	compared := func(deployed, candidate []outcome.Run) (found []analyzer.Finding, all *analyzer.Report) {
		in := analyzer.Input{WithoutRules: true, Milestones: p.Milestones, Correlation: p.Correlation, Scenarios: []string{deployed[0].Scenario}}
		in.Deployed.Runs, in.Candidate.Runs = deployed, candidate
		all = analyzer.Compare(in)
		for _, f := range all.Findings {
			if strings.HasPrefix(f.ID, "recovery-") {
				found = append(found, f)
			}
		}
		return found, all
	}
	of := func(scenario, build string) outcome.Run {
		i := slices.IndexFunc(runs, func(r outcome.Run) bool { return r.Scenario == scenario && r.Build == build })
		return runs[i]
	}
	for _, scenario := range []string{"delayed-canary", "ordinary-reconnect"} {
		deployed, candidate := of(scenario, "deployed"), of(scenario, "candidate")
		if found, _ := compared([]outcome.Run{deployed}, []outcome.Run{candidate}); len(found) != 0 {
			t.Errorf("%s as recorded: %+v", scenario, found)
		}
		line := timeline.Build(&candidate, p.Milestones, p.Correlation)
		stuck := *undispatched(t, &candidate, line.Restored.At)
		found, all := compared([]outcome.Run{deployed}, []outcome.Run{stuck})
		if len(found) != 1 || found[0].ID != "recovery-failed" || found[0].Severity != analyzer.Break || found[0].Subject != "team-b/"+canary || all.Verdict != analyzer.Fail {
			t.Errorf("%s: %s, %+v", scenario, all.Verdict, found)
			continue
		}
		for _, want := range []string{"remote workload was not reached within ", "the last milestone that was seen is ", "on deployed it took ", "owner: MultiKueue"} {
			if !strings.Contains(found[0].Message, want) {
				t.Errorf("%s: %s lacks %q", scenario, found[0].Message, want)
			}
		}
		side := all.Timelines[0].Candidate
		if whole := all.Timelines[0].Deployed; side.Affected != whole.Affected || side.Recovered != whole.Recovered-1 || side.Open != 1 {
			t.Errorf("%s: %d affected, %d recovered, %d open", scenario, side.Affected, side.Recovered, side.Open)
		}
		// The other way round the candidate mends it.
		if found, _ := compared([]outcome.Run{stuck}, []outcome.Run{candidate}); len(found) != 0 {
			t.Errorf("%s, mended: %+v", scenario, found)
		}
	}
}
