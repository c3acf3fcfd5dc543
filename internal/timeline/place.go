package timeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// A placed milestone is one as its evidence shows it.
type placed struct {
	Milestone
	// kept says that the work went on with it through the loss.
	kept bool
	// stopped is why it counts as missing though it was reached before the
	// restoration: it was so no more. Empty: it does not.
	stopped string
	before  Milestone // as it was reached then
}

// milestones fills in those of one piece of work.
func (b *builder) milestones(i int) {
	w, of := &b.out.Workloads[i], &b.of[i]
	var all []placed
	for j := range b.m.List {
		d := &b.m.List[j]
		if d.Shared {
			continue
		}
		all = append(all, b.pick(d, b.sources[j], of))
	}
	onward := w.Finished != 0 // the work went on from what it had reached before
	for k := len(all) - 1; k >= 0; k-- {
		p := &all[k]
		if p.stopped != "" && onward {
			p.Milestone, p.kept, p.stopped = p.before, true, ""
		}
		onward = onward || p.State == Reached
	}
	for k := range all {
		p := &all[k]
		if d := b.declaredAs(p.Name); b.m.List[d].As == profile.Useful && p.kept && p.stopped == "" {
			w.KeptRunning = true
		}
		if p.stopped != "" {
			p.Milestone = Milestone{Name: p.Name, State: Missing, Detail: p.stopped}
		}
		w.Milestones = append(w.Milestones, p.Milestone)
	}
	b.explain(w)
}

// pick chooses the evidence of one milestone: of the first source that shows
// anything of the work.
func (b *builder) pick(d *profile.Milestone, sources []*source, of *occupant) placed {
	missing := placed{Milestone: Milestone{Name: d.Name, State: Missing}}
	for _, s := range sources {
		var hits []*hit
		denied := int64(0)
		if d.As == profile.Finished {
			denied = b.denied(sources, s, of.work)
		}
		if denied == everDenied && len(s.of[of.work]) > 0 {
			missing.Detail = "it was said to be, but nothing shows that the work ran, as it does of other work"
		}
		for _, i := range s.of[of.work] {
			if h := &s.hits[i]; of.life.has(h.at) && h.at > denied {
				hits = append(hits, h)
			}
		}
		if len(hits) > 0 {
			return b.place(d, s, hits, of)
		}
	}
	return missing
}

// place says whether the work reached a milestone after the restoration, or
// had it before and kept it.
func (b *builder) place(d *profile.Milestone, s *source, hits []*hit, of *occupant) placed {
	from, to := b.out.Failure.At, b.out.Restored.At
	n := 0 // hits before the restoration
	for n < len(hits) && !after(*hits[n], to) {
		n++
	}
	if n == 0 {
		return placed{Milestone: b.back(d, s, hits[0])}
	}
	last := hits[n-1]
	first := last // of the loss, or else the last one before it
	for i := n - 1; i >= 0 && hits[i].at >= from; i-- {
		first = hits[i]
	}
	was := b.reached(d.Name, s, *first)
	was.State = Before
	during := last.at >= from
	if n == len(hits) {
		p := placed{Milestone: was, kept: during, before: was}
		p.stopped = b.stopped(d, s, hits, of)
		return p
	}
	next := hits[n]
	switch usual, known := pause(hits, n); {
	case next.pod != "" && !slices.ContainsFunc(hits[:n], func(h *hit) bool { return h.pod == next.pod }):
		return placed{Milestone: b.back(d, s, next)} // begun anew elsewhere
	case d.As == profile.Useful && known && time.Duration(next.at-last.at) > 2*usual+next.res:
		return placed{Milestone: b.back(d, s, next)} // it stood still
	case during || next.pod != "":
		return placed{Milestone: was, kept: true}
	}
	return placed{Milestone: b.back(d, s, next)}
}

// back is a milestone that was reached after the restoration.
func (b *builder) back(d *profile.Milestone, s *source, h *hit) Milestone {
	m := b.reached(d.Name, s, *h)
	m.At = max(m.At, b.out.Restored.At)
	return m
}

// pause returns the longest time between two records of work that goes on, but
// for the one between hits[n-1] and hits[n]; known is false where too few tell.
func pause(hits []*hit, n int) (usual time.Duration, known bool) {
	count := 0
	for i := 1; i < len(hits); i++ {
		if i == n {
			continue
		}
		usual = max(usual, time.Duration(hits[i].at-hits[i-1].at))
		count++
	}
	return usual, count > 1
}

// stopped says why a milestone that was reached before the restoration, and was
// not seen again, is lost; empty: nothing tells that it is.
func (b *builder) stopped(d *profile.Milestone, s *source, hits []*hit, of *occupant) string {
	last := hits[len(hits)-1]
	if at, ended := s.ended[of.work]; ended && at >= last.at {
		return fmt.Sprintf("it was so until %s, and not again before the capture ended at %s", clock(at), clock(b.out.End))
	}
	if d.As != profile.Useful || of.life.over() != 0 {
		return ""
	}
	usual, known := pause(hits, len(hits))
	if !known || time.Duration(b.out.End-last.at) <= 2*usual+last.res {
		return ""
	}
	return fmt.Sprintf("it was last seen at %s, before the restoration, and not again before the capture ended at %s; until then never more than %s passed between two records of it",
		clock(last.at), clock(b.out.End), usual.Round(time.Millisecond))
}
