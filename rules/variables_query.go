package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// variableQuery loads what a query variable asks of a store: the selector of
// label_values, the expression of query_result, a stream selector.
func (l *dashboardLoader) variableQuery(v *variable) {
	l.begin(v.node, l.title+" / variable "+v.name)
	source := l.sourceOf(child(l.doc, v.node, "datasource"))
	at := v.node
	field := "query"
	q := child(l.doc, v.node, field)
	if kind := scalarText(l.doc, q, "kind"); q != nil && q.Kind == yaml.MappingNode && kind != "" {
		group := scalarText(l.doc, q, "group") // of v2
		if group == "" && kind != "DataQuery" {
			group = kind
		}
		if group != "" {
			source.kind = group
		}
		if source.kind == "" {
			source.kind = l.sourceByName(scalarText(l.doc, q, "datasource", "name"))
		}
		at, field = q, "spec"
		q = child(l.doc, q, field)
	}
	for range 2 { // the query of a mapping can be one itself
		if q == nil || q.Kind != yaml.MappingNode {
			break
		}
		at, field = q, "stream"
		if child(l.doc, q, field) == nil {
			field = "query"
		}
		if child(l.doc, q, field) == nil {
			field = "expr"
		}
		q = child(l.doc, at, field)
	}
	if q == nil || q.Kind != yaml.ScalarNode {
		return
	}
	from, to, ok := asked(q.Value)
	if !ok || source.language() == Other || source.kind == "" && field == "query" && from == 0 && to == len(q.Value) && guessSelection(q.Value) == selectsNothing {
		return
	}
	name := l.title + " / variable " + v.name
	l.target(query{node: at, expr: field, source: source, name: name, from: from, to: to})
}

// asked returns which bytes of the query of a variable are an expression. It
// reports false if none are, as in label_names().
func asked(text string) (from, to int, ok bool) {
	trimmed := strings.TrimSpace(text)
	from = strings.Index(text, trimmed)
	to = from + len(trimmed)
	name, _, isCall := strings.Cut(trimmed, "(")
	if !isCall || !strings.HasSuffix(trimmed, ")") {
		return from, to, trimmed != ""
	}
	open := from + len(name) + 1
	switch strings.TrimSpace(name) {
	case "label_names", "metrics":
		return 0, 0, false
	case "query_result":
		return open, to - 1, strings.TrimSpace(text[open:to-1]) != ""
	case "label_values":
		comma := strings.LastIndexByte(text[open:to-1], ',')
		if comma < 0 {
			return 0, 0, false
		}
		return open, open + comma, strings.TrimSpace(text[open:open+comma]) != ""
	}
	return from, to, true
}
