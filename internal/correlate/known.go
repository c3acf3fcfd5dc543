package correlate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// Bounds of what is learned of one run.
const (
	maxThings = 50_000
	maxPairs  = 500_000
	maxValues = 64 // of one path into one object
)

// Known is what the objects of a run show: the things that there are and how
// they are linked.
type Known struct {
	profile *profile.Correlation
	name    string // of the profile
	things  []thing
	byKind  [][]int32 // things of each entity of the profile
	pairs   map[pair]int
	ways    [][]int // for each link and way, the pairs that it shows
	notes   []string
	// roles holds the role of each cluster, by name.
	roles map[string]string
}

// A thing is one object, or something that objects only name.
type thing struct {
	kind                     int // index of its entity
	cluster, namespace, name string
	uid                      string
	versions                 []*facts.Object // at all moments
}

// A pair is two things that are linked: indices into Known.things, in the
// direction of the link.
type pair struct{ from, to int32 }

// Learn reads the things that there are from recorded objects. It returns nil
// where there is nothing to learn.
func Learn(p *profile.Profile, f *facts.Facts) *Known {
	if p == nil || p.Correlation == nil || f == nil || len(f.Objects) == 0 {
		return nil
	}
	k := &Known{
		profile: p.Correlation, name: p.Name, pairs: map[pair]int{},
		byKind: make([][]int32, len(p.Correlation.Entities)),
	}
	k.learnRoles(f.Objects)
	k.learnThings(f.Objects)
	k.learnNamed()
	k.learnPairs()
	for i, e := range k.profile.Entities {
		if len(k.byKind[i]) == 0 {
			k.note("no %s was recorded, so nothing is said of where logs name one", e.Title)
		}
	}
	return k
}

func (k *Known) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(k.notes, text) {
		k.notes = append(k.notes, text)
	}
}

// learnRoles finds the part that each cluster plays.
func (k *Known) learnRoles(objects []facts.Object) {
	k.roles = k.profile.Roles(objects)
	taken := slices.Collect(maps.Values(k.roles))
	for _, r := range k.profile.Clusters {
		if !slices.Contains(taken, r.Name) {
			k.note("of no recorded cluster the objects show that it is the %s cluster", r.Name)
		}
	}
}

// learnThings makes one thing of all versions of an object.
func (k *Known) learnThings(objects []facts.Object) {
	type id struct{ cluster, kind, namespace, name, uid string }
	seen := map[id]int32{}
	for i := range objects {
		o := &objects[i]
		kind := k.profile.EntityOf(o, k.roles[o.Cluster])
		if kind < 0 || o.Name == "" {
			continue
		}
		key := id{cluster: o.Cluster, uid: o.UID, kind: profile.KindOf(o)}
		if o.UID == "" {
			key.namespace, key.name = o.Namespace, o.Name
		}
		n, ok := seen[key]
		if !ok {
			if n = k.add(thing{kind: kind, cluster: o.Cluster, namespace: o.Namespace, name: o.Name, uid: o.UID}); n < 0 {
				return
			}
			seen[key] = n
		}
		k.things[n].versions = append(k.things[n].versions, o)
	}
}

// add returns the index of the new thing; negative: there are too many.
func (k *Known) add(t thing) int32 {
	if len(k.things) >= maxThings {
		k.note("more than %d things were recorded; the others are left out", maxThings)
		return -1
	}
	n := int32(len(k.things))
	k.things = append(k.things, t)
	k.byKind[t.kind] = append(k.byKind[t.kind], n)
	return n
}

// learnNamed adds what fields of objects name and no object is.
func (k *Known) learnNamed() {
	type id struct {
		kind          int
		cluster, name string
	}
	have := map[id]bool{}
	for _, t := range k.things {
		have[id{t.kind, t.cluster, t.name}] = true
	}
	for kind, e := range k.profile.Entities {
		for _, by := range e.NamedBy {
			on := slices.IndexFunc(k.profile.Entities, func(e profile.Entity) bool { return e.Name == by.On })
			for _, n := range k.byKind[on] {
				t := k.things[n]
				for _, name := range t.path(by.Path) {
					key := id{kind, t.cluster, name}
					if name == "" || have[key] {
						continue
					}
					have[key] = true
					if k.add(thing{kind: kind, cluster: t.cluster, name: name}) < 0 {
						return
					}
				}
			}
		}
	}
}

// path returns the texts to which a path leads in any version of a thing.
func (t *thing) path(path string) []string {
	var out []string
	for _, o := range t.versions {
		got := gjson.Get(o.Raw, path)
		if !got.IsArray() {
			if got.Type == gjson.String {
				out = append(out, got.Str)
			}
			continue
		}
		got.ForEach(func(_, v gjson.Result) bool {
			if v.Type == gjson.String {
				out = append(out, v.Str)
			}
			return len(out) < maxValues
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// values returns what a property of a thing holds in any version: "uid",
// "name", "namespace/name", "label:KEY", "annotation:KEY" or "path:PATH".
func (t *thing) values(property string) []string {
	switch property {
	case "uid":
		return []string{t.uid}
	case "name":
		return []string{t.name}
	case "namespace/name":
		return []string{t.fullName()}
	}
	var out []string
	kind, key := cutProperty(property)
	for _, o := range t.versions {
		switch kind {
		case "label":
			out = append(out, o.Labels[key])
		case "annotation":
			out = append(out, o.Annotations[key])
		}
	}
	if kind == "path" {
		return t.path(key)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fullName is the name with its namespace, if it has one.
func (t *thing) fullName() string {
	if t.namespace == "" {
		return t.name
	}
	return t.namespace + "/" + t.name
}
