package timeline

import (
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// A Passage is the way of one piece of work between two milestones.
type Passage struct {
	Workload   string // empty: a shared milestone
	Repetition int
	Took       Value
	Resolution time.Duration
	// Unknown says why nothing can be said of it; empty: it can.
	Unknown string
}

// Passages returns the way of each affected piece of work to a milestone that
// it did not reach before the restoration. From is the milestone that it begins
// with: empty, the latest of those that cause the other; or
// profile.FromRestored.
func (r *Run) Passages(from, to string) []Passage {
	d := r.declared(to)
	if r.Restored.State != Reached || d == nil {
		return nil
	}
	if d.Shared {
		if p, ok := r.passage(nil, d, from); ok {
			return []Passage{p}
		}
		return nil
	}
	var out []Passage
	for i := range r.Workloads {
		w := &r.Workloads[i]
		if w.Affected == "" {
			continue
		}
		if p, ok := r.passage(w, d, from); ok {
			out = append(out, p)
		}
	}
	return out
}

func (r *Run) passage(w *Workload, d *Declared, from string) (Passage, bool) {
	p := Passage{Repetition: r.Repetition}
	if w != nil {
		p.Workload = w.ID
	}
	m := r.at(w, d.Name)
	if m == nil {
		p.Unknown = "it was not looked for"
		return p, true
	}
	if m.State == Before {
		return p, false
	}
	begin, why := r.beginning(w, d, from)
	if why != "" {
		p.Unknown = why
		return p, true
	}
	p.Resolution = begin.Resolution + m.Resolution
	at := max(begin.At, r.Restored.At)
	switch {
	case m.State == Reached:
		p.Took = Value{D: time.Duration(max(m.At-at, 0))}
	case m.Reason == CaptureEnded || m.Reason == NeverHappened:
		end := r.End
		if w != nil && w.Failed > at {
			end = w.Failed
		}
		p.Took = Value{D: time.Duration(max(end-at, 0)), Censored: true}
	default:
		p.Unknown = m.Detail
		if p.Unknown == "" {
			p.Unknown = string(m.Reason)
		}
	}
	return p, true
}

// beginning is the milestone with which a passage begins, or why that is not
// known.
func (r *Run) beginning(w *Workload, d *Declared, from string) (*Milestone, string) {
	switch from {
	case profile.FromRestored:
		return &r.Restored, ""
	case "":
		begin, _, known := r.begins(w, d)
		if !known {
			return nil, "what comes before it had not happened"
		}
		return begin, ""
	}
	m := r.at(w, from)
	switch {
	case m == nil:
		return nil, "where it begins was not looked for"
	case m.State == Missing:
		return nil, m.Name + " is missing: " + m.Detail
	}
	return m, ""
}

// Totals returns the way from the restoration to the goal of each affected
// piece of work that did not go on through the loss.
func (r *Run) Totals(goal string) []Passage {
	var out []Passage
	for _, s := range r.totals(goal) {
		p := Passage{Workload: s.work, Repetition: r.Repetition, Took: s.took, Resolution: s.res}
		if s.missing != "" {
			p.Unknown = "nothing shows " + goal
		}
		out = append(out, p)
	}
	return out
}
