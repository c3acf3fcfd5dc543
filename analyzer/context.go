package analyzer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/rules"
)

// A Notification says whether the alerts of a rule name what they must name to
// the people who receive them, in a scenario in which it fired.
type Notification struct {
	Rule     *rules.Rule
	Scenario string
	Context  string // such as "queue"
	// Deployed and Candidate count alerts; Total is 0 where it did not fire.
	Deployed, Candidate Carried
}

// Carried counts alerts, and those of them that carry something.
type Carried struct{ Total, With int }

func (c Carried) all() bool  { return c.Total > 0 && c.With == c.Total }
func (c Carried) none() bool { return c.Total > 0 && c.With == 0 }

// contexts says for each required context how many alerts of the rule carry
// it. It is empty for what is no alert, or did not fire.
func (c *cell) contexts() []Notification {
	if !c.isAlert() || c.cmp.in.Notifications == nil || !c.deployed.yes && !c.candidate.yes {
		return nil
	}
	var out []Notification
	for i := range c.cmp.in.Notifications.Require {
		need := &c.cmp.in.Notifications.Require[i]
		out = append(out, Notification{
			Rule: c.rule, Scenario: c.scenario, Context: need.Name,
			Deployed: c.deployed.carried(c.index, c.rule, need), Candidate: c.candidate.carried(c.index, c.rule, need),
		})
	}
	return out
}

// carried counts the alerts that carry a context.
func (h *half) carried(index int, rule *rules.Rule, need *profile.Context) Carried {
	var n Carried
	for i, o := range h.outcomes {
		named := placesNaming(h.runs[i], index, need.Entities)
		for a := range o.Alerts {
			n.Total++
			if carries(&o.Alerts[a], rule, named, need) {
				n.With++
			}
		}
	}
	return n
}

// placesNaming returns the labels and annotations of a rule's alerts that hold an
// identifier of one of the entities, as "label NAME".
func placesNaming(run *outcome.Run, rule int, entities []string) []string {
	var out []string
	if run.Correlation == nil {
		return nil
	}
	for _, a := range run.Correlation.Alerts {
		if a.Rule == rule && slices.Contains(entities, a.Entity) {
			out = append(out, a.Where+" "+a.Name)
		}
	}
	return out
}

// ofScrape reports whether a label of a rule's alerts says where metrics were
// scraped: its job is not one of Kubernetes.
func ofScrape(rule *rules.Rule, where, name string) bool {
	return rule.Language == rules.PromQL && where == "label" && (name == "job" || name == "instance")
}

func carries(a *outcome.Alert, rule *rules.Rule, named []string, need *profile.Context) bool {
	for _, set := range a.Sets() {
		for _, l := range set.Of {
			if full(l.Value) && (need.Fits(l.Name) && !ofScrape(rule, set.Where, l.Name) || slices.Contains(named, set.Where+" "+l.Name)) {
				return true
			}
		}
	}
	return false
}

// notifications gathers what alerts name, and says of what they name on
// neither build.
func (c *comparison) notifications(r *Report) {
	r.Notifications = c.notified
	lacking := map[string][]string{} // rules by context
	for _, n := range c.notified {
		if n.Deployed.none() && n.Candidate.none() && !slices.Contains(lacking[n.Context], n.Rule.Name) {
			lacking[n.Context] = append(lacking[n.Context], n.Rule.Name)
		}
	}
	slices.SortStableFunc(r.Notifications, func(a, b Notification) int {
		return cmp.Or(compareRules(a.Rule, b.Rule), cmp.Compare(a.Scenario, b.Scenario))
	})
	if c.in.Notifications == nil {
		return
	}
	var of, contexts []string // alerts, and what they lack: that of one list together
	for _, need := range c.in.Notifications.Require {
		names := lacking[need.Name]
		if len(names) == 0 {
			continue
		}
		slices.Sort(names)
		by := some(names, 3)
		if i := slices.Index(of, by); i >= 0 {
			contexts[i] += ", the " + need.Name
			continue
		}
		of, contexts = append(of, by), append(contexts, "the "+need.Name)
	}
	var parts []string
	for i, by := range of {
		parts = append(parts, contexts[i]+" by alerts of "+by)
	}
	if len(parts) > 0 {
		r.Notes = append(r.Notes, "required of notifications and named on neither build: "+strings.Join(parts, "; "))
	}
}

// some lists at most n names.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
