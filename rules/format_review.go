package rules

import (
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
	"github.com/stillfires/stillfires/logql/syntax"
)

// patternKeys are the fields of a pattern. One of the tools must be given.
var patternKeys = []string{"name", "grep", "regexp", "jq", "selector", "owner"}

// patternTools are the ways in which automations read logs.
func patternTools() map[string]func(text string) translation {
	return map[string]func(string) translation{"grep": grepStages, "regexp": regexpStages, "jq": jqStages}
}

// A translation is what a pattern of another tool is in LogQL.
type translation struct {
	stages []string
	why    string // there is no equal LogQL; else empty
	fault  *fault // the pattern is not valid; else nil
}

// reviewKeys are the keys of a review file.
var reviewKeys = []string{"version", "corpus", "deployed", "candidate", "rules", "patterns", "interval", "defaults", "scenarios", "severities"}

// holdsPatterns recognises a review file with patterns.
func holdsPatterns(d *yamlpos.Document) bool {
	return holdsList(d, "patterns", reviewKeys, "grep", "regexp", "jq") && d.Get(d.Root, "version") != nil
}

// loadPatterns loads the patterns of a review file. The rest of the file is
// not its concern.
func loadPatterns(p *part) found {
	f := found{budget: p.budget}
	names := map[string]source.Position{}
	fields, _ := p.doc.Fields(p.doc.Root)
	for _, field := range fields {
		if field.Name != "patterns" {
			continue
		}
		for _, item := range f.items(p.doc, field) {
			if f.spend(p.doc, item, 1) {
				break
			}
			if d := f.pattern(p, item, names); d != nil {
				f.drafts = append(f.drafts, d)
			}
		}
	}
	return f
}

// pattern loads one pattern. It returns nil if that is not valid.
func (f *found) pattern(p *part, item *yaml.Node, names map[string]source.Position) *draft {
	if yamlpos.Resolve(item).Kind != yaml.MappingNode {
		f.fault(p.doc.Errorf(item, "a pattern must have the fields name and one of grep, regexp and jq"), "")
		return nil
	}
	before := len(f.problems)
	fields, problems := p.doc.Fields(item)
	f.problems = append(f.problems, problems...)
	var name, owner, selector *yaml.Node
	var tools []yamlpos.Field
	for _, field := range fields {
		if f.spend(p.doc, field.Value, work(field.Value.Value)) {
			return nil
		}
		switch field.Name {
		case "name":
			name = f.text(p.doc, field)
		case "owner":
			owner = f.text(p.doc, field)
		case "selector":
			selector = f.text(p.doc, field)
		case "grep", "regexp", "jq":
			if f.text(p.doc, field) != nil {
				tools = append(tools, field)
			}
		default:
			f.unknown(p.doc, field, patternKeys)
		}
	}
	d := &draft{rule: Rule{Kind: Pattern, Name: value(name), Owner: value(owner)}}
	if len(f.problems) == before {
		f.checkPattern(p, item, name, tools, names)
	}
	matchers := f.patternSelector(p, selector)
	if len(f.problems) == before {
		f.translate(p, d, tools[0], matchers)
	}
	if f.breaks(d.rule, before) {
		return nil
	}
	return d
}

// checkPattern reports what is missing in a pattern or given twice.
func (f *found) checkPattern(p *part, item, name *yaml.Node, tools []yamlpos.Field, names map[string]source.Position) {
	text := value(name)
	if strings.TrimSpace(text) == "" {
		f.fault(p.doc.Errorf(or(name, item), "the pattern has no name"), "add the field name")
	} else if first, ok := names[text]; ok {
		f.fault(p.doc.Errorf(name, "the name %q is used twice, first in line %d", text, first.Line), "give each pattern its own name")
	} else {
		names[text] = p.doc.Position(name)
	}
	switch {
	case len(tools) == 0:
		f.fault(p.doc.Errorf(item, "the pattern %q says not what is looked for", text), "add one of grep, regexp and jq")
	case len(tools) > 1:
		f.fault(p.doc.Errorf(tools[1].Key, "the pattern %q has both %s and %s", text, tools[0].Name, tools[1].Name), "keep one of them")
	case value(tools[0].Value) == "":
		f.fault(p.doc.Errorf(tools[0].Value, "the pattern %q is empty", text), "")
	}
}

// patternSelector reads the selector of a pattern; without one it looks at all
// streams.
func (f *found) patternSelector(p *part, n *yaml.Node) string {
	text := value(n)
	if text == "" {
		return "{" + allStreams + "}"
	}
	sel, err := syntax.ParseSelector(text)
	var bad *syntax.Error
	switch {
	case errors.As(err, &bad):
		places := p.doc.Scalar(n)
		from, to := places.At(bad.Span.Start), places.At(max(bad.Span.Start, bad.Span.End-1))+1
		f.fault(p.file.Errorf(from, to, "the selector is not valid: %v", errors.New(bad.Msg)), bad.Hint)
		return ""
	case err != nil:
		f.fault(p.doc.Errorf(n, "the selector is not valid: %v", err), "")
		return ""
	}
	return sel.String()
}

// translate makes a pattern LogQL.
func (f *found) translate(p *part, d *draft, tool yamlpos.Field, selector string) {
	text := tool.Value.Value
	places := p.doc.Scalar(tool.Value)
	d.rule.Expr = text
	d.place(p.file, places)
	t := patternTools()[tool.Name](text)
	if t.fault != nil {
		e := d.errorAt(t.fault.start, t.fault.end, "pattern %q is not valid: %v", d.rule.Name, errors.New(t.fault.msg))
		f.fault(e, t.fault.hint)
		return
	}
	expr := strings.Join(append([]string{selector}, t.stages...), " ")
	if t.why == "" {
		if _, err := syntax.Parse(expr); err != nil {
			t.why = "it makes no valid LogQL: " + err.Error()
		}
	}
	if t.why != "" {
		d.settle("it is a pattern of "+tool.Name, t.why)
		return
	}
	d.rule.Language, d.rule.LanguageReason = LogQL, "the pattern of "+tool.Name+", written as LogQL"
	d.rule.Expr, d.rule.places = expr, nil
	d.place(p.file, yamlpos.Places{{At: places.At(0), Still: true}})
}
