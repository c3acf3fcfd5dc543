package analyzer

import (
	"slices"
	"strings"
	"text/template/parse"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/rules"
)

// A promQuery is what a PromQL rule needs of the metrics.
type promQuery struct {
	reads []metricRead
	// labels are those that the rule names outside of its selectors: by which
	// it groups, joins or writes its texts.
	labels []string
}

// A metricRead is a selector that names a metric.
type metricRead struct {
	metric     string
	matchers   []*labels.Matcher
	text       string
	start, end int  // bytes of the selector in the rule's own expression
	absence    bool // the rule asks whether it is absent
	// of is the query of a Grafana alert that the selector stands in, where
	// that is not the rule's own expression.
	of string
}

// promQueryOf reads a rule, of a Grafana alert all queries; what is not valid
// PromQL needs nothing.
func promQueryOf(r *rules.Rule) promQuery {
	var q promQuery
	if r.Language == rules.PromQL {
		q.read(r.Expr, "")
	}
	if r.Grafana != nil {
		own := true
		for _, n := range r.Grafana.Nodes {
			if n.Language == rules.PromQL && !own {
				q.read(n.Expr, n.RefID)
			}
			own = own && n.Language == 0 // the first query is the rule's own
		}
	}
	for _, texts := range []map[string]string{r.Labels, r.Annotations} {
		for _, text := range texts {
			q.labels = append(q.labels, templateLabels(text)...)
		}
	}
	slices.Sort(q.labels)
	q.labels = slices.Compact(q.labels)
	return q
}

// read adds what an expression needs; of names the query that it is, empty for
// the rule's own.
func (q *promQuery) read(expr, of string) {
	p := parser.NewParser(parser.Options{EnableExperimentalFunctions: true, EnableBinopFillModifiers: true})
	e, err := p.ParseExpr(expr)
	if err != nil {
		return
	}
	parser.Inspect(e, func(n parser.Node, path []parser.Node) error {
		q.node(n, path, of)
		return nil
	})
}

func (q *promQuery) node(n parser.Node, path []parser.Node, of string) {
	switch n := n.(type) {
	case *parser.VectorSelector:
		read := metricRead{
			matchers: n.LabelMatchers, text: n.String(), of: of, start: int(n.PosRange.Start), end: int(n.PosRange.End),
			absence: slices.ContainsFunc(path, isAbsence),
		}
		for _, m := range n.LabelMatchers {
			if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
				read.metric = m.Value
			}
		}
		if read.metric != "" {
			q.reads = append(q.reads, read)
		}
	case *parser.AggregateExpr:
		if !n.Without {
			q.labels = append(q.labels, n.Grouping...)
		}
	case *parser.BinaryExpr:
		if m := n.VectorMatching; m != nil {
			if m.On {
				q.labels = append(q.labels, m.MatchingLabels...)
			}
			q.labels = append(q.labels, m.Include...)
		}
	case *parser.Call:
		q.labels = append(q.labels, labelArguments(n)...)
	}
}

// noSamples says why a PromQL rule that selects series yields none.
func (c *cell) noSamples() string {
	q := &c.cmp.views().queries[c.index]
	if len(q.reads) > 0 && !slices.ContainsFunc(q.reads, func(r metricRead) bool { return !r.absence }) {
		return "the rule asks whether they are absent"
	}
	return "no series was left"
}

func isAbsence(n parser.Node) bool {
	c, ok := n.(*parser.Call)
	return ok && (c.Func.Name == "absent" || c.Func.Name == "absent_over_time")
}

// labelArguments returns the labels from which a function takes values.
func labelArguments(c *parser.Call) []string {
	from := len(c.Args)
	switch c.Func.Name {
	case "label_replace": // (v, dst, replacement, src, regexp)
		from = 3
	case "label_join": // (v, dst, separator, src…)
		from = 3
	case "sort_by_label", "sort_by_label_desc":
		from = 1
	}
	var out []string
	for i := from; i < len(c.Args); i++ {
		if s, ok := c.Args[i].(*parser.StringLiteral); ok {
			out = append(out, s.Val)
		}
		if c.Func.Name == "label_replace" {
			break
		}
	}
	return out
}

// names reports whether a query names a label, of the metric or of its answer.
func (q *promQuery) names(read *metricRead, label string) bool {
	return slices.Contains(q.labels, label) ||
		slices.ContainsFunc(read.matchers, func(m *labels.Matcher) bool { return m.Name == label })
}

// literals returns the values that a matcher asks for outright.
func literals(m *labels.Matcher) []string {
	switch m.Type {
	case labels.MatchEqual:
		return []string{m.Value}
	case labels.MatchRegexp:
		return m.SetMatches()
	case labels.MatchNotEqual, labels.MatchNotRegexp:
	}
	return nil
}

// templateLabels returns the labels that a text of an alert shows:
// {{ $labels.x }}, {{ .Labels.x }} and {{ index $labels "x" }} are understood.
func templateLabels(text string) []string {
	if !strings.Contains(text, "{{") {
		return nil
	}
	const head = "{{$labels := .Labels}}{{$value := .Value}}{{$externalLabels := .}}{{$externalURL := .}}"
	t := parse.New("text")
	t.Mode = parse.SkipFuncCheck
	if _, err := t.Parse(head+text, "", "", map[string]*parse.Tree{}); err != nil {
		return nil
	}
	var out []string
	templateNodes(t.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.VariableNode:
			if len(n.Ident) == 2 && n.Ident[0] == "$labels" {
				out = append(out, n.Ident[1])
			}
		case *parse.FieldNode:
			if len(n.Ident) == 2 && n.Ident[0] == "Labels" {
				out = append(out, n.Ident[1])
			}
		case *parse.CommandNode:
			if len(n.Args) == 3 && n.Args[0].String() == "index" && n.Args[1].String() == "$labels" {
				if s, ok := n.Args[2].(*parse.StringNode); ok {
					out = append(out, s.Text)
				}
			}
		}
	})
	return out
}

// templateNodes calls f for the parts of a template that can show something.
func templateNodes(n parse.Node, f func(parse.Node)) {
	pipe := func(p *parse.PipeNode) {
		if p == nil {
			return
		}
		for _, c := range p.Cmds {
			f(c)
			for _, a := range c.Args {
				f(a)
				if inner, ok := a.(*parse.PipeNode); ok {
					templateNodes(inner, f)
				}
			}
		}
	}
	branch := func(b *parse.BranchNode) {
		pipe(b.Pipe)
		templateNodes(b.List, f)
		if b.ElseList != nil {
			templateNodes(b.ElseList, f)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, c := range n.Nodes {
				templateNodes(c, f)
			}
		}
	case *parse.ActionNode:
		pipe(n.Pipe)
	case *parse.PipeNode:
		pipe(n)
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	}
}
