package analyzer

// matchFlaky: a query without expectation matches in some repetitions only, or the
// builds differ only by the moment of evaluation.
var matchFlaky = check{
	ID:       "match-flaky",
	Doc:      "a query, panel or metric matches in some repetitions of a scenario, or at some moments of evaluation, only",
	Severity: Info,
	cell: decided("match-flaky", func(c *cell) Finding {
		if c.byMoment() {
			return Finding{
				Message:  c.fires() + c.moments() + ": so the builds need not differ",
				Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
			}
		}
		return Finding{
			Message:  "matches " + c.deployed.fired() + " and " + c.candidate.fired() + ": a difference between the builds would prove nothing",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
