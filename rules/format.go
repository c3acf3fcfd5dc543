package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A format is one way in which rules are kept.
type format struct {
	name string
	// extension of the text files of this format; empty for formats that
	// are YAML or JSON documents.
	extension string
	// holds reports whether a document is of this format, by its content.
	// It is nil for text files.
	holds func(*yamlpos.Document) bool
	load  func(*part) found
}

// formats lists all formats. A document is of the first one that holds it.
var formats = []format{
	{name: "rule groups", holds: holdsGroups, load: loadGroups},
	{name: "saved queries", holds: holdsQueries, load: loadQueries},
	{name: "a LogQL query", extension: ".logql", load: loadLogQL},
	{name: "a PromQL query", extension: ".promql", load: loadPromQL},
}

// formatNames returns the names of all formats, for messages.
func formatNames() string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

func textExtension(ext string) bool {
	return ext != "" && slices.ContainsFunc(formats, func(f format) bool { return f.extension == ext })
}

// A part is what a format loads: a document, or a text file.
type part struct {
	file *yamlpos.File
	doc  *yamlpos.Document // nil for text files
	ext  string
	// budget is what may still be read of the file.
	budget *int
}

// found is what a format found in a part.
type found struct {
	drafts   []*draft
	problems []*source.Error
	broken   []Broken
	budget   *int
}

// maxWork bounds what is read of one file: one for each field and for each 64
// bytes of its value, and more for long expressions. With anchors a short
// file can spell very much; a file that spells much by its length may hold
// more, one for each 8 bytes.
const maxWork = 200_000

// spend takes from the budget before something is read. It reports whether
// the budget is used up, and says so once.
func (f *found) spend(d *yamlpos.Document, n *yaml.Node, work int) bool {
	if *f.budget < 0 {
		return true
	}
	*f.budget -= work
	if *f.budget < 0 {
		f.fault(d.Errorf(n, "the file is too large or repeats too much with anchors: the rest is not read"), "split it")
		return true
	}
	return false
}

// add loads a part. It reports whether a format holds it.
func (f *found) add(p *part) bool {
	for _, format := range formats {
		if p.doc == nil && format.extension == p.ext || p.doc != nil && format.holds != nil && format.holds(p.doc) {
			more := format.load(p)
			f.drafts = append(f.drafts, more.drafts...)
			f.problems = append(f.problems, more.problems...)
			f.broken = append(f.broken, more.broken...)
			return true
		}
	}
	return false
}

// breaks keeps the name of a rule, if it has one, of which problems were found
// since there were before of them. It reports whether there are any.
func (f *found) breaks(r Rule, before int) bool {
	if len(f.problems) == before {
		return false
	}
	if strings.TrimSpace(r.Name) != "" {
		f.broken = append(f.broken, Broken{Kind: r.Kind, Name: r.Name, Group: r.Group, Pos: f.problems[before].Pos})
	}
	return true
}

func (f *found) fault(e *source.Error, hint string) {
	if e.Hint == "" {
		e.Hint = hint
	}
	f.problems = append(f.problems, e)
}

// A draft is a rule whose language is not decided yet.
type draft struct {
	rule   Rule
	file   *yamlpos.File
	places yamlpos.Places // of rule.Expr
	fault  *source.Error  // set when the expression is not valid
	reading
}

// place sets where the expression of a draft stands.
func (d *draft) place(file *yamlpos.File, places yamlpos.Places) {
	d.file, d.places = file, places
	expr := d.rule.Expr
	d.rule.Pos = file.Position(places.At(len(expr) - len(strings.TrimLeft(expr, " \t\r\n"))))
	next, before := 0, -1 // index of the place that begins next; file offset before
	for i := range len(expr) {
		at := places.At(i)
		fresh := i == 0 || expr[i-1] == '\n' || before >= 0 && file.Text[before] == '\n'
		for next < len(places) && places[next].Offset <= i {
			next, fresh = next+1, true
		}
		if fresh {
			pos := file.Position(at)
			d.rule.places = append(d.rule.places, place{Offset: i, Line: pos.Line, Column: pos.Column})
		}
		before = min(at, len(file.Text)-1)
	}
}

// errorAt returns an error about the bytes [start, end) of the expression.
func (d *draft) errorAt(start, end int, format string, args ...any) *source.Error {
	start = min(max(start, 0), len(d.rule.Expr))
	from := d.places.At(start)
	to := from + 1
	if end > start {
		to = d.places.At(end-1) + 1
	}
	return d.file.Errorf(from, to, format, args...)
}
