package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/profile"
)

// A life is the time from a submission of work of one name to the next one
// after its end. A name that is used again is other work; work that is
// submitted again before it has ended is the same.
type life struct {
	from, to                    int64 // records in [from, to) are of it
	submitted, finished, failed int64 // 0: not known, or not so
}

// reSubmitSlack is how long before a submission was noted what follows from it
// may have been recorded.
const reSubmitSlack = int64(2 * time.Second)

func wholeLife() life { return life{from: math.MinInt64, to: math.MaxInt64} }

// has reports whether a record of the time is of this life.
func (l *life) has(at int64) bool { return at >= l.from && at < l.to }

// over is when the work ended; 0: it had not.
func (l *life) over() int64 { return cmp.Or(l.finished, l.failed) }

// A stir is a submission or an end of work.
type stir struct {
	at   int64
	what int
}

const (
	submits = iota
	finishes
	fails
)

// lives parts the records of one name. With a single submission of a single
// object there is one life, whatever order clocks put its records in.
func (b *builder) lives(w int, dates [3][]*source) []life {
	var all []stir
	submissions := 0
	for what, sources := range dates {
		s := firstOf(sources, w)
		if s == nil {
			continue
		}
		denied := int64(0)
		if what == finishes {
			denied = b.denied(sources, s, w)
		}
		for _, i := range s.of[w] {
			if s.hits[i].at <= denied {
				continue
			}
			all = append(all, stir{s.hits[i].at, what})
			if what == submits {
				submissions++
			}
		}
	}
	slices.SortStableFunc(all, func(x, y stir) int { return cmp.Compare(x.at, y.at) })
	again := submissions > 1 || b.index.roots[w] > 1
	var out []life
	l := wholeLife()
	for _, x := range all {
		switch {
		case x.what == submits && l.over() != 0 && again:
			from := max(x.at-reSubmitSlack, max(l.finished, l.failed)+1)
			l.to = from
			out = append(out, l)
			l = life{from: from, to: math.MaxInt64, submitted: x.at}
		case x.what == submits && l.submitted == 0:
			l.submitted = x.at
		case x.what == finishes && l.finished == 0:
			l.finished = x.at
		case x.what == fails && l.failed == 0:
			l.failed = x.at
		}
	}
	return append(out, l)
}

// firstOf returns the first source that shows anything of one piece of work;
// nil: none does.
func firstOf(sources []*source, w int) *source {
	for _, s := range sources {
		if len(s.of[w]) > 0 {
			return s
		}
	}
	return nil
}

// denied returns until when objects that show the end of work were recorded
// of a piece of work and show none: what logs and events claim of its end up to
// then is not so. 0: nothing denies it.
func (b *builder) denied(sources []*source, claims *source, w int) int64 {
	if !says(claims) {
		return 0
	}
	at := int64(0)
	for _, s := range sources {
		if len(s.of[w]) > 0 && !says(s) {
			return 0
		}
		if s.kind != "condition" && s.kind != "object" {
			continue
		}
		for _, n := range b.index.work[w].Names {
			for _, i := range b.things.named[thingName{profile.FullKind(s.objectKind()), n.Namespace, n.Name}] {
				t := &b.things.all[i]
				if b.things.inCluster(s.e.Cluster, t.first.Cluster) {
					at = max(at, b.stood(t.versions[len(t.versions)-1]))
				}
			}
		}
	}
	if b.claims.unborne(w) {
		return everDenied
	}
	return at
}

// works dates every piece of work and says which the loss delayed. A name that
// was used for several pieces of affected work has a workload for each.
func (b *builder) works() {
	dates := [3][]*source{submits: b.all(b.m.Work.Submitted), finishes: b.all(b.m.Work.Finished), fails: b.all(b.m.Work.Failed)}
	b.nameless(dates[submits])
	units := b.all(b.m.Work.Units)
	measured := b.out.Restored.State == Reached
	if measured {
		b.gatherClaims(dates[finishes])
	}
	for w := range len(b.index.work) {
		lives := b.lives(w, dates)
		shown := lives[len(lives)-1]
		why, n := "", 0
		for _, l := range lives {
			affected := ""
			if measured {
				affected = b.affected(b.index.work[w].ID, &l, b.seenBefore(w, &l))
			}
			switch {
			case affected == "":
			case why == "":
				why, shown, n = affected, l, 1
			default:
				n++
				b.again(w, n, affected, l)
			}
		}
		b.of = append(b.of, occupant{work: w, life: shown})
		b.index.work[w].Affected, b.index.work[w].Lives = why, len(lives)
	}
	b.out.Workloads = slices.Concat(b.index.work, b.repeated)
	b.of = append(b.of, b.repeatedOf...)
	for i := range b.out.Workloads {
		w, of := &b.out.Workloads[i], &b.of[i]
		w.Submitted, w.Finished, w.Failed = of.life.submitted, of.life.finished, of.life.failed
		b.count(w, of, units)
	}
}

// nameless notes what was handed in of which nothing tells what work it is: a
// count that lacks it flatters.
func (b *builder) nameless(submitted []*source) {
	n, such := 0, ""
	for _, s := range submitted {
		for i := range s.hits {
			if h := &s.hits[i]; h.work < 0 && b.index.cut == 0 {
				n, such = n+1, cmp.Or(such, h.line)
			}
		}
	}
	if n > 0 {
		b.note("%s no work that can be followed, such as %s: what nothing else shows of it is in no count", counted(n, "submission names", "submissions name"), such)
	}
}

// An occupant says which records a workload of the result is made of.
type occupant struct {
	work int // in the index
	life life
}

// again adds a further piece of affected work of one name.
func (b *builder) again(w, n int, affected string, l life) {
	more := b.index.work[w]
	more.Lives = 0
	more.ID, more.Affected = fmt.Sprintf("%s#%d", more.ID, n), affected
	b.repeated = append(b.repeated, more)
	b.repeatedOf = append(b.repeatedOf, occupant{w, l})
}

// count counts the completed units of one piece of work.
func (b *builder) count(w *Workload, of *occupant, units []*source) {
	s := firstOf(units, of.work)
	if s == nil {
		return
	}
	for _, i := range s.of[of.work] {
		h := &s.hits[i]
		if !of.life.has(h.at) {
			continue
		}
		w.Units++
		if b.out.Restored.State == Reached && h.at >= b.out.Restored.At {
			w.UnitsAfter++
		}
	}
}

// seenBefore reports whether anything of a life was seen before the loss.
func (b *builder) seenBefore(w int, l *life) bool {
	for _, sources := range b.sources {
		for _, s := range sources {
			for _, i := range s.of[w] {
				if h := &s.hits[i]; h.at < b.out.Failure.At && l.has(h.at) {
					return true
				}
			}
		}
	}
	return false
}

func (b *builder) affected(id string, l *life, seen bool) string {
	a := &b.m.Affected
	fits := func(pattern string) bool { return profile.Glob(pattern, id) }
	if len(a.Only) > 0 && !slices.ContainsFunc(a.Only, fits) || slices.ContainsFunc(a.Except, fits) {
		return ""
	}
	from, to := b.out.Failure.At, b.out.Restored.At
	switch over := l.over(); {
	case over != 0 && over < from:
		return ""
	case l.submitted == 0 && !seen, l.submitted >= to:
		return ""
	case l.submitted >= from && a.Submitted:
		return SubmittedDuring
	case l.submitted < from && a.Unfinished:
		return Unfinished
	}
	return ""
}
