package logql

import "bytes"

// A textSearch looks for a text in lines. When a line is searched for many
// texts, most are ruled out by a look at the pairs of bytes that the line
// holds, which are noted once for all; see [pairs].
type textSearch struct {
	text   []byte
	probes []uint16 // of pairs that the text holds
}

// maxProbes bounds the pairs that are looked up: a few rule a text out nearly
// as well as all.
const maxProbes = 6

func newTextSearch(text []byte) textSearch {
	s := textSearch{text: text}
	step := max(1, (len(text)-1)/maxProbes)
	for i := 0; i+1 < len(text) && len(s.probes) < maxProbes; i += step {
		s.probes = append(s.probes, pairSlot(text[i], text[i+1]))
	}
	return s
}

// in reports whether line, which is that of e or what it was before
// decolorize, holds the text.
func (s *textSearch) in(e *entry, line []byte) bool {
	if e.manyTexts && !e.changed {
		if !e.pairs.hold(e, s.probes) {
			return false
		}
	}
	return bytes.Contains(line, s.text)
}

// pairs notes which pairs of neighbouring bytes a line holds, without regard
// to case. Pairs share 4096 slots, so one may seem to be there that is not. A
// slot is set when it holds the number of the line in hand: so the table need
// not be cleared for every line.
type pairs struct {
	slots [4096]uint8
	line  uint8
	done  bool
	ascii bool // all bytes of the line are ASCII
}

func pairSlot(a, b byte) uint16 {
	return (uint16(lowerByte[a])<<5 ^ uint16(lowerByte[b])) & 4095
}

// lowerByte maps ASCII letters to lower case.
var lowerByte = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if 'A' <= i && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()

// begin forgets the line before.
func (p *pairs) begin() { p.done = false }

// hold reports whether the line pushed may hold all the given pairs.
func (p *pairs) hold(e *entry, probes []uint16) bool {
	if !p.done {
		p.note(e.in.Line)
	}
	for _, slot := range probes {
		if p.slots[slot] != p.line {
			return false
		}
	}
	return true
}

func (p *pairs) note(line []byte) {
	p.done = true
	p.line++
	if p.line == 0 {
		clear(p.slots[:])
		p.line = 1
	}
	var all byte
	var last uint16
	for _, c := range line {
		all |= c
		low := uint16(lowerByte[c])
		p.slots[(last<<5^low)&4095] = p.line
		last = low
	}
	p.ascii = all < 0x80
}
