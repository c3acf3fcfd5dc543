package timeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// objects judges what objects show of having been changed: who manages their
// fields, marks that tools leave, and generations.
func (j *judge) objects() {
	type key struct{ cluster, kind, namespace, name string }
	versions := map[key][]*facts.Object{}
	for i := range j.facts.Objects {
		o := &j.facts.Objects[i]
		k := key{o.Cluster, profile.KindOf(o), o.Namespace, o.Name}
		versions[k] = append(versions[k], o)
	}
	names := j.workNames()
	keys := slices.SortedFunc(maps.Keys(versions), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.kind, b.kind), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	for _, k := range keys {
		list := versions[k]
		for _, o := range list {
			j.managed(o)
			j.restarted(o)
		}
		handedIn, work := names[[3]string{k.cluster, k.namespace, k.name}]
		for i := 1; i < len(list); i++ {
			switch a, b := list[i-1], list[i]; {
			case a.UID != "" && b.UID != "" && a.UID != b.UID:
				j.replaced(a, b, work, handedIn)
			case !work:
				j.generation(a, b)
			}
		}
	}
}

// workNames are the names of objects that belong to work: controllers change
// them all the time. Of each it says whether it is what is handed in as work.
func (j *judge) workNames() map[[3]string]bool {
	out := map[[3]string]bool{}
	for i := range j.run.Workloads {
		for _, n := range j.run.Workloads[i].Names {
			key := [3]string{n.Cluster, n.Namespace, n.Name}
			out[key] = out[key] || j.m.Work.Entity == "" || n.Entity == j.m.Work.Entity
		}
	}
	return out
}

func titled(o *facts.Object) string { return o.Kind + " " + joined(o.Namespace, o.Name) }

// managed finds changes through field managers that people use. What such a
// manager wrote when the object was made is its making, not a change of it.
func (j *judge) managed(o *facts.Object) {
	gjson.Get(o.Raw, "metadata.managedFields").ForEach(func(_, f gjson.Result) bool {
		at, ok := timeOf(f.Get("time"))
		manager := f.Get("manager").String()
		if !ok || f.Get("subresource").String() == "status" || !j.tool(manager) || at-o.Created <= 1e9 {
			return true
		}
		j.found(Action{
			Time: at, Cluster: o.Cluster, Actor: manager, Action: "edit", Target: titled(o), Kind: "object", Manual: true,
			Evidence: short(fmt.Sprintf("%s was changed through the field manager %s", titled(o), manager)),
		})
		return true
	})
}

// restarted finds the mark of kubectl rollout restart.
func (j *judge) restarted(o *facts.Object) {
	at, ok := timeOf(gjson.Get(o.Raw, `spec.template.metadata.annotations.kubectl\.kubernetes\.io/restartedAt`))
	if !ok || controlled(o) {
		return
	}
	j.found(Action{
		Time: at, Cluster: o.Cluster, Actor: "kubectl", Action: "restart", Target: titled(o), Kind: "object", Manual: true,
		Evidence: short(titled(o) + " has kubectl.kubernetes.io/restartedAt"),
	})
}

func controlled(o *facts.Object) bool {
	return len(o.Owners) > 0
}

// passing are kinds that controllers make and change as they go.
var passing = strings.Fields("Pod Job Node Lease Endpoints EndpointSlice Event ReplicaSet ControllerRevision PodGroup CSINode")

// between says when something happened that was only seen to have happened
// between two snapshots; false: not in the stretch for certain or in part.
func (j *judge) between(a, b *facts.Object) (int64, bool) {
	if a.Time == 0 || b.Time == 0 || j.from == 0 || b.Time < j.from || a.Time > j.to {
		return 0, false
	}
	return max(min(b.Time, j.to), j.from), true
}

// replaced finds an object that was deleted and made anew under its name, by
// nobody knows whom. Of objects of work only what was handed in counts: of its
// copies controllers make new ones as they like.
func (j *judge) replaced(a, b *facts.Object, work, handedIn bool) {
	at := b.Created
	if at == 0 {
		at, _ = j.between(a, b)
	}
	if controlled(b) || work && !handedIn || !work && slices.Contains(passing, b.Kind) {
		return
	}
	j.found(Action{
		Time: at, Cluster: b.Cluster, Action: "recreate", Target: titled(b), Kind: "object", Unattributed: true,
		Evidence: short(fmt.Sprintf("%s has another UID at %s than at %s", titled(b), b.Moment, a.Moment)),
	})
}

// generation finds that what is wanted of an object changed, by nobody knows
// whom.
func (j *judge) generation(a, b *facts.Object) {
	was, is := gjson.Get(a.Raw, "metadata.generation").Int(), gjson.Get(b.Raw, "metadata.generation").Int()
	at, ok := j.between(a, b)
	if !ok || is <= was || was == 0 || controlled(b) || slices.Contains(passing, b.Kind) || j.byMachine(a, b) {
		return
	}
	if slices.ContainsFunc(j.out, func(x Action) bool {
		return (x.Manual || x.Unattributed) && x.Time >= a.Time && x.Time <= b.Time && sameTarget(x.Target, titled(b))
	}) {
		return
	}
	j.found(Action{
		Time: at, Cluster: b.Cluster, Action: "edit", Target: titled(b), Kind: "object", Unattributed: true,
		Evidence: short(fmt.Sprintf("the generation of %s rose from %d at %s to %d at %s", titled(b), was, a.Moment, is, b.Moment)),
	})
}

// byMachine reports whether field managers tell who changed an object between
// two snapshots, and none of them is a tool of people.
func (j *judge) byMachine(a, b *facts.Object) bool {
	told := false
	byHand := false
	gjson.Get(b.Raw, "metadata.managedFields").ForEach(func(_, f gjson.Result) bool {
		at, ok := timeOf(f.Get("time"))
		if ok && f.Get("subresource").String() != "status" && at+1e9 > a.Time && at <= b.Time {
			told = true
			byHand = byHand || j.tool(f.Get("manager").String())
		}
		return true
	})
	return told && !byHand
}
