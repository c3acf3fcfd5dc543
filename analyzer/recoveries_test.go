package analyzer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// flagged are crossings on builds that were started with other flags.
func flagged(deployed, candidate float64, d, c string) func() trial {
	return func() trial {
		tr := crossings(deployed, candidate)()
		tr.change = func(in *Input) {
			in.Deployed.Runs[0].Builds = []outcome.BuildInfo{{Flags: []string{d}}}
			in.Candidate.Runs[0].Builds = []outcome.BuildInfo{{Flags: []string{c}}}
		}
		return tr
	}
}

// demands reads an acceptance of the ferries.
func demands(t *testing.T, text string) []profile.Acceptance {
	t.Helper()
	p, err := profile.Parse("ferries.yaml", []byte("name: ferries\nacceptance:\n  - "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p.Acceptance
}

// sayings are the findings of some IDs, in words.
func sayings(r *Report, ids ...string) []string {
	out := []string{}
	for _, f := range r.Findings {
		if slices.Contains(ids, f.ID) {
			out = append(out, f.ID+" "+f.Severity.String()+": "+f.Message)
		}
	}
	return out
}

// accepted compares crossings by what is declared of them.
func accepted(t *testing.T, declared string, deployed, candidate *facts.Facts) *Report {
	t.Helper()
	tr := crossingTrial(deployed, candidate)
	tr.change = func(in *Input) { in.Acceptance = demands(t, declared) }
	return tr.run()
}

func TestAcceptance_Budget(t *testing.T) {
	const declared = "owner: port\ntotal: {within: 20s}\nstages: [{to: light, within: 15s}]\nrollback: [{name: slow, when: [total, stage light]}]"
	r := accepted(t, declared, crossing(5), crossing(12))
	if got := sayings(r, "budget-exceeded"); len(got) != 0 || r.Verdict != Pass || r.Recoveries[0].Acceptance[0].Status.String() != "kept" {
		t.Errorf("%s: %v", r.Verdict, got)
	}
	r = accepted(t, declared, crossing(5), crossing(40))
	want := []string{
		"budget-exceeded break: acceptance: from the restoration to light is broken on candidate: 40.0 s, budget 15s; on deployed 5.0 s; owner: harbour; rollback \"slow\" is due (owner: port)",
		"budget-exceeded break: acceptance: from the restoration to sailing is broken on candidate: 46.0 s, budget 20s; the slowest is bay/tern; on deployed 11.0 s; most of it is the stage light, 40.0 s, whose owner is harbour; owner: port; rollback \"slow\" is due (owner: port)",
	}
	if diff := cmp.Diff(want, sayings(r, "budget-exceeded")); diff != "" || r.Verdict != Fail {
		t.Errorf("%s (-want +got):\n%s", r.Verdict, diff)
	}
}

// TestAcceptance_Open: what cannot be judged keeps the review from passing,
// until somebody accepts that.
func TestAcceptance_Open(t *testing.T) {
	f := func(declared string, deployed, candidate *facts.Facts, want ...string) *Report {
		t.Helper()
		r := accepted(t, declared, deployed, candidate)
		if diff := cmp.Diff(want, sayings(r, "not-evaluated")); diff != "" || r.Verdict != Inconclusive {
			t.Errorf("%s (-want +got):\n%s", r.Verdict, diff)
		}
		return r
	}
	f("owner: port\nnotSlower: {}", crossing(5), crossing(8), "not-evaluated warn: acceptance: not slower than deployed could not be judged: in all 13.0 s, on deployed 10.0 s; with one repetition of each build nobody knows whether that is noise: repeat the drill; owner: port")
	f("owner: port\nscenarios: [storm]\ntotal: {within: 20s}", crossing(5), crossing(8), "not-evaluated warn: acceptance: nothing tests it: no scenario is called storm")
	f("owner: port\ntotal: {within: 20s}", &facts.Facts{}, &facts.Facts{}, "not-evaluated warn: acceptance: nothing tests it: no loss was recorded in any scenario")
	f("owner: port\nrecoveryAlerts: {rules: [Typo]}", crossing(5), crossing(5), "not-evaluated warn: acceptance: no recovery alert missed could not be judged: Typo: no alert rule has that name; owner: port")
	r := f("owner: port\nrollback: [{name: burnt, when: [case nothing burns]}]", crossing(5), crossing(5), `not-evaluated warn: rollback "burnt" could not be judged: case "nothing burns": no such assertion was judged in this scenario; owner: port`)
	tr := crossingTrial(crossing(5), crossing(5))
	tr.change = func(in *Input) {
		in.Acceptance = demands(t, "owner: port\nrollback: [{name: burnt, when: [case nothing burns]}]")
		in.Now = time.Unix(0, start)
		for _, f := range r.Findings {
			if f.ID == "not-evaluated" {
				in.Suppressions = append(in.Suppressions, Suppression{ID: f.ID, Fingerprint: f.Fingerprint, Owner: "port", Reason: "known", Expires: time.Unix(0, start).AddDate(0, 1, 0)})
			}
		}
	}
	if r := tr.run(); r.Verdict != Pass || r.Recoveries[0].Acceptance[0].Open {
		t.Errorf("accepted, but %s", r.Verdict)
	}
}

func TestAcceptance_Alerts(t *testing.T) {
	const declared = "owner: port\nrecoveryAlerts: {rules: [Dispatched]}"
	r := accepted(t, declared, crossing(5), crossing(5))
	if r.Verdict != Pass {
		t.Errorf("it fires on both builds: %s %v", r.Verdict, ids(r))
	}
	tr := crossingTrial(crossing(5), crossing(5))
	tr.expect = ExpectNone
	tr.change = func(in *Input) {
		in.Acceptance = demands(t, declared)
		in.Candidate.Runs[0].Outcomes[0].Firing = []outcome.Interval{{From: start, To: start + second}}
	}
	r = tr.run()
	want := []string{"alert-lost break: acceptance: no recovery alert missed is broken on candidate: Dispatched did not fire after the failure on candidate, but on deployed; owner: port"}
	if diff := cmp.Diff(want, sayings(r, "alert-lost")); diff != "" || r.Verdict != Fail {
		t.Errorf("%s (-want +got):\n%s", r.Verdict, diff)
	}
}

func TestManualIntervention_Recovery(t *testing.T) {
	by := func(n int) *facts.Facts {
		f := crossing(5)
		for i := range n {
			happen(f, fmt.Sprint(32+i, " operator restart lamp"))
		}
		return f
	}
	f := func(declared string, deployed, candidate *facts.Facts, want ...string) {
		t.Helper()
		tr := crossingTrial(deployed, candidate)
		if declared != "" {
			tr.change = func(in *Input) { in.Acceptance = demands(t, declared) }
		}
		if diff := cmp.Diff(append([]string{}, want...), sayings(tr.run(), "manual-intervention")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	f("", by(0), by(2), "manual-intervention warn: between the failure and the recovery there were 2 manual actions on candidate, 0 on deployed: by operator, such as action restart lamp by operator")
	f("", by(1), by(1))
	f("", by(1), by(0))
	f("", by(0), crossing(5, "32 script restart lamp"), "manual-intervention warn: between the failure and the recovery something was changed on candidate, and nothing says whether a person did it: action restart lamp by script")
	f("owner: port\nnoManualActions: {owner: keepers}\nrollback: [{when: [manual-actions]}]", by(1), by(1),
		`manual-intervention break: between the failure and the recovery there was 1 manual action on candidate, 1 on deployed: by operator, such as action restart lamp by operator; owner: keepers; rollback "roll back" is due (owner: port)`)
	f("owner: port\nnoManualActions: {}", by(1), by(0))
}

func TestDuplicateExecution_Recovery(t *testing.T) {
	twice := func() *facts.Facts {
		f := crossing(5)
		p := f.Progress[0]
		p.Cluster, p.Pod, p.Time = "other shore", "copy", p.Time+second
		later := f.Progress[0]
		later.Time += 10 * second
		f.Progress = append(f.Progress, p, later)
		p.Time += 5 * second
		f.Progress = append(f.Progress, p)
		return f
	}
	f := func(declared string, deployed, candidate *facts.Facts, want ...string) {
		t.Helper()
		tr := crossingTrial(deployed, candidate)
		if declared != "" {
			tr.change = func(in *Input) { in.Acceptance = demands(t, declared) }
		}
		if diff := cmp.Diff(append([]string{}, want...), sayings(tr.run(), "duplicate-execution")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	const text = "on candidate bay/gull ran in two clusters at once (pod gull-hull from 03:04:40.000 to 03:04:50.000; pod copy on other shore from 03:04:41.000 to 03:04:46.000)"
	f("", crossing(5), twice(), "duplicate-execution break: "+text+"; nothing on deployed was")
	f("", crossing(5), crossing(5))
	f("", twice(), crossing(5))
	f("", twice(), twice(), "duplicate-execution warn: "+text+"; deployed shows 1 duplicate of that kind, too")
	f("owner: port\nnoDuplicates: {}", twice(), twice(), "duplicate-execution break: "+text+"; deployed shows 1 duplicate of that kind, too; owner: port")
}

// TestConfounder_Drill: another drill proves nothing.
func TestConfounder_Drill(t *testing.T) {
	long := crossing(40)
	long.Actions[0].Time -= 300 * second // the fog lasted that much longer
	r := crossingTrial(crossing(5), long).run()
	const another = "length of the loss 20.0 s on deployed, 320.0 s on candidate"
	want := []string{
		"confounder warn: the drills of both builds differ: " + another + "; what follows from a difference between them is not known: repeat the drill in the same way",
		"recovery-slower info: the recovery takes longer on candidate: from the restoration to light 40.0 s against 5.0 s on deployed (median; one repetition each, so noise is not known); the lamp warms up; owner: harbour; but the drills differ, so that proves nothing: " + another,
	}
	if diff := cmp.Diff(want, sayings(r, "confounder", "recovery-slower")); diff != "" || r.Verdict != Inconclusive {
		t.Errorf("%s (-want +got):\n%s", r.Verdict, diff)
	}
	tr := crossings(5, 5)()
	tr.change = func(in *Input) {
		in.Deployed.Runs[0].Parameters = map[string]string{"wind": "low"}
		in.Candidate.Runs[0].Parameters = map[string]string{"wind": "high"}
	}
	if r := tr.run(); r.Verdict != Inconclusive || len(sayings(r, "confounder")) != 1 {
		t.Errorf("another parameter: %s %v", r.Verdict, sayings(r, "confounder"))
	}
}

func TestConfounder_Time(t *testing.T) {
	r := flagged(5, 40, "--wind=low", "--wind=high")().run()
	want := []string{
		"confounder warn: beside the build the runs differ in flag: --wind low on deployed, high on candidate; that can explain that the recovery takes another time",
		"recovery-slower warn: the recovery takes longer on candidate: from the restoration to light 40.0 s against 5.0 s on deployed (median; one repetition each, so noise is not known); the lamp warms up; owner: harbour; the runs differ in more than the build: --wind low on deployed, high on candidate",
	}
	if diff := cmp.Diff(want, sayings(r, "confounder", "recovery-slower")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestRecoveries_Secrets: what was found to be secret is told nowhere.
func TestRecoveries_Secrets(t *testing.T) {
	const secret = "hunter22"
	tr := annotated("see https://bot:" + secret + "@wiki.example/x")()
	p, err := profile.Parse("ferries.yaml", []byte(ferries))
	if err != nil {
		t.Fatal(err)
	}
	tr.milestones, tr.deployedFacts, tr.candidateFacts = p.Milestones, crossing(5), crossing(5, "33 operator restart "+secret)
	tr.change = func(in *Input) {
		in.Acceptance = demands(t, "owner: port\nnoManualActions: {}")
		in.Deployed.Runs[0].Builds = []outcome.BuildInfo{{Flags: []string{"--path=" + secret}}}
		in.Candidate.Runs[0].Builds = []outcome.BuildInfo{{Flags: []string{"--path=x"}}}
	}
	r := tr.run()
	if !contains(ids(r), "sensitive-data") || len(r.Recoveries[0].Confounders.Differences) != 1 || len(r.Timelines[0].Candidate.Runs[0].Actions) == 0 {
		t.Fatalf("nothing to hide: %v", ids(r))
	}
	for _, text := range []string{fmt.Sprintf("%+v", r.Recoveries), fmt.Sprintf("%+v", r.Timelines[0].Candidate.Runs[0].Actions), fmt.Sprintf("%+v", r.Findings)} {
		if strings.Contains(text, secret) {
			t.Errorf("the secret stands in %s", text)
		}
	}
}
