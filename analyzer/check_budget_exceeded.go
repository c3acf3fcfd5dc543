package analyzer

// budgetExceeded: what had to be reached in time was reached too late.
var budgetExceeded = check{
	ID:       "budget-exceeded",
	Doc:      "a declared state was reached, but later than declared",
	Severity: Break,
	cases:    true,
}
