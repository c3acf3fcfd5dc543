package correlate

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A Summary is what the logs of two builds say of the things that were
// recorded, over all scenarios.
type Summary struct {
	Profile string
	// Identifiers are in the order of the profile's entities, then by name.
	Identifiers []IdentifierRow
	Links       []LinkRow // in the order of the profile
	Steps       []string  // of the chain
	Chains      Sides[ChainCount]
	Alerts      []AlertRow
	// NotJudged names the scenarios of which a build has a run without
	// recorded objects.
	NotJudged []string
	Notes     []string
}

// Sides holds the same of both builds.
type Sides[T any] struct{ Deployed, Candidate T }

// An IdentifierRow says where things of one entity are named by one
// identifier.
type IdentifierRow struct {
	Entity, Title, Identifier string
	Sides[NamedCount]
}

// A NamedCount counts things that a log names.
type NamedCount struct {
	Known, Named int
	Fields       []FieldCount // those that name most first, at most 5
}

// A FieldCount is one field of one message.
type FieldCount struct {
	Field           string
	InText          bool
	Message, Logger string
	Things          int
	Records         int64
}

// A LinkRow says how things of two entities are joined.
type LinkRow struct {
	From, To           string
	FromTitle, ToTitle string
	Sides[LinkCount]
}

// A LinkCount counts pairs of things that a log joins.
type LinkCount struct {
	Known, Made int
	Objects     []outcome.ObjectWay
	Ways        []WayCount // those that join most first, at most 5
}

// A WayCount is one way in which a log joins things.
type WayCount struct {
	By       outcome.By
	Key      string // of a request
	From, To FieldCount
	Pairs    int
}

// A ChainCount holds for each step the chains that reach it, by the objects
// and by the log.
type ChainCount struct{ Known, Walked []int }

// An AlertRow is a label or annotation of a rule's alerts that names things of
// one entity. The numbers are alerts that carry it.
type AlertRow struct {
	Rule                int    // index of the outcome
	RuleName            string // set by who knows it
	Where, Name, Entity string
	Identifier          string
	Deployed, Candidate int
}

// keptRows bounds fields and ways of a summary row.
const keptRows = 5

// Summarise adds up the runs of both builds; nil where none was judged.
func Summarise(deployed, candidate []*outcome.Run) *Summary {
	s := &Summary{}
	missing := map[string]bool{}
	for _, side := range []struct {
		runs      []*outcome.Run
		candidate bool
	}{{deployed, false}, {candidate, true}} {
		for _, run := range side.runs {
			if run.Missing {
				continue
			}
			if run.Correlation == nil {
				missing[run.Scenario] = true
				continue
			}
			s.add(run, side.candidate)
		}
	}
	if s.Profile == "" {
		return nil
	}
	for name := range missing {
		s.NotJudged = append(s.NotJudged, name)
	}
	slices.Sort(s.NotJudged)
	s.known(deployed, false)
	s.known(candidate, true)
	s.order()
	return s
}

func (s *Sides[T]) of(candidate bool) *T {
	if candidate {
		return &s.Candidate
	}
	return &s.Deployed
}

func (s *Summary) add(run *outcome.Run, candidate bool) {
	c := run.Correlation
	s.Profile = c.Profile
	for i := range c.Entities {
		s.addEntity(run, &c.Entities[i], candidate)
	}
	for i := range c.Links {
		s.addLink(run, &c.Links[i], candidate)
	}
	s.Steps = c.Chains.Steps
	chain := s.Chains.of(candidate)
	chain.Known, chain.Walked = sum(chain.Known, c.Chains.Known), sum(chain.Walked, c.Chains.Walked)
	for _, a := range c.Alerts {
		row := AlertRow{Rule: a.Rule, Where: a.Where, Name: a.Name, Entity: a.Entity, Identifier: a.Identifier}
		i := slices.IndexFunc(s.Alerts, func(r AlertRow) bool {
			r.Deployed, r.Candidate = 0, 0
			return r == row
		})
		if i < 0 {
			i = len(s.Alerts)
			s.Alerts = append(s.Alerts, row)
		}
		if candidate {
			s.Alerts[i].Candidate += a.Alerts
		} else {
			s.Alerts[i].Deployed += a.Alerts
		}
	}
	for _, n := range c.Notes {
		if !slices.Contains(s.Notes, n) {
			s.Notes = append(s.Notes, n)
		}
	}
}

func sum(a, b []int) []int {
	out := make([]int, max(len(a), len(b)))
	copy(out, a)
	for i, n := range b {
		out[i] += n
	}
	return out
}

func (s *Summary) addEntity(run *outcome.Run, e *outcome.EntityUse, candidate bool) {
	for _, id := range e.Identifiers {
		i := slices.IndexFunc(s.Identifiers, func(r IdentifierRow) bool { return r.Entity == e.Name && r.Identifier == id.Identifier })
		if i < 0 {
			i = len(s.Identifiers)
			s.Identifiers = append(s.Identifiers, IdentifierRow{Entity: e.Name, Title: e.Title, Identifier: id.Identifier})
		}
		n := s.Identifiers[i].of(candidate)
		n.Named += id.Things
		var own []FieldCount
		for _, sight := range e.Sightings {
			if sight.Identifier == id.Identifier && !sight.Ambiguous {
				f := fieldCount(run, sight.Message, sight.Field, sight.InText)
				f.Things, f.Records = sight.Things, sight.Count
				own = addField(own, f, func(a, b int) int { return max(a, b) })
			}
		}
		for _, f := range own {
			n.Fields = addField(n.Fields, f, func(a, b int) int { return a + b })
		}
	}
}

// known sets how many things there are, in every row of an entity: also of the
// runs and the build that name none so.
func (s *Summary) known(runs []*outcome.Run, candidate bool) {
	for i := range s.Identifiers {
		row := &s.Identifiers[i]
		for _, run := range runs {
			if run.Correlation == nil {
				continue
			}
			for j := range run.Correlation.Entities {
				if e := &run.Correlation.Entities[j]; e.Name == row.Entity {
					row.of(candidate).Known += e.Known
				}
			}
		}
	}
}

func fieldCount(run *outcome.Run, i int, field string, inText bool) FieldCount {
	f := FieldCount{Field: field, InText: inText}
	if m := message(run.Messages, i); m != nil {
		f.Message, f.Logger = m.Text, m.Logger
	}
	return f
}

// addField adds a field to those of the same message. Within a run the records of
// a message may be of several kinds, by their keys, that name the same things;
// those of another run are other things.
func addField(to []FieldCount, f FieldCount, things func(a, b int) int) []FieldCount {
	for i := range to {
		if g := &to[i]; g.Field == f.Field && g.InText == f.InText && g.Message == f.Message && g.Logger == f.Logger {
			g.Things = things(g.Things, f.Things)
			g.Records += f.Records
			return to
		}
	}
	return append(to, f)
}

func (s *Summary) addLink(run *outcome.Run, l *outcome.LinkUse, candidate bool) {
	i := slices.IndexFunc(s.Links, func(r LinkRow) bool { return r.From == l.From && r.To == l.To })
	if i < 0 {
		i = len(s.Links)
		s.Links = append(s.Links, LinkRow{From: l.From, To: l.To, FromTitle: l.FromTitle, ToTitle: l.ToTitle})
	}
	n := s.Links[i].of(candidate)
	n.Known += l.Known
	n.Made += l.Made
	for _, way := range l.Objects {
		if at := slices.IndexFunc(n.Objects, func(w outcome.ObjectWay) bool { return w.Text == way.Text }); at >= 0 {
			n.Objects[at].Pairs += way.Pairs
		} else {
			n.Objects = append(n.Objects, way)
		}
	}
	var own []WayCount
	for _, way := range l.Ways {
		w := WayCount{By: way.By, Key: way.Key, Pairs: way.Pairs,
			From: fieldCount(run, way.From.Message, way.From.Field, way.From.InText),
			To:   fieldCount(run, way.To.Message, way.To.Field, way.To.InText)}
		own = addWay(own, w, func(a, b int) int { return max(a, b) })
	}
	for _, w := range own {
		n.Ways = addWay(n.Ways, w, func(a, b int) int { return a + b })
	}
}

// addWay is as [addField] for ways.
func addWay(to []WayCount, w WayCount, pairs func(a, b int) int) []WayCount {
	at := slices.IndexFunc(to, func(v WayCount) bool {
		return v.By == w.By && v.Key == w.Key && v.From == w.From && v.To == w.To
	})
	if at < 0 {
		return append(to, w)
	}
	to[at].Pairs = pairs(to[at].Pairs, w.Pairs)
	return to
}

func (s *Summary) order() {
	entities := map[string]int{}
	for _, r := range s.Identifiers {
		if _, ok := entities[r.Entity]; !ok {
			entities[r.Entity] = len(entities)
		}
	}
	slices.SortStableFunc(s.Identifiers, func(a, b IdentifierRow) int {
		return cmp.Or(cmp.Compare(entities[a.Entity], entities[b.Entity]), cmp.Compare(a.Identifier, b.Identifier))
	})
	for i := range s.Identifiers {
		for _, candidate := range []bool{false, true} {
			n := s.Identifiers[i].of(candidate)
			slices.SortStableFunc(n.Fields, func(a, b FieldCount) int {
				return cmp.Or(-cmp.Compare(a.Things, b.Things), -cmp.Compare(a.Records, b.Records),
					cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message), cmp.Compare(a.Logger, b.Logger))
			})
			n.Fields = n.Fields[:min(len(n.Fields), keptRows)]
		}
	}
	for i := range s.Links {
		for _, candidate := range []bool{false, true} {
			n := s.Links[i].of(candidate)
			slices.SortStableFunc(n.Ways, func(a, b WayCount) int {
				return cmp.Or(-cmp.Compare(a.Pairs, b.Pairs), cmp.Compare(rank(a.By), rank(b.By)),
					cmp.Compare(a.From.Field, b.From.Field), cmp.Compare(a.To.Field, b.To.Field), cmp.Compare(a.From.Message, b.From.Message))
			})
			n.Ways = n.Ways[:min(len(n.Ways), keptRows)]
		}
	}
	slices.SortFunc(s.Alerts, func(a, b AlertRow) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), -cmp.Compare(a.Where, b.Where), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Identifier, b.Identifier))
	})
}
