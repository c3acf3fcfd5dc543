package timeline

import (
	"regexp"
	"time"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// events finds the events that a source means.
func (g *gatherer) events(s *source) {
	message, err := regexp.Compile(s.e.Event.Message)
	if err != nil {
		return // the profile was refused
	}
	if len(g.facts.Events) == 0 {
		s.none = "no events were recorded"
	}
	for i := range g.facts.Events {
		e := &g.facts.Events[i]
		if !g.meantEvent(s.e, message, e) {
			continue
		}
		if g.aboutHelper(s.e, e) {
			continue
		}
		h := hit{
			uid:   e.Object.UID,
			work:  g.index.ofObject(e.Object.UID, e.Object.Namespace, e.Object.Name),
			clock: g.clock(e.Cluster), line: "event " + short(e.Reason) + " of " + short(e.Object.Kind+" "+e.Object.Namespace+"/"+e.Object.Name),
		}
		h.at, h.arrived, h.res = e.First, s.arrival(e.Raw, e.First), precision(e.First)
		s.add(h)
		if e.Last > e.First {
			h.at, h.arrived, h.res = e.Last, s.arrival(e.Raw, e.Last), precision(e.Last)
			if e.Count > 2 { // it may have been any time since the first
				h.res = max(h.res, time.Duration(e.Last-e.First))
			}
			s.add(h)
		}
	}
	if s.none == "" && len(s.hits) == 0 && !g.eventElsewhere(s.e, message) {
		s.none = "no event of this kind was recorded in any run of the build, so it may not write one"
	}
}

// aboutHelper reports whether an event is of a thing that only helps the work.
func (g *gatherer) aboutHelper(e *profile.Evidence, x *facts.Event) bool {
	if x.Object.UID == "" {
		return false
	}
	i, known := g.things.byUID[x.Object.UID]
	return known && g.helper(&g.things.all[i], e.Cluster)
}

func (g *gatherer) meantEvent(e *profile.Evidence, message *regexp.Regexp, x *facts.Event) bool {
	sel := e.Event
	return g.things.inCluster(e.Cluster, x.Cluster) && profile.Glob(sel.Cluster, x.Cluster) && profile.Glob(sel.Type, x.Type) &&
		profile.Glob(sel.Reason, x.Reason) && profile.Glob(sel.Kind, x.Object.Kind) && profile.Glob(sel.Namespace, x.Object.Namespace) &&
		profile.Glob(sel.Name, x.Object.Name) && message.MatchString(x.Message)
}

// eventElsewhere reports whether another run of the build has such an event.
// What a build never writes tells nothing by its absence.
func (g *gatherer) eventElsewhere(e *profile.Evidence, message *regexp.Regexp) bool {
	for _, r := range g.others {
		if r.Facts == nil {
			continue
		}
		for i := range r.Facts.Events {
			if g.meantEvent(e, message, &r.Facts.Events[i]) {
				return true
			}
		}
	}
	return false
}
