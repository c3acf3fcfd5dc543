package panics

import (
	"slices"
	"strings"
)

// A Known is a panic as far as it tells which other is the same.
type Known struct {
	Signature, Kind string
	Frames          []Frame
	Partial         bool // the stack was cut, or there is none
}

// Unify returns the signature of each panic once all are known. A panic with
// part of a stack, or with none, takes the signature of the only one of its kind
// that its frames begin as; one whose value has words before it that a
// recoverer put there, that of the one with the same frames without them.
func Unify(all []Known) []string {
	type seen struct {
		kind, signature string
		keys            []string
	}
	var whole []seen
	keys := make([][]string, len(all))
	for i, k := range all {
		keys[i] = identity(k.Kind, k.Frames)
		if !slices.ContainsFunc(whole, func(s seen) bool { return s.signature == k.Signature }) && len(keys[i]) > 0 {
			whole = append(whole, seen{k.Kind, k.Signature, keys[i]})
		}
	}
	out := make([]string, len(all))
	for i, k := range all {
		out[i] = k.Signature
		var matches []seen
		for _, w := range whole {
			if w.signature == k.Signature {
				continue
			}
			sameKind := w.kind == k.Kind
			if k.Partial && sameKind && len(keys[i]) < len(w.keys) && slices.Equal(w.keys[:len(keys[i])], keys[i]) ||
				!sameKind && len(keys[i]) > 0 && slices.Equal(w.keys, keys[i]) && strings.HasSuffix(k.Kind, ": "+w.kind) && w.kind != "" ||
				told(k.Kind) < told(w.kind) && len(keys[i]) > 0 && slices.Equal(w.keys, keys[i]) {
				matches = append(matches, w)
			}
		}
		// Of stacks that begin one another, the longest is the whole one.
		slices.SortFunc(matches, func(a, b seen) int { return len(b.keys) - len(a.keys) })
		if len(matches) > 0 && !slices.ContainsFunc(matches, func(s seen) bool {
			return s.kind != matches[0].kind || !slices.Equal(s.keys, matches[0].keys[:len(s.keys)])
		}) {
			out[i] = matches[0].signature
		}
	}
	return out
}

// told says how much a kind shows of the value: nothing, its type, or itself.
func told(kind string) int {
	switch {
	case kind == "":
		return 0
	case opaque(kind):
		return 1
	}
	return 2
}

// opaque reports whether a kind is a type and an address: so the runtime
// prints what is neither error nor basic.
func opaque(kind string) bool {
	return strings.HasPrefix(kind, "(") && strings.HasSuffix(kind, ") <*>")
}
