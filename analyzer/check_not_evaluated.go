package analyzer

import (
	"slices"
	"strings"
)

// notEvaluated: the rule could not be replayed, or a run declares something of
// a rule that is not there to be replayed. So nothing is known of it.
var notEvaluated = check{
	ID:       "not-evaluated",
	Doc:      "a rule could not be replayed, or what was declared could not be judged",
	Severity: Warn,
	cell: decided("not-evaluated", func(c *cell) Finding {
		d, n := c.deployed.reason, c.candidate.reason
		switch {
		case d == n:
			return Finding{Message: "not evaluated: " + d}
		case n == "":
			return Finding{Message: "not evaluated on deployed: " + d}
		case d == "":
			return Finding{Message: "not evaluated on candidate: " + n}
		}
		return Finding{Message: "not evaluated: " + d + "; " + n}
	}),
	runs: func(c *comparison) []Finding { return append(c.unmatched(), c.openDemands()...) },
}

// unmatched returns a finding for each rule and scenario of which something
// was declared although no rule has that name. Several runs may declare the
// same.
func (c *comparison) unmatched() []Finding {
	type key struct{ scenario, rule string }
	declared := map[key][]string{}
	var order []key
	for _, u := range c.in.Unmatched {
		k, expect := key{u.Scenario, u.Rule}, u.Expect.String()
		if u.Expect == ExpectNone || !slices.Contains(c.in.Scenarios, u.Scenario) {
			continue // nothing was promised, or not of what is compared
		}
		if declared[k] == nil {
			order = append(order, k)
		}
		if !slices.Contains(declared[k], expect) {
			declared[k] = append(declared[k], expect)
		}
	}
	var out []Finding
	for _, k := range order {
		out = append(out, Finding{
			Unmatched: k.rule, Scenario: k.scenario, Subject: k.rule,
			Message: "the drill declares " + strings.Join(declared[k], " and ") + " for " + short(k.rule) +
				", and no rule has that name: it was not evaluated",
		})
	}
	return out
}
