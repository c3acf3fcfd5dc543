package analyzer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// recoveryFailed: work that a loss delayed did not recover, or what was
// declared of objects, or had to be reached, was not.
var recoveryFailed = check{
	ID:       "recovery-failed",
	Doc:      "work did not recover, or a declared state was not reached",
	Severity: Break,
	cases:    true,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.in.Timelines {
			t := &c.in.Timelines[i]
			out = append(out, notMeasured(t)...)
			out = append(out, failedWork(t)...)
		}
		return append(out, c.dueRollbacks()...)
	},
}

// notMeasured finds the runs of candidate of which no recovery could be
// measured, though one of deployed could: what became of their work nobody
// knows.
func notMeasured(t *timeline.Comparison) []Finding {
	if !slices.ContainsFunc(t.Deployed.Runs, func(r timeline.Run) bool { return r.Restored.State == timeline.Reached }) {
		return nil
	}
	var out []Finding
	for i := range t.Candidate.Runs {
		r := &t.Candidate.Runs[i]
		if r.Restored.State == timeline.Reached {
			continue
		}
		f := Finding{Scenario: t.Scenario, Severity: Warn, Unproven: true, Subject: "repetition " + strconv.Itoa(r.Repetition)}
		f.Message = "the recovery on candidate was not measured: "
		if len(t.Candidate.Runs) > 1 {
			f.Message = fmt.Sprintf("the recovery on candidate was not measured in repetition %d: ", r.Repetition)
		}
		if r.Failure.State == timeline.Reached {
			f.Message += fmt.Sprintf("the end of the loss that began at %s was not seen (%s)", clockTime(r.Failure.At), short(r.Restored.Detail))
			f.Candidate = &outcome.Evidence{Time: r.Failure.At, Line: r.Failure.Evidence}
		} else {
			f.Message += short(r.Restored.Detail)
		}
		f.Message += "; what became of its work is not known"
		out = append(out, f)
	}
	if t.Goal == "" && t.Deployed.Affected+t.Candidate.Affected > 0 && len(out) == 0 && goalOn(t.Deployed.Runs) {
		out = append(out, Finding{
			Scenario: t.Scenario, Severity: Warn, Unproven: true, Subject: "no evidence",
			Message: "nothing that was recorded of candidate shows whether work recovered, though on deployed it does: what became of the work is not known",
		})
	}
	if t.Doubtful > 0 {
		out = append(out, Finding{
			Scenario: t.Scenario, Severity: Warn, Unproven: true, Subject: "no evidence of " + t.Beyond,
			Message: fmt.Sprintf("%d of %d affected pieces of work recovered on candidate as far as %s tells; of %s, which one build alone shows, nothing was seen of them: whether they got there is not known",
				t.Doubtful, t.Candidate.Affected, t.TitleOf(t.Goal), t.TitleOf(t.Beyond)),
		})
	}
	return out
}

// goalOn reports whether some work of a build was seen to recover.
func goalOn(runs []timeline.Run) bool {
	for i := range runs {
		for _, d := range runs[i].Declared {
			switch d.As {
			case profile.Useful, profile.Running, profile.Finished, profile.Dispatched:
				if slices.ContainsFunc(runs[i].Workloads, func(w timeline.Workload) bool {
					return slices.ContainsFunc(w.Milestones, func(m timeline.Milestone) bool { return m.Name == d.Name && m.State == timeline.Reached })
				}) {
					return true
				}
			}
		}
	}
	return false
}

func clockTime(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05.000") }

// maxFailedWork is how much work that waits for one milestone has findings of
// its own; what is beyond has one together.
const maxFailedWork = 10

// failedWork finds the work of a scenario that did not recover on candidate.
func failedWork(t *timeline.Comparison) []Finding {
	if t.Goal == "" {
		return nil // nothing tells; the notes say so
	}
	var out []Finding
	seen := map[string]bool{}
	before := worksOf(t)
	waiting := map[string]int{} // work by the milestone that it waits for
	rest := map[string]map[verdictOfWork]int{}
	for i := range t.Candidate.Runs {
		r := &t.Candidate.Runs[i]
		for j := range r.Workloads {
			w := &r.Workloads[j]
			if w.Affected == "" || seen[w.ID] || r.Outcome(w, t.Goal) == timeline.Recovered {
				continue
			}
			seen[w.ID] = true
			last, next := r.Reached(w, t.Goal)
			v := judgeWork(t, r, w, before.of(w.ID))
			if waiting[next.Name]++; waiting[next.Name] <= maxFailedWork {
				out = append(out, failedOne(t, r, w, last, next, before.of(w.ID), v))
				continue
			}
			if rest[next.Name] == nil {
				rest[next.Name] = map[verdictOfWork]int{}
			}
			rest[next.Name][v]++
		}
	}
	for i := range t.Declared {
		out = append(out, restOfWork(t, &t.Declared[i], rest[t.Declared[i].Name])...)
	}
	return out
}

// restOfWork sums up what has no findings of its own, apart what is no proof.
func restOfWork(t *timeline.Comparison, d *timeline.Declared, rest map[verdictOfWork]int) []Finding {
	var out []Finding
	for _, x := range []struct {
		v             verdictOfWork
		subject, text string
	}{
		{verdictOfWork{}, "more that waits for ", "%d more pieces of work were not recovered on candidate: %s was not reached"},
		{verdictOfWork{severity: Warn}, "more as on deployed that waits for ", "%d more pieces of work were not recovered on candidate: %s was not reached; they did not recover on deployed either"},
		{verdictOfWork{Warn, true, true}, "more of a short capture that waits for ", "%d more pieces of work were not recovered on candidate: %s was not reached; the capture is too short to be a proof: record longer"},
		{verdictOfWork{Warn, true, false}, "more, not known, that waits for ", "%d more pieces of work are not known to have recovered on candidate: %s was not seen"},
	} {
		if n := rest[x.v]; n > 0 {
			out = append(out, Finding{
				Scenario: t.Scenario, Subject: x.subject + d.Name, Severity: x.v.severity, Unproven: x.v.unproven, Rest: true,
				Message: fmt.Sprintf(x.text, n, d.Title) + ownedBy(d.Owner),
			})
		}
	}
	return out
}

// A verdictOfWork is what follows from work that did not recover; zero: it breaks
// the review.
type verdictOfWork struct {
	severity Severity
	unproven bool
	short    bool // the capture is too short for a proof
}

// unknown reports whether nothing tells what became of the work.
func (v verdictOfWork) unknown() bool { return v.unproven && !v.short }

// judgeWork says what follows from work that did not recover.
func judgeWork(t *timeline.Comparison, r *timeline.Run, w *timeline.Workload, d deployedWork) verdictOfWork {
	switch {
	case r.Unknown(w, t.Goal):
		return verdictOfWork{severity: Warn, unproven: true}
	case d.failed:
		return verdictOfWork{severity: Warn}
	case d.took != nil && w.Failed == 0 && time.Duration(r.End-r.Restored.At) < *d.took+t.Chance():
		return verdictOfWork{Warn, true, true}
	}
	return verdictOfWork{}
}

// failedOne says what is known of one piece of work that did not recover.
func failedOne(t *timeline.Comparison, r *timeline.Run, w *timeline.Workload, last, next *timeline.Milestone, d deployedWork, v verdictOfWork) Finding {
	f := Finding{Scenario: t.Scenario, Subject: w.ID, Severity: v.severity, Unproven: v.unproven}
	after := time.Duration(r.End - r.Restored.At)
	text := fmt.Sprintf("%s was not recovered on candidate: %s was not reached", short(w.ID), t.TitleOf(next.Name))
	if v.unknown() {
		text = fmt.Sprintf("%s is not known to have recovered on candidate: %s was not seen", short(w.ID), t.TitleOf(next.Name))
	}
	if w.Failed != 0 {
		text = fmt.Sprintf("%s failed on candidate, %s the restoration", short(w.ID), sinceTime(r, w.Failed))
		if next.State == timeline.Missing {
			text += fmt.Sprintf(": %s was not reached", t.TitleOf(next.Name))
		}
	} else {
		text += fmt.Sprintf(" within %s after the restoration, when the capture ended", seconds(after))
	}
	if next.Reason != timeline.CaptureEnded && next.Detail != "" {
		text += " (" + short(next.Detail) + ")"
	}
	if last != nil {
		text += fmt.Sprintf("; the last milestone that was seen is %s, %s", t.TitleOf(last.Name), sinceRestored(r, last))
		f.Candidate = &outcome.Evidence{Time: last.At, Line: last.Evidence}
	}
	if v.unknown() {
		text += "; nothing tells whether it recovered"
	}
	switch {
	case d.failed:
		text += "; it did not recover on deployed either"
	case d.took != nil && w.Failed == 0 && after < *d.took:
		text += fmt.Sprintf("; on deployed it took %s, longer than the capture went on here, so this is no proof: record longer", seconds(*d.took))
	case d.took != nil && w.Failed == 0 && after < *d.took+t.Chance():
		text += fmt.Sprintf("; on deployed it took %s, and that the capture went on for %s more is no proof, as the builds may differ by so much by chance: record longer",
			seconds(*d.took), seconds(after-*d.took))
	case d.took != nil:
		text += fmt.Sprintf("; on deployed it took %s", seconds(*d.took))
	case d.recovered:
		text += "; on deployed it recovered"
	}
	for _, x := range t.Declared {
		if x.Name == next.Name {
			text += ownedBy(x.Owner)
		}
	}
	f.Message = text
	return f
}

func sinceRestored(r *timeline.Run, m *timeline.Milestone) string {
	if d := m.At - r.Restored.At; d < 0 {
		return seconds(time.Duration(-d)) + " before the restoration"
	}
	return seconds(time.Duration(m.At-r.Restored.At)) + " after it"
}

func sinceTime(r *timeline.Run, at int64) string {
	if d := at - r.Restored.At; d < 0 {
		return seconds(time.Duration(-d)) + " before"
	}
	return seconds(time.Duration(at-r.Restored.At)) + " after"
}

// A deployedWork is what became of a piece of work on deployed.
type deployedWork struct {
	failed    bool // it never recovered there
	recovered bool
	took      *time.Duration // the longest; nil: not known
}

// deployedWorks are all, by name and by what names of one group share.
type deployedWorks struct{ named, grouped map[string]deployedWork }

func worksOf(t *timeline.Comparison) deployedWorks {
	x := deployedWorks{map[string]deployedWork{}, map[string]deployedWork{}}
	for i := range t.Deployed.Runs {
		r := &t.Deployed.Runs[i]
		for j := range r.Workloads {
			w := &r.Workloads[j]
			if w.Affected == "" {
				continue
			}
			recovered := r.Outcome(w, t.Goal) == timeline.Recovered
			took := (*time.Duration)(nil)
			if recovered {
				took = r.Took(w, t.Goal)
			}
			x.named[w.ID] = x.named[w.ID].and(recovered, took)
			x.grouped[groupOf(w.ID)] = x.grouped[groupOf(w.ID)].and(recovered, took)
		}
	}
	return x
}

// of looks for work of the same name; of work that is named otherwise on each
// build, all of its group counts.
func (x deployedWorks) of(id string) deployedWork {
	if d, ok := x.named[id]; ok {
		return d
	}
	return x.grouped[groupOf(id)]
}

// and adds what became of one more.
func (d deployedWork) and(recovered bool, took *time.Duration) deployedWork {
	d.recovered = d.recovered || recovered
	d.failed = !d.recovered
	if took != nil && (d.took == nil || *took > *d.took) {
		d.took = took
	}
	return d
}

// groupOf returns a name without what was made up for it.
func groupOf(id string) string {
	if i := strings.LastIndexByte(id, '-'); i > 0 {
		return id[:i]
	}
	return id
}
