package timeline

import (
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// side counts the work of one build.
func (c *Comparison) side(m *profile.Milestones, runs []Run) Side {
	s := Side{Runs: runs}
	for _, d := range m.Deadlines {
		s.Deadlines = append(s.Deadlines, DeadlineCount{Milestone: d.Milestone, Within: time.Duration(d.Within), Owner: d.Owner})
	}
	for i := range runs {
		r := &runs[i]
		if r.Restored.State == Reached && r.Unlike == "" {
			s.Comparable++
		}
		for j := range r.Workloads {
			if w := &r.Workloads[j]; w.Affected != "" {
				s.count(r, w, c.Goal)
			}
		}
	}
	s.Slowest = slowest(runs, c.Goal)
	return s
}

// count adds one affected piece of work.
func (s *Side) count(r *Run, w *Workload, goal string) {
	s.Affected++
	s.Units += w.UnitsAfter
	if w.Affected == SubmittedDuring {
		s.Submitted++
	}
	if r.completed(w) {
		s.Completed++
	}
	switch r.Outcome(w, goal) {
	case Recovered:
		s.Recovered++
		if w.KeptRunning {
			s.KeptRunning++
		}
	case FailedWork:
		s.Failed++
	default:
		s.Open++
		if r.Unknown(w, goal) {
			s.Unknown++
		}
	}
	if age := r.queueAge(w); age != nil && (s.QueueAge == nil || compareValues(*age, *s.QueueAge) > 0) {
		s.QueueAge = age
	}
	for i := range s.Deadlines {
		d := &s.Deadlines[i]
		d.Of++
		switch m := r.at(w, d.Milestone); {
		case m == nil, m.State == Missing && (m.unknown() || m.Reason == CaptureEnded && r.End-r.Restored.At < int64(d.Within)):
			d.Unknown++
		case m.State == Before, m.State == Reached && m.At-r.Restored.At <= int64(d.Within):
			d.Met++
		}
	}
}

// An Outcome says what became of affected work.
type Outcome int

// The outcomes.
const (
	Recovered  Outcome = iota + 1 // it reached the goal, or finished
	FailedWork                    // it failed
	Open                          // neither, when the capture ended
)

// Outcome says what became of affected work of the run.
func (r *Run) Outcome(w *Workload, goal string) Outcome {
	if w.Failed != 0 && w.Failed >= r.Failure.At {
		return FailedWork
	}
	if m := r.at(w, goal); m != nil && m.State != Missing || r.completed(w) {
		return Recovered
	}
	return Open
}

// completed reports whether the end of the work was seen. What failed ended, too,
// and was not completed.
func (r *Run) completed(w *Workload) bool {
	if w.Failed != 0 {
		return false
	}
	return w.Finished != 0 || slices.ContainsFunc(w.Milestones, func(m Milestone) bool {
		d := r.declared(m.Name)
		return d != nil && d.As == profile.Finished && m.State != Missing
	})
}

// Unknown reports whether nothing tells that work which is open did not
// recover: of every milestone on the way that was not seen evidence is missing.
func (r *Run) Unknown(w *Workload, goal string) bool {
	if r.Outcome(w, goal) != Open {
		return false
	}
	for i := range r.Declared {
		m := r.at(w, r.Declared[i].Name)
		if m != nil && m.State == Missing && !m.unknown() {
			return false
		}
		if r.Declared[i].Name == goal {
			break
		}
	}
	return true
}

// unknown reports whether nothing tells if a missing milestone was reached.
func (m *Milestone) unknown() bool { return m.Reason == NoEvidence || m.Reason == TelemetryGap }

// queueAge is the time from submission to dispatch; nil: not known.
func (r *Run) queueAge(w *Workload) *Value {
	if w.Affected != SubmittedDuring || w.Submitted == 0 {
		return nil
	}
	for i := range w.Milestones {
		m := &w.Milestones[i]
		if r.declared(m.Name).As != profile.Dispatched {
			continue
		}
		switch {
		case m.State != Missing:
			return &Value{D: time.Duration(max(m.At-w.Submitted, 0))}
		case m.Reason != NoEvidence:
			return &Value{D: time.Duration(max(r.End-w.Submitted, 0)), Censored: true}
		}
	}
	return nil
}

// slowest finds the stage that holds the slowest piece of work back.
func slowest(runs []Run, goal string) Held {
	var out Held
	worst := Value{}
	for i := range runs {
		r := &runs[i]
		for _, total := range r.totals(goal) {
			if total.missing != "" || out.Stage != "" && compareValues(total.took, worst) <= 0 {
				continue
			}
			w := r.workload(total.work)
			if h, ok := r.held(w, goal); ok {
				worst, out = total.took, h
				if total.took.D > 0 {
					out.Share = min(float64(h.Took.D)/float64(total.took.D), 1)
				}
			}
		}
	}
	return out
}

func (r *Run) workload(id string) *Workload {
	for i := range r.Workloads {
		if r.Workloads[i].ID == id {
			return &r.Workloads[i]
		}
	}
	return nil
}

// held walks back from the goal, or from where the way is open, and returns
// the longest stage on it.
func (r *Run) held(w *Workload, goal string) (Held, bool) {
	steps := map[string]step{}
	at := goal
	for _, s := range append(r.steps(nil), r.steps(w)...) {
		if s.missing != "" {
			continue
		}
		steps[s.name] = s
		if _, reached := steps[at]; s.took.Censored && !reached {
			at = s.name
		}
	}
	var out Held
	found := false
	for range len(r.Declared) + 1 {
		s, ok := steps[at]
		if !ok {
			break
		}
		if !found || s.took.D > out.Took.D {
			out, found = Held{Stage: s.name, From: s.from, Took: s.took}, true
			if !s.shared {
				out.Workload = w.ID
			}
		}
		if s.from == "" {
			break
		}
		at = s.from
	}
	return out, found
}

// Reached returns the last milestone that the work reached, nil for none, and
// the first towards the goal that it did not.
func (r *Run) Reached(w *Workload, goal string) (last, next *Milestone) {
	for i := range r.Declared {
		m := r.at(w, r.Declared[i].Name)
		if m == nil {
			continue
		}
		switch {
		case m.State != Missing:
			if last == nil || m.At >= last.At {
				last = m
			}
		case next == nil && m.Reason != NoEvidence:
			next = m
		}
		if m.Name == goal {
			break
		}
	}
	if next == nil {
		next = &Milestone{Name: goal, State: Missing}
		if m := r.at(w, goal); m != nil {
			next = m
		}
	}
	return last, next
}

// Took returns the time from the restoration to the goal; nil where the work
// did not wait for it, or where it is not known.
func (r *Run) Took(w *Workload, goal string) *time.Duration {
	m := r.at(w, goal)
	if m == nil || m.State != Reached {
		return nil
	}
	d := time.Duration(m.At - r.Restored.At)
	return &d
}
