package logql

import (
	"bytes"
	"unicode/utf8"
)

// isNameByte reports whether c may stand in a label name.
var isNameByte = [256]bool{
	'_': true,
	'0': true, '1': true, '2': true, '3': true, '4': true,
	'5': true, '6': true, '7': true, '8': true, '9': true,
	'A': true, 'B': true, 'C': true, 'D': true, 'E': true, 'F': true, 'G': true,
	'H': true, 'I': true, 'J': true, 'K': true, 'L': true, 'M': true, 'N': true,
	'O': true, 'P': true, 'Q': true, 'R': true, 'S': true, 'T': true, 'U': true,
	'V': true, 'W': true, 'X': true, 'Y': true, 'Z': true,
	'a': true, 'b': true, 'c': true, 'd': true, 'e': true, 'f': true, 'g': true,
	'h': true, 'i': true, 'j': true, 'k': true, 'l': true, 'm': true, 'n': true,
	'o': true, 'p': true, 'q': true, 'r': true, 's': true, 't': true, 'u': true,
	'v': true, 'w': true, 'x': true, 'y': true, 'z': true,
}

// isLabelName reports whether key can be a label name as it stands.
func isLabelName(key []byte) bool {
	if len(key) == 0 || isDigit(key[0]) {
		return false
	}
	for _, c := range key {
		if !isNameByte[c] {
			return false
		}
	}
	return true
}

// sanitizeLabelName returns the label name that a parser gives to key.
func sanitizeLabelName(key string) string {
	return string(appendLabelName(nil, []byte(key)))
}

// appendLabelName appends key to dst, which holds the label name so far:
// blanks around key are dropped, every character that a name cannot hold
// becomes one '_' (a byte that is not UTF-8 counts as a character), and a name
// that would begin with a digit gets a '_' before it.
func appendLabelName(dst, key []byte) []byte {
	key = bytes.TrimSpace(key)
	if len(key) == 0 {
		return dst
	}
	if len(dst) == 0 && isDigit(key[0]) {
		dst = append(dst, '_')
	}
	for i := 0; i < len(key); {
		c := key[i]
		if c < utf8.RuneSelf {
			if !isNameByte[c] {
				c = '_'
			}
			dst = append(dst, c)
			i++
			continue
		}
		_, n := utf8.DecodeRune(key[i:])
		dst = append(dst, '_')
		i += n
	}
	return dst
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
