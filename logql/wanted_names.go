package logql

import "bytes"

// A nameSet is the names of the fields that somebody looks at. Most fields of
// a line are not in it, and most of these are ruled out by their length and
// last byte.
type nameSet struct {
	names [][]byte
	slots uint64    // of the names
	first [64]int16 // by slot: a name, counted from 1; 0: none
	next  []int16   // by name: another one of its slot
	under uint64    // slots of what stands before a '_' in the names
}

// noNames is the set of nothing.
var noNames = new(nameSet)

// maxNames is how many names are told apart: with more, all are wanted.
const maxNames = 1000

func newNameSet(names []string) *nameSet {
	s := new(nameSet)
	for _, name := range names {
		if name == "" {
			continue
		}
		if len(s.names) == maxNames {
			return nil
		}
		slot := endSlot(len(name), name[len(name)-1])
		s.slots |= 1 << slot
		s.names = append(s.names, []byte(name))
		s.next = append(s.next, s.first[slot])
		s.first[slot] = int16(len(s.names))
		for i := 1; i < len(name); i++ {
			if name[i] == '_' {
				s.under |= 1 << endSlot(i, name[i-1])
			}
		}
	}
	return s
}

// endSlot spreads names over 64 slots by their length and last byte.
func endSlot(n int, last byte) uint8 { return (uint8(n)*13 + last) & 63 }

// mayHave reports whether the set may have a name of length n that ends with
// the byte last. A nil set has all names.
func (s *nameSet) mayHave(n int, last byte) bool {
	return s == nil || s.slots&(1<<endSlot(n, last)) != 0
}

// find returns the name as it stands in the set, in memory that lasts, or nil.
func (s *nameSet) find(name []byte) []byte {
	if len(name) == 0 {
		return nil
	}
	for i := s.first[endSlot(len(name), name[len(name)-1])]; i > 0; i = s.next[i-1] {
		if x := s.names[i-1]; bytes.Equal(x, name) {
			return x
		}
	}
	return nil
}

// inside returns the set to look at in an object called name: nothing if no
// name begins with name and '_'.
func (s *nameSet) inside(name []byte) *nameSet {
	n := len(name)
	if s == nil || n == 0 {
		return s
	}
	if s.under&(1<<endSlot(n, name[n-1])) != 0 {
		for _, x := range s.names {
			if len(x) > n && x[n] == '_' && bytes.HasPrefix(x, name) {
				return s
			}
		}
	}
	return noNames
}
