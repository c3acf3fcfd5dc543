package logs

import (
	"bytes"
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
	n    int
	held []heldEntry
	seen map[uint64][]int // hash of stream and line → indexes in held
}

type heldEntry struct {
	stream int
	line   []byte
	meta   Labels
}

// fewHeld is how many entries of one time are compared one by one before a
// map pays.
const fewHeld = 8

// Repeat reports whether an entry equal to e was seen in the given stream,
// and remembers e if not.
func (d *Dedup) Repeat(stream int, e *Entry) bool {
	if e.Time != d.time || d.n == 0 {
		d.time, d.n = e.Time, 0
		clear(d.seen)
	}
	if d.n < fewHeld {
		for i := range d.n {
			if d.held[i].equal(stream, e) {
				return true
			}
		}
	} else {
		if len(d.seen) == 0 {
			d.index()
		}
		for _, i := range d.seen[hashEntry(stream, e.Line)] {
			if d.held[i].equal(stream, e) {
				return true
			}
		}
	}
	d.hold(stream, e)
	return false
}

// index fills the map with what is held.
func (d *Dedup) index() {
	if d.seen == nil {
		d.seen = make(map[uint64][]int)
	}
	for i := range d.n {
		h := hashEntry(d.held[i].stream, d.held[i].line)
		d.seen[h] = append(d.seen[h], i)
	}
}

// hold remembers e, reusing the memory of an earlier time.
func (d *Dedup) hold(stream int, e *Entry) {
	if d.n == len(d.held) {
		d.held = append(d.held, heldEntry{})
	}
	h := &d.held[d.n]
	h.stream, h.meta = stream, e.Metadata
	h.line = append(h.line[:0], e.Line...)
	if d.n >= fewHeld {
		k := hashEntry(stream, e.Line)
		d.seen[k] = append(d.seen[k], d.n)
	}
	d.n++
}

func (h *heldEntry) equal(stream int, e *Entry) bool {
	return h.stream == stream && bytes.Equal(h.line, e.Line) && slices.Equal(h.meta, e.Metadata)
}

// hashEntry is FNV-1a over the line, mixed with the stream.
func hashEntry(stream int, line []byte) uint64 {
	h := uint64(14695981039346656037) ^ uint64(stream)*1099511628211
	for _, c := range line {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
