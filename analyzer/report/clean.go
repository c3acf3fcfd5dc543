package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from logs and rule files safe to show in one line: ANSI
// sequences, control and format characters (also those that turn the writing
// direction) are dropped, line ends and tabs become spaces, and invalid UTF-8
// becomes U+FFFD.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if n := ansi(s[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		switch {
		case r == '\n' || r == '\t' || r == '\r' || r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case unicode.Is(unicode.C, r) && r != utf8.RuneError, isHidden(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isClean reports whether s is printable ASCII only, as almost all of it is.
func isClean(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// isHidden reports whether r takes no room, so that it can hide in a text
// although Unicode does not count it as a control or format character.
func isHidden(r rune) bool {
	return r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' ||
		r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

// ansi returns the length of the escape sequence that s begins with; 0 when
// there is none. An unfinished sequence ends with the text or, so that it
// cannot swallow much, after 64 bytes.
func ansi(s string) int {
	const longest = 64
	rest, ok := strings.CutPrefix(s, "\x1b")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "\u009b"); !ok {
			return 0
		}
		rest = "[" + rest
		return len("\u009b") - 1 + sequence(rest, longest)
	}
	return 1 + sequence(rest, longest)
}

// sequence returns the length of what follows an escape character.
func sequence(s string, longest int) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '[': // parameters, then one final byte
		for i := 1; i < min(len(s), longest); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return i
			}
		}
		return min(len(s), longest)
	case ']', 'P', '^', '_', 'X': // a string, ended by BEL or ESC \
		for i := 1; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			if s[i] == '\n' || i == 1024 {
				return i
			}
		}
		return len(s)
	}
	if s[0] >= 0x20 && s[0] <= 0x7e {
		return 1
	}
	return 0
}
