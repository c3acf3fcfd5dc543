package analyzer

import (
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
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
		type place struct{ where, form string }
		var order []place
		builds := map[place][]string{}
		for _, h := range []*half{&c.deployed, &c.candidate} {
			for _, o := range h.outcomes {
				for _, a := range o.Alerts {
					for _, set := range []struct {
						where string
						of    logs.Labels
					}{{"label", a.Labels}, {"annotation", a.Annotations}} {
						for _, l := range set.of {
							for _, s := range c.cmp.secrets.in(l.Value) {
								p := place{set.where + " " + l.Name, s.form}
								if builds[p] == nil {
									order = append(order, p)
								}
								if !slices.Contains(builds[p], h.role) {
									builds[p] = append(builds[p], h.role)
								}
								c.cmp.mask.add(s)
							}
						}
					}
				}
			}
		}
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
