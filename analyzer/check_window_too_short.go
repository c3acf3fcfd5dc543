package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/rules"
)

// windowTooShort: a run ended before the alert could have fired.
var windowTooShort = check{
	ID:       "window-too-short",
	Doc:      "a run ended while the alert was pending, or sooner than its for allows",
	Severity: Warn,
	cell: decided("window-too-short", func(c *cell) Finding {
		where := c.deployed.role
		switch {
		case c.deployed.pending && c.candidate.pending:
			where = "both builds"
		case c.candidate.pending:
			where = c.candidate.role
		}
		msg := "cannot tell: the run on " + where + " ended before the alert could fire"
		if c.rule.Kind == rules.Alert && c.rule.For > 0 {
			msg += fmt.Sprintf(" (for: %s)", c.rule.For)
		}
		return Finding{
			Message:  msg + "; record a longer window",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
