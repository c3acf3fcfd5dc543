package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
)

// maxShown bounds the bytes of a text that is shown.
const maxShown = 300

// Build says what the recovery of a run looked like. The correlation may be
// nil; then work is known by what actions and progress records name. Others are
// further runs of the same build: what they hold, the build is known to write,
// so that its absence from this run tells something.
func Build(run *outcome.Run, m *profile.Milestones, corr *profile.Correlation, others ...*outcome.Run) Run {
	b := &builder{gatherer: newGatherer(run, m, corr, others), m: m, looked: map[string]bool{}}
	b.out = Run{Build: run.Build, Scenario: run.Scenario, Repetition: run.Repetition, Parameters: run.Parameters, Declared: declared(m)}
	b.out.Start, b.out.End = b.start, b.end
	b.out.Cut = b.index.cut
	b.loss()
	b.sources = make([][]*source, len(m.List))
	if b.out.Restored.State == Reached {
		for i := range m.List {
			b.sources[i] = b.all(m.List[i].By)
		}
	}
	b.works()
	b.shared()
	for i := range b.out.Workloads {
		if b.out.Workloads[i].Affected != "" {
			b.milestones(i)
		}
	}
	b.passedOver()
	b.out.Skews = skews(&b.out)
	b.suspects()
	// Sources refer to work by its place, so it is put in order last.
	slices.SortFunc(b.out.Workloads, func(x, y Workload) int { return cmp.Compare(x.ID, y.ID) })
	b.out.Notes = slices.Sorted(maps.Keys(b.notes))
	return b.out
}

// A builder fills in the timeline of one run.
type builder struct {
	*gatherer
	m       *profile.Milestones
	sources [][]*source // of each milestone
	claims  *claims     // nil: nothing is measured
	of      []occupant  // what each workload of the result is made of
	out     Run

	// Work of a name that had been used, and what it is made of.
	repeated   []Workload
	repeatedOf []occupant
	looked     map[string]bool // see snapshotAfter
}

func declared(m *profile.Milestones) []Declared {
	out := make([]Declared, len(m.List))
	for i := range m.List {
		d := &m.List[i]
		out[i] = Declared{Name: d.Name, Title: d.Title, Owner: d.Owner, As: d.As, Hint: d.Hint, Shared: d.Shared, After: d.After}
	}
	return out
}

// loss finds the last loss that was mended.
func (b *builder) loss() {
	const failure, restored = "failure", "connection-restored"
	failures := firstShown(b.all(b.m.Failure))
	if failures == nil {
		b.out.Failure = b.missingMark(failure, b.m.Failure)
		b.out.Restored = Milestone{Name: restored, State: Missing, Reason: NoEvidence, Detail: "no loss was recorded, so there is no recovery to measure"}
		return
	}
	down := failures.hits
	var mends *source
	for _, s := range b.all(b.m.Restored) {
		if n := len(s.hits); n > 0 && s.hits[n-1].at >= down[0].at {
			mends = s
			break
		}
	}
	b.out.Failure = b.reached(failure, failures, down[0])
	if mends == nil {
		b.out.Losses = 1
		b.out.Restored = b.missingMark(restored, b.m.Restored)
		return
	}
	b.pair(failure, restored, failures, mends)
}

// pair walks through failures and mends in time order.
func (b *builder) pair(failure, restored string, failures, mends *source) {
	i, open := 0, false
	var from hit
	for _, up := range mends.hits {
		for i < len(failures.hits) && failures.hits[i].at <= up.at {
			if !open {
				from, open = failures.hits[i], true
			}
			i++
		}
		if open {
			b.out.Losses++
			b.out.Failure, b.out.Restored = b.reached(failure, failures, from), b.reached(restored, mends, up)
			open = false
		}
	}
	if i < len(failures.hits) {
		b.note("a later loss, at %s, was not mended while the run was recorded; recovery is measured from the one before it", clock(failures.hits[i].at))
	}
	if b.out.Losses > 1 {
		b.note("the run has %d losses; recovery is measured from the end of the last", b.out.Losses)
	}
}

// firstShown returns the first source that shows anything; nil: none does.
func firstShown(sources []*source) *source {
	for _, s := range sources {
		if len(s.hits) > 0 {
			return s
		}
	}
	return nil
}

func (b *builder) missingMark(name string, by []profile.Evidence) Milestone {
	if len(by) == 0 {
		return Milestone{Name: name, State: Missing, Reason: NoEvidence, Detail: "nothing is declared that marks it"}
	}
	m := Milestone{Name: name, State: Missing, Reason: CaptureEnded, Detail: "it was not seen before the capture ended"}
	if none := allNone(b.all(by)); none != "" {
		m.Reason, m.Detail = NoEvidence, none
	}
	return m
}

// allNone says why no source could show anything; empty: one could.
func allNone(sources []*source) string {
	for _, s := range sources {
		if s.none == "" {
			return ""
		}
	}
	return strings.Join(nones(sources), "; ")
}

// nones are the reasons of the sources that could show nothing.
func nones(sources []*source) []string {
	var why []string
	for _, s := range sources {
		if s.none != "" && !slices.Contains(why, s.none) {
			why = append(why, s.none)
		}
	}
	return why
}

// reached is a milestone as a hit shows it.
func (b *builder) reached(name string, s *source, h hit) Milestone {
	return Milestone{
		Name: name, State: Reached, At: h.at, Arrived: h.arrived, Resolution: h.res,
		Kind: s.kind, Clock: h.clock, Evidence: short(h.line),
	}
}

// shared finds the milestones that are one for all work.
func (b *builder) shared() {
	if b.out.Restored.State != Reached {
		return
	}
	from := b.out.Restored.At
	for i := range b.m.List {
		d := &b.m.List[i]
		if !d.Shared {
			continue
		}
		b.out.Shared = append(b.out.Shared, b.sharedOne(d, b.sources[i], from))
	}
}

func (b *builder) sharedOne(d *profile.Milestone, sources []*source, from int64) Milestone {
	for _, s := range sources {
		for _, h := range s.hits {
			if after(h, from) {
				m := b.reached(d.Name, s, h)
				m.At = max(m.At, from)
				return m
			}
		}
	}
	m := Milestone{Name: d.Name, State: Missing, Reason: CaptureEnded, Detail: "it had not been seen when the capture ended"}
	if none := allNone(sources); none != "" {
		m.Reason, m.Detail = NoEvidence, none
	} else if gap := gapAfter(sources, from); gap != "" {
		m.Reason, m.Detail = TelemetryGap, gap
	}
	return m
}

// passedOver mends the reason of shared milestones that were not seen though one
// that follows them was: they are no wait that lasted until the capture ended.
func (b *builder) passedOver() {
	for i := range b.out.Shared {
		m := &b.out.Shared[i]
		if m.State != Missing || m.Reason != CaptureEnded {
			continue
		}
		for j := range b.out.Declared {
			d := &b.out.Declared[j]
			if b.out.follows(d, m.Name) && b.out.anyReached(d) {
				m.Reason, m.Detail = NoEvidence, strings.Join(append(nones(b.sources[b.declaredAs(m.Name)]), notSeen(d.Title)), "; ")
				break
			}
		}
	}
}

// follows reports whether a milestone is caused by the one of a name, be it by
// way of others.
func (r *Run) follows(d *Declared, name string) bool {
	seen := map[string]bool{}
	var visit func(d *Declared) bool
	visit = func(d *Declared) bool {
		return slices.ContainsFunc(d.After, func(cause string) bool {
			if cause == name {
				return true
			}
			c := r.declared(cause)
			if c == nil || seen[cause] {
				return false
			}
			seen[cause] = true
			return visit(c)
		})
	}
	return visit(d)
}

// anyReached reports whether a milestone was reached after the restoration, by
// any affected work if it is not shared.
func (r *Run) anyReached(d *Declared) bool {
	if d.Shared {
		m := r.at(nil, d.Name)
		return m != nil && m.State == Reached
	}
	return slices.ContainsFunc(r.Workloads, func(w Workload) bool {
		if w.Affected == "" {
			return false
		}
		m := r.at(&w, d.Name)
		return m != nil && m.State == Reached
	})
}

// gapAfter names the first stretch after from in which records of a source are
// known to be missing; empty: none is.
func gapAfter(sources []*source, from int64) string {
	for _, s := range sources {
		for _, g := range s.gaps {
			if g.to >= from {
				return g.why
			}
		}
	}
	return ""
}

// after reports whether a hit is of a time at or after from. A time in whole
// seconds stands for all of its second.
func after(h hit, from int64) bool {
	if h.at%1e9 == 0 {
		return h.at+1e9 > from
	}
	return h.at >= from
}

func clock(ns int64) string { return utc(ns).Format("15:04:05.000") }

func short(s string) string { return prose.Line(s, maxShown) }

// suspects counts the lines of each suspect in the stages that it may explain.
func (b *builder) suspects() {
	if b.out.Restored.State != Reached {
		return
	}
	for i := range b.m.Suspects {
		x := &b.m.Suspects[i]
		s := b.look(&profile.Evidence{Cluster: x.Cluster, Log: &x.Log})
		if s.none != "" && !s.unwritten {
			continue
		}
		hits := slices.DeleteFunc(s.hits, func(h hit) bool {
			return h.at < b.out.Failure.At || x.Work == profile.Finished && !b.done(h.work)
		})
		for j := range b.m.List {
			name := b.m.List[j].Name
			if len(x.Stages) > 0 && !slices.Contains(x.Stages, name) {
				continue
			}
			from, to, ok := longest(&b.out, name)
			if !ok {
				continue
			}
			found := Suspicion{Title: x.Title, Stage: name}
			for _, h := range hits {
				if h.at > to {
					break
				}
				found.Lines++
				if h.at >= from {
					found.During++
					found.First = cmp.Or(found.First, short(h.line))
				}
			}
			b.out.Suspects = append(b.out.Suspects, found)
		}
	}
}

// done reports whether work was done before the loss.
func (b *builder) done(w int) bool {
	return w >= 0 && b.out.Workloads[w].Finished != 0 && b.out.Workloads[w].Finished < b.out.Failure.At
}

func notSeen(name string) string {
	return fmt.Sprintf("it was not seen, but %s was, which follows it", name)
}
