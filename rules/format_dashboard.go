package rules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// maxPanelDepth bounds how deep panels nest; Grafana has two levels.
const maxPanelDepth = 8

// child returns a field of a mapping with aliases resolved, or nil if there is
// none or it is null.
func child(d *yamlpos.Document, n *yaml.Node, name string) *yaml.Node {
	n = yamlpos.Resolve(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch n.Content[i].Value {
		case name:
			if v := yamlpos.Resolve(n.Content[i+1]); !isNull(v) {
				return v
			}
			return nil
		case "<<":
			if v := d.Get(n, name); v != nil && !isNull(v) {
				return v
			}
			return nil
		}
	}
	return nil
}

// below follows a path of fields.
func below(d *yamlpos.Document, n *yaml.Node, path ...string) *yaml.Node {
	for _, name := range path {
		n = child(d, n, name)
	}
	return n
}

// scalarText returns the text of a scalar field, or "".
func scalarText(d *yamlpos.Document, n *yaml.Node, path ...string) string {
	if v := below(d, n, path...); v != nil && v.Kind == yaml.ScalarNode {
		return v.Value
	}
	return ""
}

func isTrue(d *yamlpos.Document, n *yaml.Node, path ...string) bool {
	return scalarText(d, n, path...) == "true"
}

// elements returns the elements of a list, and none of what is no list.
func elements(n *yaml.Node) []*yaml.Node {
	if n = yamlpos.Resolve(n); n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}

// A dashboardForm is one way in which dashboards are written.
type dashboardForm int

const (
	noDashboard       dashboardForm = iota
	classicDashboard                // the JSON model
	wrappedDashboard                // {"dashboard": …}
	resourceDashboard               // dashboard.grafana.app
	operatorDashboard               // GrafanaDashboard: JSON as text
	manifestDashboard               // GrafanaManifest: a resource in spec.template
	modernDashboard                 // the spec of a resource of v2
)

// isOperatorAPI recognises the API group of the operator, in its old and new
// names.
func isOperatorAPI(api string) bool {
	return strings.HasPrefix(api, "grafana.") || strings.HasPrefix(api, "integreatly.org/")
}

// dashboardFormOf tells a dashboard by its content.
func dashboardFormOf(d *yamlpos.Document, n *yaml.Node) dashboardForm {
	api, kind := scalarText(d, n, "apiVersion"), scalarText(d, n, "kind")
	switch {
	case strings.HasPrefix(api, "dashboard.grafana.app/") && (kind == "Dashboard" || hasPanels(d, child(d, n, "spec"))):
		return resourceDashboard
	case isOperatorAPI(api) && kind == "GrafanaDashboard":
		return operatorDashboard
	case isOperatorAPI(api) && kind == "GrafanaManifest":
		if t := below(d, n, "spec", "template"); t != nil && dashboardFormOf(d, t) != noDashboard {
			return manifestDashboard
		}
		return noDashboard
	case api != "":
		return noDashboard
	}
	if inner := child(d, n, "dashboard"); inner != nil && (isClassic(d, inner) || isModern(d, inner)) {
		return wrappedDashboard
	}
	if isModern(d, n) {
		return modernDashboard
	}
	if isClassic(d, n) {
		return classicDashboard
	}
	return noDashboard
}

// hasPanels recognises the spec of a dashboard in a resource of another kind,
// such as one with the rights of who asked for it.
func hasPanels(d *yamlpos.Document, spec *yaml.Node) bool {
	e := child(d, spec, "elements")
	return e != nil && e.Kind == yaml.MappingNode || child(d, spec, "panels") != nil || child(d, spec, "rows") != nil
}

// isClassic recognises the JSON model of a dashboard.
func isClassic(d *yamlpos.Document, n *yaml.Node) bool {
	panels, rows := child(d, n, "panels"), child(d, n, "rows")
	if panels == nil && rows == nil {
		return child(d, n, "schemaVersion") != nil && child(d, n, "templating") != nil
	}
	for _, name := range []string{"schemaVersion", "templating", "timepicker"} {
		if child(d, n, name) != nil {
			return true
		}
	}
	items := slices.Concat(elements(panels), elements(rows))
	for _, item := range items[:min(len(items), 100)] {
		for _, name := range []string{"targets", "gridPos", "panels", "libraryPanel"} {
			if child(d, item, name) != nil {
				return true
			}
		}
	}
	return false
}

// isModern recognises the spec of a dashboard resource of v2.
func isModern(d *yamlpos.Document, n *yaml.Node) bool {
	e := child(d, n, "elements")
	return e != nil && e.Kind == yaml.MappingNode && child(d, n, "layout") != nil
}

// holdsDashboard recognises Grafana dashboards.
func holdsDashboard(d *yamlpos.Document) bool {
	return d.Root != nil && dashboardFormOf(d, d.Root) != noDashboard
}

// A dashboardLoader loads one dashboard.
type dashboardLoader struct {
	found
	doc     *yamlpos.Document
	title   string
	inputs  map[string]string // types of data sources by the names of __inputs
	vars    variables
	names   map[string]bool // of the rules
	others  map[string]int  // queries of other data sources by type
	panelAt *panelVariants  // of the panel at hand
	later   []*variants     // made when the defaults of all panels are
	library []*libraryPanel // those whose queries the file holds
}

// loadDashboard loads the queries of a dashboard's panels, annotations and
// variables.
func loadDashboard(p *part) found {
	l := newDashboardLoader(p.doc, p.budget)
	l.load(p.doc.Root, 0)
	return l.found
}

func newDashboardLoader(d *yamlpos.Document, budget *int) *dashboardLoader {
	return &dashboardLoader{
		found: found{budget: budget}, doc: d,
		inputs: map[string]string{}, names: map[string]bool{}, others: map[string]int{},
	}
}

// load loads a dashboard in any of its forms.
func (l *dashboardLoader) load(n *yaml.Node, depth int) {
	if l.title == "" {
		l.title = scalarText(l.doc, n, "metadata", "name")
	}
	switch form := dashboardFormOf(l.doc, n); form {
	case classicDashboard:
		l.classic(n)
	case modernDashboard:
		l.modern(n)
	case wrappedDashboard:
		l.readLibrary(n)
		l.load(child(l.doc, n, "dashboard"), depth+1)
	case manifestDashboard:
		if depth < maxPanelDepth {
			l.load(below(l.doc, n, "spec", "template"), depth+1)
		}
	case operatorDashboard:
		l.operator(n)
	case resourceDashboard:
		spec := child(l.doc, n, "spec")
		switch {
		case spec == nil || spec.Kind != yaml.MappingNode:
			l.fault(l.doc.Errorf(or(spec, n), "the dashboard has no spec"), "")
		case child(l.doc, spec, "elements") != nil:
			l.modern(spec)
		default:
			l.classic(spec)
		}
	case noDashboard:
		l.fault(l.doc.Errorf(n, "this is no dashboard"), "a dashboard has panels or elements")
	}
}

// operator loads a GrafanaDashboard, which holds the dashboard as text.
func (l *dashboardLoader) operator(n *yaml.Node) {
	text := below(l.doc, n, "spec", "json")
	if packed := below(l.doc, n, "spec", "gzipJson"); text == nil && packed != nil {
		l.unread(packed, l.title, "the dashboard is compressed in the file and not read yet; save it as JSON")
		return
	}
	if text == nil || text.Kind != yaml.ScalarNode {
		l.note(n, fmt.Sprintf("the dashboard %q is kept elsewhere and is not read; save it as JSON beside this file", l.title))
		return
	}
	doc, problem := nestedJSON(l.doc, text)
	if problem != nil {
		l.problems = append(l.problems, problem)
		return
	}
	inner := newDashboardLoader(doc, l.budget)
	inner.title = l.title
	switch {
	case doc.Root == nil || doc.Root.Kind != yaml.MappingNode:
		l.fault(l.doc.Errorf(text, "spec.json is no dashboard"), "")
	default:
		inner.load(doc.Root, 1)
	}
	l.found.drafts = append(l.drafts, inner.drafts...)
	l.found.problems = append(l.problems, inner.problems...)
	l.found.broken = append(l.broken, inner.broken...)
	l.found.notes = append(l.notes, inner.notes...)
	l.found.skipped = append(l.skipped, inner.skipped...)
}

// nestedJSON reads JSON that a scalar holds as text.
func nestedJSON(d *yamlpos.Document, n *yaml.Node) (*yamlpos.Document, *source.Error) {
	file := d.Nested(n)
	var v any
	if wrong, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(file.Text, &v)); ok {
		at := max(0, int(wrong.Offset)-1)
		return nil, file.Errorf(at, at+1, "invalid JSON: %v", wrong)
	}
	docs, problems := yamlpos.Parse(file)
	switch {
	case len(problems) > 0:
		return nil, problems[0]
	case len(docs) != 1:
		return nil, d.Errorf(n, "the text is not one JSON value")
	}
	return docs[0], nil
}

func (l *dashboardLoader) note(n *yaml.Node, msg string) {
	l.notes = append(l.notes, Note{Pos: l.doc.Position(n), Msg: source.Clip(msg, 400)})
}

// classic loads the JSON model of a dashboard.
func (l *dashboardLoader) classic(n *yaml.Node) {
	if title := scalarText(l.doc, n, "title"); title != "" {
		l.title = title
	}
	l.readLibrary(n)
	for _, in := range elements(child(l.doc, n, "__inputs")) {
		l.input(in)
	}
	for _, v := range l.list(n, "the variables", "templating", "list") {
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
	for _, a := range l.list(n, "the annotations", "annotations", "list") {
		l.annotation(a)
	}
	l.panels(n, 0)
	l.finish(n)
}

// input notes a name that an export leaves open.
func (l *dashboardLoader) input(n *yaml.Node) {
	name := scalarText(l.doc, n, "name")
	switch scalarText(l.doc, n, "type") {
	case "datasource":
		l.inputs[name] = scalarText(l.doc, n, "pluginId")
	case "constant":
		if v := child(l.doc, n, "value"); v != nil {
			l.vars = append(l.vars, &variable{name: name, kind: "constant", known: true, current: []string{v.Value}})
		}
	}
}

// list returns the elements of a list below n, and reports what is no list.
func (l *dashboardLoader) list(n *yaml.Node, what string, path ...string) []*yaml.Node {
	v := below(l.doc, n, path...)
	if v != nil && v.Kind != yaml.SequenceNode {
		l.fault(l.doc.Errorf(v, "%s must be a list", what), "")
	}
	return elements(v)
}

// panels loads the panels below a dashboard or a row.
func (l *dashboardLoader) panels(n *yaml.Node, depth int) {
	if depth > maxPanelDepth {
		l.fault(l.doc.Errorf(n, "panels nest deeper than %d", maxPanelDepth), "")
		return
	}
	for _, row := range l.list(n, "the rows", "rows") {
		if l.spend(l.doc, row, 1) {
			return
		}
		l.panels(yamlpos.Resolve(row), depth+1)
	}
	for _, p := range l.list(n, "the panels", "panels") {
		if l.spend(l.doc, p, 1) {
			return
		}
		p = yamlpos.Resolve(p)
		if p.Kind != yaml.MappingNode {
			l.fault(l.doc.Errorf(p, "a panel must be an object"), "")
			continue
		}
		l.panel(p)
		l.panels(p, depth+1)
	}
}

// panel loads the targets of one panel.
func (l *dashboardLoader) panel(p *yaml.Node) {
	name := l.panelName(p, scalarText(l.doc, p, "title"))
	targets := l.list(p, "the targets of "+name, "targets")
	if library := child(l.doc, p, "libraryPanel"); library != nil && len(targets) == 0 {
		l.libraryPanel(p, library, scalarText(l.doc, p, "title"))
		return
	}
	l.targets(p, targets, name)
}

// targets loads the targets of a panel.
func (l *dashboardLoader) targets(p *yaml.Node, targets []*yaml.Node, name string) {
	l.begin(p, name)
	source := child(l.doc, p, "datasource")
	for i, t := range targets {
		if l.spend(l.doc, t, 1) {
			return
		}
		t = yamlpos.Resolve(t)
		if t.Kind != yaml.MappingNode {
			l.fault(l.doc.Errorf(t, "a target must be an object"), "")
			continue
		}
		own := child(l.doc, t, "datasource")
		if own == nil {
			own = source
		}
		l.target(query{node: t, expr: "expr", source: l.sourceOf(own), name: name + " / " + refID(scalarText(l.doc, t, "refId"), i), id: scalarText(l.doc, p, "id")})
	}
}

// refID returns the name of a query, or its number for one without.
func refID(id string, i int) string {
	if id == "" {
		return fmt.Sprintf("query %d", i+1)
	}
	return id
}

// panelName returns the name of a panel within the names of rules.
func (l *dashboardLoader) panelName(p *yaml.Node, title string) string {
	if title == "" {
		title = "panel " + scalarText(l.doc, p, "id")
	}
	return l.title + " / " + strings.TrimSpace(title)
}

// unread lists what the dashboard names and does not hold.
func (l *dashboardLoader) unread(n *yaml.Node, name, why string) {
	d := &draft{rule: Rule{Kind: Panel, Name: l.unique(name, ""), Format: formatDashboard, NotEvaluated: why}}
	d.rule.Language, d.rule.LanguageReason = Other, "the query is kept elsewhere"
	d.place(l.doc.File, yamlpos.Places{{At: l.doc.Offset(n)}})
	l.drafts = append(l.drafts, d)
}

// unique returns the name, with a text that tells it apart if it is taken.
func (l *dashboardLoader) unique(name, id string) string {
	base := name
	if l.names[name] && id != "" {
		base = name + " (panel " + id + ")"
		name = base
	}
	for i := 2; l.names[name]; i++ {
		name = fmt.Sprintf("%s #%d", base, i)
	}
	l.names[name] = true
	return name
}

// annotation loads the query of an annotation.
func (l *dashboardLoader) annotation(a *yaml.Node) {
	if l.spend(l.doc, a, 1) {
		return
	}
	name := l.title + " / annotation " + scalarText(l.doc, a, "name")
	l.begin(a, name)
	source := l.sourceOf(child(l.doc, a, "datasource"))
	at := a
	if child(l.doc, a, "expr") == nil && below(l.doc, a, "target", "expr") != nil {
		at = child(l.doc, a, "target")
	}
	if child(l.doc, at, "expr") != nil {
		l.target(query{node: at, expr: "expr", source: source, name: name})
	}
}

// finish makes what waits for the panels, and says what was passed over.
func (l *dashboardLoader) finish(n *yaml.Node) {
	l.restOfLibrary()
	l.makeVariants(n)
	var parts []string
	for kind, count := range l.others {
		parts = append(parts, fmt.Sprintf("%d of type %q", count, kind))
	}
	if len(parts) > 0 {
		slices.Sort(parts)
		l.note(n, fmt.Sprintf("the dashboard %q has queries of other data sources, which are not read: %s", l.title, strings.Join(parts, ", ")))
	}
}
