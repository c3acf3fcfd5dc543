package messages

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// appendUnescaped appends the text of a quoted string, without its quotes, to
// dst: the escapes of JSON and of Go. An escape that is neither stays as it is
// written.
func appendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 || i+1 == len(raw) {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		switch c := raw[1]; c {
		case 'n':
			dst, raw = append(dst, '\n'), raw[2:]
		case 't':
			dst, raw = append(dst, '\t'), raw[2:]
		case 'r':
			dst, raw = append(dst, '\r'), raw[2:]
		case 'b':
			dst, raw = append(dst, '\b'), raw[2:]
		case 'f':
			dst, raw = append(dst, '\f'), raw[2:]
		case 'a':
			dst, raw = append(dst, '\a'), raw[2:]
		case 'v':
			dst, raw = append(dst, '\v'), raw[2:]
		case '"', '\\', '/', '\'':
			dst, raw = append(dst, c), raw[2:]
		case 'x', 'u', 'U':
			dst, raw = appendCoded(dst, raw)
		default:
			dst, raw = append(dst, '\\'), raw[1:]
		}
	}
}

// appendCoded appends the character that raw begins with, as \xhh, \uhhhh or
// \Uhhhhhhhh, and returns what follows.
func appendCoded(dst, raw []byte) (text, rest []byte) {
	digits := 2
	switch raw[1] {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	}
	r, ok := hex(raw, 2, digits)
	if !ok {
		return append(dst, raw[0]), raw[1:]
	}
	rest = raw[2+digits:]
	if digits == 2 {
		return append(dst, byte(r)), rest
	}
	if utf16.IsSurrogate(r) && len(rest) > 1 && rest[0] == '\\' && rest[1] == 'u' {
		if low, ok := hex(rest, 2, 4); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return utf8.AppendRune(dst, pair), rest[6:]
			}
		}
	}
	return utf8.AppendRune(dst, r), rest
}

func hex(b []byte, from, n int) (rune, bool) {
	if len(b) < from+n {
		return 0, false
	}
	var r uint32
	for _, c := range b[from : from+n] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | uint32(c)
	}
	return rune(r & 0x7fffffff), true
}
