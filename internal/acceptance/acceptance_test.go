package acceptance

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

const second = int64(time.Second)

// start is the restoration of a power line to a bakery: 2026-07-08T09:10:00Z.
const start = 1783501800 * second

func milestones() *profile.Milestones {
	return &profile.Milestones{List: []profile.Milestone{
		{Name: "lit", Title: "oven lit", Owner: "fitters", As: profile.Dispatched},
		{Name: "warm", Title: "oven warm", Owner: "bakers", As: profile.Useful, After: []string{"lit"}},
	}}
}

// bake is a run in which loaves find the oven lit and warm so many seconds after
// the restoration; below 0: not before the capture ended, a minute after it.
func bake(repetition int, loaves ...[2]int64) timeline.Run {
	r := timeline.Run{
		Scenario: "power-cut", Repetition: repetition, Start: start - 100*second, End: start + 60*second,
		Failure:  timeline.Milestone{Name: "failure", State: timeline.Reached, At: start - 50*second},
		Restored: timeline.Milestone{Name: "restored", State: timeline.Reached, At: start, Resolution: 100 * time.Millisecond},
		Declared: []timeline.Declared{
			{Name: "lit", Title: "oven lit", Owner: "fitters", As: profile.Dispatched, After: []string{""}},
			{Name: "warm", Title: "oven warm", Owner: "bakers", As: profile.Useful, After: []string{"lit"}},
		},
	}
	mark := func(name string, at int64) timeline.Milestone {
		if at < 0 {
			return timeline.Milestone{Name: name, State: timeline.Missing, Reason: timeline.CaptureEnded, Detail: "it had not happened"}
		}
		return timeline.Milestone{Name: name, State: timeline.Reached, At: start + at*second, Resolution: 100 * time.Millisecond}
	}
	for i, l := range loaves {
		r.Workloads = append(r.Workloads, timeline.Workload{ID: fmt.Sprintf("bakery/loaf-%d", i), Affected: timeline.Unfinished, Milestones: []timeline.Milestone{mark("lit", l[0]), mark("warm", l[1])}})
	}
	return r
}

func evidence(deployed, candidate []timeline.Run) *Evidence {
	e := &Evidence{Scenario: "power-cut", Line: timeline.Compare("power-cut", milestones(), deployed, candidate)}
	for range candidate {
		e.Candidate = append(e.Candidate, execution.Result{Judged: 2})
		e.Acted = append(e.Acted, true)
	}
	return e
}

func one(loaves ...[2]int64) []timeline.Run { return []timeline.Run{bake(1, loaves...)} }

// repeated is one loaf in each repetition, lit and warm after so many seconds.
func repeated(loaves ...[2]int64) (runs []timeline.Run) {
	for i, l := range loaves {
		runs = append(runs, bake(i+1, l))
	}
	return runs
}

func said(r Result) []string {
	var out []string
	for _, c := range r.Criteria {
		out = append(out, fmt.Sprintf("%s (%s) %s: %s", c.Name, c.Owner, c.Status, c.Said))
	}
	for _, b := range r.Rollbacks {
		out = append(out, fmt.Sprintf("rollback %s (%s) %s: %s", b.Name, b.Owner, b.Status, strings.Join(b.Because, " | ")))
	}
	return out
}

func TestJudge_Budgets(t *testing.T) {
	sec := func(n int) profile.Duration { return profile.Duration(time.Duration(n) * time.Second) }
	total := &profile.Acceptance{Owner: "ops", Total: &profile.TotalBudget{Within: sec(20), Owner: "ops"}}
	lit := &profile.Acceptance{Stages: []profile.StageBudget{{To: "lit", Within: sec(10)}}}
	warm := &profile.Acceptance{Stages: []profile.StageBudget{{To: "warm", Within: sec(10), Owner: "night shift"}}}
	whole := &profile.Acceptance{Stages: []profile.StageBudget{{To: "warm", From: profile.FromRestored, Within: sec(10)}}}
	cold := bake(1, [2]int64{5, 15})
	cold.Workloads[0].Milestones[1] = timeline.Milestone{Name: "warm", State: timeline.Missing, Reason: timeline.TelemetryGap, Detail: "a gap"}
	early := bake(1, [2]int64{5, 15})
	early.Workloads[0].Milestones[0].State, early.Workloads[0].Milestones[1].State = timeline.Before, timeline.Before
	for name, x := range map[string]struct {
		a    *profile.Acceptance
		e    *Evidence
		want string
	}{
		"kept":              {total, evidence(one([2]int64{5, 15}), one([2]int64{5, 15}, [2]int64{5, 18})), "total (ops) kept: 18.0 s, budget 20s"},
		"broken":            {total, evidence(one([2]int64{5, 15}), one([2]int64{25, 30}, [2]int64{5, 15})), "total (ops) broken: 30.0 s, budget 20s; the slowest is bakery/loaf-0; on deployed 15.0 s; most of it is the stage oven lit, 25.0 s, whose owner is fitters"},
		"never":             {total, evidence(one([2]int64{5, 15}), one([2]int64{5, -1})), "total (ops) broken: more than 1m (capture ended), budget 20s; the slowest is bakery/loaf-0; on deployed 15.0 s; most of it is the stage oven warm, more than 55.0 s (capture ended), whose owner is bakers"},
		"capture too short": {&profile.Acceptance{Total: &profile.TotalBudget{Within: sec(90), Owner: "ops"}}, evidence(one([2]int64{5, 15}), one([2]int64{5, -1})), "total (ops) not-evaluated: the capture ended 1m into it, before the budget of 1m30s was used up"},
		"gap":               {total, evidence(one([2]int64{5, 15}), []timeline.Run{cold}), "total (ops) not-evaluated: bakery/loaf-0: nothing shows warm"},
		"repeated":          {total, evidence(nil, repeated([2]int64{5, 30}, [2]int64{5, 31})), "total (ops) broken: 30.0 s, 31.0 s, budget 20s; the slowest is bakery/loaf-0; most of it is the stage oven warm, 26.0 s, whose owner is bakers"},
		"noise":             {total, evidence(nil, repeated([2]int64{5, 19}, [2]int64{5, 22})), "total (ops) not-evaluated: the repetitions disagree, so noise decides: 19.0 s, 22.0 s, budget 20s"},
		"none delayed":      {total, evidence(one([2]int64{5, 15}), []timeline.Run{early}), "total (ops) not-evaluated: no work was delayed that tests it"},
		"not measured":      {total, &Evidence{}, "total (ops) not-evaluated: no recovery was measured"},
		"stage":             {lit, evidence(one([2]int64{5, 15}), one([2]int64{12, 15})), "stage lit (fitters) broken: 12.0 s, budget 10s; the slowest is bakery/loaf-0; on deployed 5.0 s"},
		"stage kept":        {warm, evidence(one([2]int64{5, 15}), one([2]int64{12, 15})), "stage warm (night shift) kept: 3.0 s, budget 10s"},
		"stage from":        {whole, evidence(one([2]int64{5, 15}), one([2]int64{12, 15})), "stage warm (bakers) broken: 15.0 s, budget 10s; the slowest is bakery/loaf-0; on deployed 15.0 s"},
		"stage not begun":   {warm, evidence(one([2]int64{5, 15}), one([2]int64{-1, -1})), "stage warm (night shift) not-evaluated: bakery/loaf-0: what comes before it had not happened"},
		"no such stage":     {&profile.Acceptance{Stages: []profile.StageBudget{{To: "warn", Within: sec(10)}}}, evidence(one([2]int64{5, 15}), one([2]int64{12, 15})), `stage warn () not-evaluated: no milestone is called "warn"`},
	} {
		if diff := cmp.Diff([]string{x.want}, said(Judge(x.a, x.e))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestJudge_Resolution(t *testing.T) {
	a := &profile.Acceptance{Total: &profile.TotalBudget{Within: profile.Duration(20 * time.Second), Owner: "ops"}}
	for ms, want := range map[int64]Status{20_000: Kept, 20_001: NotEvaluated, 20_200: NotEvaluated, 20_201: Broken} {
		r := one([2]int64{5, 15})
		r[0].Workloads[0].Milestones[1].At = start + ms*int64(time.Millisecond)
		if got := Judge(a, evidence(r, r)); got.Status != want {
			t.Errorf("%d ms, known to 0.2 s: %s; want %s: %v", ms, got.Status, want, said(got))
		}
	}
}

func TestJudge_NotSlower(t *testing.T) {
	a := &profile.Acceptance{NotSlower: &profile.Owned{Owner: "ops"}}
	another := evidence(one([2]int64{5, 15}), one([2]int64{25, 40}))
	another.Another = []string{"length of the loss: 25.0 s | 165.0 s"}
	for name, x := range map[string]struct {
		e    *Evidence
		want string
	}{
		"slower":       {evidence(one([2]int64{5, 15}), one([2]int64{25, 40})), "not-slower (ops) broken: oven lit takes 25.0 s, on deployed 5.0 s (owner: fitters)"},
		"itself":       {evidence(one([2]int64{5, 15}), one([2]int64{5, 15})), "not-slower (ops) kept: in all 15.0 s, on deployed 15.0 s"},
		"faster":       {evidence(one([2]int64{5, 15}), one([2]int64{4, 12})), "not-slower (ops) kept: in all 12.0 s, on deployed 15.0 s"},
		"who knows":    {evidence(one([2]int64{5, 15}), one([2]int64{5, 18})), "not-slower (ops) not-evaluated: in all 18.0 s, on deployed 15.0 s; with one repetition of each build nobody knows whether that is noise: repeat the drill"},
		"inside noise": {evidence(repeated([2]int64{5, 15}, [2]int64{5, 20}), repeated([2]int64{5, 18}, [2]int64{5, 19})), "not-slower (ops) kept: in all 18.0 s, 19.0 s, on deployed 15.0 s, 20.0 s; repetitions differ by up to 5.0 s"},
		"above noise":  {evidence(repeated([2]int64{5, 15}, [2]int64{5, 16}), repeated([2]int64{5, 28}, [2]int64{5, 29})), "not-slower (ops) broken: oven warm takes 23.0 s, 24.0 s, on deployed 10.0 s, 11.0 s (owner: bakers)"},
		"other drill":  {another, "not-slower (ops) not-evaluated: the drills differ, so a difference in time proves nothing: length of the loss: 25.0 s | 165.0 s"},
		"never":        {evidence(one([2]int64{5, 15}), one([2]int64{5, -1})), "not-slower (ops) broken: oven warm takes more than 55.0 s (capture ended), on deployed 10.0 s (owner: bakers)"},
	} {
		if diff := cmp.Diff([]string{x.want}, said(Judge(a, x.e))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestJudge_Others(t *testing.T) {
	plain := func(change func(*Evidence)) *Evidence {
		e := evidence(one([2]int64{5, 15}), one([2]int64{5, 15}))
		change(e)
		return e
	}
	act := func(a ...timeline.Action) func(*Evidence) {
		return func(e *Evidence) { e.Line.Candidate.Runs[0].Actions = a }
	}
	fires := func(at ...int64) []Firing {
		f := Firing{Repetition: 1}
		for _, s := range at {
			f.At = append(f.At, outcome.Interval{From: start + s*second, To: start + s*second})
		}
		return []Firing{f}
	}
	alert := func(d, c []Firing) func(*Evidence) {
		return func(e *Evidence) { e.Alerts = []Alert{{Rule: "NoPower", Deployed: d, Candidate: c}} }
	}
	once := &profile.Acceptance{NoDuplicates: &profile.Owned{Owner: "ops"}}
	alone := &profile.Acceptance{NoManualActions: &profile.Owned{Owner: "ops"}}
	told := &profile.Acceptance{RecoveryAlerts: &profile.AlertsFire{Owner: "ops"}}
	by := timeline.Action{Manual: true, Evidence: "action restart oven by operator"}
	unknown := timeline.Action{Unattributed: true, Evidence: "the generation rose"}
	for name, x := range map[string]struct {
		a    *profile.Acceptance
		e    *Evidence
		want string
	}{
		"once":          {once, plain(func(*Evidence) {}), "duplicates (ops) kept: 2 pieces of work, each once"},
		"twice":         {once, plain(func(e *Evidence) { e.Candidate[0].Duplicates = []execution.Duplicate{{Detail: "loaf-1 twice"}} }), "duplicates (ops) broken: loaf-1 twice"},
		"no pods":       {once, plain(func(e *Evidence) { e.Candidate[0].Judged = 0 }), "duplicates (ops) not-evaluated: no pod of work and no progress of it was recorded"},
		"some unknown":  {once, plain(func(e *Evidence) { e.Candidate[0].Unjudged = []string{"bakery/loaf-1"} }), "duplicates (ops) not-evaluated: of 1 pieces of work it could not be judged, such as bakery/loaf-1"},
		"nobody acted":  {alone, plain(func(*Evidence) {}), "manual-actions (ops) kept: none was recorded"},
		"somebody did":  {alone, plain(act(unknown, by)), "manual-actions (ops) broken: 1 manual action, such as action restart oven by operator; of 1 more nothing says who did them"},
		"perhaps":       {alone, plain(act(unknown)), "manual-actions (ops) not-evaluated: of 1 action nothing says who did them, such as the generation rose"},
		"none recorded": {alone, plain(func(e *Evidence) { e.Acted[0] = false }), "manual-actions (ops) not-evaluated: no actions were recorded, so nothing says that nobody acted"},
		"fired":         {told, plain(alert(fires(-20), fires(-200, 5))), "recovery-alerts (ops) kept: 1 alert fired"},
		"missed":        {told, plain(alert(fires(-20), fires())), "recovery-alerts (ops) broken: NoPower did not fire after the failure on candidate, but on deployed"},
		"only before":   {told, plain(alert(fires(-20), fires(-60))), "recovery-alerts (ops) broken: NoPower did not fire after the failure on candidate, but on deployed"},
		"neither":       {told, plain(alert(fires(), fires())), "recovery-alerts (ops) not-evaluated: NoPower: it fired on neither build after the failure: the scenario does not exercise it"},
		"not evaluated": {told, plain(alert(fires(-20), []Firing{{Repetition: 1, Unknown: "the query is refused"}})), "recovery-alerts (ops) not-evaluated: NoPower: the query is refused"},
		"no alerts":     {told, plain(func(e *Evidence) { e.NoAlerts = "no rule must fire" }), "recovery-alerts (ops) not-evaluated: no rule must fire"},
	} {
		if diff := cmp.Diff([]string{x.want}, said(Judge(x.a, x.e))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestJudge_Rollback(t *testing.T) {
	a := &profile.Acceptance{
		Total:        &profile.TotalBudget{Within: profile.Duration(20 * time.Second), Owner: "ops"},
		NoDuplicates: &profile.Owned{Owner: "ops"},
		Rollback: []profile.Rollback{
			{Name: "slow", When: []string{"total"}, Owner: "ops"}, {Name: "lost", When: []string{"unrecovered", "duplicates"}, Owner: "bakers"}, {Name: "burnt", When: []string{"case not burnt"}, Owner: "bakers"},
		},
	}
	e := evidence(one([2]int64{5, 15}), one([2]int64{5, -1}))
	e.Cases = map[string]Status{"not burnt": Kept}
	want := []string{
		"rollback slow (ops) broken: from the restoration to oven warm: more than 1m (capture ended), budget 20s; the slowest is bakery/loaf-0; on deployed 15.0 s; most of it is the stage oven warm, more than 55.0 s (capture ended), whose owner is bakers",
		"rollback lost (bakers) broken: work that did not recover: 1 of 1 pieces",
		"rollback burnt (bakers) kept: ",
	}
	r := Judge(a, e)
	if diff := cmp.Diff(want, said(r)[2:]); diff != "" || r.Status != Broken {
		t.Errorf("%s (-want +got):\n%s", r.Status, diff)
	}
	e = evidence(one([2]int64{5, 15}), one([2]int64{5, 15}))
	r = Judge(a, e)
	want = []string{"rollback slow (ops) kept: ", "rollback lost (bakers) kept: ", `rollback burnt (bakers) not-evaluated: case "not burnt": no such assertion was judged in this scenario`}
	if diff := cmp.Diff(want, said(r)[2:]); diff != "" || r.Status != NotEvaluated {
		t.Errorf("%s (-want +got):\n%s", r.Status, diff)
	}
}

// TestJudge_Doubts: work that only counts as recovered because evidence is
// missing keeps no demand, and work of which nothing tells is no reason to go
// back.
func TestJudge_Doubts(t *testing.T) {
	a := &profile.Acceptance{
		Owner: "ops", Total: &profile.TotalBudget{Within: profile.Duration(20 * time.Second), Owner: "ops"}, NotSlower: &profile.Owned{Owner: "ops"},
		Rollback: []profile.Rollback{{Name: "cold", When: []string{profile.CriterionUnrecovered}, Owner: "ops"}},
	}
	blind := func(reason timeline.Reason, missing ...int) []timeline.Run {
		r := bake(1, [2]int64{5, 6}, [2]int64{5, 6})
		for _, i := range missing {
			r.Workloads[i].Milestones[1] = timeline.Milestone{Name: "warm", State: timeline.Missing, Reason: reason}
		}
		return []timeline.Run{r}
	}
	f := func(deployed, candidate []timeline.Run, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, said(Judge(a, evidence(deployed, candidate)))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	f(blind(""), blind(timeline.NoEvidence, 0, 1),
		"total (ops) not-evaluated: 5.0 s, budget 20s; of oven warm, which one build alone shows, nothing was seen of 2 pieces of work",
		"not-slower (ops) not-evaluated: of oven warm, which one build alone shows, nothing was seen of 2 pieces of work",
		"rollback cold (ops) not-evaluated: work that did not recover: of oven warm, which one build alone shows, nothing was seen of 2 pieces of work")
	got := said(Judge(a, evidence(blind(""), blind(timeline.TelemetryGap, 1))))
	if want := "rollback cold (ops) not-evaluated: work that did not recover: of 1 of 2 pieces nothing tells"; got[2] != want {
		t.Errorf("%q; want %q", got[2], want)
	}
}
