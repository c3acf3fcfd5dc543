package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A savedQuery is one item of a file of saved queries.
type savedQuery struct {
	name, expr, language, owner *yaml.Node
}

var (
	savedQueriesKeys = []string{"queries"}
	savedQueryKeys   = []string{"name", "expr", "language", "owner"}
)

// holdsQueries recognises "queries: [{name, expr, language, owner}]".
func holdsQueries(d *yamlpos.Document) bool {
	return holdsList(d, "queries", savedQueriesKeys, "expr", "name")
}

// holdsList reports whether a document has a list under a key that looks like
// one of rules: an item has one of the given fields, or the document has no
// other keys than those allowed.
func holdsList(d *yamlpos.Document, key string, allowed []string, fields ...string) bool {
	if d.Root == nil || d.Get(d.Root, "apiVersion") != nil {
		return false
	}
	list := d.Get(d.Root, key)
	if list == nil {
		return false
	}
	if list.Kind == yaml.SequenceNode {
		for _, item := range list.Content[:min(len(list.Content), 100)] {
			for _, name := range fields {
				if d.Get(item, name) != nil {
					return true
				}
			}
		}
	}
	all, _ := d.Fields(d.Root)
	for _, f := range all {
		if !slices.Contains(allowed, f.Name) {
			return false
		}
	}
	return true
}

// loadQueries loads a file of saved queries.
func loadQueries(p *part) found {
	f := found{budget: p.budget}
	names := map[string]source.Position{}
	fields, problems := p.doc.Fields(p.doc.Root)
	f.problems = append(f.problems, problems...)
	for _, field := range fields {
		if field.Name != "queries" {
			f.unknown(p.doc, field, savedQueriesKeys)
			continue
		}
		for _, item := range f.items(p.doc, field) {
			if f.spend(p.doc, item, 1) {
				break
			}
			if d := f.query(p, item, names); d != nil {
				f.drafts = append(f.drafts, d)
			}
		}
	}
	return f
}

// unknown reports a key that a mapping does not have.
func (f *found) unknown(d *yamlpos.Document, field yamlpos.Field, known []string) {
	hint := suggest.Hint(field.Name, known)
	if hint == "" {
		hint = "known are " + strings.Join(known, ", ")
	}
	f.fault(d.Errorf(field.Key, "unknown field %q", field.Name), hint)
}

// items returns the elements of a list field.
func (f *found) items(d *yamlpos.Document, field yamlpos.Field) []*yaml.Node {
	if isNull(field.Value) {
		return nil
	}
	if field.Value.Kind != yaml.SequenceNode {
		f.fault(d.Errorf(field.Value, "%q must be a list", field.Name), "begin each item with a dash")
		return nil
	}
	return field.Value.Content
}

// query loads one saved query. It returns nil if that is not valid.
func (f *found) query(p *part, item *yaml.Node, names map[string]source.Position) *draft {
	if yamlpos.Resolve(item).Kind != yaml.MappingNode {
		f.fault(p.doc.Errorf(item, "a saved query must have the fields name and expr"), "")
		return nil
	}
	before := len(f.problems)
	fields, problems := p.doc.Fields(item)
	f.problems = append(f.problems, problems...)
	var q savedQuery
	for _, field := range fields {
		if f.spend(p.doc, field.Value, work(field.Value.Value)) {
			return nil
		}
		switch field.Name {
		case "name":
			q.name = f.text(p.doc, field)
		case "expr":
			q.expr = f.text(p.doc, field)
		case "language":
			q.language = f.text(p.doc, field)
		case "owner":
			q.owner = f.text(p.doc, field)
		default:
			f.unknown(p.doc, field, savedQueryKeys)
		}
	}
	d := &draft{rule: Rule{Kind: Query, Name: value(q.name), Expr: value(q.expr), Owner: value(q.owner)}}
	if len(f.problems) == before {
		f.checkQuery(p, item, q, d, names)
	}
	if f.breaks(d.rule, before) {
		return nil
	}
	d.placeQuery(p.file, p.doc.Scalar(q.expr))
	return d
}

// checkQuery reports what is missing or wrong in a saved query.
func (f *found) checkQuery(p *part, item *yaml.Node, q savedQuery, d *draft, names map[string]source.Position) {
	if strings.TrimSpace(d.rule.Name) == "" {
		f.fault(p.doc.Errorf(or(q.name, item), "the saved query has no name"), "add the field name")
	} else if first, ok := names[d.rule.Name]; ok {
		f.fault(p.doc.Errorf(q.name, "the name %q is used twice, first in line %d", d.rule.Name, first.Line), "give each saved query its own name")
	} else {
		names[d.rule.Name] = p.doc.Position(q.name)
	}
	if strings.TrimSpace(d.rule.Expr) == "" {
		f.fault(p.doc.Errorf(or(q.expr, item), "the saved query %q has no expression", d.rule.Name), "add the field expr")
	}
	switch language := value(q.language); language {
	case "":
	case "logql":
		d.declared, d.declaredBy = LogQL, "the saved query says so"
	case "promql":
		d.declared, d.declaredBy = PromQL, "the saved query says so"
	default:
		hint := suggest.Hint(language, languageNames[LogQL:])
		if hint == "" {
			hint = "write logql or promql"
		}
		f.fault(p.doc.Errorf(q.language, "unknown language %q", language), hint)
	}
}

// text returns the value of a field that must be text, or nil.
func (f *found) text(d *yamlpos.Document, field yamlpos.Field) *yaml.Node {
	if field.Value.Kind != yaml.ScalarNode {
		f.fault(d.Errorf(field.Value, "%q must be text", field.Name), "")
		return nil
	}
	return field.Value
}

// value returns the text of a scalar; none and null give the empty string.
func value(n *yaml.Node) string {
	if n == nil || isNull(n) {
		return ""
	}
	return n.Value
}

func or(a, b *yaml.Node) *yaml.Node {
	if a != nil {
		return a
	}
	return b
}
