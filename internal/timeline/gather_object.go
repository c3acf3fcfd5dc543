package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// each calls do for each version of each object of a kind that fits.
func (g *gatherer) each(s *source, kind string, where map[string]string, do func(t *thing, o *facts.Object)) {
	recorded := false
	for i := range g.things.all {
		t := &g.things.all[i]
		if profile.KindOf(t.first) != profile.FullKind(kind) || !g.things.inCluster(s.e.Cluster, t.first.Cluster) || g.helper(t, s.e.Cluster) {
			continue
		}
		recorded = true
		for _, o := range t.versions {
			if shows(o.Raw, where) {
				do(t, o)
			}
		}
	}
	if !recorded {
		_, name := profile.SplitKind(kind)
		s.none = "no objects of kind " + short(name) + " were recorded"
	}
}

// helper reports whether a thing only helps work that is itself an object of its
// kind, in the cluster that is meant: a pod that holds a device for another pod
// shows nothing of that.
func (g *gatherer) helper(t *thing, cluster string) bool {
	if g.root < 0 || t.entity == g.root {
		return false
	}
	root := &g.things.corr.Entities[g.root]
	return root.Kind != "" && profile.FullKind(root.Kind) == profile.KindOf(t.first) && (root.Cluster == "" || root.Cluster == cluster)
}

// conditions finds when conditions of objects took their status, and which
// work has it no more.
func (g *gatherer) conditions(s *source) {
	c := s.e.Condition
	status := cmp.Or(c.Status, "True")
	holds := map[int]bool{} // work of which some object still shows it
	s.ended = map[int]int64{}
	g.each(s, c.Kind, c.Where, func(t *thing, o *facts.Object) {
		last := o == t.versions[len(t.versions)-1]
		for _, v := range gjson.Get(o.Raw, "status.conditions").Array() {
			if !profile.Glob(c.Type, v.Get("type").String()) {
				continue
			}
			at, ok := timeOf(v.Get("lastTransitionTime"))
			if !ok {
				continue
			}
			is := profile.Glob(status, v.Get("status").String()) && profile.Glob(c.Reason, v.Get("reason").String())
			if is {
				g.object(s, o, at, fmt.Sprintf("condition %s=%s of %s", short(v.Get("type").String()), short(v.Get("status").String()), objectName(o)))
			}
			if w := g.index.ofObject(o.UID, o.Namespace, o.Name); last && w >= 0 {
				if is {
					holds[w] = true
				} else {
					s.ended[w] = max(s.ended[w], at)
				}
			}
		}
	})
	for w := range holds {
		delete(s.ended, w)
	}
}

// fields finds times that objects hold.
func (g *gatherer) fields(s *source) {
	g.each(s, s.e.Object.Kind, s.e.Object.Where, func(t *thing, o *facts.Object) {
		if at, ok := timeOf(gjson.Get(o.Raw, s.e.Object.Path)); ok {
			g.object(s, o, at, fmt.Sprintf("field %s of %s", short(s.e.Object.Path), objectName(o)))
		}
	})
}

func objectName(o *facts.Object) string { return short(o.Kind + " " + o.Namespace + "/" + o.Name) }

// object adds what an object shows; what it shows at several moments once.
func (g *gatherer) object(s *source, o *facts.Object, at int64, line string) {
	h := hit{
		at: at, arrived: s.arrival(o.Raw, at), res: precision(at), work: g.index.ofObject(o.UID, o.Namespace, o.Name),
		clock: g.clock(o.Cluster), line: line, uid: o.UID,
	}
	for i := len(s.hits) - 1; i >= max(0, len(s.hits)-8); i-- {
		if s.hits[i] == h {
			return
		}
	}
	s.add(h)
}

// confirm drops what no object bears out. Of claims before the first object
// that bears them out only the last is believed: the others were made while
// nothing shows that they were true.
func (g *gatherer) confirm(s *source) {
	c := s.e.Confirm
	if c == nil {
		return
	}
	bearing := map[bearer][]*facts.Object{} // in time order
	for i := range g.things.all {
		t := &g.things.all[i]
		if profile.KindOf(t.first) != profile.FullKind(c.Kind) || g.helper(t, s.e.Cluster) {
			continue
		}
		if w := g.index.ofObject(t.first.UID, t.first.Namespace, t.first.Name); w >= 0 {
			bearing[bearer{w, ""}] = append(bearing[bearer{w, ""}], t.versions...)
			if t.first.UID != "" {
				bearing[bearer{w, t.first.UID}] = t.versions
			}
		}
	}
	about := s.about(profile.FullKind(c.Kind))
	byBearer := map[bearer][]hit{}
	for _, h := range s.hits {
		of := bearer{h.work, ""}
		if about {
			of.uid = h.uid // what is said of an object that object must show
		}
		byBearer[of] = append(byBearer[of], h)
	}
	var kept []hit
	for of, hits := range byBearer {
		kept = append(kept, g.believed(hits, bearing[of], c.Path)...)
	}
	s.hits = kept
	slices.SortStableFunc(s.hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.work, b.work), cmp.Compare(a.uid, b.uid))
	})
}

// A bearer is what bears a claim out: the objects of a piece of work, or the one
// of a UID.
type bearer struct {
	work int
	uid  string
}

// about reports whether what a source shows is about objects of a kind.
func (s *source) about(kind string) bool {
	switch {
	case s.e.Condition != nil:
		return profile.FullKind(s.e.Condition.Kind) == kind
	case s.e.Object != nil:
		return profile.FullKind(s.e.Object.Kind) == kind
	case s.e.Event != nil: // whose kind has no group
		_, name := profile.SplitKind(kind)
		return s.e.Event.Kind == name
	}
	return false
}

// believed are the claims that objects bear out.
func (g *gatherer) believed(hits []hit, objects []*facts.Object, path string) []hit {
	first, denied := int64(0), int64(0)
	shown := false
	for _, o := range objects {
		if gjson.Get(o.Raw, path).String() == "" {
			denied = max(denied, g.stood(o))
		} else if at := g.taken(o); !shown || at < first {
			first, shown = at, true
		}
	}
	if !shown {
		return nil
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.at+int64(h.res) <= denied })
	early := 0
	for early < len(hits) && hits[early].at <= first {
		early++
	}
	return hits[max(early-1, 0):]
}
