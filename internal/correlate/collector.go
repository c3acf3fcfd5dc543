package correlate

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of what a collector keeps.
const (
	maxSightings = 8192
	maxWays      = 8192
	maxMembers   = 2_000_000 // things of all sightings and pairs of all ways
	maxRequests  = 100_000
)

// A Collector looks at the records of one run. It is used by one goroutine.
type Collector struct {
	known    *Known
	find     finder
	streams  []logs.Labels
	clusters []string // of the streams

	sightings map[sightingKey]*sighting
	ways      map[wayKey]*way
	joined    map[pair]bool // by records and requests
	named     [][2]bool     // things: by name, by anything
	requests  map[string][]end
	members   int
	full      bool // a bound was met
}

// A sightingKey is where things of one kind are named, and by what.
type sightingKey struct {
	message   int32
	kind      int16
	ident     string
	field     string
	inText    bool
	ambiguous bool
}

// A sighting counts the records with one sightingKey.
type sighting struct {
	things map[int32]struct{}
	count  int64
	first  outcome.Evidence
}

// An end is a thing that a record names, with where it does.
type end struct {
	thing int32
	place
}

// A wayKey is how two kinds of things are joined.
type wayKey struct {
	link     int
	by       outcome.By
	key      string
	from, to place
}

// A place is an end without its thing.
type place struct {
	message int32
	ident   string
	field   string
	inText  bool
}

// A way counts the joins with one wayKey.
type way struct {
	pairs map[pair]struct{}
	count int64
	first outcome.Evidence
}

// NewCollector returns a collector for a run with these streams; nil if
// nothing is known that records could name.
func NewCollector(k *Known, streams []logs.Labels) *Collector {
	if k == nil || len(k.things) == 0 {
		return nil
	}
	c := &Collector{
		known: k, find: finder{names: newNames(k)}, streams: streams,
		sightings: map[sightingKey]*sighting{}, ways: map[wayKey]*way{}, joined: map[pair]bool{},
		named: make([][2]bool, len(k.things)), requests: map[string][]end{},
	}
	for _, ls := range streams {
		c.clusters = append(c.clusters, k.clusterOf(ls))
	}
	return c
}

// Add looks at one record, which belongs to the message with the given number.
func (c *Collector) Add(stream int, e *logs.Entry, rec *messages.Record, message int32) {
	hits := c.find.find(rec, c.clusters[stream])
	if len(hits) == 0 {
		return
	}
	seen := evidence{labels: c.streams[stream], entry: e}
	for i := range hits {
		c.sight(&hits[i], message, &seen)
	}
	for i := range hits {
		for j := range hits {
			if hits[i].value != hits[j].value {
				c.join(outcome.ByRecord, "", c.end(&hits[i], message), c.end(&hits[j], message), &seen)
			}
		}
	}
	c.inRequest(hits, message, &seen)
}

func (c *Collector) end(h *hit, message int32) end {
	return end{h.thing, place{message, c.find.identName(h.ref), clip(h.field), h.inText}}
}

// sight counts a hit.
func (c *Collector) sight(h *hit, message int32, seen *evidence) {
	kind := c.known.things[h.thing].kind
	key := sightingKey{message, int16(kind), c.find.identName(h.ref), clip(h.field), h.inText, h.ambiguous}
	s := c.sightings[key]
	if s == nil {
		if len(c.sightings) >= maxSightings {
			c.full = true
			return
		}
		s = &sighting{things: map[int32]struct{}{}, first: seen.get()}
		c.sightings[key] = s
	}
	s.count++
	if _, ok := s.things[h.thing]; !ok && c.room() {
		s.things[h.thing] = struct{}{}
	}
	if !h.ambiguous {
		c.named[h.thing][1] = true
		c.named[h.thing][0] = c.named[h.thing][0] || h.ident == byFull
	}
}

func (c *Collector) room() bool {
	if c.members >= maxMembers {
		c.full = true
		return false
	}
	c.members++
	return true
}

// join counts two ends if their things are linked in this direction.
func (c *Collector) join(by outcome.By, key string, from, to end, seen *evidence) {
	p := pair{from.thing, to.thing}
	link, ok := c.known.pairs[p]
	if !ok {
		return
	}
	k := wayKey{link, by, clip(key), from.place, to.place}
	w := c.ways[k]
	if w == nil {
		if len(c.ways) >= maxWays {
			c.full = true
			c.joined[p] = true
			return
		}
		w = &way{pairs: map[pair]struct{}{}, first: seen.get()}
		c.ways[k] = w
	}
	w.count++
	if _, ok := w.pairs[p]; !ok && c.room() {
		w.pairs[p] = struct{}{}
	}
	c.joined[p] = true
}

// inRequest joins what a record names with what other records of the same
// request named.
func (c *Collector) inRequest(hits []hit, message int32, seen *evidence) {
	for i := range c.find.fields {
		f := &c.find.fields[i]
		if f.text == "" || len(f.text) > maxNameBytes || !slices.Contains(c.known.profile.Requests, f.last()) {
			continue
		}
		before, ok := c.requests[f.text]
		if !ok && len(c.requests) >= maxRequests {
			c.full = true
			return
		}
		all := before
		for h := range hits {
			e := c.end(&hits[h], message)
			for _, b := range before {
				if b.message == message && b.field == e.field {
					continue // the same call once more
				}
				c.join(outcome.ByRequest, f.name, b, e, seen)
				c.join(outcome.ByRequest, f.name, e, b, seen)
			}
			if len(all) < maxHits && !has(all, e) {
				all = append(all, e)
			}
		}
		if len(all) > len(before) || !ok {
			c.requests[strings.Clone(f.text)] = all
		}
		return
	}
}

func has(ends []end, e end) bool {
	for _, b := range ends {
		if b.thing == e.thing && b.message == e.message && b.field == e.field {
			return true
		}
	}
	return false
}

// maxFieldName bounds the names of fields that are kept.
const maxFieldName = 128

func clip(s string) string {
	if len(s) > maxFieldName {
		s = s[:maxFieldName]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// An evidence is the record at hand; it is made safe to show when asked for.
type evidence struct {
	labels logs.Labels
	entry  *logs.Entry
}

func (e *evidence) get() outcome.Evidence {
	return outcome.Show(e.labels, e.entry.Time, e.entry.Line, false)
}
