package messages

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// maxPlaces bounds the places of calls that are told apart of one kind.
const maxPlaces = 8

// place counts n records that a call at a place wrote.
func (k *kind) place(at []byte, n int64) {
	if len(at) == 0 {
		return
	}
	for i := range k.places {
		if k.places[i].At == string(at) {
			k.places[i].Count += n
			return
		}
	}
	if len(k.places) < maxPlaces && len(at) <= maxNameBytes {
		k.places = append(k.places, outcome.Place{At: strings.ToValidUTF8(string(at), "\uFFFD"), Count: n})
	}
}

func (k *kind) listPlaces() []outcome.Place {
	slices.SortFunc(k.places, func(a, b outcome.Place) int { return cmp.Compare(a.At, b.At) })
	return k.places
}
