package analyzer

// alertGained: silent on deployed, fires on candidate, and nobody said that
// it must not. Where must-fire was declared that is news (the deployed build
// was blind); otherwise a warning.
var alertGained = check{
	ID:       "alert-gained",
	Doc:      "silent on the deployed build, fires on the candidate, and may",
	Severity: Warn,
	cell: decided("alert-gained", func(c *cell) Finding {
		f := c.gained()
		if c.expect == MustFire {
			f.Message += "; the deployed build was blind here"
		} else {
			f.Message += "; nobody said whether it should"
		}
		return f
	}),
}
