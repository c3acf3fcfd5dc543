package contrary

import (
	"slices"
	"strings"
)

// Opposed reports whether what differs between two texts turns one into the
// contrary of the other: a word on the other side, a prefix that negates it, or
// a "not" that only one of them has. The texts are given as their words, in
// lower case.
func Opposed(a, b []string) bool {
	onlyA, onlyB := without(a, b), without(b, a)
	if len(onlyA) == 0 && len(onlyB) == 0 {
		return false
	}
	deniesA, deniesB := denies(onlyA, a, b), denies(onlyB, b, a)
	if deniesA != deniesB {
		// "Could not reach" is "unreachable".
		return !anyPrefixed(onlyA, onlyB) || onSides(asserted(onlyA), asserted(onlyB))
	}
	if deniesA {
		// Both deny: "failed to complete", "could not finish".
		onlyA, onlyB = asserted(onlyA), asserted(onlyB)
	}
	return onSides(onlyA, onlyB) || anyPrefixed(onlyA, onlyB)
}

// anyPrefixed reports whether a word of one list negates one of the other by a
// prefix.
func anyPrefixed(a, b []string) bool {
	return slices.ContainsFunc(a, func(u string) bool {
		return slices.ContainsFunc(b, func(v string) bool { return prefixed(u, v) })
	})
}

// onSides reports whether two lists of words are on both sides of an axis. One
// that is on both sides alone, as "lost connection" is, is on neither.
func onSides(a, b []string) bool {
	x, y := sidesOf(a), sidesOf(b)
	for axis, side := range x {
		if other := y[axis]; side|other == 3 && side != 3 && other != 3 {
			return true
		}
	}
	return false
}

func sidesOf(words []string) map[int]uint8 {
	out := map[int]uint8{}
	for _, w := range words {
		for _, f := range forms(w) {
			for _, s := range sides[f] {
				out[s.axis] |= s.side
			}
		}
	}
	return out
}

// asserted returns the words that do not deny anything.
func asserted(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return negatives[plain(w)] || isFailure(w) })
}

// denies reports whether the words that only one text has deny the rest: a
// negative does; a failure does unless the text and the other one deny already.
func denies(only, own, other []string) bool {
	failed := false
	for i, w := range only {
		if negatives[plain(w)] || w == "out" && i+2 < len(only) && only[i+1] == "of" && outOf[only[i+2]] {
			return true
		}
		failed = failed || isFailure(w)
	}
	if !failed {
		return false
	}
	// Words that both texts have say whether it is denied anyway.
	return !slices.ContainsFunc(own, func(w string) bool {
		return slices.Contains(other, w) && (negatives[plain(w)] || isFailure(w))
	})
}

func isFailure(w string) bool {
	return slices.ContainsFunc(forms(w), func(f string) bool { return failures[f] })
}

// prefixed reports whether one of two words negates the other by a prefix.
func prefixed(u, v string) bool {
	for _, f := range forms(u) {
		for _, g := range forms(v) {
			if negated(f, g) || negated(g, f) {
				return true
			}
		}
	}
	return false
}

// negated reports whether long is short behind a prefix that negates it.
func negated(short, long string) bool {
	if len(short) < 4 {
		return false
	}
	rest, ok := strings.CutSuffix(long, short)
	if !ok {
		return false
	}
	rest = strings.TrimSuffix(rest, "-")
	return slices.Contains(prefixes[:], rest)
}

// plain returns a word without apostrophes, so that "can't" is "cant".
func plain(w string) string {
	return strings.ReplaceAll(strings.ReplaceAll(w, "'", ""), "\u2019", "")
}

// forms returns a word and what may be its base form.
func forms(w string) []string {
	w = plain(w)
	out := []string{w}
	add := func(f string) {
		if len(f) >= 2 && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, end := range [...]string{"ing", "ed", "es", "s", "d", "ly", "able"} {
		stem, ok := strings.CutSuffix(w, end)
		if !ok || len(stem) < 2 {
			continue
		}
		add(stem)
		if end == "s" || end == "d" || end == "ly" {
			continue
		}
		add(stem + "e")
		if n := len(stem); n > 3 && stem[n-1] == stem[n-2] {
			add(stem[:n-1]) // stopped
		}
		if s, ok := strings.CutSuffix(stem, "i"); ok {
			add(s + "y") // denied
		}
		if s, ok := strings.CutSuffix(stem, "y"); ok && end == "ing" {
			add(s + "ie") // dying
		}
	}
	return out
}

// without returns the words of a that b lacks, or has fewer times.
func without(a, b []string) []string {
	rest := slices.Clone(b)
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool {
		i := slices.Index(rest, w)
		if i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
		return i >= 0
	})
}
