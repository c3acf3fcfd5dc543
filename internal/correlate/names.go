package correlate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/profile"
)

// maxNameBytes bounds the texts that are looked up.
const maxNameBytes = 512

// An ident is a way to name a thing: an index into identNames of its entity.
// The first ones are the same everywhere.
type ident int16

const (
	byUID  ident = iota
	byFull       // namespace and name, or the name of what has no namespace
	byBare       // the name alone of what has a namespace
	byOwn        // the first of the labels and annotations of the profile
)

// A ref says that a text names a thing.
type ref struct {
	thing int32
	ident ident
}

// Names finds the things that texts name.
type names struct {
	known   *Known
	byText  map[string][]ref
	longest int
	own     [][]string // for each entity, the labels and annotations that name it
}

func newNames(k *Known) *names {
	n := &names{known: k, byText: map[string][]ref{}}
	for _, e := range k.profile.Entities {
		var own []string
		for _, id := range e.Identifiers {
			if id != "uid" && id != "name" {
				own = append(own, id)
			}
		}
		n.own = append(n.own, own)
	}
	for i := range k.things {
		n.learn(int32(i))
	}
	return n
}

func (n *names) learn(thing int32) {
	t := &n.known.things[thing]
	add := func(text string, id ident) {
		if text == "" || len(text) > maxNameBytes {
			return
		}
		n.byText[text] = append(n.byText[text], ref{thing, id})
		n.longest = max(n.longest, len(text))
	}
	ids := n.known.profile.Entities[t.kind].Identifiers
	if slices.Contains(ids, "uid") {
		add(t.uid, byUID)
	}
	if slices.Contains(ids, "name") {
		add(t.fullName(), byFull)
		if t.namespace != "" {
			add(t.name, byBare)
		}
	}
	for i, id := range n.own[t.kind] {
		for _, v := range t.values(id) {
			add(v, byOwn+ident(i))
		}
	}
}

// identName is how reports call an identifier of a thing.
func (n *names) identName(r ref) string {
	t := &n.known.things[r.thing]
	switch r.ident {
	case byUID:
		return "uid"
	case byFull:
		if t.namespace != "" {
			return "namespace/name"
		}
		return "name"
	case byBare:
		return "name"
	}
	return n.own[t.kind][r.ident-byOwn]
}

// A hit is a thing that a record names.
type hit struct {
	ref
	field     string
	inText    bool
	ambiguous bool
	// value tells hits apart that rest on one text: they join nothing.
	value int
}

// maxFields bounds the texts of one record, where lists make it many.
const maxFields = 512

// maxHits bounds the things that are looked at of one record.
const maxHits = 32

// A finder finds the things that one record names. It is used again for the
// next.
type finder struct {
	*names
	cluster string // of the stream; empty: not known
	fields  []field
	hits    []hit
	values  int
	buf     []byte
	ends    []int // of the names and texts in buf, by turns
}

// A field is one field of a record that holds a text.
type field struct {
	name   string
	prefix int // length of the name of the object that holds it
	text   string
}

func (f *field) object() string { return f.name[:f.prefix] }

func (f *field) last() string { return strings.TrimPrefix(f.name[f.prefix:], ".") }

// find returns what the record names. What it returns holds until the next
// call.
func (f *finder) find(rec *messages.Record, cluster string) []hit {
	f.cluster = cluster
	f.fields, f.hits, f.values = f.fields[:0], f.hits[:0], 0
	f.buf, f.ends = f.buf[:0], f.ends[:0]
	said := false
	for i := range rec.Fields {
		r := &rec.Fields[i]
		if r.Type == messages.Array {
			f.list(r)
			continue
		}
		if r.Type != messages.String || r.Role == messages.Time || r.Role == messages.Level || r.Role == messages.Caller {
			continue
		}
		said = said || r.Role == messages.Message
		f.put(r.Name)
		f.buf = r.Append(f.buf)
		f.ends = append(f.ends, len(f.buf))
	}
	if !said {
		if m := rec.Message(); len(m) > 0 {
			f.put(nil) // the text of a line has no name
			f.put(m)
		}
	}
	f.cut()
	for i := range f.fields {
		f.inField(&f.fields[i])
	}
	return f.hits
}

// put adds a name or a text to what cut makes fields of.
func (f *finder) put(part []byte) {
	f.buf = append(f.buf, part...)
	f.ends = append(f.ends, len(f.buf))
}

// list takes each text of a list for one of its field.
func (f *finder) list(r *messages.Field) {
	gjson.ParseBytes(r.Raw).ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String {
			f.put(r.Name)
			f.put([]byte(v.Str))
		}
		return len(f.ends) < 2*maxFields
	})
}

// cut makes the fields of what is in buf: one string for all of a record.
func (f *finder) cut() {
	all, start := string(f.buf), 0
	for i := 0; i < len(f.ends); i += 2 {
		name, text := all[start:f.ends[i]], all[f.ends[i]:f.ends[i+1]]
		f.fields = append(f.fields, field{name: name, prefix: max(strings.LastIndexByte(name, '.'), 0), text: text})
		start = f.ends[i+1]
	}
}

// inField looks at a field: its whole text, else the words of it.
func (f *finder) inField(fd *field) {
	if fd.text == "" {
		return
	}
	if len(fd.text) <= f.longest {
		if refs := f.byText[fd.text]; len(refs) > 0 {
			f.whole(fd, refs)
			return
		}
	}
	if strings.ContainsAny(fd.text, " \t\n\"'/:=") {
		eachWord(fd.text, func(word string) {
			if len(word) <= f.longest {
				f.word(fd, word)
			}
		})
	}
}

// maxWords bounds the words that are looked at of one text.
const maxWords = 512

// eachWord calls do for the runs of letters, digits, and what else names are
// made of.
func eachWord(text string, do func(word string)) {
	start, n := -1, 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && nameBytes[text[i]] {
			if start < 0 {
				start = i
			}
			continue
		}
		if start < 0 {
			continue
		}
		if word := strings.Trim(text[start:i], "./-_"); word != "" {
			do(word)
			if n++; n == maxWords {
				return
			}
		}
		start = -1
	}
}

// nameBytes are the bytes that names are made of.
var nameBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '.' || c == '/' || c == '-' || c == '_' || c >= 0x80
	}
	return is
}()

// whole takes the text of a field as a name.
func (f *finder) whole(fd *field, refs []ref) {
	name := fd.name
	if fd.name == "" {
		name = messageField
	}
	bare := slices.ContainsFunc(refs, func(r ref) bool { return r.ident == byBare })
	if bare {
		if at, upgraded := f.withNamespace(fd, refs); len(upgraded) > 0 {
			f.resolve(fd, upgraded, at, false)
			return
		}
	}
	if bare && !distinct(fd.text) && len(f.hinted(fd, refs)) == 0 {
		return // a word such as "main" names nothing by itself
	}
	first := len(f.hits)
	f.resolve(fd, refs, name, false)
	if bare && f.hasNamespace(fd) { // another one
		for i := range f.hits[first:] {
			f.hits[first+i].ambiguous = true
		}
	}
}

// hasNamespace reports whether a namespace stands beside a name.
func (f *finder) hasNamespace(fd *field) bool {
	return slices.ContainsFunc(f.fields, func(g field) bool {
		return g.object() == fd.object() && g.text != "" && hasFoldSuffix(g.last(), "namespace")
	})
}

// messageField names the text of a record that has no fields.
const messageField = "message"

// word takes a word of a text as a name.
func (f *finder) word(fd *field, word string) {
	if !distinct(word) && strings.IndexByte(word, '/') < 0 {
		return
	}
	refs := f.byText[word]
	if len(refs) == 0 {
		return
	}
	name := fd.name
	if name == "" {
		name = messageField
	}
	f.resolve(fd, refs, name, true)
}

// distinct reports whether a word is hardly one of a language.
func distinct(word string) bool {
	if len(word) <= 2 {
		return false
	}
	for i := range len(word) {
		if c := word[i]; c == '-' || c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}

// withNamespace looks for the field that holds the namespace of the name in
// fd: in the same object, else at the top, else, where fd is hardly a word or
// its key tells the kind, in any object. It returns the refs to things of that namespace, and
// what the two fields are called together.
func (f *finder) withNamespace(fd *field, refs []ref) (name string, out []ref) {
	fits := []func(g *field) bool{
		func(g *field) bool { return g.object() == fd.object() },
		func(g *field) bool { return g.prefix == 0 },
		func(*field) bool { return distinct(fd.text) || len(f.hinted(fd, refs)) > 0 },
	}
	for n, fit := range fits {
		for i := range f.fields {
			g := &f.fields[i]
			if !hasFoldSuffix(g.last(), "namespace") || !fit(g) {
				continue
			}
			for _, r := range refs {
				if r.ident == byBare && f.known.things[r.thing].namespace == g.text {
					out = append(out, ref{r.thing, byFull})
				}
			}
			if len(out) == 0 {
				continue
			}
			if fd.prefix > 0 && n == 0 && strings.EqualFold(fd.last(), "name") && strings.EqualFold(g.last(), "namespace") {
				return fd.object(), out // an object of namespace and name
			}
			return g.name + "+" + fd.name, out
		}
	}
	return "", nil
}

func hasFoldSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// resolve adds the things that one text names. Of things in several clusters
// those of the stream's own count; of things of several kinds those that the
// record itself tells.
func (f *finder) resolve(fd *field, refs []ref, name string, inText bool) {
	if f.cluster != "" {
		refs = narrow(refs, func(r ref) bool { return f.known.things[r.thing].cluster == f.cluster })
	}
	if f.severalKinds(refs) {
		if hinted := f.hinted(fd, refs); len(hinted) > 0 {
			refs = hinted
		}
	}
	ambiguous := f.severalKinds(refs)
	f.values++
	for _, r := range refs {
		if len(f.hits) == maxHits {
			return
		}
		f.hits = append(f.hits, hit{r, name, inText, ambiguous, f.values})
	}
}

// narrow keeps the refs of which ok holds, or all if it holds of none.
func narrow(refs []ref, ok func(ref) bool) []ref {
	var kept []ref
	for _, r := range refs {
		if ok(r) {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return refs
	}
	return kept
}

// severalKinds reports whether refs are to things that differ in more than
// their cluster and UID.
func (f *finder) severalKinds(refs []ref) bool {
	for _, r := range refs[min(1, len(refs)):] {
		a, b := &f.known.things[refs[0].thing], &f.known.things[r.thing]
		ka, kb := &f.known.profile.Entities[a.kind], &f.known.profile.Entities[b.kind]
		if a.namespace != b.namespace || a.name != b.name || a.kind != b.kind && profile.FullKind(ka.Kind) != profile.FullKind(kb.Kind) {
			return true
		}
	}
	return false
}

// hinted returns the refs to things of the kind that the record names: by the
// key under which the name stands, or by a field that holds the kind.
func (f *finder) hinted(fd *field, refs []ref) []ref {
	keys := []string{fd.last()}
	if fd.prefix > 0 {
		object := fd.object()
		keys = append(keys, object[strings.LastIndexByte(object, '.')+1:])
	}
	var out []ref
	for _, r := range refs {
		e := &f.known.profile.Entities[f.known.things[r.thing].kind]
		_, kind := profile.SplitKind(e.Kind)
		for _, key := range keys {
			if strings.EqualFold(key, kind) || slices.ContainsFunc(e.Keys, func(k string) bool { return strings.EqualFold(k, key) }) {
				out = append(out, r)
				break
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, top := range []bool{false, true} {
		for i := range f.fields {
			g := &f.fields[i]
			if top && g.prefix > 0 || !top && (g.object() != fd.object() || fd.prefix == 0) || !hasFoldSuffix(g.last(), "kind") {
				continue
			}
			for _, r := range refs {
				if _, kind := profile.SplitKind(f.known.profile.Entities[f.known.things[r.thing].kind].Kind); strings.EqualFold(kind, g.text) {
					out = append(out, r)
				}
			}
			if len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// clusterOf returns the cluster whose processes write a stream with these
// labels; empty: not known.
func (k *Known) clusterOf(ls logs.Labels) string {
	for _, l := range ls {
		if _, ok := k.roles[l.Value]; ok && l.Value != "" {
			return l.Value
		}
	}
	found := ""
	for _, r := range k.profile.Clusters {
		if len(r.Logs) == 0 {
			continue
		}
		fits := true
		for name, p := range r.Logs {
			fits = fits && p.Fits(ls.Get(name))
		}
		if !fits {
			continue
		}
		for cluster, role := range k.roles {
			if role != r.Name {
				continue
			}
			if found != "" {
				return "" // several clusters play that part
			}
			found = cluster
		}
		return found
	}
	return ""
}
