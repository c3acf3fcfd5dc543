package analyzer

import (
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
)

// alertLate: the alert still fires, but later in the run. The time counts
// from the first record of each run to the first evaluation that fires. It is
// late when the quickest repetition on candidate is behind the slowest on
// deployed by more than two evaluation steps and by more than half of what
// deployed took: runs of one build differ by less.
var alertLate = check{
	ID:       "alert-late",
	Doc:      "must fire and does, but clearly later in the run than on the deployed build",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.firesOnBoth() {
			return nil
		}
		_, slowest, ok1 := c.delays(&c.deployed)
		quickest, _, ok2 := c.delays(&c.candidate)
		step := int64(c.rule.Interval)
		if step <= 0 {
			step = c.deployed.run().Step
		}
		late := quickest - slowest
		if !ok1 || !ok2 || step <= 0 || late <= 2*step || late <= slowest/2 {
			return nil
		}
		return []Finding{{
			Message: "fires " + span(quickest) + " after the first record on candidate, " + span(slowest) +
				" on deployed: " + span(late) + " later",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}}
	},
}

// firesOnBoth reports whether the rule must fire and does, on both builds.
func (c *cell) firesOnBoth() bool {
	return c.verdict == Pass && c.expect == MustFire && len(c.decided) == 0
}

// delays returns the shortest and the longest time from the first record of a
// run to the first evaluation that fires.
func (c *cell) delays(h *half) (shortest, longest int64, ok bool) {
	for i, o := range h.outcomes {
		if len(o.Firing) == 0 || h.runs[i].First == 0 {
			return 0, 0, false
		}
		d := max(o.Firing[0].From-h.runs[i].First, 0)
		if i == 0 {
			shortest, longest = d, d
		}
		shortest, longest = min(shortest, d), max(longest, d)
	}
	return shortest, longest, len(h.outcomes) > 0
}

// span prints a duration in whole seconds.
func span(ns int64) string { return time.Duration(ns).Round(time.Second).String() }

// everyAlert calls f for each alert instance of all repetitions.
func (h *half) everyAlert(f func(outcome.Alert)) {
	for _, o := range h.outcomes {
		for _, a := range o.Alerts {
			f(a)
		}
	}
}
