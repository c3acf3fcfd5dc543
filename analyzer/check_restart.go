package analyzer

import (
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// restarted: a process restarted more often than declared, or on the candidate
// more often than on deployed.
var restarted = check{
	ID:       "restart",
	Doc:      "a process restarted more often than declared, or more often than on the deployed build",
	Severity: Warn,
	cases:    true,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for _, scenario := range c.in.Scenarios {
			d, n := restartsOf(c.deployed[scenario]), restartsOf(c.candidate[scenario])
			// With repetitions every run of the candidate must have more than any
			// of deployed; where deployed never restarted, one will do.
			if len(d) == 0 || len(n) == 0 || slices.Max(n) <= slices.Max(d) || slices.Max(d) > 0 && slices.Min(n) <= slices.Max(d) {
				continue
			}
			out = append(out, Finding{Scenario: scenario, Message: fmt.Sprintf(
				"the log shows %s of a process on candidate, %s on deployed", restartText(n), restartText(d))})
		}
		return out
	},
}

// restartsOf counts the restarts in each run that nobody asked for. Runs of
// which nothing is known are left out.
func restartsOf(runs []*outcome.Run) []int {
	var out []int
	for _, r := range runs {
		if r.Missing || len(r.Logs) == 0 {
			continue
		}
		n := 0
		for i := range r.Logs {
			n += r.Restarts(&r.Logs[i])
		}
		out = append(out, n)
	}
	return out
}

func restartText(n []int) string {
	least, most := slices.Min(n), slices.Max(n)
	text := count(int64(most), "restart", "restarts")
	if least != most {
		text = fmt.Sprintf("%d to %d restarts", least, most)
	}
	if len(n) > 1 {
		text += fmt.Sprintf(" in each of %d runs", len(n))
	}
	return text
}
