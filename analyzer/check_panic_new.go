package analyzer

import "strings"

// panicNew: the candidate panics where the deployed build did not.
var panicNew = check{
	ID:       "panic-new",
	Doc:      "the candidate panics in a scenario in which the deployed build did not panic like that",
	Severity: Break,
	cases:    true,
	runs: panicFindings("new", func(c *comparison, v *Panic) string {
		text := "panic " + short(v.Title()) + ": " + v.Candidate.told("candidate")
		switch {
		case v.Deployed.Runs == 0:
			text += "; the deployed build has no run of this scenario to compare with"
		case v.Deployed.Runs > 1:
			text += "; in none of " + count(int64(v.Deployed.Runs), "run", "runs") + " on deployed"
		default:
			text += "; not on deployed"
		}
		if elsewhere := c.panicsElsewhere(v); len(elsewhere) > 0 {
			text += ", where it panicked in " + strings.Join(elsewhere, ", ")
		}
		return text
	}),
}

// panicsElsewhere returns the other scenarios in which deployed panicked so.
func (c *comparison) panicsElsewhere(v *Panic) []string {
	var out []string
	for _, o := range c.panicViews() {
		if o.Signature == v.Signature && o.Scenario != v.Scenario && o.Deployed.With > 0 {
			out = append(out, o.Scenario)
		}
	}
	return out
}
