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
	byName  map[string][]named
	aliases []profile.Pattern
	cut     int
	roots   []int // of each piece of work: how many objects of its name one cluster had
}

// Named is a piece of work that a name may mean.
type named struct {
	work      int
	namespace string
	derived   bool // the name is of another thing, and so says more
}

func newIndex(m *profile.Milestones, t *things, f *facts.Facts) *index {
	x := &index{byID: map[string]int{}, byUID: map[string][]int{}, byName: map[string][]named{}, aliases: m.Work.Aliases}
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
	x.byName[name] = append(x.byName[name], named{w, namespace, false})
	return w
}

// name notes an object of a piece of work.
func (x *index) name(w int, n Name) {
	if slices.ContainsFunc(x.work[w].Names, func(have Name) bool {
		return have.Name == n.Name && have.Namespace == n.Namespace && have.Cluster == n.Cluster && have.UID == n.UID
	}) {
		return
	}
	x.work[w].Names = append(x.work[w].Names, n)
	if n.UID != "" && !slices.Contains(x.byUID[n.UID], w) {
		x.byUID[n.UID] = append(x.byUID[n.UID], w)
	}
	if !slices.ContainsFunc(x.byName[n.Name], func(have named) bool { return have.work == w && have.namespace == n.Namespace }) {
		x.byName[n.Name] = append(x.byName[n.Name], named{w, n.Namespace, true})
	}
}

// ofObject returns the piece of work that an object is of; negative: none.
func (x *index) ofObject(uid, namespace, name string) int {
	if ws := x.byUID[uid]; uid != "" && len(ws) == 1 {
		return ws[0]
	}
	return x.exact(namespace, name)
}

func (x *index) exact(namespace, name string) int {
	found := -1
	for _, n := range x.byName[name] {
		if n.namespace != namespace && n.namespace != "" && namespace != "" {
			continue
		}
		if found >= 0 && found != n.work {
			return -1
		}
		found = n.work
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

// How surely a word names a piece of work.
const (
	byNameAlone = iota + 1
	byAlias
	byNameAndNamespace
	byDerivedName
	byFullName
	byUID
)

// find returns the piece of work that a text names, by the word that says it
// most surely; negative: none, or several that are equally likely. More is
// text that may hold the namespace.
func (x *index) find(s, more string) int {
	best, sure := -1, 0
	vote := func(w, how int) {
		switch {
		case how > sure:
			best, sure = w, how
		case how == sure && w != best:
			best = -1
		}
	}
	last, lastEnd := "", -1
	eachWord(s, func(word string, at int) {
		for _, w := range x.byUID[word] {
			vote(w, byUID)
		}
		means := x.byName[word]
		for _, n := range means {
			switch {
			case n.namespace != "" && last == n.namespace && at == lastEnd+1 && s[lastEnd] == '/':
				vote(n.work, byFullName)
			case n.namespace != "" && !hasWord(s, n.namespace) && (more == "" || !hasWord(more, n.namespace)):
				// Of another namespace that the text names it is not.
				if len(means) == 1 && !strings.Contains(s, "namespace") {
					vote(n.work, byNameAlone)
				}
			case n.derived:
				vote(n.work, byDerivedName)
			default:
				vote(n.work, byNameAndNamespace)
			}
		}
		last, lastEnd = word, at+len(word)
	})
	if sure == 0 && len(x.aliases) > 0 {
		eachWord(s, func(word string, _ int) {
			if w := x.alias(s, word); w >= 0 {
				vote(w, byAlias)
			}
		})
	}
	return best
}

// alias returns the work whose name a word holds.
func (x *index) alias(s, word string) int {
	for i := range x.aliases {
		name, ok := x.aliases[i].Group(word)
		if !ok {
			continue
		}
		found := -1
		for _, n := range x.byName[name] {
			if n.derived || n.namespace != "" && len(x.byName[name]) > 1 && !hasWord(s, n.namespace) {
				continue
			}
			if found >= 0 {
				return -1
			}
			found = n.work
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}

// eachWord calls do for each word of a text that may be a name.
func eachWord(s string, do func(word string, at int)) {
	for i := 0; i < len(s); {
		for i < len(s) && !nameByte(s[i]) {
			i++
		}
		from := i
		for i < len(s) && nameByte(s[i]) {
			i++
		}
		word := s[from:i]
		for len(word) > 0 && (word[len(word)-1] == '.' || word[len(word)-1] == '-') {
			word = word[:len(word)-1]
		}
		if word != "" {
			do(word, from)
		}
	}
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '-' || c == '.' || c == '_'
}

// hasWord reports whether word stands in s as one.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !nameByte(s[i-1])) && (end == len(s) || !nameByte(s[end]) || s[end] == '.') {
			return true
		}
		from = i + 1
	}
}
