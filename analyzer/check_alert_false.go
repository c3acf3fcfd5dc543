package analyzer

// alertFalse: the candidate raises an alert where none must be.
var alertFalse = check{
	ID:       "alert-false",
	Doc:      "must stay silent and does on the deployed build, fires on the candidate",
	Severity: Break,
	cell:     decided("alert-false", (*cell).gained),
}
