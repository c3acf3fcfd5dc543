package analyzer

// panicPersists: both builds panic in the same way.
var panicPersists = check{
	ID:       "panic-persists",
	Doc:      "both builds panic at the same place in the same scenario",
	Severity: Break,
	cases:    true,
	runs: panicFindings("persists", func(_ *comparison, v *Panic) string {
		text := "panic " + short(v.Title()) + ": " + v.Deployed.told("deployed") + "; " + v.Candidate.told("candidate")
		if v.unseenAlike() {
			text += "; no alert that fired saw it on either build"
		}
		return text
	}),
}
