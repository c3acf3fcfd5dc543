package correlate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of what is handed on.
const (
	keptSightings = 24 // of one identifier of one entity
	keptWays      = 24 // of one link
)

// Finish returns what was seen. Final gives the message for each number that
// was passed to Add; nil: they are the messages.
func (c *Collector) Finish(final []int32) *outcome.Correlation {
	out := &outcome.Correlation{Profile: c.known.name, Notes: slices.Clone(c.known.notes)}
	c.entities(out, final)
	c.links(out, final)
	c.chains(out)
	if c.full {
		out.Notes = append(out.Notes, "the log names things in more ways than are kept; counts are lower bounds")
	}
	return out
}

func finally(final []int32, message int32) int32 {
	switch {
	case final == nil:
		return message
	case message >= 0 && int(message) < len(final):
		return final[message]
	}
	return -1
}

func (c *Collector) entities(out *outcome.Correlation, final []int32) {
	for i, e := range c.known.profile.Entities {
		use := outcome.EntityUse{Name: e.Name, Title: e.Title, Known: len(c.known.byKind[i])}
		for _, n := range c.known.byKind[i] {
			if c.named[n][1] {
				use.Named++
			}
		}
		out.Entities = append(out.Entities, use)
	}
	merged := map[sightingKey]*sighting{}
	for k, s := range c.sightings {
		k.message = finally(final, k.message)
		merged[k] = s.with(merged[k])
	}
	for k, s := range merged {
		e := &out.Entities[k.kind]
		e.Sightings = append(e.Sightings, outcome.Sighting{
			Message: int(k.message), Field: k.field, InText: k.inText, Identifier: k.ident, Ambiguous: k.ambiguous,
			Things: len(s.things), Count: s.count, First: s.first,
		})
	}
	for i := range out.Entities {
		e := &out.Entities[i]
		e.Identifiers = c.identifiers(merged, int16(i))
		slices.SortFunc(e.Sightings, compareSightings)
		kept := e.Sightings[:0]
		of, n := "", 0
		for _, s := range e.Sightings {
			if s.Identifier != of {
				of, n = s.Identifier, 0
			}
			if n++; n <= keptSightings {
				kept = append(kept, s)
			}
		}
		e.Sightings = kept
	}
}

// identifiers counts the things of one entity by the identifiers that name
// them, also by those that name none.
func (c *Collector) identifiers(all map[sightingKey]*sighting, kind int16) []outcome.IdentifierUse {
	sure, perhaps := map[string]map[int32]struct{}{}, map[string]map[int32]struct{}{}
	for _, n := range c.known.byKind[kind] {
		for _, id := range c.known.profile.Entities[kind].Identifiers {
			switch t := &c.known.things[n]; {
			case id == "uid" && t.uid == "":
				continue
			case id == "name" && t.namespace != "":
				id = "namespace/name"
			}
			perhaps[id] = map[int32]struct{}{}
		}
	}
	for k, s := range all {
		if k.kind != kind {
			continue
		}
		for _, of := range []map[string]map[int32]struct{}{sure, perhaps} {
			if of[k.ident] == nil {
				of[k.ident] = map[int32]struct{}{}
			}
		}
		for n := range s.things {
			perhaps[k.ident][n] = struct{}{}
			if !k.ambiguous {
				sure[k.ident][n] = struct{}{}
			}
		}
	}
	var out []outcome.IdentifierUse
	for _, id := range slices.Sorted(maps.Keys(perhaps)) {
		out = append(out, outcome.IdentifierUse{Identifier: id, Things: len(sure[id]), Perhaps: len(perhaps[id])})
	}
	return out
}

// with returns both counted together; t may be nil.
func (s *sighting) with(t *sighting) *sighting {
	if t == nil {
		return s
	}
	both := &sighting{things: map[int32]struct{}{}, count: s.count + t.count, first: earlier(s.first, t.first)}
	for _, from := range []*sighting{s, t} {
		for n := range from.things {
			both.things[n] = struct{}{}
		}
	}
	return both
}

func earlier(a, b outcome.Evidence) outcome.Evidence {
	if cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Line, b.Line)) > 0 {
		return b
	}
	return a
}

func compareSightings(a, b outcome.Sighting) int {
	return cmp.Or(
		cmp.Compare(a.Identifier, b.Identifier), -cmp.Compare(a.Things, b.Things), -cmp.Compare(a.Count, b.Count),
		order(a.Ambiguous, b.Ambiguous), order(a.InText, b.InText), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
}

func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (c *Collector) links(out *outcome.Correlation, final []int32) {
	for i, l := range c.known.profile.Links {
		from, to := c.known.profile.Entity(l.From), c.known.profile.Entity(l.To)
		use := outcome.LinkUse{From: l.From, To: l.To, FromTitle: from.Title, ToTitle: to.Title}
		for w := range l.By {
			if n := c.known.ways[i][w]; n > 0 {
				use.Objects = append(use.Objects, outcome.ObjectWay{Text: c.known.wayText(&l.By[w]), Pairs: n})
			}
		}
		out.Links = append(out.Links, use)
	}
	merged := map[wayKey]*way{}
	for k, w := range c.ways {
		k.from.message, k.to.message = finally(final, k.from.message), finally(final, k.to.message)
		merged[k] = w.with(merged[k])
	}
	for k, w := range merged {
		l := &out.Links[k.link]
		l.Ways = append(l.Ways, outcome.LinkInLogs{
			By: k.by, Key: k.key, From: k.from.out(), To: k.to.out(), Pairs: len(w.pairs), Count: w.count, First: w.first,
		})
	}
	c.byNames(out)
	for p, i := range c.known.pairs {
		out.Links[i].Known++
		if c.joined[p] {
			out.Links[i].Made++
		}
	}
	for i := range out.Links {
		l := &out.Links[i]
		slices.SortFunc(l.Ways, compareWays)
		l.Ways = l.Ways[:min(len(l.Ways), keptWays)]
	}
}

// byNames joins things that have the same name and are both named by it: what
// the one log says can then be looked up in the other.
func (c *Collector) byNames(out *outcome.Correlation) {
	for i, l := range c.known.profile.Links {
		same := false
		for _, w := range l.By {
			same = same || w.Same != ""
		}
		if !same {
			continue
		}
		from, to := best(out, l.From), best(out, l.To)
		if from == nil || to == nil {
			continue
		}
		n := 0
		for p, link := range c.known.pairs {
			if link == i && c.named[p.from][0] && c.named[p.to][0] {
				c.joined[p] = true
				n++
			}
		}
		if n > 0 {
			out.Links[i].Ways = append(out.Links[i].Ways, outcome.LinkInLogs{
				By: outcome.ByName, From: endOf(from), To: endOf(to), Pairs: n, Count: from.Count + to.Count, First: from.First,
			})
		}
	}
}

// best returns where most things of an entity are named by their name.
func best(out *outcome.Correlation, entity string) *outcome.Sighting {
	for i := range out.Entities {
		e := &out.Entities[i]
		if e.Name != entity {
			continue
		}
		for j := range e.Sightings {
			if s := &e.Sightings[j]; s.Identifier == "namespace/name" && !s.Ambiguous {
				return s
			}
		}
		for j := range e.Sightings {
			if s := &e.Sightings[j]; s.Identifier == "name" && !s.Ambiguous {
				return s
			}
		}
	}
	return nil
}

func endOf(s *outcome.Sighting) outcome.LinkEnd {
	return outcome.LinkEnd{Message: s.Message, Field: s.Field, InText: s.InText, Identifier: s.Identifier}
}

func (p *place) out() outcome.LinkEnd {
	return outcome.LinkEnd{Message: int(p.message), Field: p.field, InText: p.inText, Identifier: p.ident}
}

// with returns both counted together; t may be nil.
func (w *way) with(t *way) *way {
	if t == nil {
		return w
	}
	both := &way{pairs: map[pair]struct{}{}, count: w.count + t.count, first: earlier(w.first, t.first)}
	for _, from := range []*way{w, t} {
		for p := range from.pairs {
			both.pairs[p] = struct{}{}
		}
	}
	return both
}

func compareWays(a, b outcome.LinkInLogs) int {
	return cmp.Or(
		-cmp.Compare(a.Pairs, b.Pairs), cmp.Compare(rank(a.By), rank(b.By)), -cmp.Compare(a.Count, b.Count),
		compareEnds(a.From, b.From), compareEnds(a.To, b.To), cmp.Compare(a.Key, b.Key))
}

func rank(by outcome.By) int {
	return slices.Index([]outcome.By{outcome.ByRecord, outcome.ByName, outcome.ByRequest}, by)
}

func compareEnds(a, b outcome.LinkEnd) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), order(a.InText, b.InText), cmp.Compare(a.Identifier, b.Identifier), cmp.Compare(a.Message, b.Message))
}

// chains counts how far each chain can be walked from its first thing: a step
// is reached if any thing of it is.
func (c *Collector) chains(out *outcome.Correlation) {
	chain := c.known.profile.Chain
	next := map[int32][]int32{}
	for p := range c.known.pairs {
		next[p.from] = append(next[p.from], p.to)
	}
	kinds := make([]int, len(chain))
	for i, name := range chain {
		kinds[i] = c.known.index(name)
		out.Chains.Steps = append(out.Chains.Steps, c.known.profile.Entities[kinds[i]].Title)
	}
	out.Chains.Known, out.Chains.Walked = make([]int, len(chain)), make([]int, len(chain))
	if len(chain) == 0 {
		return
	}
	for _, root := range c.known.byKind[kinds[0]] {
		known, walked := map[int32]bool{root: true}, map[int32]bool{}
		if c.named[root][1] {
			walked[root] = true
		}
		for step := range chain {
			if step > 0 {
				known, walked = c.step(next, known, walked, kinds[step])
			}
			if len(known) > 0 {
				out.Chains.Known[step]++
			}
			if len(walked) > 0 {
				out.Chains.Walked[step]++
			}
		}
	}
}

// step returns the things of a kind that are linked to those given, and those
// to which the log leads.
func (c *Collector) step(next map[int32][]int32, known, walked map[int32]bool, kind int) (k, w map[int32]bool) {
	k, w = map[int32]bool{}, map[int32]bool{}
	for from := range known {
		for _, to := range next[from] {
			if c.known.things[to].kind != kind {
				continue
			}
			k[to] = true
			if walked[from] && c.joined[pair{from, to}] {
				w[to] = true
			}
		}
	}
	return k, w
}
