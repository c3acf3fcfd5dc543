package analyzer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// A Case is one assertion or observation of a scenario on both builds.
type Case struct {
	cases.Case
	// Verdict is zero for an observation: it decides nothing.
	Verdict  Verdict
	Accepted bool     // its findings were accepted
	Findings []string // IDs
}

// A caseRow says what follows for an assertion. Verdict and finding are those
// before severities are changed.
type caseRow struct {
	verdict  Verdict
	id       string // of the finding; empty: none
	severity Severity
	message  string
}

// decideCase is the table of verdicts for assertions. Where nothing else was
// declared the candidate must hold, and deployed may do either. Same says that
// both sides are one build.
func decideCase(k *cases.Case, same bool) caseRow {
	d, c := k.Deployed.Status, k.Candidate.Status
	want := k.Assertion.Expect
	switch {
	case c == cases.NotJudged:
		return caseRow{NotEvaluated, "not-evaluated", 0, "could not be judged on candidate: " + k.Candidate.Reason}
	case c == cases.Fails && want.Candidate == profile.MustFail && d != cases.Holds:
		return caseRow{verdict: Pass} // as declared
	case c == cases.Fails && d == cases.Fails && k.Candidate.SaidToFail:
		return caseRow{Inconclusive, "not-evaluated", 0, "fails on both builds, as the candidate's own manifest said before the run: this candidate is not one that must hold it"}
	case c == cases.Fails && d == cases.Fails && want.Deployed == profile.MustFail && k.Candidate.SaidFaulty:
		return caseRow{Inconclusive, "not-evaluated", 0, "fails on both builds, and the candidate's own manifest said before the run that it has what the upgrade is to mend: this candidate is not one that must hold it"}
	case c == cases.Fails && d == cases.Fails && k.Assertion.Panics == nil && (same || k.General()) && !k.Worse():
		return failsAlike(k)
	case c == cases.Fails:
		return failedCase(k)
	case d == cases.NotJudged && want.Deployed != "":
		return caseRow{NotEvaluated, "not-evaluated", 0, "could not be judged on deployed, of which it was declared, too: " + k.Deployed.Reason}
	case d == cases.Holds && want.Deployed == profile.MustFail:
		id := "not-evaluated"
		if k.Assertion.Panics != nil {
			id = "panic-not-reproduced"
		}
		return caseRow{Inconclusive, id, 0, "holds on deployed, too, where it must fail: what the upgrade mends was not exercised"}
	}
	return caseRow{verdict: Pass}
}

// failsAlike is what follows when an assertion fails on the candidate no more
// than on deployed, and nobody declared it of this candidate: the builds do not
// differ in it, so that the run speaks neither for the candidate nor against it.
func failsAlike(k *cases.Case) caseRow {
	return caseRow{
		verdict: Inconclusive, id: failedID(k), severity: Info,
		message: "fails on both builds alike, so that it says nothing of the upgrade: " + shownResult(&k.Candidate.Result),
	}
}

// failedCase is what follows when an assertion fails on the candidate.
func failedCase(k *cases.Case) caseRow {
	row := caseRow{verdict: Fail, id: failedID(k), severity: Break}
	row.message = "fails on candidate"
	switch k.Deployed.Status {
	case cases.Holds:
		row.message += ", holds on deployed"
	case cases.Fails:
		how := " as on deployed"
		if k.Worse() {
			how = " by more than on deployed"
		}
		row.message += how
	case cases.NotJudged:
		row.message += ", could not be judged on deployed"
	}
	row.message += ": " + shownResult(&k.Candidate.Result)
	if k.Assertion.Live != nil && k.Candidate.Left == 0 {
		// All of it was there before the run began: the run does not tell
		// what this build leaves, so it neither fails nor passes for it.
		row.verdict, row.severity = Inconclusive, 0
	}
	return row
}

// failedID names the finding for an assertion that fails on the candidate.
func failedID(k *cases.Case) string {
	a, res := k.Assertion, &k.Candidate.Result
	switch {
	case res.Under:
		return "recovery-failed"
	case a.Panics != nil && k.Deployed.Status == cases.Fails:
		return "panic-persists"
	case a.Panics != nil:
		return "panic-new"
	case a.Restarts != nil:
		return "restart"
	case a.ManualActions != nil:
		return "manual-intervention"
	case a.Executions != nil:
		return "duplicate-execution"
	case a.Live != nil, a.Unique:
		return "stale-entry"
	case a.Within != 0 && res.Late:
		return "budget-exceeded"
	}
	return "recovery-failed"
}

// shownResult says what was seen, with the first pieces of evidence.
func shownResult(r *cases.Result) string {
	text := r.Reason
	if n := min(len(r.Evidence), 2); n > 0 {
		text += " (" + strings.Join(r.Evidence[:n], "; ")
		if more := len(r.Evidence) - n + r.More; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		text += ")"
	}
	return text
}

// caseName names a case, with the load under which it was judged: findings
// under load are not those of the scenario without it.
func caseName(k *cases.Case) string {
	name := k.Assertion.Name
	if l := loadText(k.Load, k.LoadOf); l != "" {
		name += " under " + l
	}
	return name
}

// loadText says under which load something ran; empty: under none.
func loadText(load, loadOf string) string {
	switch {
	case load != "" && loadOf != "":
		return "load " + load + " (of " + loadOf + ")"
	case load != "":
		return "load " + load
	case loadOf != "":
		return "load (of " + loadOf + ")"
	}
	return ""
}

// loadsOf returns the loads of a scenario's runs, ordered; that of a run
// without the parameter is empty.
func (c *comparison) loadsOf(scenario string) []string {
	var loads []string
	for _, runs := range [][]*outcome.Run{c.deployed[scenario], c.candidate[scenario]} {
		for _, r := range runs {
			if !r.Missing {
				loads = append(loads, r.Parameters["load"])
			}
		}
	}
	slices.Sort(loads)
	return slices.Compact(loads)
}

// loads says under which load each scenario ran.
func (c *comparison) loads() []string {
	out := make([]string, len(c.in.Scenarios))
	for i, s := range c.in.Scenarios {
		out[i] = loadText(strings.Join(c.loadsOf(s), ", "), c.in.LoadOf[s])
	}
	return out
}

// mixedLoads tells the reader of scenarios whose runs had different loads:
// for rules, repetitions are judged together.
func (c *comparison) mixedLoads() []string {
	var out []string
	for _, s := range c.in.Scenarios {
		if l := c.loadsOf(s); len(l) > 1 {
			out = append(out, fmt.Sprintf("scenario %s was run under %d loads: cases are judged for each of them, rules over all; give each load a scenario of its own to judge rules apart", short(s), len(l)))
		}
	}
	return out
}

// caseFindings returns the findings of all assertions, complete.
func (c *comparison) caseFindings() []Finding {
	var out []Finding
	for i := range c.cases {
		k := &c.cases[i]
		if k.Kind != cases.Assertion {
			continue
		}
		row := decideCase(k, c.sameBuild())
		if row.id == "" {
			continue
		}
		f := Finding{
			Severity: row.severity, Scenario: k.Scenario, Pos: k.Assertion.Pos, Subject: caseName(k), Case: i + 1,
			Message: fmt.Sprintf("assertion %q %s", short(caseName(k)), row.message),
		}
		if k.Assertion.Owner != "" {
			f.Message += "; owner: " + short(k.Assertion.Owner)
		}
		out = append(out, c.finish(checkOf(row.id), nil, []Finding{f})...)
	}
	return out
}

// checkOf returns the check with an ID; of one that has no check of its own
// yet, what is known of its ID.
func checkOf(id string) check {
	for _, k := range checks {
		if k.ID == id {
			return k
		}
	}
	for _, r := range reserved {
		if r.Name == id {
			return check{ID: id, Severity: r.Severity}
		}
	}
	panic("analyzer: no finding is called " + id)
}

// sameBuild reports whether a build is compared with itself: it bears the same
// name, and its version or commit, or else the times of its runs, say so.
func (c *comparison) sameBuild() bool {
	d, n := build(c.in.Deployed), build(c.in.Candidate)
	if d != n || d.Version != "" || d.Commit != "" {
		return d == n
	}
	return slices.EqualFunc(c.in.Deployed.Runs, c.in.Candidate.Runs, func(a, b outcome.Run) bool {
		return a.Scenario == b.Scenario && a.Repetition == b.Repetition && a.First == b.First && a.Last == b.Last && a.Records == b.Records
	})
}

// caseResults joins the cases with their findings.
func (c *comparison) caseResults(found []Finding) []Case {
	out := make([]Case, len(c.cases))
	for i := range c.cases {
		out[i].Case = c.cases[i]
		if out[i].Kind != cases.Assertion {
			continue
		}
		var own []Finding
		for _, f := range found {
			if f.Case == i+1 {
				own = append(own, f)
				out[i].Findings = append(out[i].Findings, f.ID)
				out[i].Accepted = f.Accepted()
			}
		}
		out[i].Verdict = afterSeverities(decideCase(&c.cases[i], c.sameBuild()).verdict, own)
	}
	return out
}
