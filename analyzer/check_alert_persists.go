package analyzer

// alertPersists: the upgrade was to end this alert and does not.
var alertPersists = check{
	ID:       "alert-persists",
	Doc:      "the upgrade must clear it, yet it still fires on the candidate",
	Severity: Break,
	cell: decided("alert-persists", func(c *cell) Finding {
		return Finding{
			Message:  "must clear, yet " + c.did(&c.deployed) + " and " + c.did(&c.candidate) + ": the fix does not show in this rule",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
