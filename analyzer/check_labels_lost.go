package analyzer

import (
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
)

// labelsLost: a metric query still answers, but a label that all its series
// had is on none any more. Only answers at the last evaluation of a run are
// looked at; a log query gives lines, not series, so it is left alone.
var labelsLost = check{
	ID:       "labels-lost",
	Doc:      "a metric query, panel or metric answers on both builds, but a label has gone from all its series",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.matchesOnBoth() {
			return nil
		}
		lost := LostLabels(c.deployed.resultLabels(), c.candidate.resultLabels())
		if len(lost) == 0 {
			return nil
		}
		return []Finding{{
			Subject:  strings.Join(lost, ","),
			Message:  "answers on both builds, but on candidate no series carries " + labelList(lost),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}}
	},
}

// matchesOnBoth reports whether a rule without expectation that is not an
// alert matches on both builds.
func (c *cell) matchesOnBoth() bool {
	return c.verdict == Pass && c.expect == ExpectNone && len(c.decided) == 0 && !c.isAlert()
}

func (h *half) resultLabels() []logs.Labels {
	var out []logs.Labels
	for _, o := range h.outcomes {
		for _, s := range o.Result {
			out = append(out, s.Labels)
		}
	}
	return out
}
