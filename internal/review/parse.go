package review

import (
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// maxEntries bounds the entries of all lists: with anchors a short file can
// spell very many.
const maxEntries = 100_000

// A key is a field of a mapping and what reads it.
type key struct {
	name string
	read func(n *yaml.Node)
}

// A reader reads one review file.
type reader struct {
	doc     *yamlpos.Document
	file    *File
	ids     []string // of findings
	errs    []*source.Error
	entries int             // of lists, so far
	pinned  []yamlpos.Field // of Digests
}

// parse reads the text of a review file. ids are the finding IDs that it may
// name. The error is that of [Load].
func parse(path string, text []byte, ids []string) (*File, error) {
	r, err := parseDocument(path, text, ids, "review file", (*reader).reviewKeys)
	if err != nil {
		return nil, err
	}
	return r.file, nil
}

// parseDocument reads a file of one document with a version and the keys that
// keys returns. What names the file in errors.
func parseDocument(path string, text []byte, ids []string, what string, keys func(*reader) []key) (*reader, error) {
	file := yamlpos.NewFile(path, text)
	docs, problems := yamlpos.Parse(file)
	r := &reader{ids: ids, errs: problems, file: &File{
		Path: path, Deployed: "deployed", Candidate: "candidate", Severities: map[string]analyzer.Severity{},
	}}
	switch {
	case len(problems) > 0:
	case len(docs) == 0 || docs[0].Root == nil:
		r.errs = append(r.errs, &source.Error{Pos: file.Position(0), Msg: "the " + what + " is empty", Hint: "begin with version: 1"})
	case len(docs) > 1:
		r.errs = append(r.errs, file.Errorf(docs[1].Start(), docs[1].Start()+3, "a %s is one document", what))
	default:
		r.doc = docs[0]
		r.readFile(what, keys(r))
		r.checkDigests()
	}
	if len(r.errs) > 0 {
		all := append(r.errs, r.file.Problems...)
		sortErrors(all)
		return nil, ErrorList(all)
	}
	sortErrors(r.file.Problems)
	return r, nil
}

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	e := r.doc.Errorf(n, format, args...)
	e.Hint = hint
	r.errs = append(r.errs, e)
}

// readFile reads the whole document.
func (r *reader) readFile(what string, keys []key) {
	version := false
	keys = append([]key{{"version", func(n *yaml.Node) { version = true; r.version(n, what) }}}, keys...)
	r.mapping(r.doc.Root, "the "+what, keys)
	if !version && len(r.errs) == 0 {
		r.fail(r.doc.Root, "begin with version: 1", "the version is missing")
	}
}

// reviewKeys returns the keys of a review file, without its version.
func (r *reader) reviewKeys() []key {
	f := r.file
	return []key{
		{"corpus", func(n *yaml.Node) {
			spelled := r.text(n, "corpus")
			f.Corpus = f.relative(spelled)
			f.name(spelled)
		}},
		{"deployed", func(n *yaml.Node) { f.Deployed = r.build(n, "deployed") }},
		{"candidate", func(n *yaml.Node) { f.Candidate = r.build(n, "candidate") }},
		{"digests", r.digests},
		{"rules", r.rules},
		{"patterns", r.patterns},
		{"interval", func(n *yaml.Node) { f.Interval = r.interval(n) }},
		{"defaults", r.listed(func(n *yaml.Node) {
			r.mapping(n, "defaults", []key{{"expect", func(n *yaml.Node) { f.Default = r.expect(n) }}})
		})},
		{"scenarios", r.listed(r.scenarios)},
		{"severities", r.listed(r.severities)},
		{"suppressions", r.suppressionsOrFile},
		{"profile", func(n *yaml.Node) {
			if f.Profile = r.text(n, "profile"); profile.IsPath(f.Profile) {
				f.Profile = f.relative(f.Profile)
			}
		}},
		{"notifications", r.notifications},
		{"capacity", func(n *yaml.Node) { f.Capacity = recoveryPart(r, n, "capacity", profile.ReadCapacity) }},
		{"acceptance", func(n *yaml.Node) { f.Acceptance = recoveryPart(r, n, "acceptance", profile.ReadAcceptance) }},
		{"manual", func(n *yaml.Node) { f.Manual = recoveryPart(r, n, "manual", profile.ReadManual) }},
	}
}

// listed makes the errors of read problems of the file, unless there was too
// much to read.
func (r *reader) listed(read func(n *yaml.Node)) func(n *yaml.Node) {
	return func(n *yaml.Node) {
		before := r.errs
		r.errs = nil
		read(n)
		if r.entries >= maxEntries {
			r.errs = append(before, r.errs...)
			return
		}
		r.file.Problems = append(r.file.Problems, r.errs...)
		r.errs = before
	}
}

// mapping reads a mapping with known keys.
func (r *reader) mapping(n *yaml.Node, what string, keys []key) {
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	r.entriesOf(n, what, func(field yamlpos.Field) {
		for _, k := range keys {
			if k.name == field.Name {
				k.read(field.Value)
				return
			}
		}
		hint := suggest.Hint(field.Name, names)
		if hint == "" {
			hint = "known are " + strings.Join(names, ", ")
		}
		r.fail(field.Key, hint, "unknown key %q", field.Name)
	})
}

// entriesOf calls f for each field of a mapping.
func (r *reader) entriesOf(n *yaml.Node, what string, f func(yamlpos.Field)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, "write key: value", "%s must be a mapping", what)
		return
	}
	fields, problems := r.doc.Fields(n)
	r.errs = append(r.errs, problems...)
	for _, field := range fields {
		if r.full(field.Key) {
			return
		}
		f(field)
	}
}

// full counts an entry and reports whether there are too many.
func (r *reader) full(n *yaml.Node) bool {
	r.entries++
	if r.entries == maxEntries {
		r.fail(n, "split the review", "the file has more than %d entries", maxEntries)
	}
	return r.entries >= maxEntries
}

// text reads a text that is not empty.
func (r *reader) text(n *yaml.Node, what string) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, "", "%s must be text", what)
	case n.ShortTag() == "!!null" || n.Value == "":
		r.fail(n, "give it a value or leave it out", "%s is empty", what)
	case n.ShortTag() != "!!str":
		r.fail(n, "put it in quotes", "%s must be text", what)
	default:
		return n.Value
	}
	return ""
}

func (r *reader) version(n *yaml.Node, what string) {
	var v int
	if err := n.Decode(&v); err != nil || n.ShortTag() == "!!null" || v != 1 {
		r.fail(n, "write version: 1", "unknown version of the %s", what)
	}
}

// build reads [DIR:]BUILD.
func (r *reader) build(n *yaml.Node, what string) string {
	spec := r.text(n, what)
	if strings.HasSuffix(spec, ":") {
		r.fail(n, "write BUILD or DIR:BUILD", "%s names no build", what)
	}
	r.file.name(dirOf(spec))
	return r.file.build(spec)
}

func (r *reader) rules(n *yaml.Node) {
	r.list(n, "rules", func(item *yaml.Node) {
		if path := r.text(item, "an entry of rules"); path != "" {
			r.file.Rules = append(r.file.Rules, r.file.relative(path))
		}
	})
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fail(n, "name rule files, folders or globs, or leave it out", "rules is empty")
	}
}

// patterns notes whether there are any: package rules reads them.
func (r *reader) patterns(n *yaml.Node) {
	r.list(n, "patterns", func(*yaml.Node) { r.file.Patterns = true })
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fail(n, "list what automations look for, or leave it out", "patterns is empty")
	}
}

// list calls f for each item of a list.
func (r *reader) list(n *yaml.Node, what string, f func(item *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "write [a, b]", "%s must be a list", what)
		return
	}
	for _, item := range n.Content {
		item = yamlpos.Resolve(item)
		if r.full(item) {
			return
		}
		f(item)
	}
}

func (r *reader) interval(n *yaml.Node) time.Duration {
	text := r.text(n, "interval")
	if text == "" {
		return 0
	}
	d, err := model.ParseDuration(text)
	if err != nil || d <= 0 {
		r.fail(n, "write a duration such as 30s or 1m", "interval %q is not a duration above zero", text)
		return 0
	}
	return time.Duration(d)
}

// expect reads the name of an expectation.
func (r *reader) expect(n *yaml.Node) analyzer.Expect {
	text := r.text(n, "expect")
	if text == "" {
		return analyzer.ExpectNone
	}
	e, err := analyzer.ParseExpect(text)
	if err != nil {
		names := expectNames()
		hint := suggest.Hint(text, names)
		if hint == "" {
			hint = "write " + strings.Join(names, ", ")
		}
		r.fail(n, hint, "unknown expectation %q", text)
	}
	return e
}

func expectNames() []string {
	var names []string
	for e := analyzer.ExpectNone; e <= analyzer.MustClear; e++ {
		names = append(names, e.String())
	}
	return names
}

func (r *reader) scenarios(n *yaml.Node) {
	r.entriesOf(n, "scenarios", func(field yamlpos.Field) {
		if field.Name == "" {
			r.fail(field.Key, "", "a scenario has no name")
			return
		}
		s := Scenario{Name: field.Name, Pos: r.doc.Position(field.Key)}
		lists := map[string]*yaml.Node{} // entries by text
		var at time.Time
		list := func(e analyzer.Expect) key {
			return key{e.String(), func(n *yaml.Node) { r.expectations(&s, e, n, lists) }}
		}
		r.mapping(field.Value, "a scenario", []key{
			list(analyzer.MustFire), list(analyzer.MustStaySilent), list(analyzer.MustClear),
			{"expect", func(n *yaml.Node) { s.Default, s.HasDefault = r.expect(n), true }},
			{"loadOf", func(n *yaml.Node) { s.LoadOf = r.text(n, "loadOf") }},
			{"declaredAt", func(n *yaml.Node) { at = r.time(n) }},
			{"assertions", func(n *yaml.Node) { s.Assertions = r.assertions(n) }},
		})
		for i := range s.Assertions {
			if a := &s.Assertions[i]; a.DeclaredAt.IsZero() {
				a.DeclaredAt = at
			}
		}
		r.file.Scenarios = append(r.file.Scenarios, s)
	})
}

// expectations reads one list of a scenario.
func (r *reader) expectations(s *Scenario, e analyzer.Expect, n *yaml.Node, seen map[string]*yaml.Node) {
	r.list(n, e.String(), func(item *yaml.Node) {
		pattern := r.text(item, "a rule")
		if pattern == "" {
			return
		}
		if first := seen[pattern]; first != nil {
			r.fail(item, "keep one of them", "%q is given twice in scenario %q, first in line %d", pattern, s.Name, r.doc.Position(first).Line)
			return
		}
		seen[pattern] = item
		s.Rules = append(s.Rules, Expectation{Pattern: pattern, Expect: e, Pos: r.doc.Position(item)})
	})
}

// assertions reads what the evidence of a scenario must show.
func (r *reader) assertions(n *yaml.Node) []profile.Assertion {
	list, errs := profile.ReadAssertions(r.doc, n, "assertions")
	r.errs = append(r.errs, errs...)
	return list
}

// time reads when something was declared.
func (r *reader) time(n *yaml.Node) time.Time {
	var at time.Time
	if err := n.Decode(&at); err != nil || n.ShortTag() == "!!null" {
		r.fail(n, "write a time such as 2026-11-30T17:00:00Z", "declaredAt is no time")
	}
	return at
}

func (r *reader) severities(n *yaml.Node) {
	r.entriesOf(n, "severities", func(field yamlpos.Field) {
		r.knownID(field.Key, field.Name)
		text := r.text(field.Value, "a severity")
		if text == "" {
			return
		}
		severity, err := analyzer.ParseSeverity(text)
		if err != nil {
			names := []string{analyzer.Info.String(), analyzer.Warn.String(), analyzer.Break.String()}
			hint := suggest.Hint(text, names)
			if hint == "" {
				hint = "write " + strings.Join(names, ", ")
			}
			r.fail(field.Value, hint, "unknown severity %q", text)
			return
		}
		r.file.Severities[field.Name] = severity
	})
}
