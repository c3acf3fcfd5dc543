package analyzer

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/correlate"
)

// correlationLost: by the recorded objects it is known which things there
// were and how they belong together. What the log of every deployed run told
// of them, and the log of no candidate run tells in any field of any message.
var correlationLost = check{
	ID:       "correlation-lost",
	Doc:      "an identifier, or a link from one thing to another, that the log of the deployed build tells and that of the candidate in no field of any message",
	Severity: Break,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for _, scenario := range c.in.Scenarios {
			for _, l := range correlate.Losses(scenario, c.deployed[scenario], c.candidate[scenario]) {
				out = append(out, Finding{
					Scenario: scenario, Subject: l.Subject, Message: l.What, Through: l.Field,
					Deployed: l.Deployed, Candidate: l.Candidate,
				})
			}
		}
		return out
	},
}

// correlation sums up both builds for the report; nil: there is nothing to
// say.
func (c *comparison) correlation() *correlate.Summary {
	s := correlate.Summarise(runsOf(c.in.Deployed.Runs), runsOf(c.in.Candidate.Runs))
	if s == nil {
		return nil
	}
	for i := range s.Alerts {
		if n := s.Alerts[i].Rule; n < len(c.in.Rules) {
			s.Alerts[i].RuleName = c.in.Rules[n].Name
		}
	}
	slices.SortStableFunc(s.Alerts, func(a, b correlate.AlertRow) int { return cmp.Compare(a.RuleName, b.RuleName) })
	return s
}

func runsOf(runs []Run) []*Run {
	out := make([]*Run, len(runs))
	for i := range runs {
		out[i] = &runs[i]
	}
	return out
}
