package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A step is one stage on the way of one piece of work.
type step struct {
	name string // of the milestone that ends it
	from string // of the one that begins it; "" is the restoration
	took Value
	res  time.Duration
	// begin and end are times; of an open one end is that of the capture.
	begin, end int64
	shared     bool
	work       string // whose; empty: shared
	missing    Reason // why nothing can be said; empty: it can
	// over are the milestones that it takes in, as they were not seen: it is
	// longer than those of work that shows them.
	over string
}

// at returns the milestone of a name, of the work or shared.
func (r *Run) at(w *Workload, name string) *Milestone {
	if w != nil {
		for i := range w.Milestones {
			if w.Milestones[i].Name == name {
				return &w.Milestones[i]
			}
		}
	}
	for i := range r.Shared {
		if r.Shared[i].Name == name {
			return &r.Shared[i]
		}
	}
	return nil
}

func (r *Run) declared(name string) *Declared {
	for i := range r.Declared {
		if r.Declared[i].Name == name {
			return &r.Declared[i]
		}
	}
	return nil
}

// begins returns what a stage begins with: the latest of the milestones that
// cause it and were reached, or what causes those that were not seen, which are
// named by over. Known is false where the way to it is open: something before
// it had not happened.
func (r *Run) begins(w *Workload, d *Declared) (from *Milestone, over string, known bool) {
	from, known = &r.Restored, true
	var skipped []string
	var visit func(d *Declared)
	visit = func(d *Declared) {
		for _, name := range d.After {
			m := r.at(w, name)
			switch {
			case m == nil || m.State == Before:
			case m.State == Reached:
				if m.At > from.At || from == &r.Restored && m.At >= from.At {
					from = m
				}
			case m.Reason == CaptureEnded || m.Reason == NeverHappened:
				known = false
			case !slices.Contains(skipped, name):
				skipped = append(skipped, name)
				if before := r.declared(name); before != nil {
					visit(before)
				}
			}
		}
	}
	visit(d)
	slices.Sort(skipped)
	return from, strings.Join(skipped, " "), known
}

// steps returns the stages of one piece of work in the order declared; of no
// work, those of the shared milestones.
func (r *Run) steps(w *Workload) []step {
	if r.Restored.State != Reached {
		return nil
	}
	var out []step
	for i := range r.Declared {
		d := &r.Declared[i]
		if d.Shared != (w == nil) {
			continue
		}
		m := r.at(w, d.Name)
		if m == nil {
			continue
		}
		from, over, known := r.begins(w, d)
		s := step{name: d.Name, from: from.Name, begin: from.At, shared: d.Shared, over: over, res: from.Resolution + m.Resolution + max(r.doubt(from.Clock, m.Clock), r.misplaced(w, d))}
		if from == &r.Restored {
			s.from = ""
		}
		if w != nil {
			s.work = w.ID
		}
		switch {
		case m.State == Reached && !known:
			s.missing = NoEvidence // its beginning was not seen
		case m.State == Reached:
			s.end, s.took = m.At, Value{D: time.Duration(m.At - from.At)}
		case m.State == Missing && known && (m.Reason == CaptureEnded || m.Reason == NeverHappened):
			s.end = r.End
			if w != nil && w.Failed > from.At {
				s.end = w.Failed
			}
			s.took = Value{D: time.Duration(max(s.end-from.At, 0)), Censored: true}
		case m.State == Missing && known:
			s.missing = m.Reason
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

// doubt is how far two clocks may differ; 0: nothing tells that they do. Where
// one of them contradicts a third clock the other may do so, too.
func (r *Run) doubt(a, b string) time.Duration {
	if a == b || b == "" {
		return 0
	}
	return max(r.off(a), r.off(b))
}

// off is how far a clock may be from those that it contradicts: 0 where it
// contradicts none. What was seen of it is the least that they differ by, as the
// way between two milestones takes time, too.
func (r *Run) off(clock string) time.Duration {
	most := time.Duration(0)
	for i := range r.Skews {
		if s := &r.Skews[i]; s.Before.Clock == clock || s.After.Clock == clock {
			most = max(most, s.By+max(s.By/4, leastOnce))
		}
	}
	return most
}

// misplaced is how far a stage may be from the truth because a clock that is
// wrong may have put it, or what causes it, on the wrong side of the
// restoration.
func (r *Run) misplaced(w *Workload, d *Declared) time.Duration {
	if len(r.Skews) == 0 {
		return 0
	}
	most := time.Duration(0)
	for _, name := range append([]string{d.Name}, d.After...) {
		m := r.at(w, name)
		if m == nil || m.State == Missing || m.Clock == r.Restored.Clock {
			continue
		}
		if off := r.off(m.Clock); time.Duration(m.At-r.Restored.At).Abs() <= off {
			most = max(most, off)
		}
	}
	return most
}

// longest returns the longest stage of a name over all work.
func longest(r *Run, name string) (from, to int64, ok bool) {
	for _, s := range r.everyStep() {
		if s.name == name && s.missing == "" && (!ok || s.end-s.begin > to-from) {
			from, to, ok = s.begin, s.end, true
		}
	}
	return from, to, ok
}

func (r *Run) everyStep() []step {
	out := r.steps(nil)
	for i := range r.Workloads {
		if r.Workloads[i].Affected != "" {
			out = append(out, r.steps(&r.Workloads[i])...)
		}
	}
	return out
}

// skews finds milestones that were seen before what causes them, by more than
// their sources can be wrong, on clocks that differ. One piece of work may have
// evidence that misleads; clocks are wrong for most of it.
func skews(r *Run) []Skew {
	type pair struct{ name, cause, clock, other string }
	seen, wrong := map[pair]int{}, map[pair][]Skew{}
	look := func(w *Workload) {
		for i := range r.Declared {
			d := &r.Declared[i]
			m := r.at(w, d.Name)
			// Work that was handed in during the loss did nothing before it.
			early := m != nil && m.State == Before && w != nil && w.Affected == SubmittedDuring
			if d.Shared != (w == nil) || m == nil || m.State != Reached && !early {
				continue
			}
			for _, name := range d.After {
				cause := r.at(w, name)
				if cause == nil || cause.State != Reached || cause.Clock == m.Clock || early && r.declared(name).Shared {
					continue
				}
				p := pair{d.Name, name, m.Clock, cause.Clock}
				seen[p]++
				if by := time.Duration(cause.At - m.At); by > cause.Resolution+m.Resolution {
					s := Skew{Before: *m, After: *cause, By: by}
					if w != nil {
						s.Workload = w.ID
					}
					wrong[p] = append(wrong[p], s)
				}
			}
		}
	}
	look(nil)
	for i := range r.Workloads {
		look(&r.Workloads[i])
	}
	var out []Skew
	for p, s := range wrong {
		if 2*len(s) > seen[p] {
			slices.SortFunc(s, func(a, b Skew) int { return cmp.Or(cmp.Compare(b.By, a.By), cmp.Compare(a.Workload, b.Workload)) })
			out = append(out, s[0])
		}
	}
	slices.SortFunc(out, func(a, b Skew) int {
		return cmp.Or(cmp.Compare(b.By, a.By), cmp.Compare(a.Before.Name, b.Before.Name), cmp.Compare(a.After.Name, b.After.Name), cmp.Compare(a.Workload, b.Workload))
	})
	return out
}
