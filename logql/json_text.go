package logql

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

// jsonStringEnd returns the place of the quote that ends the string whose
// inside begins at line[i], or -1, and whether the inside has escapes and
// bytes beyond ASCII. It looks at eight bytes at a time, which halves the time
// of a scan against a loop over bytes.
func jsonStringEnd(line []byte, i int) (end int, escaped, high bool) {
	var seen uint64
	for i+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[i:])
		quote := w ^ ('"' * everyByte)
		slash := w ^ ('\\' * everyByte)
		// The lowest set bit marks the first byte that is zero in either.
		hit := ((quote - everyByte) &^ quote & highBits) | ((slash - everyByte) &^ slash & highBits)
		if hit == 0 {
			seen |= w
			i += 8
			continue
		}
		n := bits.TrailingZeros64(hit) >> 3
		seen |= w & (1<<(8*n) - 1)
		i += n
		if line[i] == '"' {
			return i, escaped, seen&highBits != 0
		}
		escaped = true
		i += 2
	}
	for i < len(line) {
		switch c := line[i]; c {
		case '"':
			return i, escaped, seen&highBits != 0
		case '\\':
			escaped = true
			i += 2
		default:
			seen |= uint64(c)
			i++
		}
	}
	return -1, escaped, seen&highBits != 0
}

// jsonStringSkip returns the place after the string whose inside begins at
// line[i], or -1.
func jsonStringSkip(line []byte, i int) int {
	for i+8 <= len(line) {
		w := binary.LittleEndian.Uint64(line[i:])
		quote := w ^ ('"' * everyByte)
		slash := w ^ ('\\' * everyByte)
		hit := ((quote - everyByte) &^ quote & highBits) | ((slash - everyByte) &^ slash & highBits)
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit)>>3 + 1
		if line[i-1] == '"' {
			return i
		}
		i++
	}
	for i < len(line) {
		switch line[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return -1
}

// escapeStyle tells apart how strictly the escapes of a string are read.
type escapeStyle int

const (
	// jsonEscapes refuses half of a surrogate pair.
	jsonEscapes escapeStyle = iota
	// logfmtEscapes takes \' too, and reads half of a surrogate pair as the
	// replacement character.
	logfmtEscapes
)

// appendUnescaped appends raw with its escapes resolved and reports whether
// all of them are sound.
func appendUnescaped(dst, raw []byte, style escapeStyle) ([]byte, bool) {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return append(dst, raw...), true
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i+1:]
		if len(raw) == 0 {
			return dst, false
		}
		c := raw[0]
		raw = raw[1:]
		switch c {
		case '"', '\\', '/':
		case '\'':
			if style != logfmtEscapes {
				return dst, false
			}
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, n := decodeEscapedRune(raw)
			if n == 0 || style == jsonEscapes && utf16.IsSurrogate(r) {
				return dst, false
			}
			dst = utf8.AppendRune(dst, r)
			raw = raw[n:]
			continue
		default:
			return dst, false
		}
		dst = append(dst, c)
	}
}

// decodeEscapedRune reads what follows \u: four hexadecimal digits, and for
// the first half of a surrogate pair the escape of the second. It returns how
// many bytes it took, 0 when the digits are broken. Half of a pair comes back
// as itself, which is no valid rune.
func decodeEscapedRune(b []byte) (rune, int) {
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) || len(b) < 10 || b[4] != '\\' || b[5] != 'u' {
		return r, 4
	}
	low, ok := hex4(b[6:])
	if !ok {
		return r, 4
	}
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return pair, 10
	}
	return r, 4
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// hasRuneError reports whether b is not UTF-8 or holds the replacement
// character.
func hasRuneError(b []byte) bool {
	return !utf8.Valid(b) || bytes.Contains(b, []byte("\ufffd"))
}

// appendValidUTF8 appends b with a blank for every replacement character and
// every byte that is not UTF-8.
func appendValidUTF8(dst, b []byte) []byte {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError {
			dst = append(dst, ' ')
		} else {
			dst = append(dst, b[:n]...)
		}
		b = b[n:]
	}
	return dst
}
