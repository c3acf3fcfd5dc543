package analyzer

// matchFlaky: a query without expectation matches in some repetitions only.
var matchFlaky = check{
	ID:       "match-flaky",
	Doc:      "a query, panel or metric matches in some repetitions of a scenario only",
	Severity: Info,
	cell: decided("match-flaky", func(c *cell) Finding {
		return Finding{
			Message:  "matches " + c.deployed.fired() + " and " + c.candidate.fired() + ": a difference between the builds would prove nothing",
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
	}),
}
