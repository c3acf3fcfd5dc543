package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// panicNotReproduced: a rule about panics must clear in a scenario, but the
// deployed build did not panic there: the fix was not exercised. Assertions
// about panics give it, too, see cases.go.
var panicNotReproduced = check{
	ID:       "panic-not-reproduced",
	Doc:      "the deployed build did not panic where the upgrade is to mend a panic",
	Severity: Warn,
	cases:    true,
	cell: func(c *cell) []Finding {
		if c.expect != MustClear || !c.aboutPanics() {
			return nil
		}
		runs := int64(0)
		for _, run := range c.deployed.runs {
			if run.Missing {
				continue
			}
			if runs++; len(run.Panics) > 0 || run.PanicsCut > 0 {
				return nil
			}
		}
		if runs == 0 {
			return nil
		}
		return []Finding{{Message: "must clear, and is about panics, but deployed did not panic in " + count(runs, "run", "runs") +
			" of this scenario: that the candidate does not either proves no fix"}}
	},
}

// aboutPanics reports whether the rule asks for panics: its text names them,
// or it had a line of one in some run.
func (c *cell) aboutPanics() bool {
	if strings.Contains(strings.ToLower(c.rule.Expr), "panic") {
		return true
	}
	for _, runs := range [][]outcome.Run{c.cmp.in.Deployed.Runs, c.cmp.in.Candidate.Runs} {
		if slices.ContainsFunc(runs, func(r outcome.Run) bool {
			return c.index < len(r.Outcomes) && len(r.Outcomes[c.index].Panics) > 0
		}) {
			return true
		}
	}
	return false
}
