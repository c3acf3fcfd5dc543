package analyzer

// alertLost: the rule fires on deployed and is silent on candidate. After the
// upgrade nobody is told.
var alertLost = check{
	ID:       "alert-lost",
	Doc:      "fires on the deployed build, silent on the candidate: a blind spot",
	Severity: Break,
	cell:     decided("alert-lost", (*cell).lost),
}
