package analyzer

// alertNoisy: the alert is false on both builds; the upgrade is not to blame.
var alertNoisy = check{
	ID:       "alert-noisy",
	Doc:      "must stay silent but fires on both builds",
	Severity: Warn,
	cell: decided("alert-noisy", func(c *cell) Finding {
		return Finding{
			Message:  "must stay silent, but " + c.did(&c.deployed) + " and " + c.did(&c.candidate),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
