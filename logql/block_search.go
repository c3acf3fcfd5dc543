package logql

import (
	"bytes"
	"slices"
)

// A finder searches a block for one text. It looks for the byte of the text
// that is rarest in logs and compares where it stands: the search for a byte
// takes 32 of them at a time.
type finder struct {
	text []byte
	rare int // index of the rarest byte
}

// commonBytes lists the bytes of logs from the commonest on; those that are
// not in the list are rarer.
const commonBytes = "\"e,:atonirsl 0123456789cdupm-hgfb_./vkwy{}TZxqjz[]()=IECSRWANPDOLMFUBGKHVJXYQ"

// rarity maps a byte to its place in commonBytes.
var rarity = func() (rank [256]uint8) {
	for i := range rank {
		rank[i] = 255
	}
	for i := range len(commonBytes) {
		rank[commonBytes[i]] = uint8(i)
	}
	return rank
}()

func newFinder(text []byte) finder {
	f := finder{text: text}
	for i, c := range text {
		if rarity[c] > rarity[text[f.rare]] {
			f.rare = i
		}
	}
	return f
}

// tune looks for the byte that is rarest in a sample of the text to come: in
// logfmt "=" is everywhere, in JSON it is rare.
func (f *finder) tune(count *[256]uint16) {
	for i, c := range f.text {
		if count[c] < count[f.text[f.rare]] {
			f.rare = i
		}
	}
}

// index returns where the text begins in block at or after from, or -1.
func (f *finder) index(block []byte, from int) int {
	c, misses := f.text[f.rare], 0
	last := len(block) - len(f.text)
	for at := from; at <= last; {
		i := bytes.IndexByte(block[at+f.rare:], c)
		if i < 0 || at+i > last {
			return -1
		}
		at += i
		if string(block[at:at+len(f.text)]) == string(f.text) {
			return at
		}
		at++
		// Where the byte is common after all, a search for the whole text is
		// faster.
		if misses++; misses > 16 && misses > (at-from)>>5 {
			if i = bytes.Index(block[at:], f.text); i < 0 {
				return -1
			}
			return at + i
		}
	}
	return -1
}

// A blockCursor steps through the lines of one block that a prefilter finds.
// The zero value with block set begins at its first line. Every line of the
// block ends in a newline, but for the last, which may not.
type blockCursor struct {
	finders []finder // those of the prefilter, tuned to the block
	block   []byte
	next    int   // where the line after the one found begins
	hits    []int // by finder: its next hit
}

func (p *Prefilter) cursor(block []byte) *blockCursor {
	c := &blockCursor{finders: slices.Clone(p.finders)}
	c.begin(block)
	return c
}

// sampleSize is how many bytes of a block finders are tuned by.
const sampleSize = 4 << 10

// begin takes up another block.
func (c *blockCursor) begin(block []byte) {
	c.block, c.next = block, 0
	c.hits = c.hits[:0]
	var count [256]uint16
	for _, b := range block[:min(len(block), sampleSize)] {
		count[b]++
	}
	for i := range c.finders {
		c.finders[i].tune(&count)
		c.hits = append(c.hits, c.search(i, 0))
	}
}

// search returns where finder i hits at or after from; the end of the block
// when it does not.
func (c *blockCursor) search(i, from int) int {
	if at := c.finders[i].index(c.block, from); at >= 0 {
		return at
	}
	return len(c.block)
}

// line returns the next line that is found, without its newline.
func (c *blockCursor) line() (start, end int, ok bool) {
	hit := len(c.block)
	for i, h := range c.hits {
		if h < c.next {
			h = c.search(i, c.next)
			c.hits[i] = h
		}
		hit = min(hit, h)
	}
	if hit == len(c.block) {
		return 0, 0, false
	}
	start = c.next + 1 + bytes.LastIndexByte(c.block[c.next:hit], '\n')
	end = len(c.block)
	if i := bytes.IndexByte(c.block[hit:], '\n'); i >= 0 {
		end = hit + i
	}
	c.next = min(end+1, len(c.block))
	return start, end, true
}

// count returns the number of lines that are found.
func (c *blockCursor) count() (n int64) {
	if len(c.hits) == 1 {
		return c.finders[0].countLines(c.block)
	}
	for {
		if _, _, ok := c.line(); !ok {
			return n
		}
		n++
	}
}

// countLines returns the number of lines of block that hold the text.
func (f *finder) countLines(block []byte) (n int64) {
	for at := f.index(block, 0); at >= 0; at = f.index(block, at) {
		n++
		i := bytes.IndexByte(block[at:], '\n')
		if i < 0 {
			return n
		}
		at += i + 1
	}
	return n
}

// Keep moves the lines of text that are found to its front and returns them.
// Each line of text ends in a newline. Several goroutines may call it at once.
// Lines with something in front of what the query sees, such as a time, are
// found a little too often.
func (p *Prefilter) Keep(text []byte) []byte {
	c := p.cursor(text)
	kept := 0
	for {
		start, end, ok := c.line()
		if !ok {
			return text[:kept]
		}
		// The cursor never looks back, so what it passed may be overwritten.
		kept += copy(text[kept:], text[start:min(end+1, len(text))])
	}
}
