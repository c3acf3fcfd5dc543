package analyzer

// budgetExceeded: what had to be reached in time was reached too late, be it
// by an assertion or by the budget of a recovery.
var budgetExceeded = check{
	ID:       "budget-exceeded",
	Doc:      "something was reached, but later than declared",
	Severity: Break,
	cases:    true,
	runs:     func(c *comparison) []Finding { return c.broken(isBudget, brokenDemand) },
}
