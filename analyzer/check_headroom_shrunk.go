package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/outcome"
)

// headroomNear is how close to its threshold, as a share of it, a value has
// to come on candidate to be called close.
const headroomNear = 0.25

// headroomShrunk: the alert still fires, but only just. It is said of rules
// with > or >= and a threshold above zero, when the margin over the threshold
// is at most a quarter of the threshold on candidate and less than half of
// what it was on deployed. With repetitions the lowest of each build counts.
var headroomShrunk = check{
	ID:       "headroom-shrunk",
	Doc:      "must fire and does, but on the candidate its value only just crosses the threshold",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.firesOnBoth() {
			return nil
		}
		d, n := c.deployed.lowestHeadroom(), c.candidate.lowestHeadroom()
		if d == nil || n == nil || d.Operator != ">" && d.Operator != ">=" || !(n.Threshold > 0) {
			return nil
		}
		before, now := d.Value-d.Threshold, n.Value-n.Threshold
		if !(now < before/2 && now <= headroomNear*n.Threshold) {
			return nil
		}
		return []Finding{{
			Message: fmt.Sprintf("fires on both builds, but only just on candidate: %s against %s on deployed, threshold %s %s",
				number(n.Value), number(d.Value), n.Operator, number(n.Threshold)),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}}
	},
}

// lowestHeadroom returns the headroom of the repetition with the lowest peak;
// nil where a repetition has none.
func (h *half) lowestHeadroom() *outcome.Headroom {
	var low *outcome.Headroom
	for _, o := range h.outcomes {
		if o.Headroom == nil {
			return nil
		}
		if low == nil || o.Headroom.Value < low.Value {
			low = o.Headroom
		}
	}
	return low
}
