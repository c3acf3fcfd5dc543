package analyzer

// manualIntervention: a person acted in a stretch that must do without.
var manualIntervention = check{
	ID:       "manual-intervention",
	Doc:      "a person acted where none should have to",
	Severity: Warn,
	cases:    true,
}
