package capacity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
)

// An inventory gathers the devices of nodes.
type inventory struct {
	declared *profile.Capacity
	classes  classes
	units    map[string]*ClassUnits // by class
	nodes    map[[2]string]*facts.Object
	excluded map[[2]string]bool // nodes, by cluster and name
	offers   map[string][]Class // by resource, in the order of the nodes
	notes    []string
}

// take counts the devices of the nodes as they were when the recovery began.
// At is the restoration in nanoseconds.
func take(declared *profile.Capacity, f *facts.Facts, at int64) (*inventory, Inventory) {
	v := &inventory{
		declared: declared, classes: classesOf(declared),
		units: map[string]*ClassUnits{}, nodes: map[[2]string]*facts.Object{}, excluded: map[[2]string]bool{},
		offers: map[string][]Class{},
	}
	v.declare()
	var moments []string
	if f != nil {
		nodes, from := nodesAt(f, at)
		moments = from
		for _, n := range nodes {
			v.nodes[[2]string{n.Cluster, n.Name}] = n
			v.node(n)
		}
		if len(nodes) == 0 && len(v.units) == 0 {
			v.notes = append(v.notes, "no node was recorded and no units are declared: nobody knows how many devices there were")
		}
	}
	return v, Inventory{Moments: moments}
}

// finish returns the classes, ordered.
func (v *inventory) finish(inv *Inventory) {
	for _, name := range names(v.units) {
		u := v.units[name]
		u.Eligible = u.Total
		for _, x := range u.Excluded {
			u.Eligible = u.Eligible.Minus(x.Units)
		}
		if u.Eligible.Sign() < 0 {
			v.notes = append(v.notes, fmt.Sprintf("class %s: more devices are excluded than there are", short(name)))
			u.Eligible = Amount{}
		}
		inv.Classes = append(inv.Classes, *u)
	}
	inv.Notes = v.notes
}

func (v *inventory) declare() {
	if v.declared == nil {
		return
	}
	for _, d := range v.declared.Units {
		u := &ClassUnits{Class: Class{d.Class, v.classes.kindOf(d.Class)}, Declared: true, Total: Exactly(d.Units.Rat())}
		if d.Busy != "" {
			u.Excluded = append(u.Excluded, Exclusion{Units: Exactly(d.Busy.Rat()), Reason: Held, Of: "declared"})
		}
		v.units[d.Class] = u
	}
}

// nodesAt returns the nodes of each cluster in its last snapshot up to a time,
// or else its first, and which snapshots these are.
func nodesAt(f *facts.Facts, at int64) (nodes []*facts.Object, moments []string) {
	chosen := map[string]string{} // cluster to moment
	settled := map[string]bool{}
	order := map[string]int{}
	for i, m := range f.Moments {
		order[m] = i
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind != "Node" || profile.Group(o.APIVersion) != "" {
			continue
		}
		before := o.Time != 0 && o.Time <= at
		have, ok := chosen[o.Cluster]
		switch {
		case !ok, before && (!settled[o.Cluster] || order[o.Moment] > order[have]):
			chosen[o.Cluster], settled[o.Cluster] = o.Moment, before
		}
	}
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Kind == "Node" && profile.Group(o.APIVersion) == "" && chosen[o.Cluster] == o.Moment {
			nodes = append(nodes, o)
			moments = append(moments, o.Moment)
		}
	}
	slices.Sort(moments)
	return nodes, slices.Compact(moments)
}

// node counts the devices of a node, and those of them that are excluded.
func (v *inventory) node(n *facts.Object) {
	all := v.classes.resourcesOf(n.Raw, "status.capacity")
	usable := v.classes.resourcesOf(n.Raw, "status.allocatable")
	reason, detail := v.whyNot(n)
	if reason != "" {
		v.excluded[[2]string{n.Cluster, n.Name}] = true
	}
	for _, resource := range names(merge(all, usable)) {
		class, ok := v.classes.of(resource, n.Labels)
		if !ok {
			continue
		}
		if !slices.Contains(v.offers[resource], class) {
			v.offers[resource] = append(v.offers[resource], class)
		}
		u := v.units[class.Name]
		if u == nil {
			u = &ClassUnits{Class: class}
			v.units[class.Name] = u
		}
		if u.Declared {
			continue
		}
		total, ready := all[resource], usable[resource]
		if _, ok := all[resource]; !ok {
			total = ready
		}
		u.Total = u.Total.Plus(total)
		switch missing := total.Minus(ready); {
		case total.Sign() == 0:
		case reason != "":
			u.Excluded = append(u.Excluded, Exclusion{total, reason, nodeName(n), detail})
		case missing.Sign() > 0:
			u.Excluded = append(u.Excluded, Exclusion{missing, Unhealthy, nodeName(n), "the node has them, but cannot allocate them"})
		}
	}
}

func merge(a, b map[string]Amount) map[string]bool {
	out := map[string]bool{}
	for _, m := range []map[string]Amount{a, b} {
		for name := range m {
			out[name] = true
		}
	}
	return out
}

// whyNot says why a node does not take work; empty: it does.
func (v *inventory) whyNot(n *facts.Object) (Reason, string) {
	if gjson.Get(n.Raw, "spec.unschedulable").Bool() {
		return Cordoned, ""
	}
	ready := gjson.Get(n.Raw, `status.conditions.#(type=="Ready").status`)
	if ready.Exists() && ready.String() != "True" {
		return Unhealthy, "Ready is " + short(ready.String())
	}
	var reason Reason
	var detail string
	gjson.Get(n.Raw, "spec.taints").ForEach(func(_, t gjson.Result) bool {
		key, effect := t.Get("key").String(), t.Get("effect").String()
		switch {
		case effect == "PreferNoSchedule": // it does not keep work away
		case key == "node.kubernetes.io/unschedulable":
			reason, detail = Cordoned, "taint "+key
		case v.reserves(key):
			reason, detail = Reserved, "taint "+short(key)
		case strings.HasPrefix(key, "node.kubernetes.io/"):
			reason, detail = Unhealthy, "taint "+short(key)
		}
		return reason == ""
	})
	if reason != "" {
		return reason, detail
	}
	if v.declared != nil {
		for _, label := range names(v.declared.Reserved.Labels) {
			if value, ok := n.Labels[label]; ok && v.declared.Reserved.Labels[label].Fits(value) {
				return Reserved, "label " + short(label+"="+value)
			}
		}
	}
	return "", ""
}

func (v *inventory) reserves(taint string) bool {
	return v.declared != nil && slices.ContainsFunc(v.declared.Reserved.Taints, func(g string) bool { return g != "" && profile.Glob(g, taint) })
}

// hold excludes devices that work held all along.
func (v *inventory) hold(class Class, units Amount, of string) {
	u := v.units[class.Name]
	if u == nil || u.Declared || units.Sign() == 0 {
		return
	}
	u.Excluded = append(u.Excluded, Exclusion{units, Held, short(of), "it ran through the loss"})
}

// classFor returns the class of a resource that work asks for: that of the
// node it is on, or else the one that all nodes with the resource agree on.
func (v *inventory) classFor(resource, cluster, node string) (Class, error) {
	class, ok := Class{}, false
	if n := v.nodes[[2]string{cluster, node}]; n != nil {
		class, ok = v.classes.of(resource, n.Labels)
	}
	if found := v.offers[resource]; !ok && len(found) > 1 {
		return Class{}, fmt.Errorf("%s can be %s or %s, and it was not placed", short(resource), found[0].Name, found[1].Name)
	} else if !ok && len(found) == 1 {
		class, ok = found[0], true
	}
	if !ok {
		class, ok = v.classes.of(resource, nil)
	}
	if !ok {
		return Class{}, fmt.Errorf("%s is no known class of device", short(resource))
	}
	if u := v.units[class.Name]; u != nil {
		class = u.Class
	}
	return class, nil
}

func nodeName(n *facts.Object) string {
	if n.Cluster == "" {
		return "node " + short(n.Name)
	}
	return "node " + short(n.Name) + " of " + short(n.Cluster)
}

func short(s string) string { return prose.Line(s, 200) }
