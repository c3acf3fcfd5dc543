package messages

import (
	"hash/maphash"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of a catalogue.
const (
	// maxKinds is the number of kinds that are told apart at one time, and
	// maxNumbers that of all provisional numbers.
	maxKinds   = 4096
	maxNumbers = 4 * maxKinds
	// maxKeySets is the number of sets of keys of one text. What a logger
	// writes with ever other keys is one kind beyond it.
	maxKeySets = 32
	// maxSeen is the number of written messages whose kind is remembered.
	maxSeen = 1 << 15
	// maxNameBytes bounds names of loggers and files.
	maxNameBytes = 128
)

// A Catalogue counts records by kind. Make one with [NewCatalogue]; one
// goroutine may use it at a time.
type Catalogue struct {
	seed maphash.Seed // which records are of one kind does not depend on it
	rec  Record

	kinds []*kind
	live  int              // kinds that are not merged into others
	seen  map[uint64]int32 // kind by what was written
	byKey map[uint64]int32 // kind by what identifies it
	sets  map[uint64]int   // number of sets of keys, by what else identifies a kind
	// generalised are kinds in whose texts varying words became masks, by group
	// and number of words.
	generalised map[uint64][]int32
	cut         int64
	full        bool // merging makes no room

	samples sampler
	buf     []byte
}

// A kind is one kind of record.
type kind struct {
	identity
	text        string
	keys        []keyStat
	heads       []keyStat // fields that are the logger's own
	count       int64
	first, last held
	places      []outcome.Place
	into        int32 // the kind that this one was merged into; -1: none
}

// An identity is what records of one kind agree in, besides the text.
type identity struct {
	logger, function, level string
	verbosity               int
	encoding                outcome.Encoding
	keySet                  uint64
}

// NewCatalogue returns an empty catalogue.
func NewCatalogue() *Catalogue {
	return &Catalogue{
		seed: maphash.MakeSeed(), seen: map[uint64]int32{}, byKey: map[uint64]int32{},
		sets: map[uint64]int{}, generalised: map[uint64][]int32{}, samples: newSampler(),
	}
}

// Record returns the record that was added last, taken apart; it is valid until
// the next Add and as long as its line is not changed.
func (c *Catalogue) Record() *Record { return &c.rec }

// Add counts one record and returns the provisional number of its kind; -1: it
// says nothing, or there is no room for another kind.
func (c *Catalogue) Add(stream logs.Labels, e *logs.Entry) int32 {
	r := &c.rec
	r.Parse(e.Line)
	id, keySet := c.written(r)
	n, ok := c.seen[id]
	if !ok {
		n = c.resolve(r, keySet)
		if len(c.seen) >= maxSeen {
			clear(c.seen)
		}
		c.seen[id] = n
	}
	if n < 0 {
		if n == noRoom {
			c.cut++
		}
		return -1
	}
	k := c.kinds[n]
	k.count++
	k.first.earliest(stream, e)
	k.last.latest(stream, e)
	k.place(r.Place, 1)
	c.samples.look(k, r, stream, e)
	return n
}

// Numbers in place of a kind.
const (
	noText int32 = -1
	noRoom int32 = -2
)

// written hashes what identifies the kind of a record, as it is written.
func (c *Catalogue) written(r *Record) (id, keySet uint64) {
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Top && f.Role == Plain {
			keySet += mix(maphash.Bytes(c.seed, f.Name), 1)
		}
	}
	id = maphash.Bytes(c.seed, r.message)
	id = mix(id, maphash.Bytes(c.seed, r.Logger))
	id = mix(id, maphash.Bytes(c.seed, r.Function))
	id = mix(id, uint64(len(r.Level))<<32|uint64(len(r.Encoding))<<16|uint64(uint16(r.Verbosity)))
	if len(r.Level) > 0 {
		id = mix(id, uint64(r.Level[0])<<8|uint64(r.Encoding[0]))
	}
	return mix(id, keySet), keySet
}

// mix joins two hashes.
func mix(a, b uint64) uint64 {
	h := (a ^ b*0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93
	return h ^ h>>32
}

// resolve returns the number of the kind that a record belongs to, a new one
// if need be.
func (c *Catalogue) resolve(r *Record, keySet uint64) int32 {
	c.buf = AppendTemplate(c.buf[:0], r.Message())
	if len(c.buf) == 0 && keySet == 0 && len(r.Fields) == 0 {
		return noText
	}
	id := identity{
		logger: clip(r.Logger), function: clip(r.Function), level: r.Level,
		verbosity: r.Verbosity, encoding: r.Encoding, keySet: keySet,
	}
	key := c.keyOf(&id, string(c.buf))
	if n, ok := c.byKey[key]; ok {
		return c.find(n)
	}
	if n, ok := c.match(&id, string(c.buf)); ok {
		return n
	}
	family := id
	family.keySet = 0
	all := c.keyOf(&family, string(c.buf))
	if c.sets[all] >= maxKeySets {
		if n, ok := c.byKey[all]; ok {
			return c.find(n)
		}
		id, key = family, all
	}
	if c.live >= maxKinds && len(c.kinds) < maxNumbers && !c.full {
		c.merge()
		c.full = c.live > maxKinds-maxKinds/8 // merging again would gain little
		if n, ok := c.match(&id, string(c.buf)); ok {
			return n
		}
	}
	if c.live >= maxKinds || len(c.kinds) >= maxNumbers {
		return noRoom
	}
	n := int32(len(c.kinds))
	c.kinds = append(c.kinds, &kind{identity: id, text: string(c.buf), into: -1})
	c.live++
	c.byKey[key] = n
	c.sets[all]++
	return n
}

// find follows a number to the kind that it was merged into.
func (c *Catalogue) find(n int32) int32 {
	for c.kinds[n].into >= 0 {
		n = c.kinds[n].into
	}
	return n
}

func (c *Catalogue) keyOf(id *identity, text string) uint64 {
	return mix(c.groupOf(id), maphash.String(c.seed, text))
}

func (c *Catalogue) groupOf(id *identity) uint64 {
	h := mix(maphash.String(c.seed, id.logger), maphash.String(c.seed, id.function))
	h = mix(h, maphash.String(c.seed, id.level))
	h = mix(h, maphash.String(c.seed, string(id.encoding)))
	return mix(mix(h, uint64(id.verbosity)), id.keySet)
}

func clip(b []byte) string {
	s := strings.ToValidUTF8(string(b[:min(len(b), maxNameBytes)]), "\uFFFD")
	return s
}
