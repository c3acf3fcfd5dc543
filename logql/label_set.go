package logql

import (
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
)

// A labelSet is the labels of a series. Within a grid equal sets are one
// labelSet, so that series are compared by address.
type labelSet struct{ labels logs.Labels }

// labelSets holds the label sets of the series of a grid.
type labelSets struct {
	byKey  map[string]*labelSet
	empty  *labelSet
	buf    []byte
	enough int // sets at which it pays to look for those no longer in use
}

// fewSets is how many label sets are kept without looking whether they are in
// use.
const fewSets = 1024

func newLabelSets() *labelSets {
	s := &labelSets{byKey: make(map[string]*labelSet), enough: fewSets}
	s.empty = s.intern(nil)
	return s
}

// keep lets go of all sets but those in use. Nodes must have forgotten theirs.
func (s *labelSets) keep(inUse map[*labelSet]struct{}) {
	for key, set := range s.byKey {
		if _, ok := inUse[set]; !ok && set != s.empty {
			delete(s.byKey, key)
		}
	}
	s.enough = max(fewSets, 2*len(s.byKey))
}

// intern returns the set of the given labels, which must be sorted by name.
func (s *labelSets) intern(ls []label) *labelSet {
	s.buf = appendLabelsKey(s.buf[:0], ls)
	if set := s.byKey[string(s.buf)]; set != nil {
		return set
	}
	set := &labelSet{copyLabels(ls)}
	s.byKey[string(s.buf)] = set
	return set
}

// internLabels is intern for labels that are never changed.
func (s *labelSets) internLabels(ls logs.Labels) *labelSet {
	s.buf = appendSetKey(s.buf[:0], ls)
	if set := s.byKey[string(s.buf)]; set != nil {
		return set
	}
	set := &labelSet{ls}
	s.byKey[string(s.buf)] = set
	return set
}

// appendLabelsKey appends a text that equal lists of labels share.
func appendLabelsKey(dst []byte, ls []label) []byte {
	for _, l := range ls {
		dst = appendKeyPart(appendKeyPart(dst, l.name), l.value)
	}
	return dst
}

// appendSetKey is appendLabelsKey for a label set.
func appendSetKey(dst []byte, ls logs.Labels) []byte {
	for _, l := range ls {
		dst = appendKeyPart(appendKeyPart(dst, l.Name), l.Value)
	}
	return dst
}

// appendKeyPart appends the length of b and b itself, so that no text can
// look like two.
func appendKeyPart[T string | []byte](dst []byte, b T) []byte {
	n := len(b)
	for n >= 0x80 {
		dst = append(dst, byte(n)|0x80)
		n >>= 7
	}
	return append(append(dst, byte(n)), b...)
}

// keep returns the labels of ls that the grouping leaves, empty ones too.
func (g *grouping) keep(ls logs.Labels) logs.Labels {
	out := make(logs.Labels, 0, len(ls))
	for _, l := range ls {
		if g.has(l.Name) != g.without {
			out = append(out, l)
		}
	}
	return slices.Clip(out)
}

// withoutEmpty returns ls without labels that are empty. Operations that build
// new label sets lose them, those that only choose labels do not.
func withoutEmpty(ls logs.Labels) logs.Labels {
	isEmpty := func(l logs.Label) bool { return l.Value == "" }
	if !slices.ContainsFunc(ls, isEmpty) {
		return ls
	}
	return slices.DeleteFunc(slices.Clone(ls), isEmpty)
}
