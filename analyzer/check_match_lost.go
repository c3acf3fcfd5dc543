package analyzer

// matchLost: a query, panel or metric finds nothing any more.
var matchLost = check{
	ID:       "match-lost",
	Doc:      "a query, panel or metric matches on the deployed build and nothing on the candidate",
	Severity: Break,
	cell:     decided("match-lost", (*cell).lost),
}
