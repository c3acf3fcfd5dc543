package analyzer

// panicFixed: the candidate does not panic where the deployed build did.
var panicFixed = check{
	ID:       "panic-fixed",
	Doc:      "the deployed build panicked in a scenario, and the candidate does not",
	Severity: Info,
	runs: panicFindings("fixed", func(c *comparison, v *Panic) string {
		text := "panic " + short(v.Title()) + ": " + v.Deployed.told("deployed")
		switch {
		case v.Candidate.Runs > 1:
			text += "; in none of " + count(int64(v.Candidate.Runs), "run", "runs") + " on candidate"
		default:
			text += "; not on candidate"
		}
		if v.Deployed.With < v.Deployed.Runs {
			text += "; it does not show in every run of deployed, so that it did not here may be chance"
		}
		for _, run := range c.candidate[v.Scenario] {
			if run.Incomplete {
				return text + "; a run of the candidate is incomplete and may lack it"
			}
		}
		return text
	}),
}
