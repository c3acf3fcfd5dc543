package analyzer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/profile"
)

// broken calls f for each broken demand of a kind, with its scenario, and
// returns what f does.
func (c *comparison) broken(is func(name string) bool, f func(*Acceptance, *acceptance.Criterion) []Finding) []Finding {
	var out []Finding
	for i := range c.recovered {
		for j := range c.recovered[i].Acceptance {
			a := &c.recovered[i].Acceptance[j]
			for k := range a.Criteria {
				if x := &a.Criteria[k]; x.Status == acceptance.Broken && is(x.Name) {
					out = append(out, f(a, x)...)
				}
			}
		}
	}
	return out
}

func isBudget(name string) bool {
	return name == profile.CriterionTotal || strings.HasPrefix(name, profile.CriterionStage)
}

func demand(want string) func(string) bool {
	return func(name string) bool { return name == want }
}

// brokenDemand is the finding for a demand that is broken: somebody declared
// it, so it breaks the review.
func brokenDemand(a *Acceptance, x *acceptance.Criterion) []Finding {
	return []Finding{{
		Severity: Break, Scenario: a.Scenario, Pos: a.Pos, Subject: "acceptance: " + x.Name,
		Message: fmt.Sprintf("acceptance: %s is broken on candidate: %s", short(x.Title), x.Said) + demandOwner(x) + backText(a, x.Name),
	}}
}

func demandOwner(x *acceptance.Criterion) string { return ownedBy(x.Owner) }

// backText names the rollbacks that a broken demand makes due.
func backText(a *Acceptance, name string) string {
	var due []string
	for _, b := range a.Rollbacks {
		if b.Status == acceptance.Broken && slices.Contains(b.When, name) {
			due = append(due, fmt.Sprintf("%q is due (owner: %s)", b.Name, short(b.Owner)))
		}
	}
	if len(due) == 0 {
		return ""
	}
	return "; rollback " + strings.Join(due, ", ")
}

// openDemands are the demands that could not be judged, and the declarations
// that no scenario tests.
func (c *comparison) openDemands() []Finding {
	var out []Finding
	for i := range c.recovered {
		for j := range c.recovered[i].Acceptance {
			a := &c.recovered[i].Acceptance[j]
			for k := range a.Criteria {
				if x := &a.Criteria[k]; x.Status == acceptance.NotEvaluated {
					out = append(out, Finding{
						Scenario: a.Scenario, Pos: a.Pos, Subject: "acceptance: " + x.Name,
						Message: fmt.Sprintf("acceptance: %s could not be judged: %s", short(x.Title), x.Said) + demandOwner(x),
					})
				}
			}
			for _, b := range a.Rollbacks {
				if b.Status == acceptance.NotEvaluated {
					out = append(out, Finding{
						Scenario: a.Scenario, Pos: a.Pos, Subject: "rollback: " + b.Name,
						Message: fmt.Sprintf("rollback %q could not be judged: %s", short(b.Name), strings.Join(b.Because, "; ")) + ownedBy(b.Owner),
					})
				}
			}
		}
	}
	if c.in.Partial == NothingLeftOut {
		for i, a := range c.unjudged {
			out = append(out, Finding{
				Pos: a.Pos, Subject: fmt.Sprintf("acceptance %d", i+1),
				Message: "acceptance: nothing tests it: " + untested(a),
			})
		}
	}
	return out
}

func untested(a *profile.Acceptance) string {
	if len(a.Scenarios) == 0 {
		return "no loss was recorded in any scenario"
	}
	return "no scenario is called " + short(strings.Join(a.Scenarios, ", "))
}

// isDemand reports whether a finding is about a declaration that could not be
// judged.
func isDemand(f *Finding) bool {
	return f.ID == notEvaluatedID && (strings.HasPrefix(f.Subject, "acceptance") || strings.HasPrefix(f.Subject, "rollback: "))
}

const notEvaluatedID = "not-evaluated"

// dueRollbacks are the rollbacks that something else makes due than a demand,
// which has a finding of its own.
func (c *comparison) dueRollbacks() []Finding {
	var out []Finding
	for i := range c.recovered {
		for j := range c.recovered[i].Acceptance {
			a := &c.recovered[i].Acceptance[j]
			for _, b := range a.Rollbacks {
				if b.Status != acceptance.Broken || slices.ContainsFunc(a.Criteria, func(x acceptance.Criterion) bool {
					return x.Status == acceptance.Broken && slices.Contains(b.When, x.Name)
				}) {
					continue
				}
				out = append(out, Finding{
					Severity: Break, Scenario: a.Scenario, Pos: a.Pos, Subject: "rollback: " + b.Name,
					Message: fmt.Sprintf("rollback %q is due: %s", short(b.Name), strings.Join(b.Because, "; ")) + ownedBy(b.Owner),
				})
			}
		}
	}
	return out
}
