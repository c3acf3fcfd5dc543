package analyzer

// alertFlaky: repetitions of one scenario on one build disagree, or the builds do
// only by the moment of evaluation.
var alertFlaky = check{
	ID:       "alert-flaky",
	Doc:      "repetitions of the scenario disagree, or it depends on the moment of evaluation, so there is no answer",
	Severity: Warn,
	cell: decided("alert-flaky", func(c *cell) Finding {
		if c.byMoment() {
			return Finding{
				Message:  c.fires() + c.moments() + ": so the builds need not differ, and nothing follows",
				Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
			}
		}
		return Finding{
			Message: c.fires() + " " + c.deployed.fired() + " and " + c.candidate.fired() +
				": repetitions disagree, so nothing follows",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
