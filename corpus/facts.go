package corpus

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// Bounds of what [Run.Facts] keeps of one run.
const (
	maxFacts     = 1_000_000 // of all kinds together
	maxFactBytes = 512 << 20 // of their texts
	maxFactLine  = 32 << 20  // of one value; a frame holds no more
	maxFactDepth = 1000      // of objects and lists in one value
	maxFactNotes = 50
)

// Facts reads what was recorded beside logs and metrics; nil if there is
// nothing. Values that cannot be used, and those beyond the bounds, are left
// out and named in the notes. A file that is damaged or holds no JSON is an
// error that names it and the line.
func (r *Run) Facts(ctx context.Context) (*Facts, error) {
	l := newFactLoader()
	any := false
	moments := r.moments()
	for _, m := range moments {
		l.facts.Moments = append(l.facts.Moments, m.Name)
	}
	for i := range r.Manifest.Files {
		f := &r.Manifest.Files[i]
		add := l.adder(f, moments)
		if add == nil {
			continue
		}
		any = true
		l.file, l.repeated = f.Path, nil
		if f.Kind() == "objects" {
			at := snapshotOf(f, moments)
			l.repeated = func(text []byte) bool { return l.objectAgain(text, at) }
		}
		if err := r.eachLine(ctx, f.Path, l, add); err != nil {
			return nil, err
		}
		l.endFile()
	}
	if !any {
		return nil, nil
	}
	l.order()
	return l.facts, nil
}

// moments returns the moments of the run in their order. Older corpora do not
// say it; there it is that of the names.
func (r *Run) moments() []Moment {
	if len(r.Manifest.Moments) > 0 {
		return r.Manifest.Moments
	}
	var out []Moment
	for i := range r.Manifest.Files {
		if f := &r.Manifest.Files[i]; f.Kind() == "objects" {
			out = append(out, Moment{Name: f.MomentName()})
		}
	}
	slices.SortFunc(out, func(a, b Moment) int {
		return cmp.Or(naturalCompare(a.Name, b.Name), cmp.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(out, func(a, b Moment) bool { return a.Name == b.Name })
}

// eachLine calls add with each value of a file, and reads the file to its end.
func (r *Run) eachLine(ctx context.Context, name string, l *factLoader, add func(text string)) (err error) {
	f, err := r.OpenFile(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxFactLine)
	for l.line = 1; lines.Scan(); l.line++ {
		if l.line%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text := lines.Bytes()
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if l.repeated != nil && l.repeated(text) {
			continue
		}
		if depth(text) > maxFactDepth {
			l.note("values that are nested deeper than %d", maxFactDepth)
			continue
		}
		if !gjson.ValidBytes(text) {
			return fmt.Errorf("%s:%d: is not JSON; the file was written by something else than stillfires", r.Path(name), l.line)
		}
		if l.full(len(text)) {
			continue
		}
		if !utf8.Valid(text) {
			text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
		}
		add(string(text))
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: is longer than %d bytes", r.Path(name), l.line, maxFactLine)
	} else if err != nil {
		return err
	}
	return nil
}

// depth returns how deep objects and lists are nested in JSON, before a parser
// that calls itself sees it.
func depth(text []byte) int {
	if n := bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("[")); n <= maxFactDepth {
		return n // or less: fast, and enough to know
	}
	deepest, now := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			now++
			deepest = max(deepest, now)
		case '}', ']':
			now--
		}
	}
	return deepest
}

// A factLoader gathers the facts of one run.
type factLoader struct {
	facts  *facts.Facts
	count  int // of facts
	bytes  int // of their texts
	events map[eventID]int
	// objects finds one by a hash of its text; seed is of that hash.
	objects map[uint64]int
	seed    maphash.Seed
	// repeated takes a value of the file that was read before; nil: none can.
	repeated func(text []byte) bool

	file string
	line int
	left []leftOut // of the file
}

func newFactLoader() *factLoader {
	return &factLoader{facts: &facts.Facts{}, events: map[eventID]int{}, objects: map[uint64]int{}, seed: maphash.MakeSeed()}
}

// leftOut counts values of a file that were left out for one reason.
type leftOut struct {
	what  string
	count int
	first int // line
}

// full reports whether there is no room for a value of n bytes.
func (l *factLoader) full(n int) bool {
	if l.count < maxFacts && l.bytes+n <= maxFactBytes {
		return false
	}
	l.note("values for which there was no room: a run keeps %d of them, with %d bytes", maxFacts, maxFactBytes)
	return true
}

func (l *factLoader) keep(n int) {
	l.count++
	l.bytes += n
}

// note counts a value of the file as left out.
func (l *factLoader) note(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	for i := range l.left {
		if l.left[i].what == what {
			l.left[i].count++
			return
		}
	}
	if len(l.left) < maxFactNotes {
		l.left = append(l.left, leftOut{what, 1, l.line})
	}
}

func (l *factLoader) endFile() {
	for _, x := range l.left {
		at := l.file
		if x.first > 0 {
			at += fmt.Sprintf(":%d", x.first)
		}
		switch n := len(l.facts.Notes); {
		case n < maxFactNotes:
			l.facts.Notes = append(l.facts.Notes, fmt.Sprintf("%s: %d left out: %s", at, x.count, x.what))
		case n == maxFactNotes:
			l.facts.Notes = append(l.facts.Notes, "more was left out for other reasons")
		}
	}
	l.left = l.left[:0]
}

// adder returns what takes the values of a file; nil if they are no facts.
func (l *factLoader) adder(f *File, moments []Moment) func(text string) {
	switch f.Kind() {
	case "objects":
		at := snapshotOf(f, moments)
		return func(text string) { l.object(text, at) }
	case "events":
		return func(text string) { l.object(text, snapshot{cluster: f.Cluster, events: true}) }
	case "probes":
		return l.probes(f)
	case "progress":
		return l.progress(f)
	case "actions":
		return l.actions(f)
	}
	return nil
}

// order sorts every list as package facts says; the sorts are stable, so that
// what is equal keeps the order of the files.
func (l *factLoader) order() {
	f := l.facts
	rank := make(map[string]int, len(f.Moments))
	for i, m := range f.Moments {
		rank[m] = i
	}
	slices.SortStableFunc(f.Objects, func(a, b facts.Object) int {
		return cmp.Or(cmp.Compare(rank[a.Moment], rank[b.Moment]), cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.APIVersion, b.APIVersion))
	})
	l.file, l.line = "objects", 0
	f.Objects = slices.CompactFunc(f.Objects, func(a, b facts.Object) bool {
		same := sameObject(a, b)
		if same && a.Raw != b.Raw {
			l.note("states of an object that another file of the moment has in another state")
		}
		return same
	})
	l.endFile()
	slices.SortStableFunc(f.Events, func(a, b facts.Event) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Last, b.Last))
	})
	slices.SortStableFunc(f.Probes, func(a, b facts.Probe) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(f.Progress, func(a, b facts.Progress) int { return cmp.Compare(a.Time, b.Time) })
	slices.SortStableFunc(f.Actions, func(a, b facts.Action) int { return cmp.Compare(a.Time, b.Time) })
}

// sameObject reports whether two lists of one moment have the same object.
func sameObject(a, b facts.Object) bool {
	return a.Moment == b.Moment && a.Cluster == b.Cluster && a.Kind == b.Kind && a.APIVersion == b.APIVersion &&
		a.Namespace == b.Namespace && a.Name == b.Name && a.UID == b.UID && a.Name != ""
}

// timeIn reads a time; 0 for none. One without a zone is taken as UTC, and one
// before 1970 as none: the zero time of Go programs is written as year 1.
func timeIn(v gjson.Result) int64 {
	text := v.Raw
	switch v.Type {
	case gjson.String:
		text = v.Str
	case gjson.Number:
	default:
		return 0
	}
	if strings.HasPrefix(text, "0001-") {
		return 0
	}
	stamp, ok := recordtime.Value([]byte(text))
	if !ok {
		return 0
	}
	return max(stamp.Unix(), 0)
}
