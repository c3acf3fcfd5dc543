package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

func utc(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// works dates every piece of work and says which the loss delayed.
func (b *builder) works() {
	x := b.index
	b.date(b.m.Work.Submitted, func(w *Workload) *int64 { return &w.Submitted })
	b.date(b.m.Work.Finished, func(w *Workload) *int64 { return &w.Finished })
	b.date(b.m.Work.Failed, func(w *Workload) *int64 { return &w.Failed })
	if s := firstShown(b.all(b.m.Work.Units)); s != nil {
		for _, h := range s.hits {
			if h.work < 0 {
				continue
			}
			x.work[h.work].Units++
			if b.out.Restored.State == Reached && h.at >= b.out.Restored.At {
				x.work[h.work].UnitsAfter++
			}
		}
	}
	if b.out.Restored.State == Reached {
		seen := b.seenBefore()
		for i := range x.work {
			x.work[i].Affected = b.affected(&x.work[i], seen[i])
		}
	}
	b.out.Workloads = x.work
}

// date notes the first time that the first source shows which knows the work.
func (b *builder) date(by []profile.Evidence, field func(*Workload) *int64) {
	for _, s := range b.all(by) {
		known := map[int]bool{}
		for i := range b.index.work {
			known[i] = *field(&b.index.work[i]) != 0
		}
		for _, h := range s.hits {
			if h.work >= 0 && !known[h.work] {
				known[h.work] = true
				*field(&b.index.work[h.work]) = h.at
			}
		}
	}
}

// seenBefore says which work shows anything before the loss.
func (b *builder) seenBefore() []bool {
	seen := make([]bool, len(b.index.work))
	for _, sources := range b.sources {
		for _, s := range sources {
			for _, h := range s.hits {
				if h.work >= 0 && h.at < b.out.Failure.At {
					seen[h.work] = true
				}
			}
		}
	}
	return seen
}

func (b *builder) affected(w *Workload, seen bool) string {
	a := &b.m.Affected
	fits := func(pattern string) bool { return profile.Glob(pattern, w.ID) }
	if len(a.Only) > 0 && !slices.ContainsFunc(a.Only, fits) || slices.ContainsFunc(a.Except, fits) {
		return ""
	}
	from, to := b.out.Failure.At, b.out.Restored.At
	over := cmp.Or(w.Finished, w.Failed)
	switch {
	case over != 0 && over < from:
		return ""
	case w.Submitted == 0 && !seen, w.Submitted >= to:
		return ""
	case w.Submitted >= from && a.Submitted:
		return SubmittedDuring
	case w.Submitted < from && a.Unfinished:
		return Unfinished
	}
	return ""
}

// milestones fills in those of one piece of work.
func (b *builder) milestones(i int) {
	w := &b.out.Workloads[i]
	for j := range b.m.List {
		d := &b.m.List[j]
		if d.Shared {
			continue
		}
		m, kept := b.pick(d, b.sources[j], i)
		if d.As == profile.Useful && kept {
			w.KeptRunning = true
		}
		w.Milestones = append(w.Milestones, m)
	}
	b.explain(w)
}

// pick chooses the evidence of one milestone: of the first source that shows
// anything of the work. Kept says that the work went on through the loss.
func (b *builder) pick(d *profile.Milestone, sources []*source, work int) (m Milestone, kept bool) {
	from, to := b.out.Failure.At, b.out.Restored.At
	for _, s := range sources {
		var pre, during, post *hit
		var pods []string
		for i := range s.hits {
			h := &s.hits[i]
			switch {
			case h.work != work:
			case after(*h, to):
				if post == nil {
					post = h
				}
			case h.at >= from:
				during = h
			default:
				pre = h
			}
			if h.work == work && h.at < from && h.pod != "" && !slices.Contains(pods, h.pod) {
				pods = append(pods, h.pod)
			}
		}
		first := cmp.Or(during, pre)
		switch {
		case post != nil && during == nil && !(pre != nil && post.pod != "" && slices.Contains(pods, post.pod)):
			m = b.reached(d.Name, s, *post)
			m.At = max(m.At, to)
			return m, false
		case first != nil || post != nil:
			m = b.reached(d.Name, s, *cmp.Or(first, post))
			m.State = Before
			return m, post != nil || during != nil
		}
	}
	return Milestone{Name: d.Name, State: Missing}, false
}

// explain gives the reason of each milestone that is missing.
func (b *builder) explain(w *Workload) {
	later := "" // title of the last later milestone that was reached
	for k := len(w.Milestones) - 1; k >= 0; k-- {
		m := &w.Milestones[k]
		d := b.declaredAs(m.Name)
		if m.State != Missing {
			if later == "" {
				later = b.m.List[d].Title
			}
			continue
		}
		sources := b.sources[d]
		m.Reason, m.Detail = CaptureEnded, fmt.Sprintf("it had not happened when the capture ended at %s", clock(b.out.End))
		switch none, gap := b.noneOf(w, sources), anyGap(sources); {
		case none != "":
			m.Reason, m.Detail = NoEvidence, none
		case gap != "":
			m.Reason, m.Detail = TelemetryGap, gap
		case later != "":
			m.Reason, m.Detail = NoEvidence, strings.Join(append(nones(sources), notSeen(later)), "; ")
		case w.Failed != 0:
			m.Reason, m.Detail = NeverHappened, "the work failed at "+clock(w.Failed)
		case w.Finished != 0:
			m.Reason, m.Detail = NoEvidence, "it was not seen, but the work finished at "+clock(w.Finished)
		}
	}
}

func (b *builder) declaredAs(name string) int {
	return slices.IndexFunc(b.m.List, func(d profile.Milestone) bool { return d.Name == name })
}

// noneOf says why no source could show a milestone of one piece of work; empty:
// one could.
func (b *builder) noneOf(w *Workload, sources []*source) string {
	var why []string
	for _, s := range sources {
		none := s.none
		if none == "" && (s.kind == "object" || s.kind == "condition") {
			none = b.noObject(w, s)
		}
		if none == "" {
			return ""
		}
		if !slices.Contains(why, none) {
			why = append(why, none)
		}
	}
	return strings.Join(why, "; ")
}

// noObject says that no object of the kind was recorded of the work after the
// restoration, so none could show anything.
func (b *builder) noObject(w *Workload, s *source) string {
	kind := ""
	if s.e.Condition != nil {
		kind = s.e.Condition.Kind
	} else {
		kind = s.e.Object.Kind
	}
	_, name := profile.SplitKind(kind)
	for _, n := range w.Names {
		for i := range b.things.all {
			t := &b.things.all[i]
			o := t.first
			if kindOf(o) != full(kind) || o.Name != n.Name || o.Namespace != n.Namespace || !b.things.inCluster(s.e.Cluster, o.Cluster) {
				continue
			}
			last := t.versions[len(t.versions)-1]
			if at := taken(last); at == 0 || at >= b.out.Restored.At || last.Moment == b.lastMoment() {
				return ""
			}
		}
	}
	return "no " + short(name) + " of it was recorded after the restoration"
}

func (b *builder) lastMoment() string {
	if n := len(b.facts.Moments); n > 0 {
		return b.facts.Moments[n-1]
	}
	return ""
}
