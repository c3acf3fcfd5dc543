package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

const (
	// maxOptions bounds the values that are read of one variable.
	maxOptions = 10_000
)

// allValue is how a dashboard stores that all values are chosen.
const allValue = "$__all"

// A variable of a dashboard.
type variable struct {
	node *yaml.Node
	name string
	kind string // query, custom, constant, interval, textbox, datasource, adhoc

	source     string // of kind datasource: the type of the data sources
	includeAll bool
	multi      bool
	all        string // what stands for all values; "" if that is all options
	options    []string

	known   bool // the default is known
	isAll   bool // the default is all values
	current []string
}

type variables []*variable

func (vs variables) named(name string) *variable {
	for _, v := range vs {
		if v.name == name {
			return v
		}
	}
	return nil
}

// A choice is what a variable can be set to.
type choice struct {
	variable *variable
	values   []string
	all      bool
}

func (c choice) name() string {
	if c.all {
		return "All"
	}
	return strings.Join(c.values, "+")
}

// choices returns what a variable can be set to beside its default.
func (v *variable) choices() []choice {
	var out []choice
	if v.includeAll && !v.isAll && (v.all != "" || len(v.options) > 0) {
		out = append(out, choice{variable: v, values: v.options, all: true})
	}
	for _, o := range v.options {
		if v.isAll || len(v.current) != 1 || v.current[0] != o {
			out = append(out, choice{variable: v, values: []string{o}})
		}
	}
	return out
}

// variable reads a variable of the JSON model.
func (l *dashboardLoader) variable(n *yaml.Node) {
	n = yamlpos.Resolve(n)
	if n.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(n, "a variable must be an object"), "")
		return
	}
	l.addVariable(n, n, scalarText(l.doc, n, "type"))
}

// addVariable reads a variable of a kind from the mapping that holds its
// settings.
func (l *dashboardLoader) addVariable(n, spec *yaml.Node, kind string) {
	v := &variable{node: spec, name: scalarText(l.doc, spec, "name"), kind: kind}
	if v.name == "" {
		l.fault(l.doc.Errorf(n, "the variable has no name"), "add the field name")
		return
	}
	v.includeAll = isTrue(l.doc, spec, "includeAll")
	v.multi = isTrue(l.doc, spec, "multi")
	v.all = scalarText(l.doc, spec, "allValue")
	v.readOptions(l, spec)
	if kind == "datasource" {
		v.source = scalarText(l.doc, spec, "query")
		if id := scalarText(l.doc, spec, "pluginId"); id != "" {
			v.source = id
		}
	}
	v.setDefault(l, spec)
	l.vars = append(l.vars, v)
}

// readOptions reads the values that a variable can have. Those of a query are
// known only where the dashboard stores them.
func (v *variable) readOptions(l *dashboardLoader, spec *yaml.Node) {
	items := elements(child(l.doc, spec, "options"))
	for _, o := range items[:min(len(items), maxOptions)] {
		if l.spend(l.doc, o, 1) {
			return
		}
		if value := child(l.doc, o, "value"); value != nil && value.Kind == yaml.ScalarNode && value.Value != allValue {
			v.options = append(v.options, value.Value)
		}
	}
	query := scalarText(l.doc, spec, "query")
	if len(v.options) > 0 || v.kind != "custom" && v.kind != "interval" {
		return
	}
	for _, o := range splitOptions(query) {
		if l.spend(l.doc, spec, 1) || len(v.options) == maxOptions {
			return
		}
		v.options = append(v.options, o)
	}
}

// splitOptions splits "a, b, text : value": a comma is escaped by a backslash.
func splitOptions(text string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		o := strings.TrimSpace(b.String())
		if _, value, ok := strings.Cut(o, " : "); ok {
			o = strings.TrimSpace(value)
		}
		if o != "" {
			out = append(out, o)
		}
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == ',':
			b.WriteByte(',')
			i++
		case text[i] == ',':
			flush()
		default:
			b.WriteByte(text[i])
		}
	}
	flush()
	return out
}

// setDefault finds the value that the dashboard opens with.
func (v *variable) setDefault(l *dashboardLoader, spec *yaml.Node) {
	if v.kind == "constant" {
		v.current, v.known = []string{scalarText(l.doc, spec, "query")}, true
		return
	}
	value := below(l.doc, spec, "current", "value")
	if cur := child(l.doc, spec, "current"); cur != nil && cur.Kind == yaml.ScalarNode {
		value = cur
	}
	switch {
	case value == nil:
	case value.Kind == yaml.ScalarNode:
		v.current, v.known = []string{value.Value}, true
	case value.Kind == yaml.SequenceNode:
		for _, item := range value.Content[:min(len(value.Content), maxOptions)] {
			if item = yamlpos.Resolve(item); item.Kind == yaml.ScalarNode {
				v.current = append(v.current, item.Value)
			}
		}
		v.known = len(v.current) > 0
	}
	if v.known && v.kind == "query" && len(v.current) == 1 && v.current[0] == "" {
		v.known, v.current = false, nil // its query was never asked
	}
	if !v.known {
		v.guessDefault(l, spec)
	}
	if len(v.current) == 1 && v.current[0] == allValue {
		v.isAll, v.current = true, v.options
	}
}

// guessDefault takes what Grafana takes when nothing was chosen: the first
// option, which is All where there is one.
func (v *variable) guessDefault(l *dashboardLoader, spec *yaml.Node) {
	switch {
	case v.kind == "textbox":
		v.current, v.known = []string{scalarText(l.doc, spec, "query")}, true
	case v.includeAll:
		v.current, v.known = []string{allValue}, true
	case len(v.options) > 0 && v.kind != "datasource":
		v.current, v.known = v.options[:1], true
	}
}

// unresolved says why a variable has no value.
func (v *variable) unresolved() string {
	switch v.kind {
	case "query":
		return "its values come from a query that is asked when the dashboard is opened; save the dashboard with a value chosen"
	case "adhoc":
		return "its filters are chosen when the dashboard is looked at"
	case "datasource":
		return "it stands for a data source"
	}
	return "the dashboard gives it no value"
}
