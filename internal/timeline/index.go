package timeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// maxWorkloads bounds the pieces of work of a run.
const maxWorkloads = 20_000

// An index finds the piece of work that a record names.
type index struct {
	work    []Workload
	byID    map[string]int
	byUID   map[string][]int
	byName  map[string]*meanings
	known   map[knownName]bool
	aliases []profile.Pattern
	cut     int
	roots   []int // of each piece of work: how many objects of its name one cluster had
}

// Meanings are the pieces of work that one name may mean, by namespace: many
// tenants call their work the same.
type meanings struct {
	in    map[string][]named
	count int
	only  int // the work, where all are of one; negative: they are of several
}

// Named is a piece of work that a name may mean.
type named struct {
	work    int
	derived bool // the name is of another thing, and so says more
}

type knownName struct {
	work                          int
	cluster, namespace, name, uid string
}

func newIndex(m *profile.Milestones, t *things, f *facts.Facts) *index {
	x := &index{byID: map[string]int{}, byUID: map[string][]int{}, byName: map[string]*meanings{}, known: map[knownName]bool{}, aliases: m.Work.Aliases}
	members := t.members(m.Work.Entity)
	of := map[int]int{} // work of a root thing
	type place struct {
		work    int
		cluster string
	}
	roots := map[place]int{}
	for i, m := range members {
		if len(m) == 1 && m[0] == i {
			o := t.all[i].first
			if w := x.add(o.Namespace, o.Name); w >= 0 {
				of[i] = w
				at := place{w, o.Cluster}
				roots[at]++
				x.roots[w] = max(x.roots[w], roots[at])
			}
		}
	}
	for i, roots := range members {
		for _, root := range roots {
			w, ok := of[root]
			if !ok {
				continue
			}
			o := t.all[i].first
			x.name(w, Name{t.corr.Entities[t.all[i].entity].Name, o.Cluster, o.Namespace, o.Name, o.UID})
		}
	}
	if f != nil {
		x.learnRecords(m, f)
	}
	for i := range x.work {
		slices.SortFunc(x.work[i].Names, func(a, b Name) int {
			return cmp.Or(cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
		})
	}
	return x
}

// learnRecords adds work that no object shows: what was submitted, and what
// reports progress.
func (x *index) learnRecords(m *profile.Milestones, f *facts.Facts) {
	for i := range m.Work.Submitted {
		s := m.Work.Submitted[i].Action
		if s == nil {
			continue
		}
		for j := range f.Actions {
			a := &f.Actions[j]
			if !chosen(s, a) || x.find(a.Target, a.Raw) >= 0 {
				continue
			}
			namespace, name, ok := strings.Cut(a.Target, "/")
			if !ok {
				namespace, name = text(a.Raw, "namespace"), a.Target
			}
			if name != "" && !strings.ContainsAny(name, " /") {
				x.add(namespace, name)
			}
		}
	}
	for i := range f.Progress {
		p := &f.Progress[i]
		w := x.ofProgress(p)
		if w < 0 && cmp.Or(p.Job, p.Workload) != "" {
			w = x.add(p.Namespace, cmp.Or(p.Job, p.Workload))
		}
		if w >= 0 && p.Pod != "" {
			x.name(w, Name{"", p.Cluster, p.Namespace, p.Pod, p.PodUID})
		}
	}
}

// add returns the piece of work with a name; negative: there are too many.
func (x *index) add(namespace, name string) int {
	id := name
	if namespace != "" {
		id = namespace + "/" + name
	}
	if w, ok := x.byID[id]; ok {
		return w
	}
	if len(x.work) >= maxWorkloads {
		x.cut++
		return -1
	}
	w := len(x.work)
	x.byID[id] = w
	x.work = append(x.work, Workload{ID: id})
	x.roots = append(x.roots, 0)
	x.mean(namespace, name, named{w, false})
	return w
}

// mean notes what a name may mean.
func (x *index) mean(namespace, name string, n named) {
	m := x.byName[name]
	if m == nil {
		m = &meanings{in: map[string][]named{}, only: n.work}
		x.byName[name] = m
	}
	if slices.ContainsFunc(m.in[namespace], func(have named) bool { return have.work == n.work }) {
		return
	}
	m.in[namespace] = append(m.in[namespace], n)
	m.count++
	if m.only != n.work {
		m.only = -1
	}
}

// name notes an object of a piece of work.
func (x *index) name(w int, n Name) {
	key := knownName{w, n.Cluster, n.Namespace, n.Name, n.UID}
	if x.known[key] {
		return
	}
	x.known[key] = true
	x.work[w].Names = append(x.work[w].Names, n)
	if n.UID != "" && !slices.Contains(x.byUID[n.UID], w) {
		x.byUID[n.UID] = append(x.byUID[n.UID], w)
	}
	x.mean(n.Namespace, n.Name, named{w, true})
}

// ofObject returns the piece of work that an object is of; negative: none.
func (x *index) ofObject(uid, namespace, name string) int {
	if ws := x.byUID[uid]; uid != "" && len(ws) == 1 {
		return ws[0]
	}
	return x.exact(namespace, name)
}

func (x *index) exact(namespace, name string) int {
	m := x.byName[name]
	if m == nil {
		return -1
	}
	if m.only >= 0 && (namespace == "" || m.count == len(m.in[namespace])+len(m.in[""])) {
		return m.only
	}
	if namespace == "" {
		return -1 // of several namespaces
	}
	found := -1
	for _, in := range [][]named{m.in[namespace], m.in[""]} {
		for _, n := range in {
			if found >= 0 && found != n.work {
				return -1
			}
			found = n.work
		}
	}
	return found
}

func (x *index) ofProgress(p *facts.Progress) int {
	for _, name := range []string{p.Job, p.Workload, p.Pod} {
		if name == "" {
			continue
		}
		if w := x.exact(p.Namespace, name); w >= 0 {
			return w
		}
	}
	if ws := x.byUID[p.PodUID]; p.PodUID != "" && len(ws) == 1 {
		return ws[0]
	}
	return -1
}
