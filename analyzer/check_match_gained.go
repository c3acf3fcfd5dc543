package analyzer

// matchGained: a query finds something only on candidate.
var matchGained = check{
	ID:       "match-gained",
	Doc:      "a query, panel or metric matches nothing on the deployed build and something on the candidate",
	Severity: Info,
	cell:     decided("match-gained", (*cell).gained),
}
