package logql

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A lineText is a text that a line may hold.
type lineText struct {
	text []byte // in lower case, and ASCII, with fold set
	fold bool   // without regard to case
}

// A textIndex finds which of many texts a line holds, in one pass over the
// line. The plain version is a search for each text.
//
// The pass looks at grams, the few bytes from a place on, but only at every
// stride-th place: a text that is long enough has grams at all distances from
// such a place, and stride of them, one after the other, are in the index. A
// bitmap rules out nearly all places at which no text can stand. What is left
// is compared with the text. Grams ignore case.
//
// Short texts would need a look at every place. When they are few they are
// searched for one by one, and only once they are asked for.
type textIndex struct {
	texts []lineText
	folds bool    // some are without regard to case
	long  []int32 // texts whose grams are looked at
	short []bool  // by text: it is not in long

	grams   map[uint32]int // how often grams of the texts were seen in the first lines
	learned int            // lines seen, up to enoughLines

	gram, stride int
	mask         uint32   // of the bytes of a gram
	bitmap       []uint64 // of the hashes of grams
	shift        uint8    // takes a hash to a place in the bitmap
	starts       []uint16 // by the upper bits of a hash: the first of its entries
	entries      []gramEntry

	// What the line in hand holds. A text was found if its mark is that of
	// the line, so marks need not be cleared.
	line  []byte
	marks []uint32
	tried []uint32 // marks of the last lines that were searched for short texts
	mark  uint32
	found []int32 // of long
	// odd says that a letter of the line may be equal, but for case, to an
	// ASCII letter without being one. Then any text without regard to case may
	// be there.
	odd bool
}

// A gramEntry is a gram of a text.
type gramEntry struct {
	hash uint32 // of the gram
	at   int32  // where in the text
	text int32
}

const (
	// gramFold sets the bit that tells ASCII letters of both cases apart. That
	// other bytes become equal too costs a comparison at times.
	gramFold = 0x20202020
	maxTexts = 1 << 12 // in an index: entries are counted in 16 bits
)

func newTextIndex(texts []lineText) *textIndex {
	x := &textIndex{
		texts: texts,
		short: make([]bool, len(texts)),
		grams: make(map[uint32]int),
		marks: make([]uint32, len(texts)),
		tried: make([]uint32, len(texts)),
	}
	x.choose()
	for i, t := range texts {
		x.folds = x.folds || t.fold
		if x.short[i] = len(t.text) < x.gram+x.stride-1; !x.short[i] {
			x.long = append(x.long, int32(i))
		}
	}
	for _, i := range x.long {
		text := texts[i].text
		for at := 0; at+x.gram <= len(text); at++ {
			x.grams[x.gramOf(text[at:])]++ // what texts share is likely to be common
		}
	}
	x.build()
	return x
}

// choose sets gram and stride so that a line of usual length takes the least
// time, in nanoseconds: a look at a place takes one, the search for a short
// text about sixty.
func (x *textIndex) choose() {
	const line, look, search = 256, 1, 60
	best := -1
	for _, c := range [][2]int{{4, 8}, {4, 4}, {3, 4}, {4, 2}, {3, 2}, {4, 1}, {3, 1}} {
		gram, stride := c[0], c[1]
		cost := line / stride * look
		if gram == 3 {
			cost += cost / 4 // more false hits
		}
		for _, t := range x.texts {
			if len(t.text) < gram+stride-1 {
				cost += search
			}
		}
		if best < 0 || cost < best {
			best, x.gram, x.stride = cost, gram, stride
		}
	}
	x.mask = 1<<(8*x.gram) - 1 // a shift by 32 gives 0, and so all bits
}

// rarest returns the place in text from which stride grams are the least
// likely to be met: as the first lines of the log show, or while none were
// seen, as they are in few texts and have no common bytes.
func (x *textIndex) rarest(text []byte) int {
	best, at := 0, 0
	for from := 0; from+x.stride-1+x.gram <= len(text); from++ {
		cost := 0
		for i := from; i < from+x.stride; i++ {
			cost += 64 * x.grams[x.gramOf(text[i:])]
			for _, c := range text[i : i+x.gram] {
				cost -= int(min(rarity[c], 96))
			}
		}
		if from == 0 || cost < best {
			best, at = cost, from
		}
	}
	return at
}

// gramOf returns the gram at the beginning of b.
func (x *textIndex) gramOf(b []byte) uint32 {
	var g uint32
	for i := range x.gram {
		g |= uint32(b[i]) << (8 * i)
	}
	return (g | gramFold) & x.mask
}

func gramHash(gram uint32) uint32 { return gram * 0x9e3779b1 }

// bucketBits is how many upper bits of a hash choose the entries.
const bucketBits = 10

// build makes the entries of the texts in long.
func (x *textIndex) build() {
	x.entries = x.entries[:0]
	for _, i := range x.long {
		text := x.texts[i].text
		from := x.rarest(text)
		for at := from; at < from+x.stride; at++ {
			x.entries = append(x.entries, gramEntry{gramHash(x.gramOf(text[at:])), int32(at), i})
		}
	}
	// Sixteen bits for each entry make one place in twenty a false hit.
	size := max(bucketBits, bits.Len(uint(16*len(x.entries))))
	x.shift = uint8(32 - size)
	x.bitmap = make([]uint64, 1<<(size-6))
	slices.SortFunc(x.entries, func(a, b gramEntry) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.text, b.text))
	})
	x.starts = make([]uint16, 1<<bucketBits+1)
	for _, e := range x.entries {
		x.bitmap[e.hash>>x.shift>>6] |= 1 << (e.hash >> x.shift & 63)
		x.starts[e.hash>>(32-bucketBits)+1]++
	}
	for i := range x.starts[1:] {
		x.starts[i+1] += x.starts[i]
	}
}

// enoughLines is after how many lines it is known which grams are rare.
const enoughLines = 256

// learn counts the grams of one of the first lines. After the last it chooses
// anew where in the texts to look. What is found does not depend on it.
func (x *textIndex) learn(line []byte) {
	if x.learned == 0 {
		for gram := range x.grams {
			x.grams[gram] = 0
		}
	}
	for ; len(line) >= x.gram; line = line[1:] {
		gram := x.gramOf(line)
		if n, ok := x.grams[gram]; ok {
			x.grams[gram] = n + 1
		}
	}
	if x.learned++; x.learned == enoughLines {
		x.build()
		x.grams = nil
	}
}

// holds reports whether the line that was searched holds a text.
func (x *textIndex) holds(text int32) bool {
	return x.marks[text] == x.mark || x.short[text] && x.holdsShort(text)
}

func (x *textIndex) holdsShort(text int32) bool {
	if x.tried[text] == x.mark {
		return false // or it would be marked
	}
	x.tried[text] = x.mark
	if !x.texts[text].in(x.line) {
		return false
	}
	x.marks[text] = x.mark
	return true
}

// search finds the texts in line.
func (x *textIndex) search(line []byte) {
	x.line, x.found = line, x.found[:0]
	if x.mark++; x.mark == 0 {
		clear(x.marks)
		clear(x.tried)
		x.mark = 1
	}
	if x.learned < enoughLines && len(x.long) > 0 {
		x.learn(line)
	}
	x.odd = x.folds && hasOddLetter(line)
	if len(x.entries) == 0 {
		return
	}
	at, shift, bitmap := 0, x.shift&31, x.bitmap
	for ; at+4 <= len(line); at += x.stride {
		h := gramHash((binary.LittleEndian.Uint32(line[at:]) | gramFold) & x.mask)
		if bitmap[h>>shift>>6]&(1<<(h>>shift&63)) != 0 {
			x.compare(line, at, h)
		}
	}
	if at+x.gram <= len(line) {
		x.compare(line, at, gramHash(x.gramOf(line[at:])))
	}
}

// compare looks which of the texts that have a gram with the given hash are
// in line with that gram at line[at].
func (x *textIndex) compare(line []byte, at int, hash uint32) {
	bucket := hash >> (32 - bucketBits)
	for _, e := range x.entries[x.starts[bucket]:x.starts[bucket+1]] {
		if e.hash != hash || x.marks[e.text] == x.mark {
			continue
		}
		t := &x.texts[e.text]
		from := at - int(e.at)
		if from < 0 || from+len(t.text) > len(line) {
			continue
		}
		if part := line[from : from+len(t.text)]; t.fold && equalLower(part, t.text) || !t.fold && bytes.Equal(part, t.text) {
			x.marks[e.text] = x.mark
			x.found = append(x.found, e.text)
		}
	}
}

// in reports whether line holds the text.
func (t *lineText) in(line []byte) bool {
	if !t.fold {
		return bytes.Contains(line, t.text)
	}
	if len(t.text) == 0 {
		return true
	}
	// Both cases of its first letter are looked for; low and up are where they
	// are met next.
	first, last := t.text[0], len(line)-len(t.text)
	upper := first
	if 'a' <= first && first <= 'z' {
		upper -= 'a' - 'A'
	}
	low, up := -1, -1
	for at := 0; at <= last; at++ {
		low, up = nextByte(line, first, low, at), nextByte(line, upper, up, at)
		if at = min(low, up); at > last {
			return false
		}
		if equalLower(line[at:at+len(t.text)], t.text) {
			return true
		}
	}
	return false
}

// nextByte returns where c is met at or after from: it is known that it is
// not met before known, and that it is met there unless known < from.
func nextByte(line []byte, c byte, known, from int) int {
	if known >= from {
		return known
	}
	if i := bytes.IndexByte(line[from:], c); i >= 0 {
		return from + i
	}
	return len(line)
}

// equalLower reports whether b is lower, of the same length, once its ASCII
// letters are in lower case.
func equalLower(b, lower []byte) bool {
	for i, c := range b {
		if lowerByte[c] != lower[i] {
			return false
		}
	}
	return true
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

// The letters beyond ASCII that are equal, but for case, to ASCII letters: the
// long s and the sign for kelvin.
var longS, kelvin = []byte("ſ"), []byte("\u212a")

// hasOddLetter reports whether a line holds one of these.
func hasOddLetter(line []byte) bool {
	var seen uint64
	rest := line
	for len(rest) >= 32 {
		seen |= binary.LittleEndian.Uint64(rest) | binary.LittleEndian.Uint64(rest[8:]) |
			binary.LittleEndian.Uint64(rest[16:]) | binary.LittleEndian.Uint64(rest[24:])
		rest = rest[32:]
	}
	for _, c := range rest {
		seen |= uint64(c)
	}
	return seen&highBits != 0 && (bytes.Contains(line, longS) || bytes.Contains(line, kelvin))
}
