package analyzer

import (
	"fmt"
	"math"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// A Verdict is the answer for a rule in a scenario or, with the first three
// values only, for a review. The zero Verdict is invalid.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota + 1
	Fail
	Inconclusive
	NotExercised // the scenario says nothing about the rule
	NotEvaluated // the rule could not be run
)

var verdictNames = [...]string{
	Pass: "pass", Fail: "fail", Inconclusive: "inconclusive",
	NotExercised: "not-exercised", NotEvaluated: "not-evaluated",
}

// String returns the verdict as it stands in reports.
func (v Verdict) String() string {
	if v < Pass || v > NotEvaluated {
		return fmt.Sprintf("verdict(%d)", int(v))
	}
	return verdictNames[v]
}

// answer says whether a rule fired or matched on one build.
type answer int

const (
	either answer = iota
	no
	yes
)

// A row of the verdict table: what follows when a rule with an expectation
// did d on deployed and c on candidate.
type row struct {
	expect  Expect
	queries bool // of the rows without expectation: for what is not an alert
	d, c    answer
	verdict Verdict
	finding string
	// severity replaces the finding's default severity in this row.
	severity Severity
}

// verdicts is the table. Where an expectation was declared it holds for every
// kind of rule: a query fires where it matches.
var verdicts = []row{
	{expect: MustFire, d: yes, c: yes, verdict: Pass},
	{expect: MustFire, d: yes, c: no, verdict: Fail, finding: "alert-lost"},
	{expect: MustFire, d: no, c: yes, verdict: Pass, finding: "alert-gained", severity: Info},
	{expect: MustFire, d: no, c: no, verdict: Inconclusive, finding: "alert-never-fired"},

	{expect: MustStaySilent, d: no, c: no, verdict: Pass},
	{expect: MustStaySilent, d: no, c: yes, verdict: Fail, finding: "alert-false"},
	{expect: MustStaySilent, d: yes, c: yes, verdict: Pass, finding: "alert-noisy"},
	{expect: MustStaySilent, d: yes, c: no, verdict: Pass, finding: "alert-quietened"},

	{expect: MustClear, d: yes, c: no, verdict: Pass, finding: "alert-cleared"},
	{expect: MustClear, d: yes, c: yes, verdict: Fail, finding: "alert-persists"},
	{expect: MustClear, d: no, c: either, verdict: Inconclusive, finding: "alert-not-reproduced"},

	{expect: ExpectNone, d: yes, c: yes, verdict: Pass},
	{expect: ExpectNone, d: yes, c: no, verdict: Fail, finding: "alert-lost"},
	{expect: ExpectNone, d: no, c: yes, verdict: Pass, finding: "alert-gained"},
	{expect: ExpectNone, d: no, c: no, verdict: NotExercised},

	{expect: ExpectNone, queries: true, d: yes, c: yes, verdict: Pass},
	{expect: ExpectNone, queries: true, d: yes, c: no, verdict: Fail, finding: "match-lost"},
	{expect: ExpectNone, queries: true, d: no, c: yes, verdict: Pass, finding: "match-gained"},
	{expect: ExpectNone, queries: true, d: no, c: no, verdict: NotExercised},
}

// decide sets the verdict of c and the findings that belong to it. Changed
// severities are not yet applied.
func decide(c *cell) {
	d, n := &c.deployed, &c.candidate
	query := c.rule.Kind != rules.Alert && c.expect == ExpectNone
	switch {
	case d.reason != "" || n.reason != "":
		c.verdict, c.decided = NotEvaluated, []string{"not-evaluated"}
	case c.byMoment() && query:
		c.verdict, c.decided = Pass, []string{"match-flaky"}
	case c.byMoment():
		c.verdict, c.decided = Inconclusive, []string{"alert-flaky"}
	case query && (d.mixed || n.mixed):
		c.verdict, c.decided = Pass, []string{"match-flaky"}
	case d.mixed || n.mixed || d.pending || n.pending:
		c.verdict = Inconclusive
		if d.mixed || n.mixed {
			c.decided = append(c.decided, "alert-flaky")
		}
		if d.pending || n.pending {
			c.decided = append(c.decided, "window-too-short")
		}
	default:
		r := lookup(c.expect, query, d.answer(), n.answer())
		c.verdict, c.severity = r.verdict, r.severity
		if r.finding != "" {
			c.decided = []string{r.finding}
		}
	}
}

// byMoment reports whether the builds differ, and on both it depends on the
// moment of evaluation whether the rule does something, about as often.
func (c *cell) byMoment() bool {
	d, n := &c.deployed, &c.candidate
	if !d.varies || !n.varies || d.mixed || n.mixed || d.pending || n.pending || d.answer() == n.answer() {
		return false
	}
	const likely = 0.5 // the share of moments from which on the builds do differ
	return math.Abs(d.moments().Share()-n.moments().Share()) < likely
}

// moments sums up the moments of all repetitions.
func (h *half) moments() outcome.Moments {
	var m outcome.Moments
	for _, o := range h.outcomes {
		if o.Moments != nil {
			m.Yes, m.Of = m.Yes+o.Moments.Yes, m.Of+o.Moments.Of
		}
	}
	return m
}

// lookup returns the row of the table that fits.
func lookup(expect Expect, query bool, d, c answer) row {
	for _, r := range verdicts {
		if r.expect == expect && r.queries == query &&
			(r.d == either || r.d == d) && (r.c == either || r.c == c) {
			return r
		}
	}
	panic(fmt.Sprintf("analyzer: no verdict for expectation %d", expect))
}

// afterSeverities returns the verdict of a rule once severities are final: a
// rule fails if, and only if, one of its findings breaks and was not
// accepted. So what the table
// calls a failure passes when the review file made its finding milder, and
// any other verdict becomes a failure when a finding was made to break.
func afterSeverities(v Verdict, findings []Finding) Verdict {
	for _, f := range findings {
		if f.Severity == Break && !f.Accepted() {
			return Fail
		}
	}
	if v == Fail {
		return Pass
	}
	return v
}

// review sums up the verdicts of all rules.
// unknown says that something speaks against a pass that no result shows.
func review(r *Report, unknown bool) Verdict {
	for _, f := range r.Findings {
		if f.Accepted() {
			continue
		}
		if f.Severity == Break {
			return Fail
		}
		// A fix that was not exercised is not proven, whatever the alerts did.
		unknown = unknown || f.Unproven || f.Unmatched != "" || f.ID == panicNotReproduced.ID
	}
	for i := range r.Cases {
		if k := &r.Cases[i]; !k.Accepted && (k.Verdict == NotEvaluated || k.Verdict == Inconclusive) {
			unknown = true
		}
	}
	unknown = unknown || r.openRecovery()
	exercised := false
	for i := range r.Results {
		switch res := &r.Results[i]; {
		case res.Verdict == NotEvaluated && !res.Accepted, res.Verdict == Inconclusive && res.counts():
			return Inconclusive
		case res.Verdict == Pass:
			exercised = true
		}
	}
	if !exercised || unknown {
		return Inconclusive
	}
	return Pass
}
