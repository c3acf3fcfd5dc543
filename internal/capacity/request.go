package capacity

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// An asker tells how many devices pieces of work ask for.
type asker struct {
	inventory *inventory
	byUID     map[[2]string][]*facts.Object // cluster and UID
	byName    map[[3]string][]*facts.Object // cluster, namespace and name
	byID      map[string][]*facts.Object    // namespace/name
}

func newAsker(v *inventory, f *facts.Facts) *asker {
	a := &asker{v, map[[2]string][]*facts.Object{}, map[[3]string][]*facts.Object{}, map[string][]*facts.Object{}}
	if f == nil {
		return a
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind == "Node" || o.Kind == "Event" {
			continue
		}
		if o.UID != "" {
			key := [2]string{o.Cluster, o.UID}
			a.byUID[key] = append(a.byUID[key], o)
		}
		key := [3]string{o.Cluster, o.Namespace, o.Name}
		a.byName[key] = append(a.byName[key], o)
		id := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
		a.byID[id] = append(a.byID[id], o)
	}
	return a
}

// objectsOf returns all that was recorded of the objects of work.
func (a *asker) objectsOf(w *timeline.Workload) []*facts.Object {
	var out []*facts.Object
	seen := map[*facts.Object]bool{}
	for _, n := range w.Names {
		list := a.byUID[[2]string{n.Cluster, n.UID}]
		if n.UID == "" || len(list) == 0 {
			list = a.byName[[3]string{n.Cluster, n.Namespace, n.Name}]
		}
		for _, o := range list {
			if !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
	}
	if len(out) == 0 { // no correlation joins its objects: those of its name are
		return a.byID[w.ID]
	}
	return out
}

// A demand is devices by class. Known says that some object told, even if it
// asks for none.
type demand struct {
	units map[Class]Amount
	known bool
	why   string // something of it could not be told
}

// demandOf returns what a piece of work asks for: by what is declared, or else
// by templates of pods, or else by pods. Copies of one object in several
// clusters ask for it once.
func (a *asker) demandOf(w *timeline.Workload) demand {
	objects := a.objectsOf(w)
	node := map[string]string{} // cluster to the node of a pod
	for _, o := range objects {
		if o.Kind == "Pod" {
			if n := gjson.Get(o.Raw, "spec.nodeName").String(); n != "" {
				node[o.Cluster] = n
			}
		}
	}
	if a.inventory.declared != nil && len(a.inventory.declared.Requests) > 0 {
		return a.declaredDemand(w, objects)
	}
	d := demand{units: map[Class]Amount{}}
	for _, o := range objects {
		spec, times, ok := template(o)
		if !ok {
			continue
		}
		d.known = true
		d.atLeast(a.pods(spec, placed(o.Cluster, node), times, &d))
	}
	if !d.known {
		a.podDemand(objects, &d)
	}
	return d
}

// placed returns the cluster and node of the pods of an object: a copy of the
// work in another cluster has pods where the object itself has none.
func placed(cluster string, node map[string]string) [2]string {
	if n, ok := node[cluster]; ok {
		return [2]string{cluster, n}
	}
	for _, c := range names(node) {
		return [2]string{c, node[c]}
	}
	return [2]string{cluster, ""}
}

// atLeast raises the demand to what one more object shows.
func (d *demand) atLeast(units map[Class]Amount) {
	for class, n := range units {
		if have, ok := d.units[class]; !ok || have.Compare(n) < 0 {
			d.units[class] = n
		}
	}
}

// template returns the pod that an object makes, and how many of them at once.
func template(o *facts.Object) (spec gjson.Result, times int64, ok bool) {
	spec = gjson.Get(o.Raw, "spec.template.spec")
	if !spec.Get("containers").IsArray() {
		return spec, 0, false
	}
	times = 1
	for _, path := range []string{"spec.parallelism", "spec.replicas"} {
		if v := gjson.Get(o.Raw, path); v.Exists() && v.Type == gjson.Number {
			times = v.Int()
			break
		}
	}
	if v := gjson.Get(o.Raw, "spec.completions"); v.Type == gjson.Number && o.Kind == "Job" {
		times = min(times, v.Int())
	}
	return spec, min(max(times, 0), maxPods), true
}

const maxPods = 1_000_000

// pods returns what so many pods of a spec ask for.
func (a *asker) pods(spec gjson.Result, on [2]string, times int64, d *demand) map[Class]Amount {
	out := map[Class]Amount{}
	spec.Get("containers").ForEach(func(_, c gjson.Result) bool {
		asked := a.inventory.classes.resourcesOf(c.Raw, "resources.limits")
		maps.Copy(asked, a.inventory.classes.resourcesOf(c.Raw, "resources.requests"))
		for _, name := range names(asked) {
			class, err := a.inventory.classFor(name, on[0], on[1])
			if err != nil {
				d.why = err.Error()
				continue
			}
			out[class] = out[class].Plus(asked[name].Times(Units(times)))
		}
		return true
	})
	return out
}

// podDemand takes the most that pods asked for at once, in one cluster.
func (a *asker) podDemand(objects []*facts.Object, d *demand) {
	at := map[[2]string]map[Class]Amount{}
	for _, o := range objects {
		if phase := gjson.Get(o.Raw, "status.phase").String(); o.Kind != "Pod" || phase == "Failed" {
			continue
		}
		d.known = true
		key := [2]string{o.Cluster, o.Moment}
		if at[key] == nil {
			at[key] = map[Class]Amount{}
		}
		on := [2]string{o.Cluster, gjson.Get(o.Raw, "spec.nodeName").String()}
		for class, n := range a.pods(gjson.Get(o.Raw, "spec"), on, 1, d) {
			at[key][class] = at[key][class].Plus(n)
		}
	}
	for _, units := range at {
		d.atLeast(units)
	}
}

// declaredDemand asks the objects that the profile names.
func (a *asker) declaredDemand(w *timeline.Workload, objects []*facts.Object) demand {
	d := demand{units: map[Class]Amount{}}
	for _, r := range a.inventory.declared.Requests {
		group, kind := profile.SplitKind(r.Kind)
		class := Class{r.Class, a.inventory.classes.kindOf(r.Class)}
		if u := a.inventory.units[r.Class]; u != nil {
			class = u.Class
		}
		sums := map[[2]string]Amount{}
		for _, o := range objects {
			if o.Kind != kind || !strings.EqualFold(profile.Group(o.APIVersion), group) || !isEntity(w, o, r.Entity) {
				continue
			}
			n, ok := Exactly(r.Units.Rat()), true
			if r.Units == "" {
				n, ok = quantity(gjson.Get(o.Raw, r.Path).String())
			}
			if !ok {
				continue
			}
			d.known = true
			key := [2]string{o.Cluster, o.Moment}
			if kind == "Pod" {
				sums[key] = sums[key].Plus(n)
			} else if sums[key].Compare(n) < 0 {
				sums[key] = n
			}
		}
		for _, n := range sums {
			d.atLeast(map[Class]Amount{class: n})
		}
	}
	return d
}

// isEntity reports whether an object belongs to the work as a thing of that
// name; empty: as any.
func isEntity(w *timeline.Workload, o *facts.Object, entity string) bool {
	return entity == "" || slices.ContainsFunc(w.Names, func(n timeline.Name) bool {
		return n.Entity == entity && n.Cluster == o.Cluster && n.Namespace == o.Namespace && n.Name == o.Name
	})
}
