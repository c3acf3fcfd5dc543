package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/outcome"
)

// corpusIncomplete: a run was closed before it was complete, so silence in it
// proves nothing. One finding for each scenario and build.
var corpusIncomplete = check{
	ID:       "corpus-incomplete",
	Doc:      "a run was closed as incomplete: what is missing from it may be what mattered",
	Severity: Break,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for _, scenario := range c.in.Scenarios {
			for _, side := range []struct {
				role string
				runs []*outcome.Run
			}{{"deployed", c.deployed[scenario]}, {"candidate", c.candidate[scenario]}} {
				n := 0
				for _, run := range side.runs {
					if run.Incomplete {
						n++
					}
				}
				if n > 0 {
					out = append(out, Finding{
						Scenario: scenario, Subject: side.role,
						Message: fmt.Sprintf("%d of %s of this scenario on %s closed as incomplete: silence there proves nothing; record it again",
							n, count(int64(len(side.runs)), "run", "runs"), side.role),
					})
				}
			}
		}
		return out
	},
}
