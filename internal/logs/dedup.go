package logs

import (
	"bytes"
	"hash/maphash"
	"slices"
)

// A Dedup finds entries that a store keeps once: those whose stream, time,
// line and metadata all equal those of an earlier entry. Loki drops such
// repeats when it takes logs in.
//
// Entries must come in time order, so that only those of the latest time need
// to be remembered. The zero Dedup is ready to use.
type Dedup struct {
	time int64
	held []heldEntry // of time; those beyond have memory to use again
	n    int
	seed maphash.Seed
	seen map[uint64][]int // hash → indexes in held; filled when there are many
}

type heldEntry struct {
	stream int
	hash   uint64
	line   []byte
	meta   Labels
}

// fewHeld is how many entries of one time are compared one by one before a
// map pays.
const fewHeld = 16

// Repeat reports whether an entry equal to e was seen in the given stream,
// and remembers e if not.
func (d *Dedup) Repeat(stream int, e *Entry) bool {
	if d.n == 0 || e.Time != d.time {
		if d.held == nil {
			d.seed = maphash.MakeSeed() // which entries are equal does not depend on it
		}
		d.time, d.n = e.Time, 0
		clear(d.seen)
		d.hold(stream, 0, e)
		return false
	}
	if d.n == 1 {
		d.held[0].hash = maphash.Bytes(d.seed, d.held[0].line)
	}
	h := maphash.Bytes(d.seed, e.Line)
	if d.n < fewHeld {
		for i := range d.n {
			if d.held[i].hash == h && d.held[i].equal(stream, e) {
				return true
			}
		}
	} else {
		d.index()
		for _, i := range d.seen[h] {
			if d.held[i].equal(stream, e) {
				return true
			}
		}
	}
	d.hold(stream, h, e)
	return false
}

// index fills the map with what is held.
func (d *Dedup) index() {
	if len(d.seen) > 0 {
		return
	}
	if d.seen == nil {
		d.seen = make(map[uint64][]int)
	}
	for i := range d.n {
		d.seen[d.held[i].hash] = append(d.seen[d.held[i].hash], i)
	}
}

// hold remembers e, in the memory of an earlier time where there is some.
func (d *Dedup) hold(stream int, hash uint64, e *Entry) {
	if d.n == len(d.held) {
		d.held = append(d.held, heldEntry{})
	}
	h := &d.held[d.n]
	h.stream, h.hash, h.meta = stream, hash, e.Metadata
	h.line = append(h.line[:0], e.Line...)
	if len(d.seen) > 0 {
		d.seen[hash] = append(d.seen[hash], d.n)
	}
	d.n++
}

func (h *heldEntry) equal(stream int, e *Entry) bool {
	return h.stream == stream && bytes.Equal(h.line, e.Line) && slices.Equal(h.meta, e.Metadata)
}
