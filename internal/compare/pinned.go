package compare

import (
	"path/filepath"
	"slices"
)

// pinned compares the digest of a side's corpus with the one that the review
// file pins. A corpus that is named on the command line alone is not pinned,
// which is said.
func (o *Options) pinned(s *side) error {
	f := o.Review
	if f == nil || len(f.Digests) == 0 {
		return nil
	}
	got := s.digest
	d := f.Pinned(s.corpus.Dir)
	if d == nil {
		for i := range f.Digests {
			if f.Digests[i].Digest == got {
				return nil // the same evidence, elsewhere or packed
			}
		}
		s.note = filepath.ToSlash(s.corpus.Dir) + ": the review file pins no digest of this corpus; it was compared as it is, with the digest " + got
		return nil
	}
	if d.Digest == got {
		return nil
	}
	return d.Drifted(got, f.Path)
}

// pinNotes returns what is to be said of the corpora, each once.
func pinNotes(sides ...*side) []string {
	var out []string
	for _, s := range sides {
		if s.note != "" && !slices.Contains(out, s.note) {
			out = append(out, s.note)
		}
	}
	return out
}
