package analyzer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// evidence is what a run of a warehouse robot's controller recorded.
func evidence(change func(*facts.Facts)) *facts.Facts {
	f := &facts.Facts{
		Moments: []string{"before", "after"},
		Objects: []facts.Object{
			{Moment: "before", Kind: "Robot", Name: "r1"},
			{Moment: "before", Kind: "Ledger", Name: "slots", Raw: `{"data":{"r9":"lost"}}`},
			{Moment: "after", Kind: "Robot", Name: "r1", Raw: `{"status":{"dock":"east"}}`},
			{Moment: "after", Kind: "Ledger", Name: "slots", Raw: `{"data":{"r1":"east"}}`},
		},
		Actions: []facts.Action{
			{Time: start + second, Actor: "script", Action: "cut"},
			{Time: start + 10*second, Actor: "sensor", Action: "docked", Target: "r1"},
			{Time: start + 90*second, Actor: "script", Action: "end"},
		},
	}
	if change != nil {
		change(f)
	}
	return f
}

// declared is an assertion that was written before the runs began.
func declared(a profile.Assertion) profile.Assertion {
	a.Name, a.Owner = "the case", "yard team"
	a.DeclaredAt = time.Unix(0, start-second)
	return a
}

// caseTrial judges one assertion on two runs that both recorded the evidence;
// change alters that of the candidate.
func caseTrial(a profile.Assertion, change func(*facts.Facts)) trial {
	tr := plain(MustFire, outcome.Fired, outcome.Fired)()
	a = declared(a)
	tr.assertion = &a
	tr.deployedFacts, tr.candidateFacts = evidence(nil), evidence(change)
	return tr
}

func object(kind string) *profile.ObjectSelector {
	return &profile.ObjectSelector{Kind: kind, Moment: "after"}
}

var (
	docked = profile.Assertion{Object: object("Robot"), Path: "status.dock", Condition: profile.Condition{NotEmpty: true}}
	inTime = profile.Assertion{
		Within: profile.Duration(30 * time.Second), After: &profile.Record{Action: &profile.ActionSelector{Action: "cut"}},
		Reaches: &profile.Record{Action: &profile.ActionSelector{Action: "docked"}},
	}
	once    = profile.Assertion{Executions: &profile.ExecutionCount{Of: &profile.Record{Action: &profile.ActionSelector{Action: "docked"}}}}
	byHand  = profile.Assertion{ManualActions: &profile.ManualActions{}}
	calm    = profile.Assertion{Restarts: &profile.RestartCount{}}
	noStale = profile.Assertion{Object: object("Ledger"), Path: "data", Condition: profile.Condition{Live: &profile.Live{Kind: "Robot"}}}
)

func act(seconds int64, actor, action, target string) func(*facts.Facts) {
	return func(f *facts.Facts) {
		f.Actions = append(f.Actions, facts.Action{Time: start + seconds*second, Actor: actor, Action: action, Target: target})
	}
}

func raw(object int, text string) func(*facts.Facts) {
	return func(f *facts.Facts) { f.Objects[object].Raw = text }
}

func caseOf(a profile.Assertion, change func(*facts.Facts)) func() trial {
	return func() trial { return caseTrial(a, change) }
}

func delay(seconds int64) func(*facts.Facts) {
	return func(f *facts.Facts) { f.Actions[1].Time = start + seconds*second }
}

// TestCases_Table holds the table of verdicts: D and C are what each build
// gave, h holds, f fails, n is not judged.
func TestCases_Table(t *testing.T) {
	f := func(d, c, deployed, candidate, want string, ids ...string) {
		t.Helper()
		a := docked
		a.Expect = profile.CaseExpect{Deployed: deployed, Candidate: candidate}
		tr := caseTrial(a, nil)
		for of, status := range map[**facts.Facts]string{&tr.deployedFacts: d, &tr.candidateFacts: c} {
			switch status {
			case "f":
				(*of).Objects[2].Raw = `{"status":{"dock":""}}`
			case "n":
				*of = nil
			}
		}
		r := tr.run()
		k := r.Cases[0]
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.ID)
		}
		if k.Verdict.String() != want || !slices.Equal(got, ids) || !slices.Equal(k.Findings, ids) {
			t.Errorf("deployed %s, candidate %s, expect %q and %q: %s %v; want %s %v", d, c, deployed, candidate, k.Verdict, got, want, ids)
		}
		review := map[string]Verdict{"pass": Pass, "fail": Fail, "inconclusive": Inconclusive, "not-evaluated": Inconclusive}[want]
		if r.Verdict != review {
			t.Errorf("deployed %s, candidate %s, expect %q and %q: the review is %s; want %s", d, c, deployed, candidate, r.Verdict, review)
		}
	}
	f("h", "h", "", "", "pass")
	f("f", "h", "", "", "pass")
	f("n", "h", "", "", "pass")
	f("h", "f", "", "", "fail", "recovery-failed")
	f("f", "f", "", "", "fail", "recovery-failed")
	f("n", "f", "", "", "fail", "recovery-failed")
	f("h", "n", "", "", "not-evaluated", "not-evaluated")
	f("f", "n", "", "", "not-evaluated", "not-evaluated")

	f("f", "h", "fails", "holds", "pass")
	f("f", "f", "fails", "holds", "fail", "recovery-failed")
	f("f", "f", "fails", "", "fail", "recovery-failed") // the upgrade does not mend it
	f("f", "f", "holds", "", "fail", "recovery-failed")
	f("h", "h", "fails", "holds", "inconclusive", "not-evaluated") // the fix was not exercised
	f("n", "h", "fails", "holds", "not-evaluated", "not-evaluated")
	f("h", "f", "fails", "holds", "fail", "recovery-failed")

	f("f", "f", "fails", "fails", "pass") // a known fault that stays
	f("f", "h", "fails", "fails", "pass")
	f("h", "f", "", "fails", "fail", "recovery-failed") // it worked before
	f("n", "h", "holds", "", "not-evaluated", "not-evaluated")
}

// TestCases_SaidToFail: a candidate of which its own manifest said that it will
// fail is not one that a fix is judged by; but what worked must still work.
func TestCases_SaidToFail(t *testing.T) {
	f := func(deployed string, at int64, want Verdict) {
		t.Helper()
		tr := caseTrial(docked, raw(2, `{}`))
		tr.assertion.Expect.Deployed = profile.MustFail
		tr.assertion.RestatesFailure = []string{"stays outside"}
		tr.deployedFacts.Objects[2].Raw = deployed
		in := tr.input()
		in.Candidate.Runs[0].Expected, in.Candidate.Runs[0].ExpectedAt = "r1 stays outside", at
		if r := Compare(in); r.Cases[0].Verdict != want || r.Verdict == Pass {
			t.Errorf("deployed %s: %s, review %s; want %s", deployed, r.Cases[0].Verdict, r.Verdict, want)
		}
	}
	f(`{}`, start-1, Inconclusive)
	f(`{}`, start+1, Fail) // said when it was known
	f(`{"status":{"dock":"east"}}`, start-1, Fail)
}

// TestCases_SaidFaulty: a manifest that says of one assertion that the build has
// what the upgrade is to mend says so of the others that deployed must fail.
func TestCases_SaidFaulty(t *testing.T) {
	f := func(expect string, want Verdict) {
		t.Helper()
		tr := caseTrial(docked, raw(2, `{}`))
		tr.assertion.Expect.Deployed = profile.MustFail
		tr.assertion.RestatesFailure = []string{"stays outside"}
		tr.deployedFacts.Objects[2].Raw = `{}`
		in := tr.input()
		other := declared(profile.Assertion{Object: object("Robot"), Path: "status.gate", Condition: profile.Condition{NotEmpty: true}})
		other.Name, other.Expect.Deployed = "another", expect
		in.Cases = append(in.Cases, cases.Declaration{Scenario: in.Cases[0].Scenario, Assertion: &other, From: "profile yard"})
		in.Candidate.Runs[0].Expected, in.Candidate.Runs[0].ExpectedAt = "r1 stays outside", start-1
		if r := Compare(in); len(r.Cases) != 2 || r.Cases[1].Verdict != want || r.Verdict == Pass {
			t.Errorf("expect %q: %+v, review %s; want %s", expect, r.Cases[1], r.Verdict, want)
		}
	}
	f(profile.MustFail, Inconclusive)
	f("", Inconclusive) // of a profile, and fails alike
}

func ofProfile(in *Input) { in.Cases[0].From = "profile yard" }

func oneBuild(in *Input) {
	in.Candidate.Build, in.Candidate.Version = in.Deployed.Build, in.Deployed.Version
}

// TestCases_Alike: what fails on both builds alike is no difference, whatever
// was asked, if nobody declared it of this candidate or there is but one build;
// what fails by more on the candidate is one.
func TestCases_Alike(t *testing.T) {
	two := func(a, b string) func(*facts.Facts) {
		return func(f *facts.Facts) {
			f.Objects[2].Raw = a
			f.Objects = append(f.Objects, facts.Object{Moment: "after", Kind: "Robot", Name: "r2", Raw: b})
		}
	}
	all := func(list ...func(*facts.Facts)) func(*facts.Facts) {
		return func(f *facts.Facts) {
			for _, change := range list {
				change(f)
			}
		}
	}
	kept := profile.Assertion{Object: object("Ledger"), Path: "data", Condition: profile.Condition{PreservedFrom: "before"}}
	single := profile.Assertion{Object: object("Ledger"), Path: "data.list", Condition: profile.Condition{Unique: true}}
	restart := act(20, "script", "restart", "controller")
	f := func(name string, a profile.Assertion, deployed, worse func(*facts.Facts), id string) {
		t.Helper()
		tr := caseTrial(a, deployed)
		tr.deployedFacts = evidence(deployed)
		if r := tr.run(); r.Cases[0].Verdict != Fail || r.Findings[0].ID != id || r.Findings[0].Severity != Break {
			t.Errorf("%s, alike but declared: %s, %v", name, r.Cases[0].Verdict, r.Findings)
		}
		for how, change := range map[string]func(*Input){"of a profile": ofProfile, "one build": oneBuild} {
			tr.change = change
			if r := tr.run(); r.Cases[0].Verdict != Inconclusive || r.Verdict != Inconclusive || len(r.Findings) != 1 || r.Findings[0].ID != id || r.Findings[0].Severity != Info {
				t.Errorf("%s, alike, %s: %s, review %s, %v", name, how, r.Cases[0].Verdict, r.Verdict, r.Findings)
			}
		}
		if worse == nil {
			return
		}
		tr = caseTrial(a, worse)
		tr.deployedFacts, tr.change = evidence(deployed), ofProfile
		if r := tr.run(); r.Cases[0].Verdict != Fail || r.Findings[0].Severity != Break || !strings.Contains(r.Findings[0].Message, "by more than on deployed") {
			t.Errorf("%s, worse: %s, %v", name, r.Cases[0].Verdict, r.Findings)
		}
	}
	f("value", docked, two(`{}`, `{"status":{"dock":"east"}}`), two(`{}`, `{}`), "recovery-failed")
	f("preserved", kept, raw(3, `{"data":{}}`), nil, "recovery-failed")
	f("unique", single, raw(3, `{"data":{"list":["a","a"]}}`), raw(3, `{"data":{"list":["a","a","b","b"]}}`), "stale-entry")
	f("live", noStale, raw(3, `{"data":{"r7":"x"}}`), raw(3, `{"data":{"r7":"x","r8":"x"}}`), "stale-entry")
	f("late", inTime, delay(50), func(f *facts.Facts) { f.Actions = slices.Delete(f.Actions, 1, 2) }, "budget-exceeded")
	f("twice", once, act(20, "sensor", "docked", "r1"), all(act(20, "sensor", "docked", "r1"), act(21, "sensor", "docked", "r2"), act(22, "sensor", "docked", "r2")), "duplicate-execution")
	f("by hand", byHand, act(20, "operator", "push", "r1"), all(act(20, "operator", "push", "r1"), act(21, "operator", "push", "r1")), "manual-intervention")
	f("restarts", calm, all(restart, restart), all(restart, restart, restart, restart, restart), "restart")
	tr := caseTrial(calm, all(restart, restart, restart))
	tr.deployedFacts, tr.change = evidence(all(restart, restart)), ofProfile
	if r := tr.run(); r.Cases[0].Verdict != Inconclusive {
		t.Errorf("one restart more of a process that restarts again and again: %s", r.Cases[0].Verdict)
	}
}

func TestCases_Observation(t *testing.T) {
	tr := caseTrial(docked, raw(2, `{}`))
	tr.assertion.DeclaredAt = time.Unix(0, start+second)
	r := tr.run()
	k := r.Cases[0]
	if k.Kind != cases.Observation || k.Candidate.Status != cases.Fails || k.Verdict != 0 || len(r.Findings) != 0 || r.Verdict != Pass {
		t.Errorf("an observation that fails: %s %s, verdict %d, %v, review %s", k.Kind, k.Candidate.Status, k.Verdict, ids(r), r.Verdict)
	}
}

func TestCases_StaleEntries(t *testing.T) {
	a := noStale
	live := *a.Live
	live.Since = "before"
	a.Live = &live
	both := raw(3, `{"data":{"r1":"east","r9":"lost","r7":"lost"}}`)
	r := caseTrial(a, both).run()
	k := r.Cases[0]
	if k.Candidate.Earlier != 1 || k.Candidate.Left != 1 || k.Verdict != Fail || r.Findings[0].Severity != Break {
		t.Errorf("one of two stale entries was stale before: %+v, %s", k.Candidate, k.Verdict)
	}
	r = caseTrial(a, raw(3, `{"data":{"r1":"east","r9":"lost"}}`)).run()
	k = r.Cases[0]
	if k.Verdict != Inconclusive || r.Findings[0].ID != "stale-entry" || r.Findings[0].Severity != Warn || r.Verdict != Inconclusive {
		t.Errorf("the stale entry was stale before: %+v, %s, review %s", k.Candidate, k.Verdict, r.Verdict)
	}
	if !strings.Contains(r.Findings[0].Message, "owner: yard team") {
		t.Errorf("%q names no owner", r.Findings[0].Message)
	}
}

func TestCases_Severities(t *testing.T) {
	tr := caseTrial(noStale, raw(3, `{"data":{"r7":"x"}}`))
	tr.severities = map[string]Severity{"stale-entry": Info}
	if r := tr.run(); r.Cases[0].Verdict != Pass || r.Verdict != Pass {
		t.Errorf("made mild: %s, review %s", r.Cases[0].Verdict, r.Verdict)
	}
}

// TestCases_Load: what is found under load is not what is found without.
func TestCases_Load(t *testing.T) {
	tr := caseTrial(docked, nil)
	in := tr.input()
	light, heavy := in.Candidate.Runs[0], in.Candidate.Runs[0]
	heavy.Parameters = map[string]string{"load": "200"}
	heavy.Repetition = 2
	heavy.Facts = evidence(raw(2, `{}`))
	in.Candidate.Runs = []outcome.Run{light, heavy}
	heavy.Facts = evidence(nil)
	in.Deployed.Runs = append(in.Deployed.Runs, heavy)
	r := Compare(in)
	if len(r.Cases) != 2 || r.Cases[0].Verdict != Pass || r.Cases[1].Verdict != Fail || r.Cases[1].Load != "200" {
		t.Fatalf("%d cases: %+v", len(r.Cases), r.Cases)
	}
	if s := r.Findings[0].Subject; s != "the case under load 200" {
		t.Errorf("subject %q", s)
	}
}

// TestCases_Restarts: epochs of the same build.
func TestCases_Restarts(t *testing.T) {
	f := func(builds []int, want string) {
		t.Helper()
		in := caseTrial(calm, nil).input()
		info := outcome.LogInfo{Labels: logs.New()}
		for _, b := range builds {
			info.Epochs = append(info.Epochs, outcome.Epoch{Build: b})
		}
		in.Candidate.Runs[0].Logs = []outcome.LogInfo{info}
		if got := Compare(in); got.Cases[0].Verdict.String() != want {
			t.Errorf("epochs of builds %v: %s; want %s", builds, got.Cases[0].Verdict, want)
		}
	}
	f([]int{0}, "pass")
	f([]int{0, 1}, "pass") // an upgrade
	f([]int{0, 0}, "fail")
	f([]int{0, 1, 1}, "fail")
}
