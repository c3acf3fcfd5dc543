package analyzer

// alertNeverFired: the scenario proves nothing about a rule that must fire.
var alertNeverFired = check{
	ID:       "alert-never-fired",
	Doc:      "must fire but does on neither build: the scenario does not exercise the rule",
	Severity: Warn,
	cell: decided("alert-never-fired", func(c *cell) Finding {
		return Finding{
			Message: "must fire, but " + c.did(&c.deployed) + " and " + c.did(&c.candidate) + ": " +
				c.nothing(&c.candidate) + "; the scenario does not exercise this rule",
		}
	}),
}
