package analyzer

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/timeline"
)

// hideTimelines hides secrets in the records that recoveries show.
func hideTimelines(hide *strings.Replacer, all []timeline.Comparison) []timeline.Comparison {
	all = slices.Clone(all)
	for i := range all {
		t := &all[i]
		for _, s := range []*timeline.Side{&t.Deployed, &t.Candidate} {
			s.Slowest.Workload = hide.Replace(s.Slowest.Workload)
			s.Runs = slices.Clone(s.Runs)
			for j := range s.Runs {
				hideRun(hide, &s.Runs[j])
			}
		}
		t.Stages = slices.Clone(t.Stages)
		for j := range t.Stages {
			p := &t.Stages[j]
			for _, s := range []*timeline.Stage{&p.Deployed, &p.Candidate} {
				s.Observed = slices.Clone(s.Observed)
				for k := range s.Observed {
					s.Observed[k].Workload = hide.Replace(s.Observed[k].Workload)
				}
			}
			p.Because = slices.Clone(p.Because)
			for k := range p.Because {
				p.Because[k].First = hide.Replace(p.Because[k].First)
			}
		}
	}
	return all
}

func hideRun(hide *strings.Replacer, r *timeline.Run) {
	hideMilestone(hide, &r.Failure)
	hideMilestone(hide, &r.Restored)
	r.Shared = hideMilestones(hide, r.Shared)
	r.Workloads = slices.Clone(r.Workloads)
	for i := range r.Workloads {
		w := &r.Workloads[i]
		w.ID = hide.Replace(w.ID)
		w.Names = slices.Clone(w.Names)
		for j := range w.Names {
			w.Names[j].Name = hide.Replace(w.Names[j].Name)
		}
		w.Milestones = hideMilestones(hide, w.Milestones)
	}
	r.Skews = slices.Clone(r.Skews)
	for i := range r.Skews {
		r.Skews[i].Workload = hide.Replace(r.Skews[i].Workload)
		hideMilestone(hide, &r.Skews[i].Before)
		hideMilestone(hide, &r.Skews[i].After)
	}
	r.Suspects = slices.Clone(r.Suspects)
	for i := range r.Suspects {
		r.Suspects[i].First = hide.Replace(r.Suspects[i].First)
	}
	r.Actions = slices.Clone(r.Actions)
	for i := range r.Actions {
		a := &r.Actions[i]
		a.Target, a.Evidence = hide.Replace(a.Target), hide.Replace(a.Evidence)
	}
	r.Notes = slices.Clone(r.Notes)
	for i := range r.Notes {
		r.Notes[i] = hide.Replace(r.Notes[i])
	}
}

func hideMilestones(hide *strings.Replacer, all []timeline.Milestone) []timeline.Milestone {
	all = slices.Clone(all)
	for i := range all {
		hideMilestone(hide, &all[i])
	}
	return all
}

func hideMilestone(hide *strings.Replacer, m *timeline.Milestone) {
	m.Evidence, m.Detail, m.Clock = hide.Replace(m.Evidence), hide.Replace(m.Detail), hide.Replace(m.Clock)
}
