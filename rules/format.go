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
	// extensions of the text files of this format; none for formats that are
	// YAML or JSON documents.
	extensions []string
	// holds reports whether a document is of this format, by its content.
	// It is nil for text files.
	holds func(*yamlpos.Document) bool
	load  func(*part) found
}

// formats lists all formats. A document is of the first one that holds it.
func formats() []format {
	return []format{
		{name: formatGrafana, holds: holdsGrafana, load: loadGrafana},
		{name: formatDashboard, holds: holdsDashboard, load: loadDashboard},
		{name: "rule groups", holds: holdsGroups, load: loadGroups},
		{name: "PrometheusRule, VMRule, AlertingRule, RecordingRule", holds: holdsRuleObject, load: loadRuleObject},
		{name: "ConfigMap", holds: holdsConfigMap, load: loadConfigMap},
		{name: "List", holds: holdsObjectList, load: loadObjectList},
		{name: "Promtail pipeline", holds: holdsPromtail, load: loadPromtail},
		{name: "review file", holds: holdsPatterns, load: loadPatterns},
		{name: "saved queries", holds: holdsQueries, load: loadQueries},
		{name: "a LogQL query", extensions: []string{".logql"}, load: loadLogQL},
		{name: "Alloy pipeline", extensions: []string{".alloy", ".river"}, load: loadAlloy},
		{name: "runbook", extensions: []string{".md", ".markdown"}, load: loadMarkdown},
		{name: "a PromQL query", extensions: []string{".promql"}, load: loadPromQL},
	}
}

// knownKinds says for messages what is read.
const knownKinds = "rule files, objects, dashboards, alerts, saved queries, runbooks and pipelines are read, see docs/rules.md"

func textExtension(ext string) bool {
	return slices.ContainsFunc(formats(), func(f format) bool { return slices.Contains(f.extensions, ext) })
}

// A part is what a format loads: a document, or a text file.
type part struct {
	file *yamlpos.File
	doc  *yamlpos.Document // nil for text files
	name string            // what the text is called as a file
	ext  string            // of name, in small letters
	// budget is what may still be read of the file.
	budget *int
	depth  int // of objects around the part
}

// found is what a format found in a part.
type found struct {
	drafts   []*draft
	problems []*source.Error
	broken   []Broken
	notes    []Note
	skipped  []Skip
	budget   *int
	// nothing is set by a format for objects of all kinds when those at hand
	// hold no rules.
	nothing bool
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
		why := "is too large or repeats too much with anchors"
		if d.JSON() {
			why = "is too large"
		}
		f.fault(d.Errorf(n, "the file %s: the rest is not read", why), "split it")
		return true
	}
	return false
}

// add loads a part. It reports whether a format holds it.
func (f *found) add(p *part) bool {
	for _, format := range formats() {
		if p.doc == nil && slices.Contains(format.extensions, p.ext) || p.doc != nil && format.holds != nil && format.holds(p.doc) {
			more := format.load(p)
			for _, d := range more.drafts {
				if d.rule.Format == "" {
					d.rule.Format = format.name
				}
			}
			f.drafts = append(f.drafts, more.drafts...)
			f.problems = append(f.problems, more.problems...)
			f.broken = append(f.broken, more.broken...)
			f.notes = append(f.notes, more.notes...)
			f.skipped = append(f.skipped, more.skipped...)
			return !more.nothing
		}
	}
	return false
}

// skip notes a node that is left out without fault.
func (f *found) skip(d *yamlpos.Document, n *yaml.Node, reason string) {
	at := d.Position(n)
	f.skipped = append(f.skipped, Skip{Pos: source.Position{File: at.File, Line: at.Line}, Reason: reason})
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
	home   *home          // what a rule group is kept in; nil: a plain file
	hint   string         // what to do if the expression is not valid; may be empty
	// misplaced is set when the expression is valid, but not in the language
	// of its home.
	misplaced *source.Error
	reading
}

// settle makes a rule one that is listed but not evaluated.
func (d *draft) settle(languageReason, reason string) {
	d.rule.Language, d.rule.LanguageReason, d.rule.NotEvaluated = Other, languageReason, reason
}

// placeQuery takes the blanks before the query off the expression of a draft,
// which a block scalar can begin with, and sets where it stands.
func (d *draft) placeQuery(file *yamlpos.File, places yamlpos.Places) {
	if query := strings.TrimLeft(d.rule.Expr, " \t\r\n"); query != "" && len(query) < len(d.rule.Expr) {
		places = places.Shift(len(d.rule.Expr) - len(query))
		d.rule.Expr = query
	}
	d.place(file, places)
}

// place sets where the expression of a draft stands.
func (d *draft) place(file *yamlpos.File, places yamlpos.Places) {
	d.file, d.places = file, places
	expr := d.rule.Expr
	d.rule.Pos = file.Position(places.At(len(expr) - len(strings.TrimLeft(expr, " \t\r\n"))))
	d.rule.places = placesOf(expr, file, places)
}

// placesOf returns the places of an expression by line and column.
func placesOf(expr string, file *yamlpos.File, places yamlpos.Places) []place {
	var out []place
	for i := range len(expr) {
		pos := file.Position(places.At(i))
		if n := len(out); n > 0 && pos.Line == out[n-1].Line {
			last := &out[n-1]
			if pos.Column == last.Column && (last.still || i == last.Offset+1) {
				last.still = true
				continue
			}
			if !last.still && pos.Column == last.Column+i-last.Offset {
				continue
			}
		}
		out = append(out, place{Offset: i, Line: pos.Line, Column: pos.Column})
	}
	return out
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
