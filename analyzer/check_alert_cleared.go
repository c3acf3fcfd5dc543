package analyzer

// alertCleared: the fault showed on deployed and is gone on candidate.
var alertCleared = check{
	ID:       "alert-cleared",
	Doc:      "must clear and does: fires on the deployed build, silent on the candidate",
	Severity: Info,
	cell: decided("alert-cleared", func(c *cell) Finding {
		return Finding{
			Message:  "cleared as declared: " + c.did(&c.deployed) + ", " + c.did(&c.candidate) + " (" + c.nothing(&c.candidate) + ")",
			Deployed: c.deployed.evidence(),
		}
	}),
}
