package profile

import (
	"slices"

	"github.com/stillfires/stillfires/internal/facts"
)

// KindOf returns the kind of an object as GROUP/KIND, the core group being
// empty.
func KindOf(o *facts.Object) string { return Group(o.APIVersion) + "/" + o.Kind }

// FullKind returns a kind as profiles name it in the form of [KindOf].
func FullKind(kind string) string {
	group, kind := SplitKind(kind)
	return group + "/" + kind
}

// Roles finds the part that each cluster plays, by its name: the first that
// fits.
func (c *Correlation) Roles(objects []facts.Object) map[string]string {
	holds := map[string]map[string]bool{} // kinds by cluster
	for i := range objects {
		o := &objects[i]
		if holds[o.Cluster] == nil {
			holds[o.Cluster] = map[string]bool{}
		}
		holds[o.Cluster][KindOf(o)] = true
	}
	roles := map[string]string{}
	for cluster, kinds := range holds {
		for _, r := range c.Clusters {
			if !slices.ContainsFunc(r.Holds, func(k string) bool { return !kinds[FullKind(k)] }) &&
				!slices.ContainsFunc(r.Lacks, func(k string) bool { return kinds[FullKind(k)] }) {
				roles[cluster] = r.Name
				break
			}
		}
	}
	return roles
}

// EntityOf returns the index of the first entity that an object fits, whose
// cluster plays the role; negative: none.
func (c *Correlation) EntityOf(o *facts.Object, role string) int {
	return slices.IndexFunc(c.Entities, func(e Entity) bool {
		if e.Kind == "" || FullKind(e.Kind) != KindOf(o) || e.Cluster != "" && role != e.Cluster {
			return false
		}
		for key, p := range e.Labels {
			if !p.Fits(o.Labels[key]) {
				return false
			}
		}
		return true
	})
}
