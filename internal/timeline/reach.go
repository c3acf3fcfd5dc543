package timeline

import "github.com/stillfires/stillfires/internal/profile"

// A Reach is how the affected work of one build came to one milestone. Every
// piece of work is in one of its counts.
type Reach struct {
	Of      int // affected pieces of work; of a shared milestone, measured runs
	Reached int // of these, after the restoration
	Before  int // before it
	Missing map[Reason]int
	// Took is the time from the restoration on. Work that failed, or that had
	// not come so far when the capture ended, is among it as censored.
	Took Stage
}

// Reach observes a milestone over the repetitions of a build.
func (s *Side) Reach(d *Declared) Reach {
	out := Reach{Missing: map[Reason]int{}}
	out.Took = observe(s.Runs, func(r *Run) []step { return out.add(r, d) }, map[string]int{})
	return out
}

// add counts one run and returns what was measured of it.
func (x *Reach) add(r *Run, d *Declared) []step {
	if r.Restored.State != Reached {
		return nil
	}
	if d.Shared {
		return x.one(nil, r, nil, d)
	}
	var out []step
	for i := range r.Workloads {
		if w := &r.Workloads[i]; w.Affected != "" {
			out = x.one(out, r, w, d)
		}
	}
	return out
}

// one counts a piece of work, nil for what is shared by all.
func (x *Reach) one(steps []step, r *Run, w *Workload, d *Declared) []step {
	x.Of++
	p, waited := r.passage(w, d, profile.FromRestored)
	reason := NoEvidence
	if m := r.at(w, d.Name); m != nil && m.State == Missing {
		reason = m.Reason
	}
	switch {
	case !waited:
		x.Before++
		return steps
	case p.Unknown != "":
		x.Missing[reason]++
		return steps
	case p.Took.Censored:
		x.Missing[reason]++
	default:
		x.Reached++
	}
	return append(steps, step{name: d.Name, work: p.Workload, took: p.Took, res: p.Resolution})
}
