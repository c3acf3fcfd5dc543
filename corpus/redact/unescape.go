package redact

import (
	"unicode/utf16"
	"unicode/utf8"
)

// A unit is what one byte, or one escape, of a quoted text stands for.
type unit struct {
	size int // bytes of the quoted text
	n    int // bytes of the text it stands for
	text [utf8.UTFMax]byte
}

// unitAt reads the unit at the beginning of b, which is not empty. It knows
// the escapes of JSON and of Go; a backslash that begins none stands for
// itself.
func unitAt(b []byte) unit {
	if b[0] != '\\' || len(b) < 2 {
		return unit{size: 1, n: 1, text: [4]byte{b[0]}}
	}
	one := func(c byte) unit { return unit{size: 2, n: 1, text: [4]byte{c}} }
	switch b[1] {
	case 'n':
		return one('\n')
	case 't':
		return one('\t')
	case 'r':
		return one('\r')
	case 'b':
		return one('\b')
	case 'f':
		return one('\f')
	case 'a':
		return one('\a')
	case 'v':
		return one('\v')
	case '"', '\\', '/', '\'':
		return one(b[1])
	case 'x':
		if v, ok := hexAt(b, 2, 2); ok {
			return unit{size: 4, n: 1, text: [4]byte{byte(v)}}
		}
	case 'u':
		if v, ok := hexAt(b, 2, 4); ok {
			size := 6
			if utf16.IsSurrogate(v) && len(b) > 7 && b[6] == '\\' && b[7] == 'u' {
				if low, ok := hexAt(b, 8, 4); ok && utf16.DecodeRune(v, low) != utf8.RuneError {
					v, size = utf16.DecodeRune(v, low), 12
				}
			}
			return runeUnit(v, size)
		}
	case 'U':
		if v, ok := hexAt(b, 2, 8); ok {
			return runeUnit(v, 10)
		}
	}
	return unit{size: 1, n: 1, text: [4]byte{'\\'}}
}

func runeUnit(r rune, size int) unit {
	u := unit{size: size}
	u.n = utf8.EncodeRune(u.text[:], r)
	return u
}

func hexAt(b []byte, at, n int) (rune, bool) {
	if len(b) < at+n {
		return 0, false
	}
	v := rune(0)
	for _, c := range b[at : at+n] {
		d := hexDigit(c)
		if d < 0 {
			return 0, false
		}
		v = v<<4 | rune(d)
	}
	return v, true
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// unescape appends what quoted stands for.
func unescape(dst, quoted []byte) []byte {
	for i := 0; i < len(quoted); {
		u := unitAt(quoted[i:])
		dst = append(dst, u.text[:u.n]...)
		i += u.size
	}
	return dst
}

// mapBack turns spans of what quoted stands for, in order, into spans of
// quoted. None begins or ends within an escape.
func mapBack(quoted []byte, spans []span) {
	i, at := 0, 0 // in quoted, and in its text
	step := func() {
		u := unitAt(quoted[i:])
		i, at = i+u.size, at+u.n
	}
	for k := range spans {
		s := &spans[k]
		for i < len(quoted) && at+unitAt(quoted[i:]).n <= s.start {
			step()
		}
		from := i
		for i < len(quoted) && at < s.end {
			step()
		}
		s.start, s.end = from, i
		s.level++
	}
}
