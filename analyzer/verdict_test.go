package analyzer

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// TestVerdictTable holds the table of the design, row by row, written down
// apart from the one in verdict.go.
func TestVerdictTable(t *testing.T) {
	const (
		fired, silent, pending = outcome.Fired, outcome.Silent, outcome.Pending
		matched, none          = outcome.Matched, outcome.None
		not                    = outcome.NotEvaluated
	)
	f := func(rule rules.Rule, expect Expect, d, c outcome.State, verdict Verdict, review Verdict, findings ...string) {
		t.Helper()
		r := trial{rule: rule, expect: expect, deployed: states(d), candidate: states(c)}.run()
		res := r.Results[0]
		if res.Verdict != verdict || r.Verdict != review {
			t.Errorf("%s %s %d/%d: verdict %s, review %s; want %s, %s", rule.Kind, expect, d, c, res.Verdict, r.Verdict, verdict, review)
		}
		if diff := cmp.Diff(append([]string{}, findings...), ids(r)); diff != "" {
			t.Errorf("%s %s %d/%d: findings (-want +got):\n%s", rule.Kind, expect, d, c, diff)
		}
		if diff := cmp.Diff(findings, res.Findings); diff != "" {
			t.Errorf("%s %s %d/%d: findings of the rule (-want +got):\n%s", rule.Kind, expect, d, c, diff)
		}
	}
	a, q := alertRule(), queryRule()

	f(a, MustFire, fired, fired, Pass, Pass)
	f(a, MustFire, fired, silent, Fail, Fail, "alert-lost")
	f(a, MustFire, silent, fired, Pass, Pass, "alert-gained")
	f(a, MustFire, silent, silent, Inconclusive, Inconclusive, "alert-never-fired")

	f(a, MustStaySilent, silent, silent, Pass, Pass)
	f(a, MustStaySilent, silent, fired, Fail, Fail, "alert-false")
	f(a, MustStaySilent, fired, fired, Pass, Pass, "alert-noisy")
	f(a, MustStaySilent, fired, silent, Pass, Pass, "alert-quietened")

	f(a, MustClear, fired, silent, Pass, Pass, "alert-cleared")
	f(a, MustClear, fired, fired, Fail, Fail, "alert-persists")
	f(a, MustClear, silent, silent, Inconclusive, Inconclusive, "alert-not-reproduced")
	f(a, MustClear, silent, fired, Inconclusive, Inconclusive, "alert-not-reproduced")

	f(a, ExpectNone, fired, fired, Pass, Pass)
	f(a, ExpectNone, fired, silent, Fail, Fail, "alert-lost")
	f(a, ExpectNone, silent, fired, Pass, Pass, "alert-gained")
	f(a, ExpectNone, silent, silent, NotExercised, Inconclusive)

	for _, kind := range []rules.Kind{rules.Query, rules.Panel, rules.Metric, rules.Recording, rules.Pattern} {
		q.Kind = kind
		f(q, ExpectNone, matched, matched, Pass, Pass)
		f(q, ExpectNone, matched, none, Fail, Fail, "match-lost")
		f(q, ExpectNone, none, matched, Pass, Pass, "match-gained")
		f(q, ExpectNone, none, none, NotExercised, Inconclusive)
		// With an expectation a query is judged as an alert is.
		f(q, MustFire, matched, none, Fail, Fail, "alert-lost")
		f(q, MustStaySilent, none, matched, Fail, Fail, "alert-false")
		f(q, MustClear, matched, none, Pass, Pass, "alert-cleared")
	}

	for _, expect := range []Expect{MustFire, MustStaySilent, MustClear} {
		for _, other := range []outcome.State{fired, silent, pending} {
			f(a, expect, pending, other, Inconclusive, Inconclusive, "window-too-short")
			f(a, expect, other, pending, Inconclusive, Inconclusive, "window-too-short")
		}
	}
	f(a, ExpectNone, fired, pending, Inconclusive, Inconclusive, "window-too-short")

	for _, expect := range []Expect{ExpectNone, MustFire, MustStaySilent, MustClear} {
		for _, other := range []outcome.State{fired, silent, pending, not} {
			f(a, expect, not, other, NotEvaluated, Inconclusive, "not-evaluated")
			f(a, expect, other, not, NotEvaluated, Inconclusive, "not-evaluated")
		}
	}
}

func TestVerdict_Repetitions(t *testing.T) {
	const fired, silent, pending, not = outcome.Fired, outcome.Silent, outcome.Pending, outcome.NotEvaluated
	type reps = []outcome.State
	f := func(rule rules.Rule, expect Expect, d, c reps, verdict Verdict, findings ...string) {
		t.Helper()
		r := trial{rule: rule, expect: expect, deployed: states(d...), candidate: states(c...)}.run()
		if got := r.Results[0]; got.Verdict != verdict {
			t.Errorf("%s %v/%v: verdict %s; want %s", expect, d, c, got.Verdict, verdict)
		}
		if diff := cmp.Diff(append([]string{}, findings...), ids(r)); diff != "" {
			t.Errorf("%s %v/%v: findings (-want +got):\n%s", expect, d, c, diff)
		}
	}
	a, q := alertRule(), queryRule()
	f(a, MustFire, reps{fired, fired}, reps{fired, fired, fired}, Pass)
	f(a, MustFire, reps{fired, fired}, reps{silent, silent}, Fail, "alert-lost")
	f(a, MustFire, reps{fired, fired}, reps{fired, silent}, Inconclusive, "alert-flaky")
	f(a, MustFire, reps{silent, fired}, reps{fired}, Inconclusive, "alert-flaky")
	f(a, MustStaySilent, reps{silent, silent}, reps{silent, fired}, Inconclusive, "alert-flaky")
	f(a, MustClear, reps{fired, silent}, reps{silent, silent}, Inconclusive, "alert-flaky")
	f(a, ExpectNone, reps{fired, silent}, reps{fired, fired}, Inconclusive, "alert-flaky")
	f(a, MustFire, reps{fired, pending}, reps{fired, fired}, Inconclusive, "window-too-short")
	f(a, MustFire, reps{fired, silent}, reps{pending, fired}, Inconclusive, "alert-flaky", "window-too-short")
	f(a, MustFire, reps{fired, not}, reps{fired, fired}, NotEvaluated, "not-evaluated")

	const matched, none = outcome.Matched, outcome.None
	f(q, ExpectNone, reps{matched, none}, reps{none, none}, Pass, "match-flaky")
	f(q, ExpectNone, reps{matched, matched}, reps{none, matched}, Pass, "match-flaky")
	f(q, ExpectNone, reps{matched, matched}, reps{none, none}, Fail, "match-lost")
	f(q, MustFire, reps{matched, none}, reps{matched, matched}, Inconclusive, "alert-flaky")
}

func TestVerdict_Severities(t *testing.T) {
	const fired, silent = outcome.Fired, outcome.Silent
	f := func(expect Expect, d, c outcome.State, id string, s Severity, verdict, review Verdict) {
		t.Helper()
		tr := trial{rule: alertRule(), expect: expect, deployed: states(d), candidate: states(c), severities: map[string]Severity{id: s}}
		r := tr.run()
		if r.Results[0].Verdict != verdict || r.Verdict != review || r.Findings[0].Severity != s {
			t.Errorf("%s as %s: %s, review %s, finding %s; want %s, %s", id, s, r.Results[0].Verdict, r.Verdict, r.Findings[0].Severity, verdict, review)
		}
	}
	f(MustFire, fired, silent, "alert-lost", Break, Fail, Fail)
	f(MustFire, fired, silent, "alert-lost", Warn, Pass, Pass)
	f(MustFire, fired, silent, "alert-lost", Info, Pass, Pass)
	f(MustStaySilent, fired, fired, "alert-noisy", Break, Fail, Fail)
	f(MustFire, silent, silent, "alert-never-fired", Break, Fail, Fail)
	f(MustFire, silent, silent, "alert-never-fired", Info, Inconclusive, Inconclusive)
	f(MustFire, silent, fired, "alert-gained", Warn, Pass, Pass)
	f(MustFire, outcome.NotEvaluated, fired, "not-evaluated", Break, Fail, Fail)
	f(MustFire, outcome.NotEvaluated, fired, "not-evaluated", Info, NotEvaluated, Inconclusive)
}

func TestAlertGained_Severity(t *testing.T) {
	for expect, want := range map[Expect]Severity{MustFire: Info, ExpectNone: Warn} {
		r := trial{rule: alertRule(), expect: expect, deployed: states(outcome.Silent), candidate: states(outcome.Fired)}.run()
		if got := r.Findings[0].Severity; got != want {
			t.Errorf("alert-gained with expectation %s is %s; want %s", expect, got, want)
		}
	}
}

// TestReview_InconclusiveRows: an inconclusive row keeps a review from passing
// where something was declared, or where the alert is known to fire. An alert
// that nobody declared and that never fired does not.
func TestReview_InconclusiveRows(t *testing.T) {
	const fired, silent, pending = outcome.Fired, outcome.Silent, outcome.Pending
	f := func(expect Expect, d, c []outcome.Outcome, want Verdict) {
		t.Helper()
		in := trial{rule: alertRule(), deployed: d, candidate: c}.input()
		in.Rules = append(in.Rules, queryRule())
		for _, s := range []*Side{&in.Deployed, &in.Candidate} {
			for i := range s.Runs {
				s.Runs[i].Outcomes = append(s.Runs[i].Outcomes, did(outcome.Matched))
			}
		}
		in.Expect = func(i int, _ string) Expect { return []Expect{expect, ExpectNone}[i] }
		r := Compare(in)
		if r.Verdict != want || r.Results[0].Verdict != Inconclusive {
			t.Errorf("%s: review %s, rule %s; want %s, inconclusive", expect, r.Verdict, r.Results[0].Verdict, want)
		}
	}
	f(ExpectNone, states(pending), states(pending), Pass)
	f(ExpectNone, states(silent), states(pending), Pass)
	f(ExpectNone, states(fired), states(pending), Inconclusive) // nobody knows whether it is lost
	f(ExpectNone, states(pending), states(fired), Inconclusive)
	f(ExpectNone, states(fired, fired), states(fired, silent), Inconclusive)
	f(ExpectNone, states(pending, fired), states(pending, silent), Inconclusive)
	f(MustFire, states(pending), states(pending), Inconclusive)
	f(MustStaySilent, states(silent), states(pending), Inconclusive)
}

// TestCompare_Itself: a build against itself gives no difference finding,
// whatever its repetitions did.
func TestCompare_Itself(t *testing.T) {
	may := map[string]bool{}
	for _, id := range []string{
		"alert-never-fired", "alert-noisy", "alert-persists", "alert-not-reproduced", "alert-flaky", "match-flaky",
		"window-too-short", "not-evaluated", "corpus-incomplete", "panic-persists", "panic-not-reproduced",
	} {
		may[id] = true
	}
	everyTrial(func(tr trial) {
		for _, f := range tr.itself().run().Findings {
			if !may[f.ID] {
				t.Errorf("%s: %s %s against itself: %s: %s", tr.rule.Name, tr.rule.Kind, tr.expect, f.ID, f.Message)
			}
		}
	})
}

// TestCompare_Swapped: swapping the builds swaps what is lost and gained.
func TestCompare_Swapped(t *testing.T) {
	pairs := map[string]string{
		"alert-lost": "alert-gained", "match-lost": "match-gained", "alert-false": "alert-quietened", "panic-fixed": "panic-new",
	}
	for a, b := range pairs {
		pairs[b] = a
	}
	everyTrial(func(tr trial) {
		if tr.expect == MustClear {
			return
		}
		there, back := ids(tr.run()), ids(tr.swapped().run())
		for _, list := range []struct{ one, other []string }{{there, back}, {back, there}} {
			for _, id := range list.one {
				if want := pairs[id]; want != "" && !contains(list.other, want) {
					t.Errorf("%s %s: %v one way, %v the other; want %s", tr.rule.Kind, tr.expect, there, back, want)
				}
			}
		}
	})
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// everyTrial calls f with every kind of rule, expectation and pair of states
// in up to two repetitions, and with the positive cases of all checks.
func everyTrial(f func(trial)) {
	for _, rule := range []rules.Rule{alertRule(), queryRule()} {
		one := []outcome.State{outcome.Fired, outcome.Silent, outcome.Pending, outcome.NotEvaluated}
		if rule.Kind == rules.Query {
			one = []outcome.State{outcome.Matched, outcome.None, outcome.NotEvaluated}
		}
		var lists [][]outcome.Outcome
		for _, s := range one {
			lists = append(lists, states(s))
			for _, u := range one {
				lists = append(lists, states(s, u))
			}
		}
		for expect := ExpectNone; expect <= MustClear; expect++ {
			for _, d := range lists {
				for _, c := range lists {
					f(trial{rule: rule, expect: expect, deployed: d, candidate: c})
				}
			}
		}
	}
	for _, c := range checkCases {
		if c.positive == nil {
			continue
		}
		f(c.positive())
		f(c.nearMiss())
	}
}

func TestParse(t *testing.T) {
	for s := Info; s <= Break; s++ {
		if got, err := ParseSeverity(s.String()); err != nil || got != s {
			t.Errorf("ParseSeverity(%q) = %v, %v", s.String(), got, err)
		}
	}
	for e := ExpectNone; e <= MustClear; e++ {
		if got, err := ParseExpect(e.String()); err != nil || got != e {
			t.Errorf("ParseExpect(%q) = %v, %v", e.String(), got, err)
		}
	}
	for f := FailOnBreak; f <= FailOnNever; f++ {
		if got, err := ParseFailOn(f.String()); err != nil || got != f {
			t.Errorf("ParseFailOn(%q) = %v, %v", f.String(), got, err)
		}
	}
	_, e1 := ParseSeverity("fatal")
	_, e2 := ParseExpect("")
	_, e3 := ParseFailOn("info")
	if e1 == nil || e2 == nil || e3 == nil {
		t.Error("unknown names were taken", fmt.Sprint(e1, e2, e3))
	}
}
