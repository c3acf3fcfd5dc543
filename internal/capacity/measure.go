package capacity

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// A stay is what one piece of work did with its devices, in nanoseconds.
type stay struct {
	id       string
	useful   int64 // 0: not reached
	until    int64 // where its waiting was last seen, or its computing ended
	waits    bool  // it waited from the restoration on
	censored bool
}

// Measure says what a run made of its devices from the restoration on.
// Declared may be nil: then nodes and pods tell.
func Measure(declared *profile.Capacity, run *outcome.Run, line *timeline.Run) Run {
	out := Run{Build: line.Build, Scenario: line.Scenario, Repetition: line.Repetition, Unlike: line.Unlike != ""}
	if line.Restored.State == timeline.Missing || line.Restored.At == 0 {
		out.Notes = []string{"nothing says when the recovery began: no device time can be measured"}
		return out
	}
	useful := usefulName(line)
	if useful == "" {
		out.Notes = []string{"no milestone is declared as useful work: no device time can be measured"}
		return out
	}
	v, inv := take(declared, run.Facts, line.Restored.At)
	ask := newAsker(v, run.Facts)
	m := &measure{line: line, inventory: v, uses: map[Class]*Use{}, stays: map[Class][]staying{}}
	ours := map[[2]string]bool{}
	for i := range line.Workloads {
		w := &line.Workloads[i]
		if w.Affected == "" && !w.KeptRunning {
			m.later(w, ask)
			continue
		}
		for _, n := range w.Names {
			ours[[2]string{n.Cluster, n.UID}] = n.UID != ""
		}
		m.work(w, ask, useful)
	}
	m.others(run, ask, ours)
	v.finish(&inv)
	out.Inventory = inv
	out.from, out.Length = line.Restored.At, time.Duration(max(line.End-line.Restored.At, 0))
	m.finish(&out)
	return out
}

// usefulName returns the milestone that is useful work.
func usefulName(line *timeline.Run) string {
	for _, d := range line.Declared {
		if d.As == profile.Useful {
			return d.Name
		}
	}
	return ""
}

type staying struct {
	stay
	units Amount
}

type measure struct {
	line      *timeline.Run
	inventory *inventory
	uses      map[Class]*Use
	stays     map[Class][]staying
	notes     []string
	unseen    int  // pieces of later work of which nobody knows when they computed
	partly    bool // of some work nobody knows what it asks for
}

func (m *measure) use(c Class) *Use {
	if m.uses[c] == nil {
		m.uses[c] = &Use{Class: c}
	}
	return m.uses[c]
}

// work adds one piece of work.
func (m *measure) work(w *timeline.Workload, ask *asker, useful string) {
	d := ask.demandOf(w)
	m.partly = m.partly || !d.known || d.why != ""
	if !d.known || d.why != "" && len(d.units) == 0 {
		m.notes = append(m.notes, fmt.Sprintf("%s is not counted: %s", short(w.ID), cmp.Or(d.why, "no recorded object says how many devices it asks for")))
		return
	}
	for _, class := range sortedClasses(d.units) {
		units := d.units[class]
		if units.Sign() == 0 {
			continue
		}
		if w.KeptRunning {
			if !m.onExcluded(w, ask) {
				m.inventory.hold(class, units, w.ID)
			}
			continue
		}
		s, why := m.stay(w, useful)
		if why != "" {
			u := m.use(class)
			u.Unknown = append(u.Unknown, Unknown{w.ID, why})
			continue
		}
		m.add(class, units, s)
	}
}

func sortedClasses[V any](units map[Class]V) []Class {
	return slices.SortedFunc(maps.Keys(units), func(a, b Class) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind)) })
}

// onExcluded reports whether work runs on a node that does not count anyway.
func (m *measure) onExcluded(w *timeline.Workload, ask *asker) bool {
	for _, o := range ask.objectsOf(w) {
		if n := nodeOf(o); n != "" && m.inventory.excluded[[2]string{o.Cluster, n}] {
			return true
		}
	}
	return false
}

// stay says how long work waited for useful work, or why that is not known.
func (m *measure) stay(w *timeline.Workload, useful string) (stay, string) {
	i := slices.IndexFunc(w.Milestones, func(x timeline.Milestone) bool { return x.Name == useful })
	if i < 0 {
		return stay{}, "useful work was not looked for"
	}
	x := &w.Milestones[i]
	end := m.line.End
	for _, at := range []int64{w.Finished, w.Failed} {
		if at != 0 {
			end = min(end, at)
		}
	}
	s := stay{id: w.ID, until: end}
	switch {
	case x.State == timeline.Reached || x.State == timeline.Before:
		s.useful, s.waits = x.At, x.State == timeline.Reached
		s.until = max(end, s.useful)
		return s, ""
	case x.Reason == timeline.CaptureEnded:
		s.waits, s.censored, s.until = true, true, m.line.End
		return s, ""
	case x.Reason == timeline.NeverHappened && w.Failed != 0:
		s.waits, s.censored, s.until = true, true, w.Failed
		return s, ""
	}
	return stay{}, cmp.Or(x.Detail, string(x.Reason), "useful work was not seen")
}

func (m *measure) add(class Class, units Amount, s stay) {
	u := m.use(class)
	m.stays[class] = append(m.stays[class], staying{s, units})
	if !s.waits {
		return
	}
	from, to := m.line.Restored.At, s.until
	if s.useful != 0 {
		to = s.useful
	}
	waited := max(to-from, 0)
	x := Work{ID: s.id, Units: units, Waited: time.Duration(waited), Censored: s.censored, Stranded: units.Times(Units(waited))}
	u.Work = append(u.Work, x)
	u.Waited.Amount = u.Waited.Amount.Plus(x.Stranded)
	u.Waited.Censored = u.Waited.Censored || s.censored
}

// later notes work that was handed in after the restoration and shows no pod:
// what it used nobody knows.
func (m *measure) later(w *timeline.Workload, ask *asker) {
	if w.Submitted >= m.line.Restored.At && !slices.ContainsFunc(ask.objectsOf(w), func(o *facts.Object) bool { return o.Kind == "Pod" }) {
		m.unseen++
	}
}

// others looks at the pods that belong to no followed work: the devices of
// those that ran through the loss are excluded, later ones use devices, too.
func (m *measure) others(run *outcome.Run, ask *asker, ours map[[2]string]bool) {
	from, to := m.line.Failure.At, m.line.Restored.At
	if from == 0 {
		from = to
	}
	lives := execution.Lives(run.Facts)
	for i := range lives {
		l := &lives[i]
		if ours[[2]string{l.Cluster, l.UID}] || ours[[2]string{l.Cluster, l.Owner.UID}] || l.Until() < to || m.inventory.excluded[[2]string{l.Cluster, l.Node}] {
			continue
		}
		d := demand{units: map[Class]Amount{}}
		units := ask.pods(specOf(l.Last), [2]string{l.Cluster, l.Node}, 1, &d)
		for _, class := range sortedClasses(units) {
			if l.Start <= from {
				m.inventory.hold(class, units[class], "pod "+l.Namespace+"/"+l.Name)
				continue
			}
			m.stays[class] = append(m.stays[class], staying{stay{id: l.Name, useful: l.Start, until: l.Until()}, units[class]})
		}
	}
}

// finish puts the classes in order.
func (m *measure) finish(out *Run) {
	eligible := map[string]Amount{}
	for _, c := range out.Inventory.Classes {
		eligible[c.Class.Name] = c.Eligible
		if len(m.stays) > 0 || len(m.uses) > 0 {
			m.use(c.Class)
		}
	}
	for _, class := range sortedClasses(m.uses) {
		u := m.uses[class]
		u.Waited.Censored = u.Waited.Censored || len(u.Unknown) > 0 || m.partly
		slices.SortStableFunc(u.Work, func(a, b Work) int { return cmp.Compare(a.ID, b.ID) })
		u.Stranded = u.Waited
		if e, ok := eligible[class.Name]; ok {
			u.Eligible = &e
			u.Stranded, u.Over = m.stranded(class, e, u.Waited.Censored)
		} else {
			m.notes = append(m.notes, fmt.Sprintf("class %s: nobody knows how many devices there were, so all that work waited for are counted as stranded", short(class.Name)))
		}
		out.Uses = append(out.Uses, *u)
	}
	if m.unseen > 0 {
		m.notes = append(m.notes, fmt.Sprintf("%d pieces of work were handed in after the restoration and no pod of theirs was recorded: more devices may have been busy", m.unseen))
	}
	out.stays, out.unseen, out.partly = m.stays, m.unseen, m.partly
	out.Notes = append(out.Notes, m.notes...)
	out.Notes = append(out.Notes, out.Inventory.Notes...)
}
