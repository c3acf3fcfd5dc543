package rules

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

const (
	// maxChain bounds the queries and expressions of an alert rule.
	maxChain = 100
	// defaultStep and defaultPoints are what Grafana takes for intervalMs and
	// maxDataPoints where the model gives none.
	defaultStep   = time.Second
	defaultPoints = 43200
	// mostPoints is how many points of a series Loki and Prometheus give.
	mostPoints = 11000
)

// A chainLoader loads the chain of one alert rule.
type chainLoader struct {
	*grafanaLoader
	rule  *Rule
	chain *GrafanaChain
	items []*chainItem
	first *chainItem // the first query of Loki or Prometheus

	reason string // why the alert is not evaluated
}

// A chainItem is one element of data while it is loaded.
type chainItem struct {
	refID      string
	node       *yaml.Node        // the element
	model      *yaml.Node        // its model
	doc        *yamlpos.Document // of the model
	inputs     []chainInput
	reason     string // why it is not evaluated
	declaredBy string
	file       *yamlpos.File // of the expression of a query
	places     yamlpos.Places
}

// A chainInput is a refID that an expression names.
type chainInput struct {
	refID      string
	node       *yaml.Node
	doc        *yamlpos.Document
	start, end int // bytes of the node's text; 0, 0: all of it
}

// load reads a chain from the mapping that holds condition and data.
func (c *chainLoader) load(n *yaml.Node) {
	c.states(n)
	data := grafanaField(c.doc, n, "data")
	if data == nil {
		if c.rule.NotEvaluated == "" {
			c.fault(c.doc.Errorf(n, "the alert rule %q has no data", c.rule.Name), "add its queries and expressions under data")
		}
		return
	}
	if data.Kind != yaml.SequenceNode {
		c.fault(c.doc.Errorf(data, "%q must be a list", "data"), "")
		return
	}
	if len(data.Content) > maxChain {
		c.fault(c.doc.Errorf(data, "the alert rule %q has more than %d queries and expressions", c.rule.Name, maxChain), "")
		return
	}
	for _, item := range data.Content {
		if c.spend(c.doc, item, 1) {
			return
		}
		c.item(yamlpos.Resolve(item))
	}
	c.connect(n)
}

// states reads what the alert does without data and on errors.
func (c *chainLoader) states(n *yaml.Node) {
	read := func(name, usual string, known []string) string {
		v := grafanaField(c.doc, n, name)
		if v == nil || value(v) == "" {
			return usual
		}
		for _, k := range known {
			if strings.EqualFold(k, v.Value) {
				return k
			}
		}
		hint := suggest.Hint(v.Value, known)
		if hint == "" {
			hint = "known are " + strings.Join(known, ", ")
		}
		c.fault(c.doc.Errorf(v, "unknown %s %q", name, v.Value), hint)
		return usual
	}
	c.chain.NoDataState = read("noDataState", "NoData", []string{"NoData", "OK", "Alerting", "KeepLast"})
	c.chain.ExecErrState = read("execErrState", "Error", []string{"Error", "OK", "Alerting", "KeepLast"})
}

// item reads one element of data.
func (c *chainLoader) item(n *yaml.Node) {
	if n.Kind != yaml.MappingNode {
		c.fault(c.doc.Errorf(n, "an element of data must have the fields refId and model"), "")
		return
	}
	it := &chainItem{node: n, doc: c.doc, model: child(c.doc, n, "model"), refID: grafanaText(c.doc, n, "refId")}
	if it.model != nil && it.model.Kind == yaml.ScalarNode {
		doc, problem := nestedJSON(c.doc, it.model)
		if problem != nil {
			c.problems = append(c.problems, problem)
			return
		}
		it.doc, it.model = doc, doc.Root
	}
	if it.model == nil || it.model.Kind != yaml.MappingNode {
		c.fault(c.doc.Errorf(or(child(c.doc, n, "model"), n), "the element of data has no model"), "")
		return
	}
	if it.refID == "" {
		it.refID = scalarText(it.doc, it.model, "refId")
	}
	if it.refID == "" {
		c.fault(c.doc.Errorf(n, "the element of data has no refId"), "add the field refId")
		return
	}
	if c.chain.Node(it.refID) != nil {
		c.fault(c.doc.Errorf(or(grafanaField(c.doc, n, "refId"), n), "the refId %q is used twice", it.refID), "give each query and expression its own refId")
		return
	}
	node := GrafanaNode{RefID: it.refID}
	uid := grafanaText(c.doc, n, "datasourceUid")
	if uid == "__expr__" || uid == "-100" || it.sourceType() == "__expr__" || scalarText(it.doc, it.model, "datasource", "uid") == "__expr__" {
		c.expression(it, &node)
	} else {
		c.query(it, &node)
	}
	c.chain.Nodes = append(c.chain.Nodes, node)
	c.items = append(c.items, it)
}

func (it *chainItem) sourceType() string { return scalarText(it.doc, it.model, "datasource", "type") }

// query reads a query of Loki or Prometheus.
func (c *chainLoader) query(it *chainItem, node *GrafanaNode) {
	node.Type = "query"
	field := child(it.doc, it.model, "expr")
	source := dataSource{kind: it.sourceType()}
	declared := source.language()
	if declared == Other || field == nil || field.Kind != yaml.ScalarNode {
		it.reason = fmt.Sprintf("query %s asks no Loki and no Prometheus", it.refID)
		if source.kind != "" {
			it.reason += fmt.Sprintf(" but a data source of type %q", source.kind)
		}
		return
	}
	if c.spend(c.doc, it.node, work(field.Value)) {
		return
	}
	c.timeRange(it, node)
	text, places := field.Value, it.doc.Scalar(field)
	d := c.languageOf(text, declared, source.kind)
	node.Language, it.declaredBy = d.declared, d.declaredBy
	c.kindOfQuery(it, node)
	c.step(it, node)
	t := &template{text: text, places: places, language: node.Language, builtIn: node.builtIn, dollars: true, owner: "an alert rule"}
	filled := t.fill(nil)
	node.Expr, it.file, it.places = filled.text, it.doc.File, filled.places
	if filled.reason != "" {
		node.Expr, it.places = text, places
		it.reason = filled.reason
	}
	d.rule.Expr = node.Expr
	d.placeQuery(it.file, it.places)
	node.Expr, it.places = d.rule.Expr, d.places
	node.Pos, node.places = d.rule.Pos, d.rule.places
	if c.first == nil {
		c.first = it // a fault in it is found when its language is decided
		return
	}
	if decide([]*draft{d}); d.fault != nil && it.reason == "" {
		c.fault(d.fault, "")
	}
}

// languageOf decides the language of a query by its data source, else by its
// form. Its built-in variables are put in first.
func (c *chainLoader) languageOf(text string, declared Language, kind string) *draft {
	d := &draft{rule: Rule{Kind: Alert, Name: c.rule.Name, Expr: text}}
	if declared != 0 {
		d.declared, d.declaredBy = declared, fmt.Sprintf("its data source is of type %q", kind)
		return d
	}
	filled := (&template{text: text, builtIn: dashboardBuiltIn, dollars: true}).fill(nil)
	probe := &draft{rule: Rule{Kind: Alert, Name: c.rule.Name, Expr: filled.text}}
	probe.placeQuery(c.doc.File, filled.places)
	decide([]*draft{probe})
	d.declared, d.declaredBy = probe.rule.Language, probe.rule.LanguageReason
	return d
}

// timeRange reads relativeTimeRange.
func (c *chainLoader) timeRange(it *chainItem, node *GrafanaNode) {
	r := grafanaField(c.doc, it.node, "relativeTimeRange")
	node.From = 10 * time.Minute
	if r != nil {
		node.From = c.duration(child(c.doc, r, "from"))
		node.To = c.duration(child(c.doc, r, "to"))
	}
	if node.To > node.From {
		c.fault(c.doc.Errorf(r, "the time range of query %s ends before it begins", it.refID), "from is further back than to, in seconds")
	}
}

// kindOfQuery tells whether a query is instant.
func (c *chainLoader) kindOfQuery(it *chainItem, node *GrafanaNode) {
	kind := scalarText(it.doc, it.model, "queryType")
	if kind == "" {
		kind = grafanaText(c.doc, it.node, "queryType")
	}
	instant, ranged := isTrue(it.doc, it.model, "instant"), isTrue(it.doc, it.model, "range")
	switch {
	case node.Language == LogQL && kind == "instant":
		node.Instant = true
	case node.Language == LogQL && kind == "range":
	case node.Language == LogQL && kind != "":
		it.reason = fmt.Sprintf("query %s is of the type %q, which is not evaluated", it.refID, kind)
	case instant && ranged:
		it.reason = fmt.Sprintf("query %s is both instant and range, so it is not clear which answer counts; keep one", it.refID)
	default:
		node.Instant = instant
	}
}

// step finds how far apart the points of a range query are.
func (c *chainLoader) step(it *chainItem, node *GrafanaNode) {
	number := func(name string, usual float64) float64 {
		v := child(it.doc, it.model, name)
		if v == nil {
			return usual
		}
		var f float64
		if err := v.Decode(&f); err != nil || f < 0 || f > maxSeconds*1000 {
			c.fault(it.doc.Errorf(v, "%q is not a number that can be", name), "")
			return usual
		}
		if f == 0 {
			return usual
		}
		return f
	}
	span := node.From - node.To
	points := min(number("maxDataPoints", defaultPoints), mostPoints)
	step := max(time.Duration(number("intervalMs", float64(defaultStep.Milliseconds())))*time.Millisecond, time.Duration(float64(span)/max(points, 1)))
	for _, name := range []string{"interval", "step"} {
		v := child(it.doc, it.model, name)
		if v == nil || v.Value == "" || strings.Contains(v.Value, "$") {
			continue
		}
		least, ok := grafanaDuration(v)
		if !ok {
			c.fault(it.doc.Errorf(v, "%q is not a duration", v.Value), "")
			continue
		}
		step = max(step, least)
	}
	node.Step = max((step + time.Millisecond - 1).Truncate(time.Millisecond), time.Millisecond)
}

// builtIn returns what Grafana sets in a query of an alert.
func (n *GrafanaNode) builtIn(name string) (string, bool) {
	ms := func(d time.Duration) string { return fmt.Sprintf("%d", d.Milliseconds()) }
	span := n.From - n.To
	auto := n.Step
	if n.Instant {
		auto = span
	}
	rate := max(n.Step+15*time.Second, time.Minute)
	switch name {
	case "__interval":
		return ms(n.Step) + "ms", true
	case "__interval_ms":
		return ms(n.Step), true
	case "__auto":
		return ms(auto) + "ms", true
	case "__rate_interval":
		return ms(rate) + "ms", true
	case "__rate_interval_ms":
		return ms(rate), true
	case "__range":
		return ms(span) + "ms", true
	case "__range_s":
		return fmt.Sprintf("%d", int64(span.Seconds())), true
	case "__range_ms":
		return ms(span), true
	}
	return "", false
}
