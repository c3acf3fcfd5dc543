package analyzer

// notEvaluated: the rule could not be replayed, so nothing is known of it.
var notEvaluated = check{
	ID:       "not-evaluated",
	Doc:      "the rule could not be replayed",
	Severity: Warn,
	cell: decided("not-evaluated", func(c *cell) Finding {
		d, n := c.deployed.reason, c.candidate.reason
		switch {
		case d == n:
			return Finding{Message: "not evaluated: " + d}
		case n == "":
			return Finding{Message: "not evaluated on deployed: " + d}
		case d == "":
			return Finding{Message: "not evaluated on candidate: " + n}
		}
		return Finding{Message: "not evaluated: " + d + "; " + n}
	}),
}
