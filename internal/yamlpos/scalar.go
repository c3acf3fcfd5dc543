package yamlpos

import (
	"sort"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// A Place says that the value of a scalar, from byte Offset on, stands in the
// file from byte At on. It holds up to the next place.
type Place struct {
	Offset, At int
	// Still says that all these bytes stand at At, as those of what was put in
	// for a name.
	Still bool
}

// Places maps the bytes of a scalar's value to the file, ordered by Offset.
type Places []Place

// At returns the file offset of the byte at offset of the value.
func (ps Places) At(offset int) int {
	i := sort.Search(len(ps), func(i int) bool { return ps[i].Offset > offset }) - 1
	if i < 0 {
		if len(ps) == 0 {
			return 0
		}
		return ps[0].At
	}
	if ps[i].Still {
		return ps[i].At
	}
	return ps[i].At + offset - ps[i].Offset
}

// Shift returns the places of value[by:].
func (ps Places) Shift(by int) Places {
	shifted := Places{{Offset: 0, At: ps.At(by)}}
	for _, p := range ps {
		if p.Offset <= by {
			shifted[0].Still = p.Still
			continue
		}
		shifted = append(shifted, Place{Offset: p.Offset - by, At: p.At, Still: p.Still})
	}
	return shifted
}

// add notes that byte offset of the value stands at at.
func (ps *Places) add(offset, at int, fresh bool) {
	if n := len(*ps); !fresh && n > 0 && (*ps)[n-1].At+offset-(*ps)[n-1].Offset == at {
		return
	}
	*ps = append(*ps, Place{Offset: offset, At: at})
}

// Scalar returns where the bytes of a scalar's value stand. Line ends and
// spaces that come from folding stand where the fold is. For a value that the
// text does not spell out (!!binary) all bytes stand at the scalar's start.
func (d *Document) Scalar(n *yaml.Node) Places {
	at := d.Offset(n)
	var ps Places
	ok := false
	if at < d.end && n.ShortTag() != "!!binary" {
		switch d.File.Text[at] {
		case '"':
			if d.json {
				ps, ok = d.jsonString(n.Value, at+1)
			} else {
				ps, ok = d.doubleQuoted(n.Value, at+1)
			}
		case '\'':
			ps, ok = d.align(n.Value, at+1, true)
		case '|', '>':
			ps, ok = d.align(n.Value, nextLine(d.File.Text, at, d.end), false)
		default:
			ps, ok = d.align(n.Value, at, false)
		}
	}
	if !ok {
		return Places{{At: at}}
	}
	return ps
}

// align walks a value and its spelling side by side. In plain, single-quoted
// and block scalars folding, indentation and chomping change only white space,
// so all other bytes stand in the text in the same order.
func (d *Document) align(value string, at int, quoted bool) (Places, bool) {
	text := d.File.Text
	var ps Places
	for i := 0; i < len(value); {
		if j := skipSpace(value, i); j > i {
			next := skipBlank(text, at, d.end)
			d.alignSpace(&ps, value, i, j, at, next)
			i, at = j, next
			continue
		}
		// LS and PS are kept while the spaces around them are not.
		for at < d.end && text[at] != value[i] {
			n := blankLength(text, at, d.end)
			if n == 0 {
				break
			}
			at += n
		}
		if at >= d.end || text[at] != value[i] {
			return nil, false
		}
		ps.add(i, at, i > 0 && value[i-1] == '\n')
		if quoted && value[i] == '\'' {
			at++ // a quote is written twice
		}
		i, at = i+1, at+1
	}
	return ps, true
}

// alignSpace places the white space value[i:j], which comes from the white
// space text[at:next]. The first line is matched from its left and the last
// one from its right, for the indentation between them is not in the value.
func (d *Document) alignSpace(ps *Places, value string, i, j, at, next int) {
	text := d.File.Text
	for i < j && at < next {
		if value[i] != '\n' {
			if text[at] != value[i] || i > 0 && value[i-1] == '\n' {
				break
			}
			ps.add(i, at, false)
			i, at = i+1, at+1
			continue
		}
		for at < next && breakLength(text, at, next) == 0 {
			at++
		}
		ps.add(i, at, i > 0 && value[i-1] == '\n')
		i, at = i+1, at+breakLength(text, at, next)
	}
	if j == len(value) {
		return // what follows is no longer part of the scalar
	}
	for k, p := j, next; k > i && p > at && value[k-1] == text[p-1] && value[k-1] != '\n'; {
		k, p = k-1, p-1
		if k == i || p == at || value[k-1] != text[p-1] || value[k-1] == '\n' {
			ps.add(k, p, true)
		}
	}
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') {
		i++
	}
	return i
}

// doubleQuoted decodes the double-quoted scalar whose text begins at at, just
// after the quote, and returns where each byte of its value stands. It
// reports false if the value is not the one that the YAML parser found.
func (d *Document) doubleQuoted(value string, at int) (Places, bool) {
	text := d.File.Text
	var q quoted
	for at < d.end && text[at] != '"' {
		switch {
		case text[at] == '\\' && breakLength(text, at+1, d.end) > 0:
			at += 1 + breakLength(text, at+1, d.end)
			at = q.fold(text, at, d.end, true)
		case text[at] == '\\':
			out, n := escape(text[at:d.end])
			if n == 0 {
				return nil, false
			}
			for i := range len(out) {
				q.put(out[i], at)
			}
			at += n
		case text[at] == ' ' || text[at] == '\t' || breakLength(text, at, d.end) > 0:
			at = q.fold(text, at, d.end, false)
		default:
			q.put(text[at], at)
			at++
		}
	}
	return q.places, string(q.value) == value
}

// quoted is a double-quoted scalar that is being decoded.
type quoted struct {
	value  []byte
	places Places
}

func (q *quoted) put(c byte, at int) {
	q.places.add(len(q.value), at, len(q.value) > 0 && q.value[len(q.value)-1] == '\n')
	q.value = append(q.value, c)
}

// fold reads white space. On one line it is kept. Around line ends spaces
// vanish, one line end becomes a space, and of several the first vanishes.
// After an escaped line end nothing stands for the first one.
func (q *quoted) fold(text []byte, at, end int, joined bool) int {
	next := skipBlank(text, at, end)
	var breaks []int // offsets of the line ends
	for i := at; i < next; {
		n := breakLength(text, i, end)
		if n > 0 {
			breaks = append(breaks, i)
		}
		i += max(n, 1)
	}
	putBreaks := func(breaks []int) {
		for _, b := range breaks {
			if text[b] == 0xE2 { // LS and PS are kept as they are
				for i := range 3 {
					q.put(text[b+i], b+i)
				}
			} else {
				q.put('\n', b)
			}
		}
	}
	switch {
	case joined:
		putBreaks(breaks)
	case len(breaks) == 0:
		for i := at; i < next; i++ {
			q.put(text[i], i)
		}
	case text[breaks[0]] == 0xE2:
		putBreaks(breaks)
	case len(breaks) == 1:
		q.put(' ', breaks[0])
	default:
		putBreaks(breaks[1:])
	}
	return next
}

// escapes of one letter.
func simpleEscape(c byte) string {
	switch c {
	case '0':
		return "\x00"
	case 'a':
		return "\a"
	case 'b':
		return "\b"
	case 't', '\t':
		return "\t"
	case 'n':
		return "\n"
	case 'v':
		return "\v"
	case 'f':
		return "\f"
	case 'r':
		return "\r"
	case 'e':
		return "\x1b"
	case ' ', '"', '\'', '/', '\\':
		return string(c)
	case 'N':
		return "\u0085"
	case '_':
		return "\u00a0"
	case 'L':
		return "\u2028"
	case 'P':
		return "\u2029"
	}
	return ""
}

// escape decodes the escape at the start of text. It returns the length of
// its spelling, or 0 if it is none.
func escape(text []byte) (string, int) {
	if len(text) < 2 {
		return "", 0
	}
	if out := simpleEscape(text[1]); out != "" {
		return out, 2
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 || len(text) < 2+digits {
		return "", 0
	}
	r, err := strconv.ParseUint(string(text[2:2+digits]), 16, 32)
	if err != nil {
		return "", 0
	}
	return string(rune(r)), 2 + digits
}
