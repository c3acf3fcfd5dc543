package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// alertLabelsLost: a label that every alert carries on deployed and none on
// candidate. Routing, grouping and silences may hang on it. Changed values
// are no loss.
var alertLabelsLost = check{
	ID:       "alert-labels-lost",
	Doc:      "fires on both builds, but no alert of the candidate carries a label that all have on the deployed build",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.firesOnBoth() {
			return nil
		}
		lost := LostLabels(c.deployed.alertLabels(), c.candidate.alertLabels())
		if len(lost) == 0 {
			return nil
		}
		return []Finding{{
			Subject:  strings.Join(lost, ","),
			Message:  "fires on both builds, but on candidate no alert carries " + labelList(lost),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}}
	},
}

// alertLabels returns the labels of every alert, empty values left out as
// Prometheus does.
func (h *half) alertLabels() []logs.Labels {
	var out []logs.Labels
	h.everyAlert(func(a outcome.Alert) { out = append(out, a.Labels) })
	return out
}

// LostLabels returns the names that every set of deployed has and no set of
// candidate, ordered. It is empty where a side has no set at all.
func LostLabels(deployed, candidate []logs.Labels) []string {
	if len(deployed) == 0 || len(candidate) == 0 {
		return nil
	}
	has := func(sets []logs.Labels, name string) int {
		n := 0
		for _, s := range sets {
			if s.Get(name) != "" {
				n++
			}
		}
		return n
	}
	var lost []string
	for _, l := range deployed[0] {
		if has(deployed, l.Name) == len(deployed) && has(candidate, l.Name) == 0 {
			lost = append(lost, l.Name)
		}
	}
	slices.Sort(lost)
	return lost
}

// labelList names labels for a sentence.
func labelList(names []string) string {
	if len(names) == 1 {
		return "the label " + names[0]
	}
	return "the labels " + strings.Join(names, ", ")
}
