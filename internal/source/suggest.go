package source

import (
	"fmt"
	"strings"
)

// Suggest returns `; did you mean "x"?` for the name in known that is nearest
// to got, or "" when none is near enough to be a likely slip.
func Suggest(got string, known []string) string {
	best, bestDistance := "", 1+max(1, len(got)/3)
	for _, k := range known {
		if d := distance(strings.ToLower(got), strings.ToLower(k)); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the single-byte edits that turn a into b, a swap of
// neighbours as one. Long names are not compared: it is for slips of the
// fingers.
func distance(a, b string) int {
	const limit = 100
	if len(a) > limit || len(b) > limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
