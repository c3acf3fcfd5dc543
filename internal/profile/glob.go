package profile

import (
	"strings"
	"unicode/utf8"
)

// Glob reports whether the pattern, in which * stands for any characters and
// ? for one, matches all of s. An empty pattern matches everything.
func Glob(pattern, s string) bool {
	if pattern == "" {
		return true
	}
	// The place to go back to is behind the last star: earlier stars need
	// never match more.
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			_, n := utf8.DecodeRuneInString(s[i:])
			p, i = p+1, i+n
		case p < len(pattern) && pattern[p] == s[i]:
			p, i = p+1, i+1
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
