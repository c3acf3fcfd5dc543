package analyzer

import (
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/panics"
)

// app is a stack of the application.
func app(functions ...string) []outcome.Frame {
	var out []outcome.Frame
	for _, f := range functions {
		out = append(out, outcome.Frame{Function: f, InApp: true})
	}
	return out
}

// One panic in two forms, and one of its kind elsewhere.
var (
	recovered = &outcome.Panic{
		Signature: "aa01", Kind: "assignment to entry in nil map", Frames: app("example.com/dock/berth.(*Plan).Put", "example.com/dock/berth.Run"),
		Form: panics.FormError, Handling: outcome.Recovered, By: "example.com/dock/berth.Run", Operation: "controller berth", Count: 3,
		First: outcome.Evidence{Time: start, Line: `{"msg":"Reconciler error"}`},
	}
	crash = &outcome.Panic{
		Signature: "aa01", Kind: recovered.Kind, Frames: recovered.Frames,
		Form: panics.FormDump, Handling: outcome.Crashed, Count: 2, Restarts: 1, Restarted: true,
		First: outcome.Evidence{Time: start, Line: "panic: assignment to entry in nil map"},
	}
	elsewhere = &outcome.Panic{
		Signature: "bb02", Kind: recovered.Kind, Frames: app("example.com/dock/crane.(*Arm).Lift"),
		Form: panics.FormDump, Handling: outcome.Crashed, Count: 1,
	}
)

// panicking is an alert that fires and sees no panic, on builds that panic as
// given.
func panicking(deployed, candidate *outcome.Panic) func() trial {
	return func() trial {
		tr := trial{rule: alertRule(), expect: ExpectNone, deployed: states(outcome.Fired), candidate: states(outcome.Fired)}
		if deployed != nil {
			tr.deployedPanics = []outcome.Panic{*deployed}
		}
		if candidate != nil {
			tr.candidatePanics = []outcome.Panic{*candidate}
		}
		return tr
	}
}

// seen makes the rule see the first panic of deployed.
func seen(f func() trial) func() trial {
	return func() trial {
		tr := f()
		tr.deployed[0].Panics = []int{0}
		return tr
	}
}

// quiet makes the rule silent on candidate.
func quiet(f func() trial) func() trial {
	return func() trial {
		tr := f()
		tr.candidate = states(outcome.Silent)
		return tr
	}
}

// mustClear makes the rule one about panics that must clear.
func mustClear(f func() trial) func() trial {
	return func() trial {
		tr := f()
		tr.expect, tr.candidate = MustClear, states(outcome.Silent)
		tr.rule.Expr = `sum(count_over_time({app="dock"} |= "Observed a panic" [1m])) > 0`
		return tr
	}
}

func panicIDs(r *Report) []string {
	var out []string
	for _, id := range ids(r) {
		if strings.HasPrefix(id, "panic-") || id == "restart" {
			out = append(out, id)
		}
	}
	return out
}

// TestPanics_Swapped: swapping the builds swaps new and fixed; a build against
// itself gives nothing but that its panics persist.
func TestPanics_Swapped(t *testing.T) {
	f := func(d, c *outcome.Panic, want, swapped, itself []string) {
		t.Helper()
		tr := panicking(d, c)()
		for _, x := range []struct {
			name string
			tr   trial
			want []string
		}{{"as it is", tr, want}, {"swapped", tr.swapped(), swapped}, {"itself", tr.itself(), itself}} {
			if diff := gocmp.Diff(x.want, panicIDs(x.tr.run())); diff != "" {
				t.Errorf("%s (-want +got):\n%s", x.name, diff)
			}
		}
	}
	f(recovered, nil, []string{"panic-unseen", "panic-fixed"}, []string{"panic-new", "panic-unseen"}, []string{"panic-persists"})
	f(recovered, crash, []string{"panic-persists", "panic-unseen"}, []string{"panic-persists", "panic-unseen"}, []string{"panic-persists"})
	f(recovered, elsewhere, []string{"panic-new", "panic-unseen", "panic-unseen", "panic-fixed"},
		[]string{"panic-new", "panic-unseen", "panic-unseen", "panic-fixed"}, []string{"panic-persists"})
	f(nil, nil, nil, nil, nil)
}

// TestPanics_NotRun: that a build has no run of a scenario does not show that
// its panics are fixed.
func TestPanics_NotRun(t *testing.T) {
	in := panicking(recovered, nil)().input()
	in.Candidate.Runs = nil
	r := Compare(in)
	if got := panicIDs(r); slices.Contains(got, "panic-fixed") || len(r.Panics) != 1 || r.Panics[0].Class != "not-compared" || r.Verdict == Pass {
		t.Errorf("%v, %+v, review %s", got, r.Panics, r.Verdict)
	}
}

// TestPanics_Unseen: a set that sees one way of handling is told of the other.
func TestPanics_Unseen(t *testing.T) {
	in := panicking(recovered, crash)().input()
	in.Deployed.Runs[0].Outcomes[0].Panics = []int{0}
	r := Compare(in)
	var got string
	for _, f := range r.Findings {
		if f.ID == "panic-unseen" {
			got = f.Message
		}
	}
	const want = `panic assignment to entry in nil map in berth.(*Plan).Put: no alert that fired saw it where it was crashed (goroutine dump) on candidate; ` +
		`where it was recovered by berth.Run (text of an error), Dispatched fired on it`
	if got != want {
		t.Errorf("message\n%s\nwant\n%s", got, want)
	}
	// An alert that had the line but did not fire saw nothing.
	in.Deployed.Runs[0].Outcomes[0].State = outcome.Silent
	if m := Compare(in).Panics[0].Deployed.Modes[0]; len(m.Alerts) > 0 || !slices.Equal(m.Rules, []string{"Dispatched"}) {
		t.Errorf("a silent alert: %v %v", m.Alerts, m.Rules)
	}
}

// TestPanics_SeenAnyway: an alert that fires on the build without the panic,
// too, does not tell of it.
func TestPanics_SeenAnyway(t *testing.T) {
	tr := seen(panicking(recovered, nil))()
	if got := panicIDs(tr.run()); !slices.Equal(got, []string{"panic-unseen", "panic-fixed"}) {
		t.Errorf("fires on both: %v", got)
	}
	tr.candidate = states(outcome.Silent)
	if got := panicIDs(tr.run()); !slices.Equal(got, []string{"panic-fixed"}) {
		t.Errorf("fires on deployed: %v", got)
	}
	// It fires on the candidate on another panic, of which it has a line.
	in := seen(panicking(recovered, elsewhere))().input()
	in.Candidate.Runs[0].Outcomes[0].Panics = []int{0}
	if got := panicIDs(Compare(in)); !slices.Equal(got, []string{"panic-new", "panic-fixed"}) {
		t.Errorf("fires on another panic: %v", got)
	}
}

// TestPanics_Repetitions: what shows in some runs only is said to.
func TestPanics_Repetitions(t *testing.T) {
	tr := panicking(nil, nil)()
	tr.deployed, tr.candidate = states(outcome.Fired, outcome.Fired, outcome.Fired), states(outcome.Fired, outcome.Fired)
	in := tr.input()
	in.Deployed.Runs[1].Panics = []outcome.Panic{*recovered}
	for _, f := range Compare(in).Findings {
		if f.ID == "panic-fixed" {
			for _, part := range []string{"in 1 of 3 runs", "in none of 2 runs on candidate", "may be chance"} {
				if !strings.Contains(f.Message, part) {
					t.Errorf("%q does not say %q", f.Message, part)
				}
			}
			return
		}
	}
	t.Error("no panic-fixed")
}

// TestPanics_Partial: a panic without a stack is the one of its kind that the
// other build wrote with one.
func TestPanics_Partial(t *testing.T) {
	bare := outcome.Panic{Signature: "cc03", Kind: recovered.Kind, Partial: true, Form: panics.FormError, Handling: outcome.Recovered, Count: 1}
	if got := panicIDs(panicking(recovered, &bare)().run()); !contains(got, "panic-persists") || contains(got, "panic-new") {
		t.Errorf("findings %v", got)
	}
}

// TestPanics_NotReproduced: a fix that was not exercised is not proven, even
// where the alert did what it must.
func TestPanics_NotReproduced(t *testing.T) {
	r := mustClear(panicking(nil, nil))().run()
	if r.Verdict != Inconclusive || !contains(ids(r), "panic-not-reproduced") {
		t.Errorf("%s %v", r.Verdict, ids(r))
	}
	tr := mustClear(panicking(nil, nil))()
	tr.rule.Expr = `sum(count_over_time({app="dock"} |= "berth is full" [1m])) > 0`
	if r := tr.run(); contains(ids(r), "panic-not-reproduced") {
		t.Errorf("a rule that is not about panics: %v", ids(r))
	}
}

// TestPanics_Pods: the pod that wrote a crash tells how it ended; other pods
// do not.
func TestPanics_Pods(t *testing.T) {
	f := func(labels map[string]string, want string) {
		t.Helper()
		p := *crash
		p.Evidence, p.First.Stream = "dump", logs.FromMap(labels)
		in := panicking(nil, &p)().input()
		in.Candidate.Runs[0].Facts = &facts.Facts{Objects: []facts.Object{
			{Kind: "Pod", Namespace: "dock", Name: "crane-0", Time: 1, Raw: `{"status":{"containerStatuses":[{"name":"main","restartCount":1}]}}`},
			{Kind: "Pod", Namespace: "dock", Name: "crane-0", Time: 2, Raw: `{"status":{"containerStatuses":[{"name":"side","restartCount":9},{"name":"main","restartCount":2,"lastState":{"terminated":{"exitCode":2}}}]}}`},
			{Kind: "Pod", Namespace: "dock", Name: "ship-7", Time: 2, Raw: `{"status":{"phase":"Pending","containerStatuses":[{"name":"main","restartCount":5}]}}`},
		}}
		if got := Compare(in).Panics[0].Candidate.Modes[0].Evidence; got != want {
			t.Errorf("%v: %q; want %q", labels, got, want)
		}
	}
	f(map[string]string{"pod": "crane-0", "container": "main"}, "dump; its pod counts 2 restarts; the process before ended with exit code 2")
	f(map[string]string{"pod": "crane-1"}, "dump")
	f(map[string]string{"container": "main", "namespace": "dock"}, "dump")
}

// TestRestart compares the restarts that the logs show.
func TestRestart(t *testing.T) {
	log := func(builds ...int) []outcome.LogInfo {
		l := outcome.LogInfo{}
		for _, b := range builds {
			l.Epochs = append(l.Epochs, outcome.Epoch{Build: b})
		}
		return []outcome.LogInfo{l}
	}
	f := func(want bool, deployed, candidate [][]int) {
		t.Helper()
		tr := plain(ExpectNone, outcome.Fired, outcome.Fired)()
		tr.deployed, tr.candidate = nil, nil
		for range deployed {
			tr.deployed = append(tr.deployed, did(outcome.Fired))
		}
		for range candidate {
			tr.candidate = append(tr.candidate, did(outcome.Fired))
		}
		in := tr.input()
		for i, e := range deployed {
			in.Deployed.Runs[i].Logs = log(e...)
		}
		for i, e := range candidate {
			in.Candidate.Runs[i].Logs = log(e...)
		}
		if got := contains(ids(Compare(in)), "restart"); got != want {
			t.Errorf("epochs %v and %v: restart %t; want %t", deployed, candidate, got, want)
		}
	}
	f(true, [][]int{{0}}, [][]int{{0, 0}})
	f(false, [][]int{{0}}, [][]int{{0, 1}}) // an upgrade
	f(false, [][]int{{0, 0}}, [][]int{{0, 0}})
	f(false, [][]int{{0, 0}}, [][]int{{0}})
	f(true, [][]int{{0}, {0}}, [][]int{{0}, {0, 0}})
	f(false, [][]int{{0}, {0, 0}}, [][]int{{0}, {0, 0, 0}}) // they overlap
	f(true, [][]int{{0}, {0, 0}}, [][]int{{0, 0, 0}, {0, 0, 0}})
}
