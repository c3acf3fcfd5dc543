package analyzer

import "fmt"

// unparseableGrew: a clearly larger share of a stream's records is not in the
// stream's own format: parsers fail on them.
var unparseableGrew = check{
	ID:       "unparseable-grew",
	Doc:      "more records of a stream are not in its own format; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.unparseableFindings()
	},
}

func (c *comparison) unparseableFindings() []Finding {
	var out []Finding
	for _, u := range c.aligned().Unparseable {
		out = append(out, Finding{
			Scenario: u.Scenario, Subject: u.Stream, Severity: severityOf(u.Rules), Dependents: u.Rules,
			Message: fmt.Sprintf("%d of %d records of the stream %s are not in its format on candidate, %d of %d on deployed",
				u.Candidate, u.CandidateRecords, u.Stream, u.Deployed, u.DeployedRecords) + dependOn(u.Rules),
		})
	}
	return out
}
