package analyzer

// duplicateExecution: one piece of work ran more often than it may.
var duplicateExecution = check{
	ID:       "duplicate-execution",
	Doc:      "a piece of work was executed more often than declared",
	Severity: Break,
	cases:    true,
}
