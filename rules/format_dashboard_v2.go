package rules

import (
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// modernKind returns the type that the JSON model has for a kind of variable of
// v2.
func modernKind(kind string) string {
	switch kind {
	case "QueryVariable":
		return "query"
	case "CustomVariable", "SwitchVariable":
		return "custom"
	case "ConstantVariable":
		return "constant"
	case "IntervalVariable":
		return "interval"
	case "TextVariable":
		return "textbox"
	case "DatasourceVariable":
		return "datasource"
	}
	return "adhoc"
}

// modern loads the spec of a dashboard resource of v2. A dashboard that was
// converted can still carry panels of the JSON model.
func (l *dashboardLoader) modern(n *yaml.Node) {
	if title := scalarText(l.doc, n, "title"); title != "" {
		l.title = title
	}
	l.readLibrary(n)
	for _, v := range l.list(n, "the variables", "variables") {
		if l.spend(l.doc, v, 1) {
			return
		}
		v = yamlpos.Resolve(v)
		spec := child(l.doc, v, "spec")
		if spec == nil || spec.Kind != yaml.MappingNode {
			l.fault(l.doc.Errorf(v, "a variable must have the fields kind and spec"), "")
			continue
		}
		l.addVariable(v, spec, modernKind(scalarText(l.doc, v, "kind")))
	}
	for _, v := range elements(below(l.doc, n, "templating", "list")) {
		if l.spend(l.doc, v, 1) {
			return
		}
		l.variable(v)
	}
	for _, v := range l.vars {
		if v.kind == "query" {
			l.variableQuery(v)
		}
	}
	if old := below(l.doc, n, "annotations", "list"); old != nil {
		for _, a := range elements(old) {
			l.annotation(yamlpos.Resolve(a))
		}
	} else {
		for _, a := range l.list(n, "the annotations", "annotations") {
			l.modernAnnotation(yamlpos.Resolve(a))
		}
	}
	l.elements(n)
	if child(l.doc, n, "panels") != nil || child(l.doc, n, "rows") != nil {
		l.panels(n, 0)
	}
	l.finish(n)
}

// elements loads the elements of a dashboard.
func (l *dashboardLoader) elements(n *yaml.Node) {
	list := child(l.doc, n, "elements")
	if list == nil || list.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(or(list, n), "the elements must be an object"), "")
		return
	}
	fields, problems := l.doc.Fields(list)
	l.problems = append(l.problems, problems...)
	for _, f := range fields {
		if l.spend(l.doc, f.Value, 1) {
			return
		}
		spec := child(l.doc, f.Value, "spec")
		if spec == nil || spec.Kind != yaml.MappingNode {
			l.fault(l.doc.Errorf(f.Value, "the element %q must have the fields kind and spec", f.Name), "")
			continue
		}
		title := scalarText(l.doc, spec, "title")
		if title == "" {
			title = f.Name
		}
		if scalarText(l.doc, f.Value, "kind") == "LibraryPanel" {
			at := child(l.doc, spec, "libraryPanel")
			l.libraryPanel(spec, or(at, spec), title)
			continue
		}
		l.modernPanel(spec, l.panelName(spec, title))
	}
}

// modernPanel loads the queries of one panel.
func (l *dashboardLoader) modernPanel(spec *yaml.Node, name string) {
	data := child(l.doc, spec, "data")
	l.begin(or(data, spec), name)
	for i, q := range l.list(spec, "the queries of "+name, "data", "spec", "queries") {
		if l.spend(l.doc, q, 1) {
			return
		}
		q = yamlpos.Resolve(q)
		inner := child(l.doc, q, "spec")
		if inner == nil || inner.Kind != yaml.MappingNode {
			l.fault(l.doc.Errorf(q, "a query must have the fields kind and spec"), "")
			continue
		}
		l.modernQuery(inner, name+" / "+refID(scalarText(l.doc, inner, "refId"), i), scalarText(l.doc, spec, "id"))
	}
	if data == nil && child(l.doc, spec, "targets") != nil {
		l.panel(spec)
	}
}

// modernQuery loads the query below the spec of a panel query or an
// annotation: the type of its data source is its group or, in early versions,
// its kind.
func (l *dashboardLoader) modernQuery(spec *yaml.Node, name, id string) {
	q := child(l.doc, spec, "query")
	if q == nil || q.Kind != yaml.MappingNode {
		l.fault(l.doc.Errorf(or(q, spec), "%s has no query", name), "")
		return
	}
	source := l.sourceOf(child(l.doc, spec, "datasource"))
	if !source.none {
		kind := scalarText(l.doc, q, "group")
		if k := scalarText(l.doc, q, "kind"); kind == "" && k != "DataQuery" {
			kind = k
		}
		switch kind {
		case "":
		case "datasource", "__expr__", "grafana":
			source.none = true
		default:
			source.kind = kind
		}
	}
	if source.kind == "" && !source.none {
		source.kind = l.sourceByName(scalarText(l.doc, q, "datasource", "name"))
	}
	l.target(query{node: child(l.doc, q, "spec"), expr: "expr", source: source, name: name, id: id})
}

// modernAnnotation loads the query of an annotation.
func (l *dashboardLoader) modernAnnotation(a *yaml.Node) {
	if l.spend(l.doc, a, 1) {
		return
	}
	spec := child(l.doc, a, "spec")
	if spec == nil || isTrue(l.doc, spec, "builtIn") || child(l.doc, spec, "query") == nil {
		return
	}
	name := l.title + " / annotation " + scalarText(l.doc, spec, "name")
	l.begin(a, name)
	q := child(l.doc, spec, "query")
	if below(l.doc, q, "spec", "expr") == nil && below(l.doc, spec, "legacyOptions", "expr") != nil {
		source := dataSource{kind: scalarText(l.doc, q, "group")}
		l.target(query{node: child(l.doc, spec, "legacyOptions"), expr: "expr", source: source, name: name})
	} else {
		l.modernQuery(spec, name, "")
	}
}
