package analyzer

import "github.com/stillfires/stillfires/internal/profile"

// alertLost: the rule fires on deployed and is silent on candidate. After the
// upgrade nobody is told.
var alertLost = check{
	ID:       "alert-lost",
	Doc:      "fires on the deployed build, silent on the candidate: a blind spot",
	Severity: Break,
	cell:     decided("alert-lost", (*cell).lost),
	// The table knows nothing of when an alert fires: one that does not after
	// the failure tells nobody of it.
	runs: func(c *comparison) []Finding { return c.broken(demand(profile.CriterionAlerts), brokenDemand) },
}
