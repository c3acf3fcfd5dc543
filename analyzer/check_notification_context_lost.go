package analyzer

import (
	"maps"
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// notificationContextLost: the alert fires, but its text has a hole, or it
// lacks a context that is required of notifications, such as the queue, which
// every alert of deployed names and none of candidate. An
// annotation has one on candidate where its template names a label that every
// alert carries on deployed and none on candidate, or where every alert of
// deployed renders it to a text and every alert of candidate to nothing or to
// "<no value>".
var notificationContextLost = check{
	ID:       "notification-context-lost",
	Doc:      "fires on both builds, but on the candidate an annotation is empty or names a label that has gone, or a required context is missing",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		found := c.contextsLost()
		if !c.firesOnBoth() {
			return found
		}
		lost := LostLabels(c.deployed.alertLabels(), c.candidate.alertLabels())
		whole, holes := c.deployed.annotations(), c.candidate.annotations()
		for _, name := range slices.Sorted(maps.Keys(c.rule.Annotations)) {
			why := ""
			if used := usedLabels(c.rule.Annotations[name], lost); len(used) > 0 {
				why = "names " + labelList(used) + ", which no alert carries there"
			} else if all(whole, name, full) && all(holes, name, func(s string) bool { return !full(s) }) {
				why = "has no text there"
			}
			if why != "" {
				found = append(found, Finding{
					Subject:  name,
					Message:  "fires on both builds, but on candidate the annotation " + name + " " + why,
					Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
				})
			}
		}
		return found
	},
}

// contextsLost returns a finding for each required context that the alerts of
// deployed name and those of candidate do not, whatever is expected of the
// rule.
func (c *cell) contextsLost() []Finding {
	var found []Finding
	for _, n := range c.notified {
		if n.Deployed.all() && n.Candidate.none() {
			found = append(found, Finding{
				Subject: "context " + n.Context,
				Message: "fires on both builds, but on candidate no label or annotation names the " + n.Context +
					", which is required of notifications and which every alert names on deployed",
				Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
			})
		}
	}
	return found
}

func (h *half) annotations() []logs.Labels {
	var out []logs.Labels
	h.everyAlert(func(a outcome.Alert) { out = append(out, a.Annotations) })
	return out
}

// all reports whether there are sets, and ok holds of name in each.
func all(sets []logs.Labels, name string, ok func(string) bool) bool {
	for _, s := range sets {
		if !ok(s.Get(name)) {
			return false
		}
	}
	return len(sets) > 0
}

// full reports whether a rendered text has no hole that shows.
func full(s string) bool { return strings.TrimSpace(s) != "" && !strings.Contains(s, "<no value>") }

// usedLabels returns those of names that a template reads.
func usedLabels(template string, names []string) []string {
	var used []string
	for _, n := range names {
		q := regexp.QuoteMeta(n)
		if regexp.MustCompile(`(?:\$labels|\.Labels)\.` + q + `\b|[lL]abels\s+"` + q + `"`).MatchString(template) {
			used = append(used, n)
		}
	}
	return used
}
