package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// A recovery is what is drawn and tabled of one scenario. Its texts come from
// logs and objects; renderers make them safe.
type recovery struct {
	*timeline.Comparison
	rows   []timeline.Declared // the milestones that are shown
	sides  [2]recoverySide
	alerts []*rules.Rule // that did anything, the most telling first
	broken int           // demands on it
}

// A recoverySide is one build of a recovery.
type recoverySide struct {
	*timeline.Side
	role string
	name string // of the build and its role, for people
	// happened is what happened in its runs.
	happened []analyzer.Happening
	states   map[*rules.Rule]outcome.State // of rules in the scenario
}

// maxMilestones bounds the milestones that are shown; profiles have a dozen.
const maxMilestones = 32

// recoveries prepares all scenarios in which a recovery was followed.
func recoveries(r *analyzer.Report) []*recovery {
	out := make([]*recovery, len(r.Timelines))
	for i := range out {
		out[i] = newRecovery(r, &r.Timelines[i])
	}
	return out
}

func newRecovery(r *analyzer.Report, t *timeline.Comparison) *recovery {
	v := &recovery{Comparison: t, rows: t.Declared[:min(len(t.Declared), maxMilestones)]}
	v.sides[0] = recoverySide{Side: &t.Deployed, role: "deployed", name: buildName("deployed", r.Deployed, false), states: map[*rules.Rule]outcome.State{}}
	v.sides[1] = recoverySide{Side: &t.Candidate, role: "candidate", name: buildName("candidate", r.Candidate, false), states: map[*rules.Rule]outcome.State{}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Scenario == t.Scenario {
			v.sides[0].states[res.Rule], v.sides[1].states[res.Rule] = res.Deployed.State, res.Candidate.State
		}
	}
	for i := range r.Recoveries {
		for _, a := range r.Recoveries[i].Acceptance {
			if r.Recoveries[i].Scenario != t.Scenario {
				continue
			}
			for j := range a.Criteria {
				if a.Criteria[j].Status == acceptance.Broken {
					v.broken++
				}
			}
		}
	}
	weight := map[*rules.Rule]int{}
	for _, h := range r.Happenings {
		if h.Scenario != t.Scenario {
			continue
		}
		i := 0
		if h.Role == "candidate" {
			i = 1
		}
		v.sides[i].happened = append(v.sides[i].happened, h)
		if h.Rule != nil && weight[h.Rule] == 0 {
			weight[h.Rule] = 1
			if v.sides[0].states[h.Rule] != v.sides[1].states[h.Rule] {
				weight[h.Rule] = 2
			}
			v.alerts = append(v.alerts, h.Rule)
		}
	}
	slices.SortStableFunc(v.alerts, func(a, b *rules.Rule) int {
		return cmp.Or(weight[b]-weight[a], strings.Compare(a.Name, b.Name), strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line)
	})
	return v
}

// title names a side.
func (s *recoverySide) title() string { return clean(s.name) }

// measured reports whether any run shows a restored connection.
func (s *recoverySide) measured() bool {
	return slices.ContainsFunc(s.Runs, func(r timeline.Run) bool { return r.Restored.State == timeline.Reached })
}

// tally says what became of the affected work of a build.
func (s *recoverySide) tally() string {
	switch {
	case !s.measured():
		return "nothing measured: " + s.unmeasured()
	case s.Affected == 0:
		return "no work was affected"
	}
	out := strconv.Itoa(s.Recovered) + " of " + strconv.Itoa(s.Affected) + " affected workloads recovered"
	if s.KeptRunning > 0 {
		out += " (" + strconv.Itoa(s.KeptRunning) + " kept running)"
	}
	if s.Failed > 0 {
		out += ", " + strconv.Itoa(s.Failed) + " failed"
	}
	if s.Open > 0 {
		out += ", " + strconv.Itoa(s.Open) + " open when the capture ended"
	}
	if s.Unknown > 0 {
		out += " (of " + strconv.Itoa(s.Unknown) + " nothing tells)"
	}
	return out
}

// unmeasured says why nothing was measured.
func (s *recoverySide) unmeasured() string {
	for i := range s.Runs {
		if m := &s.Runs[i].Restored; m.State == timeline.Missing && m.Detail != "" {
			return bounded(m.Detail)
		}
	}
	return "no run shows a restored connection"
}

// holdsBack names the stage that holds the recovery of a build back, and what
// it is known to wait for; empty: nothing was measured.
func (v *recovery) holdsBack(s *recoverySide) string {
	h := &s.Slowest
	if h.Stage == "" {
		return ""
	}
	d := v.declared(h.Stage)
	out := fmt.Sprintf("held back by %s, %s s after %s", titleOf(d), took(&h.Took), v.titled(h.From))
	if h.Share > 0 {
		out += fmt.Sprintf(" (%.0f %% of the way", 100*h.Share)
		if h.Workload != "" {
			out += " of " + clean(h.Workload)
		}
		out += ")"
	}
	if d.Owner != "" {
		out += ", owner " + clean(d.Owner)
	}
	if d.Hint != "" {
		out += ": " + clean(d.Hint)
	}
	return out
}

// declared is the milestone of a name.
func (v *recovery) declared(name string) *timeline.Declared {
	for i := range v.Declared {
		if v.Declared[i].Name == name {
			return &v.Declared[i]
		}
	}
	return &timeline.Declared{Name: name}
}

// titled names a milestone; "" is the restoration.
func (v *recovery) titled(name string) string {
	if name == "" {
		return "the restoration"
	}
	return titleOf(v.declared(name))
}

func titleOf(d *timeline.Declared) string {
	if d.Title != "" {
		return clean(d.Title)
	}
	return clean(d.Name)
}

// restoredAt lists when the connection of each measured run was restored.
func (s *recoverySide) restoredAt() []string {
	var out []string
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Restored.State == timeline.Reached {
			out = append(out, precise(r.Restored.At))
		}
	}
	return out
}

// ofRun names a repetition where there are several.
func (s *recoverySide) ofRun(repetition int) string {
	if len(s.Runs) < 2 {
		return ""
	}
	return fmt.Sprintf(" (run %d)", repetition)
}

// runOf returns the measured run of a repetition; nil: there is none.
func (s *recoverySide) runOf(repetition int) *timeline.Run {
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Repetition == repetition && r.Restored.State == timeline.Reached {
			return r
		}
	}
	return nil
}

// afterRestored is the time from the restoration of a run.
func afterRestored(run *timeline.Run, at int64) time.Duration {
	return time.Duration(at - run.Restored.At)
}

// reasons says why a milestone is missing, and of how many.
func reasons(x *timeline.Reach) string {
	var parts []string
	for _, reason := range []timeline.Reason{timeline.CaptureEnded, timeline.NeverHappened, timeline.TelemetryGap, timeline.NoEvidence} {
		n := x.Missing[reason]
		switch {
		case n == 0:
		case x.Of == 1:
			parts = append(parts, reasonWords(reason))
		default:
			parts = append(parts, strconv.Itoa(n)+" "+reasonWords(reason))
		}
	}
	return strings.Join(parts, ", ")
}

func reasonWords(r timeline.Reason) string { return strings.ReplaceAll(string(r), "-", " ") }

// share says how many reached a milestone.
func share(x *timeline.Reach) string { return fmt.Sprintf("%d/%d", x.Reached+x.Before, x.Of) }

// tenths writes a length of time in seconds, to a tenth.
func tenths(d time.Duration) string {
	s := strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', 1, 64)
	if s == "-0.0" {
		return "0.0"
	}
	return s
}

// took writes a value; of one that had not ended it says that it is longer.
func took(v *timeline.Value) string {
	switch {
	case v == nil:
		return "–"
	case v.Censored:
		return ">" + tenths(v.D)
	}
	return tenths(v.D)
}

// signed writes a difference with its sign.
func signed(d *time.Duration) string {
	if d == nil {
		return "–"
	}
	if s := tenths(*d); *d < 0 || s == "0.0" {
		return s
	}
	return "+" + tenths(*d)
}

// precise writes a time to the millisecond.
func precise(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000Z") }
