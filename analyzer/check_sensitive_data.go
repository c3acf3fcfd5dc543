package analyzer

import (
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// sensitiveData: a label or annotation of an alert that fired holds what looks
// like a secret. Alerts go to chats, mails and tickets. What was found is
// masked in the whole report.
var sensitiveData = check{
	ID:       "sensitive-data",
	Doc:      "a label or annotation of an alert that fired holds what looks like a secret",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.isAlert() {
			return nil
		}
		order, builds := c.secretPlaces()
		var found []Finding
		for _, p := range order {
			on := builds[p][0]
			if len(builds[p]) == 2 {
				on = "both builds"
			}
			f := Finding{
				Subject: p.where + ": " + p.form,
				Message: "on " + on + " the " + p.where + " of an alert holds what looks like a secret (" + p.form + "); it is masked in this report",
			}
			for _, role := range builds[p] {
				if role == c.deployed.role {
					f.Deployed = c.deployed.evidence()
				} else {
					f.Candidate = c.candidate.evidence()
				}
			}
			found = append(found, f)
		}
		return found
	},
}

// A secretPlace is a label or annotation, and the form of what it holds.
type secretPlace struct{ where, form string }

// secretPlaces returns where alerts hold secrets, in the order in which they
// are met, and on which builds. The secrets are masked.
func (c *cell) secretPlaces() (order []secretPlace, builds map[secretPlace][]string) {
	builds = map[secretPlace][]string{}
	note := func(h *half, where string, l logs.Label) {
		for _, s := range c.cmp.secrets.in(l.Value) {
			p := secretPlace{where + " " + l.Name, s.form}
			if builds[p] == nil {
				order = append(order, p)
			}
			if !slices.Contains(builds[p], h.role) {
				builds[p] = append(builds[p], h.role)
			}
			c.cmp.mask.add(s)
		}
	}
	for _, h := range []*half{&c.deployed, &c.candidate} {
		h.everyAlert(func(a outcome.Alert) {
			for _, set := range a.Sets() {
				for _, l := range set.Of {
					note(h, set.Where, l)
				}
			}
		})
	}
	return order, builds
}
