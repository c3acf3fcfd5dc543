package analyzer

// alertQuietened: a false alert of the deployed build has gone.
var alertQuietened = check{
	ID:       "alert-quietened",
	Doc:      "must stay silent; fires on the deployed build, silent on the candidate",
	Severity: Info,
	cell: decided("alert-quietened", func(c *cell) Finding {
		return Finding{
			Message:  "must stay silent: " + c.did(&c.deployed) + ", " + c.did(&c.candidate),
			Deployed: c.deployed.evidence(),
		}
	}),
}
