package analyzer

// alertFlaky: repetitions of one scenario on one build disagree.
var alertFlaky = check{
	ID:       "alert-flaky",
	Doc:      "repetitions of the scenario disagree, so there is no answer",
	Severity: Warn,
	cell: decided("alert-flaky", func(c *cell) Finding {
		return Finding{
			Message: c.fires() + " " + c.deployed.fired() + " and " + c.candidate.fired() +
				": repetitions disagree, so nothing follows",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
