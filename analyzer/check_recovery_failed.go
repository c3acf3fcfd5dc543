package analyzer

// recoveryFailed: what was declared of objects, or had to be reached, was not.
var recoveryFailed = check{
	ID:       "recovery-failed",
	Doc:      "a declared state of the cluster was not reached",
	Severity: Break,
	cases:    true,
}
