package timeline

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// Bounds of what is learned of the objects of a run.
const (
	maxThings = 100_000
	maxValues = 64 // of one path into one object
	// maxMembers is of how much work a thing can be part: what is part of more
	// tells nothing of any.
	maxMembers = 64
	// maxPairs bounds what one way of a link joins. Labels that everything has
	// join everything with everything.
	maxPairs = 5_000_000
)

// A thing is one object at all moments.
type thing struct {
	entity   int // index in the correlation; negative: none
	first    *facts.Object
	versions []*facts.Object
}

// Things are the objects of a run, by what the correlation calls them.
type things struct {
	corr  *profile.Correlation
	roles map[string]string // of clusters, by name
	all   []thing
	named map[thingName][]int // indices into all
	byUID map[string]int      // likewise
	// cut is whether there are more objects than are learned, and wide names
	// the links that join too much.
	cut  bool
	wide map[string]bool
}

// A thingName is what objects of one kind are called, on whatever cluster.
type thingName struct{ kind, namespace, name string }

func learn(corr *profile.Correlation, f *facts.Facts) *things {
	t := &things{corr: corr, roles: map[string]string{}, named: map[thingName][]int{}, byUID: map[string]int{}, wide: map[string]bool{}}
	if f == nil {
		return t
	}
	t.roles = corr.Roles(f.Objects)
	type id struct{ cluster, kind, namespace, name, uid string }
	seen := map[id]int{}
	for i := range f.Objects {
		o := &f.Objects[i]
		key := id{cluster: o.Cluster, kind: profile.KindOf(o), uid: o.UID}
		if o.UID == "" {
			key.namespace, key.name = o.Namespace, o.Name
		}
		n, ok := seen[key]
		if !ok {
			if len(t.all) >= maxThings {
				t.cut = true
				break
			}
			n = len(t.all)
			seen[key] = n
			t.all = append(t.all, thing{entity: t.corr.EntityOf(o, t.roles[o.Cluster]), first: o})
			name := thingName{profile.KindOf(o), o.Namespace, o.Name}
			t.named[name] = append(t.named[name], n)
			if o.UID != "" {
				t.byUID[o.UID] = n
			}
		}
		t.all[n].versions = append(t.all[n].versions, o)
	}
	return t
}

// inCluster reports whether a cluster is the one that a profile means: by its
// role or by its name.
func (t *things) inCluster(want, cluster string) bool {
	if want == "" {
		return true
	}
	if i := slices.IndexFunc(t.corr.Clusters, func(r profile.ClusterRole) bool { return r.Name == want }); i >= 0 {
		if role, known := t.roles[cluster]; known {
			return role == want
		}
		// No object tells; the name of the cluster may, as it does for logs.
		for _, p := range t.corr.Clusters[i].Logs {
			if p.Fits(cluster) {
				return true
			}
		}
		return cluster == ""
	}
	return profile.Glob(want, cluster)
}

// members returns for each thing the pieces of work that it belongs to: the
// thing itself where it is of the root entity, and what links lead to along
// the chain.
func (t *things) members(root string) [][]int {
	out := make([][]int, len(t.all))
	byEntity := make([][]int, len(t.corr.Entities))
	for i := range t.all {
		if e := t.all[i].entity; e >= 0 {
			byEntity[e] = append(byEntity[e], i)
		}
	}
	rootEntity := t.entity(root)
	if rootEntity < 0 {
		return out
	}
	for _, i := range byEntity[rootEntity] {
		out[i] = []int{i}
	}
	chain := t.corr.Chain
	if len(chain) == 0 {
		chain = []string{root}
	}
	// A link may join the chain out of its order, so it is walked until
	// nothing is added.
	for range chain {
		if !t.walk(chain, root, byEntity, out) {
			break
		}
	}
	return out
}

// walk passes membership on over every link between entities of the chain, and
// reports whether anything was added.
func (t *things) walk(chain []string, root string, byEntity [][]int, out [][]int) bool {
	added := false
	for li := range t.corr.Links {
		l := &t.corr.Links[li]
		from, to := t.entity(l.From), t.entity(l.To)
		if from < 0 || to < 0 || l.To == root || !slices.Contains(chain, l.From) || !slices.Contains(chain, l.To) {
			continue
		}
		for w := range l.By {
			t.pairs(&l.By[w], l, byEntity[from], byEntity[to], func(a, b int) {
				for _, m := range out[a] {
					if len(out[b]) < maxMembers && !slices.Contains(out[b], m) {
						out[b] = append(out[b], m)
						added = true
					}
				}
			})
		}
	}
	return added
}

func (t *things) entity(name string) int {
	return slices.IndexFunc(t.corr.Entities, func(e profile.Entity) bool { return e.Name == name })
}

// pairs calls add for the things of both ends that a way joins.
func (t *things) pairs(w *profile.Way, l *profile.Link, from, to []int, add func(from, to int)) {
	var ofFrom, ofTo string
	switch {
	case w.Owner == l.From:
		ofFrom, ofTo = "uid", "owners"
	case w.Owner != "":
		ofFrom, ofTo = "owners", "uid"
	case w.Same != "":
		ofFrom, ofTo = "namespace/name", "namespace/name"
	default:
		held := "path:" + w.Path
		if w.Label != "" {
			held = "label:" + w.Label
		} else if w.Annotation != "" {
			held = "annotation:" + w.Annotation
		}
		ofFrom, ofTo = w.Is, held
		if w.On == l.From {
			ofFrom, ofTo = held, w.Is
		}
	}
	named := ofFrom == "name" || ofTo == "name"
	have := map[string][]int{}
	for _, b := range to {
		for _, v := range t.all[b].values(ofTo, named) {
			have[v] = append(have[v], b)
		}
	}
	left := maxPairs
	for _, a := range from {
		for _, v := range t.all[a].values(ofFrom, named) {
			if left -= len(have[v]); left < 0 {
				t.wide[l.From+" and "+l.To] = true
				return
			}
			for _, b := range have[v] {
				add(a, b)
			}
		}
	}
}

// values returns what a thing shows of a property, over all moments. Names are
// told apart by namespace.
func (t *thing) values(property string, named bool) []string {
	kind, key, _ := strings.Cut(property, ":")
	var out []string
	put := func(o *facts.Object, v string) {
		if v == "" {
			return
		}
		if named {
			v = o.Namespace + "/" + v
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, o := range t.versions {
		switch kind {
		case "uid":
			put(o, o.UID)
		case "name":
			put(o, o.Name)
		case "namespace/name":
			put(o, o.Namespace+"/"+o.Name)
		case "label":
			put(o, o.Labels[key])
		case "annotation":
			put(o, o.Annotations[key])
		case "owners":
			for _, owner := range o.Owners {
				put(o, owner.UID)
			}
		case "path":
			for _, v := range texts(o.Raw, key) {
				put(o, v)
			}
		}
	}
	return out
}

// texts returns the texts to which a path leads.
func texts(raw, path string) []string {
	got := gjson.Get(raw, path)
	if !got.IsArray() {
		return []string{got.String()}
	}
	var out []string
	for _, v := range got.Array() {
		if len(out) == maxValues {
			break
		}
		out = append(out, v.String())
	}
	return out
}
