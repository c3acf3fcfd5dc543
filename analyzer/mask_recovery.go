package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/timeline"
)

// hideRecoveries hides secrets in what is told beside the timelines, and in
// what was done during the runs.
func hideRecoveries(hide *strings.Replacer, r *Report) {
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		for _, runs := range [][]execution.Result{x.Deployed, x.Candidate} {
			for j := range runs {
				for k := range runs[j].Duplicates {
					d := &runs[j].Duplicates[k]
					d.Detail, d.Evidence = hide.Replace(d.Detail), hideTexts(hide, d.Evidence)
				}
			}
		}
		for j := range x.Confounders.Differences {
			d := &x.Confounders.Differences[j]
			d.Subject, d.Deployed, d.Candidate = hide.Replace(d.Subject), hideTexts(hide, d.Deployed), hideTexts(hide, d.Candidate)
		}
		for j := range x.Acceptance {
			for k := range x.Acceptance[j].Criteria {
				c := &x.Acceptance[j].Criteria[k]
				c.Said, c.Evidence = hide.Replace(c.Said), hideTexts(hide, c.Evidence)
			}
			for k := range x.Acceptance[j].Rollbacks {
				b := &x.Acceptance[j].Rollbacks[k]
				b.Because = hideTexts(hide, b.Because)
			}
		}
	}
	r.Timelines = slices.Clone(r.Timelines)
	for i := range r.Timelines {
		for _, side := range []*timeline.Side{&r.Timelines[i].Deployed, &r.Timelines[i].Candidate} {
			side.Runs = slices.Clone(side.Runs)
			for j := range side.Runs {
				side.Runs[j].Actions = slices.Clone(side.Runs[j].Actions)
				for k := range side.Runs[j].Actions {
					a := &side.Runs[j].Actions[k]
					a.Action, a.Target, a.Actor, a.Evidence = hide.Replace(a.Action), hide.Replace(a.Target), hide.Replace(a.Actor), hide.Replace(a.Evidence)
				}
			}
		}
	}
}

func hideTexts(hide *strings.Replacer, texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = hide.Replace(s)
	}
	return out
}
