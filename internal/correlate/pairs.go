package correlate

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/profile"
)

func cutProperty(s string) (kind, key string) {
	kind, key, _ = strings.Cut(s, ":")
	return kind, key
}

// learnPairs finds the things that are linked, each link by all its ways.
func (k *Known) learnPairs() {
	for i, l := range k.profile.Links {
		from, to := k.index(l.From), k.index(l.To)
		k.ways = append(k.ways, make([]int, len(l.By)))
		for w := range l.By {
			way := &l.By[w]
			seen := map[pair]bool{}
			add := func(p pair) bool {
				if seen[p] {
					return true
				}
				if len(k.pairs) >= maxPairs {
					k.note("more than %d pairs of things are linked; the others are left out", maxPairs)
					return false
				}
				seen[p] = true
				k.pairs[p] = i
				k.ways[i][w]++
				return true
			}
			switch {
			case way.Owner == l.From:
				k.owned(to, from, func(child, owner int32) bool { return add(pair{owner, child}) })
			case way.Owner == l.To:
				k.owned(from, to, func(child, owner int32) bool { return add(pair{child, owner}) })
			case way.Same != "":
				k.equal(from, to, "namespace/name", "namespace/name", func(a, b int32) bool { return add(pair{a, b}) })
			case way.On == l.From:
				k.equal(from, to, property(way), way.Is, func(a, b int32) bool { return add(pair{a, b}) })
			default:
				k.equal(to, from, property(way), way.Is, func(a, b int32) bool { return add(pair{b, a}) })
			}
		}
	}
}

func property(w *profile.Way) string {
	switch {
	case w.Label != "":
		return "label:" + w.Label
	case w.Annotation != "":
		return "annotation:" + w.Annotation
	}
	return "path:" + w.Path
}

func (k *Known) index(entity string) int {
	return slices.IndexFunc(k.profile.Entities, func(e profile.Entity) bool { return e.Name == entity })
}

// owned calls add for each thing of one kind and its owner of another, until
// add returns false.
func (k *Known) owned(child, owner int, add func(child, owner int32) bool) {
	byUID := map[string]int32{}
	for _, n := range k.byKind[owner] {
		byUID[k.things[n].uid] = n
	}
	for _, n := range k.byKind[child] {
		for _, o := range k.things[n].versions {
			for _, ref := range o.Owners {
				if of, ok := byUID[ref.UID]; ok && ref.UID != "" && !add(n, of) {
					return
				}
			}
		}
	}
}

// equal calls add for each two things of which a property of the one is equal
// to a property of the other, until add returns false.
func (k *Known) equal(a, b int, ofA, ofB string, add func(a, b int32) bool) {
	byValue := map[string][]int32{}
	for _, n := range k.byKind[b] {
		for _, v := range k.things[n].values(ofB) {
			if v != "" {
				byValue[v] = append(byValue[v], n)
			}
		}
	}
	anywhere := ofB == "uid"
	ra, rb := k.profile.Entities[a].Cluster, k.profile.Entities[b].Cluster
	across := ra != "" && rb != "" && ra != rb
	for _, n := range k.byKind[a] {
		ta := &k.things[n]
		for _, v := range ta.values(ofA) {
			for _, m := range byValue[v] {
				tb := &k.things[m]
				switch {
				case n == m:
				case !anywhere && !across && ta.cluster != tb.cluster:
				case !anywhere && ta.namespace != tb.namespace && ta.namespace != "" && tb.namespace != "" && ofB == "name":
				case !add(n, m):
					return
				}
			}
		}
	}
}

// wayText says how a way links things, in words.
func (k *Known) wayText(w *profile.Way) string {
	title := func(name string) string { return k.profile.Entity(name).Title }
	switch {
	case w.Owner != "":
		return "owner reference to the " + title(w.Owner)
	case w.Same != "":
		return "same namespace and name"
	case w.Label != "":
		return "label " + w.Label + " of the " + title(w.On)
	case w.Annotation != "":
		return "annotation " + w.Annotation + " of the " + title(w.On)
	}
	return "field " + w.Path + " of the " + title(w.On)
}
