// Package logs holds the two values that every part of stillfires passes on:
// a set of labels and a log entry.
package logs

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A Label is one name and value.
type Label struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Labels is a set of labels, sorted by name, each name once. Make one with
// [New] or [FromMap]; a Labels value is never changed after that.
type Labels []Label

// New returns the labels in ls as a set. Of two with one name the last stays.
func New(ls ...Label) Labels {
	out := slices.Clone(ls)
	slices.SortStableFunc(out, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	kept := out[:0]
	for i, l := range out {
		if i+1 < len(out) && out[i+1].Name == l.Name {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}

// FromMap returns the pairs of m as a set.
func FromMap(m map[string]string) Labels {
	out := make(Labels, 0, len(m))
	for n, v := range m {
		out = append(out, Label{n, v})
	}
	slices.SortFunc(out, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Get returns the value of the label called name, or "" when there is none.
func (ls Labels) Get(name string) string {
	v, _ := ls.Lookup(name)
	return v
}

// Lookup returns the value of the label called name and reports whether the
// set has it.
func (ls Labels) Lookup(name string) (string, bool) {
	for _, l := range ls {
		if l.Name == name {
			return l.Value, true
		}
	}
	return "", false
}

// Map returns the labels as a new map.
func (ls Labels) Map() map[string]string {
	m := make(map[string]string, len(ls))
	for _, l := range ls {
		m[l.Name] = l.Value
	}
	return m
}

// Compare orders sets name by name, then value by value; a set comes after
// any set that is its beginning.
func (ls Labels) Compare(other Labels) int {
	return slices.CompareFunc(ls, other, func(a, b Label) int {
		if c := cmp.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return cmp.Compare(a.Value, b.Value)
	})
}

// String prints the set as a stream selector: {app="kueue", pod="a"}.
func (ls Labels) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, l := range ls {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(l.Name)
		b.WriteByte('=')
		b.WriteString(strconv.Quote(l.Value))
	}
	b.WriteByte('}')
	return b.String()
}

// An Entry is one record of a log stream.
type Entry struct {
	Time     int64  // nanoseconds since the epoch
	Line     []byte // without the line end; valid until the owner's next step
	Metadata Labels // structured metadata; nil for almost all logs
}
