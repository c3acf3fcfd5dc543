package timeline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

func utc(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// explain gives the reason of each milestone that is missing.
func (b *builder) explain(w *Workload) {
	var seen onward
	for k := len(w.Milestones) - 1; k >= 0; k-- {
		m := &w.Milestones[k]
		d := &b.m.List[b.declaredAs(m.Name)]
		if m.State == Missing {
			b.reason(w, m, b.sources[b.declaredAs(m.Name)], &seen)
			seen.useless = seen.useless || d.As == profile.Useful && m.Reason == CaptureEnded
			continue
		}
		if w.Failed != 0 && d.As == profile.Finished {
			continue // the end of work that failed shows nothing of what came before
		}
		seen.claims = (seen.later == "" || seen.claims) && (m.Kind == "log" || m.Kind == "event")
		if seen.later == "" {
			seen.later = d.Title
		}
	}
}

// Onward is what is known of the milestones after another.
type onward struct {
	later   string // title of the last one that was seen; empty: none was
	claims  bool   // all that were seen are known by what logs and events say
	useless bool   // useful work was not seen when the capture ended
}

// reason says why a milestone is missing. A detail that it has says what became
// of it after it had been reached.
func (b *builder) reason(w *Workload, m *Milestone, sources []*source, seen *onward) {
	none, gap := b.noneOf(w, sources), gapAfter(sources, b.out.Restored.At)
	m.Reason = CaptureEnded
	switch {
	case m.Detail != "" && gap == "":
	case none != "":
		m.Reason, m.Detail = NoEvidence, none
	case gap != "":
		m.Reason, m.Detail = TelemetryGap, gap
	case seen.later != "" && seen.claims && seen.useless:
		// Nothing but words says that the work got any further.
		m.Detail = fmt.Sprintf("it had not been seen when the capture ended at %s, though %s, which follows it, was said to be", clock(b.out.End), seen.later)
	case seen.later != "":
		m.Reason, m.Detail = NoEvidence, strings.Join(append(nones(sources), notSeen(seen.later)), "; ")
	case w.Failed != 0:
		m.Reason, m.Detail = NeverHappened, "the work failed at "+clock(w.Failed)
	case w.Finished != 0:
		m.Reason, m.Detail = NoEvidence, "it was not seen, but the work finished at "+clock(w.Finished)
	default:
		m.Detail = fmt.Sprintf("it had not happened when the capture ended at %s", clock(b.out.End))
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

// noObject says that no object of the kind was recorded after the restoration,
// so none could show anything: of the work, or, where there is none of it, of
// any work. A snapshot without an object tells that there was none.
func (b *builder) noObject(w *Workload, s *source) string {
	kind := profile.FullKind(s.objectKind())
	_, name := profile.SplitKind(s.objectKind())
	none := "no " + short(name) + " of it was recorded after the restoration"
	found := false
	for _, n := range w.Names {
		for _, i := range b.things.named[thingName{kind, n.Namespace, n.Name}] {
			t := &b.things.all[i]
			if !b.things.inCluster(s.e.Cluster, t.first.Cluster) {
				continue
			}
			found = true
			if b.seenAfter(t.versions[len(t.versions)-1]) {
				return ""
			}
		}
	}
	if !found && b.snapshotAfter(kind, s.e.Cluster) {
		return ""
	}
	return none
}

func (s *source) objectKind() string {
	if s.e.Condition != nil {
		return s.e.Condition.Kind
	}
	return s.e.Object.Kind
}

// seenAfter reports whether an object was recorded after the restoration, as
// the last moment is taken to be where nothing dates it.
func (b *builder) seenAfter(o *facts.Object) bool {
	at := b.stood(o)
	return at == 0 || at >= b.out.Restored.At || o.Moment == b.lastMoment()
}

// snapshotAfter reports whether a cluster, of which objects of the kind are
// recorded, was looked at after the restoration.
func (b *builder) snapshotAfter(kind, cluster string) bool {
	key := kind + "\x00" + cluster
	known, ok := b.looked[key]
	if ok {
		return known
	}
	holds := map[string]bool{} // clusters with objects of the kind
	for i := range b.things.all {
		if o := b.things.all[i].first; profile.KindOf(o) == kind && b.things.inCluster(cluster, o.Cluster) {
			holds[o.Cluster] = true
		}
	}
	for i := range b.things.all {
		t := &b.things.all[i]
		if holds[t.first.Cluster] && b.seenAfter(t.versions[len(t.versions)-1]) {
			known = true
			break
		}
	}
	b.looked[key] = known
	return known
}

func (b *builder) lastMoment() string {
	if n := len(b.facts.Moments); n > 0 {
		return b.facts.Moments[n-1]
	}
	return ""
}
