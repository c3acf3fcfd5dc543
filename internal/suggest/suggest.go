// Package suggest finds the word that a mistyped one was probably meant to be.
package suggest

import (
	"slices"
	"strings"
)

// maxLength bounds the words that are compared: the cost grows with the
// product of the lengths.
const maxLength = 128

// Nearest returns the candidate that is closest to word, or the empty string
// if none is close. Letter case is ignored, a swap of two neighbours counts
// as one edit, and up to a third of the letters may be wrong. Of equally close
// candidates the first in byte order is returned.
func Nearest(word string, candidates []string) string {
	if len(word) > maxLength {
		return ""
	}
	limit := max(1, len(word)/3)
	best, bestDistance := "", limit+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if c == "" || len(c) > maxLength {
			continue
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// Hint returns "did you mean x?" for the nearest candidate, or the empty
// string.
func Hint(word string, candidates []string) string {
	if c := Nearest(word, candidates); c != "" {
		return "did you mean " + c + "?"
	}
	return ""
}

// distance counts the inserts, deletes, replacements and swaps of neighbours
// that turn a into b (optimal string alignment).
func distance(a, b string) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
