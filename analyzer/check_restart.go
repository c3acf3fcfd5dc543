package analyzer

// restarted: a process restarted more often than it may.
var restarted = check{
	ID:       "restart",
	Doc:      "a process restarted more often than declared",
	Severity: Warn,
	cases:    true,
}
