package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// A plannedChain is the part of a Grafana alert that its condition rests on.
type plannedChain struct {
	nodes     []*rules.GrafanaNode // each after those that it takes
	queries   []chainQuery
	condition *rules.GrafanaNode
}

// A chainQuery is one query of a chain.
type chainQuery struct {
	node *rules.GrafanaNode
	expr string

	query int // LogQL: its index in the set of the rule's variant
	parse syntax.Expr
	pipes []logql.Pipeline

	selectors []*parser.VectorSelector // PromQL
	first     bool                     // it is the rule's own expression
}

func (q *chainQuery) isPromQL() bool { return q.node.Language == rules.PromQL }

// hasLogQL reports whether a query of the chain reads logs.
func (c *plannedChain) hasLogQL() bool {
	return slices.ContainsFunc(c.queries, func(q chainQuery) bool { return !q.isPromQL() })
}

// addGrafana compiles a Grafana alert.
func (p *Plan) addGrafana(i int, pl *planned, r *rules.Rule) {
	c := &plannedChain{condition: r.Grafana.Node(r.Grafana.Condition)}
	if c.condition == nil {
		pl.reason = "the condition of the alert is not among its queries and expressions"
		return
	}
	c.order(r.Grafana, c.condition)
	if pl.reason = c.check(); pl.reason != "" {
		return
	}
	for k := range r.Grafana.Nodes {
		if n := &r.Grafana.Nodes[k]; n.Language != 0 {
			for j := range c.queries {
				if c.queries[j].node == n {
					c.queries[j].first, c.queries[j].expr = true, r.Expr
				}
			}
			break
		}
	}
	if p.compileChain(i, pl, r, c); pl.reason != "" {
		return
	}
	for j := range c.queries {
		if q := &c.queries[j]; !q.isPromQL() {
			set := &p.sets[pl.variant]
			query, err := logql.ParseAndCompile(q.expr)
			if err != nil { // compiled before
				pl.reason = err.Error()
				return
			}
			q.query = set.addNode(i, query, j)
		}
	}
	if c.condition.Type == "threshold" {
		pl.op, pl.bound = thresholdOperator(&c.condition.Conditions[0])
	}
	pl.chain = c
}

// order lists what a node rests on and then the node. Package rules has seen to
// it that there is no circle.
func (c *plannedChain) order(g *rules.GrafanaChain, n *rules.GrafanaNode) {
	if n == nil || slices.Contains(c.nodes, n) {
		return
	}
	for _, in := range inputsOf(n) {
		c.order(g, g.Node(in))
	}
	c.nodes = append(c.nodes, n)
	if n.Type == "query" {
		c.queries = append(c.queries, chainQuery{node: n, expr: n.Expr})
	}
}

func inputsOf(n *rules.GrafanaNode) []string {
	switch n.Type {
	case "math":
		return n.Math.Vars()
	case "reduce", "threshold":
		return []string{n.Input}
	case "classic_conditions":
		var out []string
		for _, c := range n.Conditions {
			out = append(out, c.Query)
		}
		return out
	}
	return nil
}

// check says why a chain cannot be evaluated; empty: it can. Queries over a
// range yield series, which must be reduced before they are compared.
func (c *plannedChain) check() string {
	series := map[string]bool{}
	for _, n := range c.nodes {
		switch n.Type {
		case "query":
			series[n.RefID] = !n.Instant
		case "reduce":
			if !series[n.Input] && n.Reducer == "count" {
				return fmt.Sprintf("expression %s counts the points of %s, which has no more than one at a time", n.RefID, n.Input)
			}
		case "math", "threshold":
			for _, in := range inputsOf(n) {
				if series[in] {
					return fmt.Sprintf("expression %s takes %s, which is a series over time; it is evaluated only once it is reduced to a number", n.RefID, in)
				}
			}
		case "classic_conditions":
		default:
			return fmt.Sprintf("expression %s is of the type %q, which is not evaluated", n.RefID, n.Type)
		}
	}
	if series[c.condition.RefID] {
		return fmt.Sprintf("the condition %s is a series over time; Grafana wants it reduced to a number", c.condition.RefID)
	}
	return ""
}

// compileChain compiles the queries of a chain.
func (p *Plan) compileChain(i int, pl *planned, r *rules.Rule, c *plannedChain) {
	for j := range c.queries {
		q := &c.queries[j]
		if q.isPromQL() {
			p.compileProm(pl, q)
		} else {
			p.compileLog(i, pl, r, q)
		}
		if pl.reason != "" {
			return
		}
	}
	if p.opt.IngestLabels {
		pl.variant = ingestBoth
	}
}

func (p *Plan) compileLog(i int, pl *planned, r *rules.Rule, q *chainQuery) {
	expr, err := syntax.Parse(q.expr)
	if err != nil {
		pl.reason = fmt.Sprintf("query %s is not valid LogQL: %v", q.node.RefID, err)
		return
	}
	query, err := logql.ParseAndCompile(q.expr)
	if err != nil {
		pl.reason = err.Error()
		p.refuseNode(i, r, q.node, err)
		return
	}
	if query.IsLog() {
		pl.reason = fmt.Sprintf("query %s yields lines, and an alert needs values; wrap it as in sum(count_over_time(… [5m]))", q.node.RefID)
		return
	}
	q.parse, q.pipes = expr, query.Pipelines()
	pl.variant |= ingestOf(expr)
}

// refuseNode notes a query that parses but cannot be right.
func (p *Plan) refuseNode(i int, r *rules.Rule, n *rules.GrafanaNode, err error) {
	var bad *syntax.Error
	if errors.Is(err, logql.ErrUnsupported) || !errors.As(err, &bad) {
		return
	}
	p.problems[i] = &source.Error{
		Pos: n.Position(bad.Span.Start), Msg: fmt.Sprintf("%s %q: query %s is not valid LogQL: %s", r.Kind, r.Name, n.RefID, source.Clip(bad.Msg, maxMessage)),
		Hint: bad.Hint, Show: bad.Caret(),
	}
}

func (p *Plan) compileProm(pl *planned, q *chainQuery) {
	probe := planned{}
	p.addPromQL(&probe, &rules.Rule{Expr: q.expr})
	if probe.reason != "" {
		pl.reason = fmt.Sprintf("query %s: %s", q.node.RefID, probe.reason)
		return
	}
	if strings.Contains(strings.ReplaceAll(q.expr, " ", ""), "@start()") || strings.Contains(strings.ReplaceAll(q.expr, " ", ""), "@end()") {
		pl.reason = fmt.Sprintf("query %s fixes its time by @ start() or @ end(), which is not evaluated", q.node.RefID)
		return
	}
	q.selectors = probe.prom.selectors
	if pl.prom == nil {
		pl.prom = &promRule{expr: probe.prom.expr}
	}
	pl.prom.selectors = append(pl.prom.selectors, probe.prom.selectors...)
	pl.prom.anySeries = pl.prom.anySeries || probe.prom.anySeries
}

// thresholdOperator writes a condition that compares with one number as an
// operator and that number; the operator is empty for others.
func thresholdOperator(c *rules.GrafanaCondition) (op string, bound float64) {
	if len(c.Params) != 1 {
		return "", 0
	}
	ops := map[string]string{"gt": ">", "lt": "<", "gte": ">=", "lte": "<=", "eq": "==", "ne": "!="}
	return ops[c.Evaluator], c.Params[0]
}

// alertRule is the rule as the alert states keep it. Labels and annotations
// with what only Grafana's templates have are kept as they are written.
func (p *planned) alertRule() *rules.Rule {
	if p.rule.Grafana == nil {
		return p.rule
	}
	r := *p.rule
	r.Annotations, r.Labels = plainTemplates(r.Annotations), plainTemplates(r.Labels)
	if folder := r.Grafana.Folder; folder != "" && r.Labels["grafana_folder"] == "" {
		r.Labels["grafana_folder"] = escapeTemplate(folder)
	}
	return &r
}

func plainTemplates(texts map[string]string) map[string]string {
	out := map[string]string{}
	for name, text := range texts {
		if strings.Contains(text, "$value") || strings.Contains(text, "query") || !strings.Contains(text, "$labels") {
			text = escapeTemplate(text)
		}
		out[name] = text
	}
	return out
}

// escapeTemplate makes a text one that a template yields as it is.
func escapeTemplate(text string) string {
	return strings.ReplaceAll(text, "{{", `{{"{{"}}`)
}
