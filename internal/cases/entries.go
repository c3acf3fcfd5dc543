package cases

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
)

// An entry is one thing that an object's value lists.
type entry struct {
	of   *facts.Object
	text string
}

// entries takes the entries out of the values of objects: elements of lists,
// keys or values of maps, and plain values. As says which of a map: "keys",
// "values" or, for keys, nothing. Cut says that there were too many.
func entries(objects []*facts.Object, path, as string) (out []entry, cut bool) {
	for _, o := range objects {
		v := get(o.Raw, path)
		if !exists(v) {
			continue
		}
		if !v.IsObject() && !v.IsArray() {
			out = append(out, entry{o, text(v)})
			continue
		}
		v.ForEach(func(key, value gjson.Result) bool {
			if v.IsObject() && as != "values" {
				value = key
			}
			out = append(out, entry{o, text(value)})
			return len(out) < maxEntries
		})
		if len(out) >= maxEntries {
			return out, true
		}
	}
	return out, false
}

// hasEntry reports whether an object has an entry of those that the assertion
// asks about.
func hasEntry(a *profile.Assertion, o *facts.Object) bool {
	if a.Live != nil && a.Live.Owners {
		return len(o.Owners) > 0
	}
	as, text := "keys", ""
	if a.Live != nil {
		as, text = a.Live.Entries, a.Live.Pattern
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return false
	}
	all, _ := entries([]*facts.Object{o}, a.Path, as)
	return slices.ContainsFunc(all, func(e entry) bool {
		if a.Live == nil {
			return true
		}
		_, ok := nameIn(pattern, e.text)
		return ok
	})
}

// noEntry is the answer where no recorded run has any entry: the path or the
// pattern may hold a slip of the pen.
func noEntry(a *profile.Assertion) Result {
	where := "owner references"
	if a.Live == nil || !a.Live.Owners {
		where = short(a.Path)
	}
	return notJudged("no run has such an entry at any moment: %s of %s; none is no proof", where, wanted(a.Object))
}

// judgeUnique asks whether an entry is listed twice, in one object or in two.
func judgeUnique(a *profile.Assertion, objects []*facts.Object, seen bool) Result {
	all, cut := entries(objects, a.Path, "keys")
	if cut {
		return notJudged("%s has more than %d entries", short(a.Path), maxEntries)
	}
	if len(all) == 0 && !seen {
		return noEntry(a)
	}
	first := map[string]*facts.Object{}
	var bad []string
	for _, e := range all {
		if o := first[e.text]; o != nil {
			bad = append(bad, fmt.Sprintf("%q in %s and in %s", short(e.text), name(o), name(e.of)))
			continue
		}
		first[e.text] = e.of
	}
	if len(bad) > 0 {
		return fails("%s of %s again", counted(int64(len(bad)), "entry", "entries"), short(a.Path)).with(bad).by(int64(len(bad)))
	}
	return holds("%s of %s, none twice", counted(int64(len(all)), "entry", "entries"), short(a.Path))
}

// A stale entry names something that is not there.
type staleEntry struct{ key, line string }

// judgeLive asks whether entries name only objects that are there.
func judgeLive(a *profile.Assertion, objects []*facts.Object, f *facts.Facts, seen bool) Result {
	l := a.Live
	stale, unknown, n, res := findStale(a, objects, f)
	if res.Status != 0 {
		return res
	}
	if len(stale) == 0 {
		if unknown != "" {
			return notJudged("%s", unknown)
		}
		if n == 0 && !seen {
			return noEntry(a)
		}
		return holds("%s, none stale", counted(int64(n), "entry", "entries"))
	}
	earlier := map[string]bool{}
	if l.Since != "" {
		before, missing, ok := at(a.Object, l.Since, f)
		if !ok && len(before) == 0 {
			// Without that moment the entries may be old or new: they count
			// as new, and the reason says so.
			missing.Reason += "; so all count as left by this run"
			unknown = missing.Reason
		}
		was, _, _, _ := findStale(a, before, f)
		for _, s := range was {
			earlier[s.key] = true
		}
	}
	var lines []string
	out := Result{Status: Fails}
	for _, s := range stale {
		if earlier[s.key] {
			out.Earlier++
			s.line += fmt.Sprintf(" (so it was at %q)", short(l.Since))
		} else {
			out.Left++
		}
		lines = append(lines, s.line)
	}
	out.Reason = fmt.Sprintf("%d of %s stale", len(stale), counted(int64(n), "entry", "entries"))
	if out.Earlier > 0 {
		out.Reason += fmt.Sprintf(", %d of them left by an earlier failure", out.Earlier)
	}
	if unknown != "" {
		out.Reason += "; " + unknown
	}
	return out.with(lines).by(int64(out.Left))
}

// findStale returns the stale entries of objects of one moment, how many
// entries there are, and why some could not be judged.
func findStale(a *profile.Assertion, objects []*facts.Object, f *facts.Facts) (stale []staleEntry, unknown string, n int, res Result) {
	if len(objects) == 0 {
		return nil, "", 0, Result{}
	}
	there := newPresence(a.Live, objects[0].Moment, f)
	if a.Live.Owners {
		for _, o := range objects {
			for _, owner := range o.Owners {
				n++
				ok, known := there.owner(o, owner)
				if !known {
					unknown = fmt.Sprintf("no object of kind %s was recorded at %q", short(owner.Kind), short(o.Moment))
				} else if !ok {
					stale = append(stale, staleEntry{name(o) + "\x00" + owner.UID + "\x00" + owner.Name,
						fmt.Sprintf("%s is owned by %s %s, which is gone", name(o), short(owner.Kind), short(owner.Name))})
				}
			}
		}
		return stale, unknown, n, Result{}
	}
	all, cut := entries(objects, a.Path, a.Live.Entries)
	if cut {
		return nil, "", 0, notJudged("%s has more than %d entries", short(a.Path), maxEntries)
	}
	pattern, err := regexp.Compile(a.Live.Pattern)
	if err != nil {
		return nil, "", 0, notJudged("the pattern cannot be read: %v", err)
	}
	for _, e := range all {
		named, ok := nameIn(pattern, e.text)
		if !ok {
			continue
		}
		n++
		if !there.kind(a.Live.Kind, e.of.Cluster) {
			unknown = fmt.Sprintf("no object of kind %s was recorded at %q", short(a.Live.Kind), short(e.of.Moment))
		} else if !there.named(e.of, named) {
			stale = append(stale, staleEntry{name(e.of) + "\x00" + e.text,
				fmt.Sprintf("%s: %s names %s %s, which is not there", name(e.of), short(a.Path), short(a.Live.Kind), short(named))})
		}
	}
	return stale, unknown, n, Result{}
}

// nameIn returns the name that a pattern finds in an entry.
func nameIn(pattern *regexp.Regexp, text string) (string, bool) {
	if pattern.String() == "" {
		return text, text != ""
	}
	m := pattern.FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", false
	case len(m) > 1:
		return m[1], m[1] != ""
	}
	return m[0], m[0] != ""
}

// A presence knows what was there at one moment.
type presence struct {
	live   *profile.Live
	kinds  map[[2]string]bool            // cluster and kind that were recorded
	byName map[[2]string][]*facts.Object // by cluster and what the path gives
	byKind map[[2]string][]*facts.Object // by cluster and kind, of those that count
	byUID  map[string]bool               // likewise
}

func newPresence(l *profile.Live, moment string, f *facts.Facts) *presence {
	p := &presence{live: l, kinds: map[[2]string]bool{}, byName: map[[2]string][]*facts.Object{}, byKind: map[[2]string][]*facts.Object{}, byUID: map[string]bool{}}
	for i := range f.Objects {
		o := &f.Objects[i]
		if o.Moment != moment {
			continue
		}
		p.kinds[[2]string{o.Cluster, o.Kind}] = true
		if !has(o.Raw, l.Where) {
			continue
		}
		k := [2]string{o.Cluster, o.Kind}
		p.byKind[k] = append(p.byKind[k], o)
		if o.UID != "" {
			p.byUID[o.Cluster+"\x00"+o.Kind+"\x00"+o.UID] = true
		}
		if o.Kind == l.Kind {
			n := o.Name
			if l.Path != "" {
				v := get(o.Raw, l.Path)
				if !exists(v) {
					continue
				}
				n = text(v)
			}
			p.byName[[2]string{o.Cluster, n}] = append(p.byName[[2]string{o.Cluster, n}], o)
		}
	}
	return p
}

func (p *presence) kind(kind, cluster string) bool { return p.kinds[[2]string{cluster, kind}] }

// named reports whether an object is there that an entry names, as "name" or
// "namespace/name".
func (p *presence) named(of *facts.Object, named string) bool {
	in := func(name string, namespace func(string) bool) bool {
		return slices.ContainsFunc(p.byName[[2]string{of.Cluster, name}], func(o *facts.Object) bool { return namespace(o.Namespace) })
	}
	own := func(ns string) bool {
		if p.live.Namespace != "" {
			return profile.Glob(p.live.Namespace, ns)
		}
		return ns == of.Namespace || ns == "" || of.Namespace == ""
	}
	if in(named, own) {
		return true
	}
	ns, name, ok := strings.Cut(named, "/")
	return ok && p.live.Path == "" && in(name, func(have string) bool { return have == ns })
}

// owner reports whether an owner is there, and whether that can be known.
func (p *presence) owner(of *facts.Object, r facts.Owner) (ok, known bool) {
	if !p.kind(r.Kind, of.Cluster) {
		return false, false
	}
	if r.UID != "" {
		return p.byUID[of.Cluster+"\x00"+r.Kind+"\x00"+r.UID], true
	}
	return slices.ContainsFunc(p.byKind[[2]string{of.Cluster, r.Kind}], func(o *facts.Object) bool {
		return o.Name == r.Name && (o.Namespace == "" || o.Namespace == of.Namespace)
	}), true
}
