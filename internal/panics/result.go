package panics

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// What became of a panic.
const (
	Crashed   = "crashed"
	Recovered = "recovered"
	Unknown   = "unknown"
)

// A Panic is all occurrences of one panic in a run that were handled and
// written the same way.
type Panic struct {
	Signature string // hex of the kind and the application's frames
	Kind      string // the value, what varies masked
	Value     string // as first written
	Frames    []Frame
	Partial   bool   // the stack was cut, or there is none
	Form      string // see the constants
	Handling  string
	By        string // what recovered it; empty: not told
	Evidence  string // how the handling is known
	Operation string // that failed; empty: not told
	Fields    map[string]string

	Count       int64
	Restarts    int64 // occurrences that another process followed
	First, Last Line
}

// A Result is what was found in a run.
type Result struct {
	Panics []Panic // in the order of their first lines
	// Of maps each tag less one to an index into Panics; -1: it turned out to
	// be none.
	Of []int
	// Cut counts the occurrences of panics that did not fit the bound.
	Cut int64
}

// A group is a panic as it is gathered.
type group struct {
	Panic
	ended int64
	index int
}

// Finish ends the run.
func (f *Finder) Finish() Result {
	for i := range f.streams {
		s := &f.streams[i]
		f.end(s)
		for _, p := range s.pods {
			f.end(p)
		}
	}
	list := make([]*group, 0, len(f.groups))
	for _, g := range f.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, compareGroups)
	known := make([]Known, len(list))
	for i, g := range list {
		known[i] = g.known()
	}
	for i, sig := range Unify(known) {
		list[i].Signature = sig
	}
	res := Result{Of: make([]int, len(f.of)), Cut: f.cut}
	first := map[string]*group{}
	for _, g := range list {
		if same := first[g.key()]; same != nil {
			same.merge(g)
			g.index = same.index
			continue
		}
		first[g.key()] = g
		g.index = len(res.Panics)
		res.Panics = append(res.Panics, Panic{})
	}
	for _, g := range first {
		g.Evidence = g.evidence()
		res.Panics[g.index] = g.Panic
	}
	for i, g := range f.of {
		if res.Of[i] = -1; g != nil {
			res.Of[i] = g.index
		}
	}
	return res
}

// end ends a stream.
func (f *Finder) end(s *stream) {
	for _, o := range s.recent {
		// The last words of a log: nothing came after to speak against it.
		o.proven = o.proven || o.endedBy() && o.lastRecord == s.records && o.valueLines == 0
	}
	f.foldAll(s)
}

func compareGroups(a, b *group) int {
	return cmp.Or(cmp.Compare(a.First.Time, b.First.Time), cmp.Compare(a.First.Stream, b.First.Stream),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Signature, b.Signature), cmp.Compare(a.Form, b.Form),
		cmp.Compare(a.Handling, b.Handling), cmp.Compare(a.By, b.By))
}

// key tells the panics of a run apart.
func (p *Panic) key() string {
	return strings.Join([]string{p.Signature, p.Handling, p.Form, p.By}, "\x00")
}

func (p *Panic) known() Known { return Known{p.Signature, p.Kind, p.Frames, p.Partial} }

// merge adds a group of the same panic that began later.
func (g *group) merge(o *group) {
	if len(g.Frames) == 0 {
		g.Frames, g.Partial = o.Frames, o.Partial
	}
	if g.Fields == nil {
		g.Fields, g.Operation = o.Fields, firstText(g.Operation, o.Operation)
	}
	if o.Last.Time > g.Last.Time {
		g.Last = o.Last
	}
	g.Count += o.Count
	g.Restarts += o.Restarts
	g.ended += o.ended
}

// fold adds an occurrence that is over to its group.
func (f *Finder) fold(o *occurrence) {
	above, below, through := split(o.stack.frames)
	// Of a stack that was written down before, the dump is not the one printed.
	printed := printsStack(o.stack.frames) && (!o.announced || o.heads == 0)
	if !o.proven && !through || o.raw && printed && !through {
		return
	}
	raw := o.raw && !printed
	if o.levelled && o.heads == 0 && !o.ended { // a record that says so, and no dump came
		raw, o.form = false, FormRecovered
	}
	if !through && !raw && o.form != FormLog {
		below = nil // of the logging call, not of the panic
	}
	p := Panic{Value: o.value, Form: o.form, Fields: o.fields, Operation: o.operation, Count: 1}
	p.Kind = kindOf(p.Value)
	p.Frames = slices.Clone(below)
	markApp(p.Frames)
	p.Partial = len(below) == 0 || !o.stack.rooted || o.stack.elided
	p.Signature = signature(p.Kind, p.Frames)
	p.Handling, p.By = o.handling(raw, above, p.Frames)
	for i := range p.Frames {
		p.Frames[i].File = shortFile(p.Frames[i].File)
	}
	if o.restarted {
		p.Restarts = 1
	}
	f.gather(o, p)
}

func (f *Finder) gather(o *occurrence, p Panic) {
	k := p.key()
	g := f.groups[k]
	if g == nil {
		if len(f.groups) == maxPanics {
			f.cut++
			return
		}
		p.First = o.first
		g = &group{Panic: p}
		f.groups[k] = g
	} else {
		g.Count++
		g.Restarts += p.Restarts
		if g.Partial && !p.Partial {
			g.Frames, g.Partial = p.Frames, false
		}
	}
	g.Last = o.last
	if o.ended {
		g.ended++
	}
	if o.tag > 0 {
		f.of[o.tag-1] = g
	}
}

// handling says what became of an occurrence, and by whom.
func (o *occurrence) handling(raw bool, above, below []Frame) (handling, by string) {
	switch {
	case raw, o.ended && o.form == FormObserved:
		return Crashed, ""
	case o.by != "":
		by = o.by
	case len(above) > 0:
		by = recoverer(above[len(above)-1].Function, below)
	}
	switch {
	case o.ended:
		return Unknown, by
	case o.recovered || by != "":
		return Recovered, by
	}
	return Unknown, by
}

// recoverer names the function that was deferred, or the library that it is of.
func recoverer(function string, below []Frame) string {
	pkg := packageOf(function)
	for _, f := range below {
		if f.InApp && (pkg == "main" || moduleOf(packageOf(f.Function)) == moduleOf(pkg)) {
			return Key(function)
		}
	}
	if isStandard(pkg, "") {
		return pkg
	}
	if isLibrary(pkg, "") {
		return moduleOf(pkg)
	}
	return Key(function)
}

// evidence says how the handling is known.
func (g *group) evidence() string {
	switch {
	case g.Handling == Crashed && g.Form == FormObserved:
		return "the log of the process ends with it"
	case g.Handling == Crashed && g.Restarts > 0:
		return fmt.Sprintf("the runtime wrote the dump that ends a process, and another process followed %d of %d times", g.Restarts, g.Count)
	case g.Handling == Crashed:
		return "the runtime wrote the dump that ends a process"
	case g.ended > 0:
		return "it was written as recovered, but the log of the process ends with it"
	case g.Handling == Recovered && g.Form == FormHTTP:
		return "the server says that it recovered it"
	case g.Handling == Recovered && len(g.Frames) > 0 && g.By != "":
		return "the stack holds what was deferred above the panic, and the process went on"
	case g.Handling == Recovered:
		return "the record says that it was recovered"
	}
	return "the log does not tell what became of it"
}

// signature returns the identity of a panic.
func signature(kind string, frames []Frame) string {
	keys := identity(kind, frames)
	sum := sha256.Sum256([]byte(kind + "\x00" + strings.Join(keys, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// identity returns the functions that tell a panic from others of its kind.
func identity(kind string, frames []Frame) []string {
	keys := appKeys(frames)
	if strings.Contains(kind, "stack overflow") { // where it ends is chance
		slices.Sort(keys)
		keys = slices.Compact(keys)
	}
	return keys
}
