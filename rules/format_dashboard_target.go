package rules

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// formatDashboard is what rules of dashboards are kept as.
const formatDashboard = "Grafana dashboard"

// A dataSource is what a query is asked of.
type dataSource struct {
	kind  string // type of the data source; "" if it is not known
	mixed bool   // each target has its own
	none  bool   // no store is asked: another panel, or an expression
}

// sourceOf reads the data source of a panel, a target or a variable.
func (l *dashboardLoader) sourceOf(n *yaml.Node) dataSource {
	if n == nil {
		return dataSource{}
	}
	kind, id := scalarText(l.doc, n, "type"), scalarText(l.doc, n, "uid")
	if n.Kind == yaml.ScalarNode {
		id = n.Value
	}
	switch {
	case id == "-- Mixed --":
		return dataSource{mixed: true}
	case id == "-- Grafana --" || id == "-- Dashboard --" || id == "__expr__" || kind == "datasource" || kind == "__expr__":
		return dataSource{none: true}
	case kind != "" && !strings.Contains(kind, "$"):
		return dataSource{kind: kind}
	}
	return dataSource{kind: l.sourceByName(id)}
}

// sourceByName returns the type of a data source that a variable or an open
// name of an export stands for.
func (l *dashboardLoader) sourceByName(id string) string {
	name := strings.Trim(id, "${}[]")
	if name == id {
		return ""
	}
	name, _, _ = strings.Cut(name, ":")
	if kind := l.inputs[name]; kind != "" {
		return kind
	}
	if v := l.vars.named(name); v != nil && v.kind == "datasource" {
		return v.source
	}
	return ""
}

// language returns the language of a data source, 0 if its type is not known,
// or Other.
func (s dataSource) language() Language {
	switch s.kind {
	case "":
		return 0
	case "loki":
		return LogQL
	case "prometheus", "grafana-amazonprometheus-datasource", "grafana-azureprometheus-datasource", "victoriametrics-metrics-datasource", "victoriametrics-datasource":
		return PromQL
	}
	return Other
}

// A query is one query of a dashboard.
type query struct {
	node   *yaml.Node // the mapping that holds it
	expr   string     // name of its field
	source dataSource
	name   string
	id     string // of the panel, to tell names apart
	from   int    // where in the field the expression stands
	to     int    // 0: at the end of it
}

// target loads a query. It becomes a rule for the default values of its
// variables, and one for each other value that they can have.
func (l *dashboardLoader) target(q query) {
	language := q.source.language()
	field := child(l.doc, q.node, q.expr)
	switch {
	case q.source.none:
		return
	case language == Other || language == 0 && field == nil:
		kind := q.source.kind
		if kind == "" {
			kind = "unknown"
		}
		l.others[kind]++
		return
	case field == nil:
		return // nothing is asked
	case field.Kind != yaml.ScalarNode || field.ShortTag() != "!!str":
		l.fault(l.doc.Errorf(field, "the expression of %s must be text", q.name), "")
		return
	}
	text, places := field.Value, l.doc.Scalar(field)
	if q.to > 0 {
		text = text[:q.to]
	}
	text, places = text[q.from:], places.Shift(q.from)
	if strings.TrimSpace(text) == "" || l.spend(l.doc, field, work(text)) {
		return
	}
	t := &template{text: text, places: places, vars: l.vars, language: language}
	if language == 0 {
		t.language = LogQL
		if guessSelection(text) == selectsMetric {
			t.language = PromQL
		}
	}
	l.rulesOf(q, t, language, field)
}

// rulesOf makes the rules of a query.
func (l *dashboardLoader) rulesOf(q query, t *template, declared Language, field *yaml.Node) {
	base := Rule{Kind: Panel, Name: l.unique(q.name, q.id), Format: formatDashboard}
	draftOf := func(r Rule, places yamlpos.Places) *draft {
		d := &draft{rule: r}
		if declared != 0 {
			d.declared, d.declaredBy = declared, fmt.Sprintf("its data source is of type %q", q.source.kind)
		}
		d.placeQuery(l.doc.File, places)
		return d
	}
	main := t.fill(nil)
	base.Expr = main.text
	if main.reason != "" {
		base.Expr, base.NotEvaluated = t.text, main.reason
		l.drafts = append(l.drafts, draftOf(base, t.places))
		return
	}
	d := draftOf(base, main.places)
	if d.refused() != nil {
		if e := l.emptyDefault(d, main, field); e != nil {
			l.fault(e, "")
			l.broken = append(l.broken, Broken{Kind: Panel, Name: base.Name, Pos: e.Pos})
			return
		}
	}
	l.drafts = append(l.drafts, d)
	for _, v := range main.used {
		l.later = append(l.later, &variants{panel: l.panelAt, variable: v, template: t, first: d, draftOf: draftOf})
	}
}

// refused returns why no language, or not the one that was declared, takes the
// expression.
func (d *draft) refused() *fault {
	d.read()
	switch {
	case d.declared == LogQL:
		return d.logQL
	case d.declared == PromQL:
		return d.promQL
	case d.logQL == nil || d.promQL == nil:
		return nil
	case hasPipe(d.rule.Expr):
		return d.logQL
	}
	return d.promQL
}

// emptyHint teaches what an empty value does to a selector.
func emptyHint(f filled) string {
	if f.empty == nil {
		return ""
	}
	return fmt.Sprintf("; the value of $%s also matches what has no such label: give it one that does not, such as .+ for All", f.empty.name)
}

// emptyDefault returns the error about a query that is not valid because a
// variable is empty by default, or nil.
func (l *dashboardLoader) emptyDefault(d *draft, main filled, field *yaml.Node) *source.Error {
	if main.empty == nil || d.declared == PromQL || d.logQL == nil {
		return nil
	}
	refused := d.logQL
	e := d.errorAt(refused.start, refused.end, "%s is not valid with the default of $%s: %v", d.rule.Name, main.empty.name, errors.New(refused.msg))
	e.Hint = strings.TrimPrefix(emptyHint(main), "; ")
	return e
}
