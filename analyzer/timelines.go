package analyzer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/prose"
	"github.com/stillfires/stillfires/internal/timeline"
)

// follow builds the timelines of all scenarios that were not given. It returns what a reader must
// know of those that could not be measured.
func (c *comparison) follow() []string {
	m := c.in.Milestones
	if m == nil || c.in.Timelines != nil {
		return nil
	}
	var notes []string
	recorded := [2][]*outcome.Run{recordedRuns(c.deployed), recordedRuns(c.candidate)}
	for _, scenario := range c.in.Scenarios {
		var sides [2][]timeline.Run
		for i, runs := range [][]*outcome.Run{c.deployed[scenario], c.candidate[scenario]} {
			for _, run := range runs {
				if !run.Missing {
					line := timeline.Build(run, m, c.in.Correlation, recorded[i]...)
					line.Act(run, m, c.in.Manual)
					sides[i] = append(sides[i], line)
				}
			}
		}
		c.lines[scenario] = sides
		t := timeline.Compare(scenario, m, sides[0], sides[1])
		if t == nil {
			notes = append(notes, unmended(scenario, "deployed", sides[0])...)
			notes = append(notes, unmended(scenario, "candidate", sides[1])...)
			continue
		}
		c.in.Timelines = append(c.in.Timelines, *t)
		if t.Goal == "" && t.Deployed.Affected+t.Candidate.Affected > 0 {
			notes = append(notes, fmt.Sprintf("recovery of %s: nothing that was recorded on both builds shows work that recovered, so that is not judged", scenario))
		}
		notes = append(notes, unmeasured(scenario, "deployed", t.Deployed.Runs)...)
		notes = append(notes, unmeasured(scenario, "candidate", t.Candidate.Runs)...)
	}
	return notes
}

// recordedRuns returns the runs of a build that are there, in the order of their
// scenarios.
func recordedRuns(of map[string][]*outcome.Run) []*outcome.Run {
	var out []*outcome.Run
	for _, scenario := range slices.Sorted(maps.Keys(of)) {
		for _, run := range of[scenario] {
			if !run.Missing {
				out = append(out, run)
			}
		}
	}
	return out
}

// unmended says of which runs of a scenario the loss was not seen to end, where
// none of either build could be measured.
func unmended(scenario, role string, runs []timeline.Run) []string {
	return unmeasured(scenario, role, slices.DeleteFunc(slices.Clone(runs), func(r timeline.Run) bool { return r.Failure.State == timeline.Missing }))
}

// unmeasured says of which runs of a scenario no recovery could be measured,
// and what their timelines leave out.
func unmeasured(scenario, role string, runs []timeline.Run) []string {
	var out []string
	for i := range runs {
		r := &runs[i]
		name := fmt.Sprintf("recovery of %s on %s", scenario, role)
		if len(runs) > 1 {
			name += fmt.Sprintf(", repetition %d", r.Repetition)
		}
		if r.Restored.State == timeline.Missing {
			out = append(out, name+": not measured: "+r.Restored.Detail)
		}
		if r.Unlike != "" {
			out = append(out, name+": left out of medians and noise: "+r.Unlike)
		}
		if r.Cut > 0 {
			out = append(out, fmt.Sprintf("%s: %d pieces of work are left out; there are more than can be followed", name, r.Cut))
		}
		for _, n := range r.Notes {
			out = append(out, name+": "+n)
		}
	}
	return out
}

func seconds(d time.Duration) string { return prose.Seconds(d) }

func ownedBy(owner string) string {
	if owner == "" {
		return ""
	}
	return "; owner: " + short(owner)
}
