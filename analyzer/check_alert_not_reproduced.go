package analyzer

// alertNotReproduced: the deployed build does not show the fault that the
// upgrade is to mend, so the fix is not proven.
var alertNotReproduced = check{
	ID:       "alert-not-reproduced",
	Doc:      "must clear, but is silent on the deployed build: the fix was not exercised",
	Severity: Warn,
	cell: decided("alert-not-reproduced", func(c *cell) Finding {
		return Finding{
			Message: "must clear, but " + c.did(&c.deployed) + ": " + c.nothing(&c.deployed) +
				"; the scenario does not reproduce the fault, so the fix is unproven",
			Candidate: c.candidate.evidence(),
		}
	}),
}
