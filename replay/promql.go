package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/rules"
)

const (
	// lookback is how long a series has a value after its last sample. It is
	// the default of Prometheus.
	lookback = 5 * time.Minute
	// maxQuerySamples bounds what one evaluation holds in memory, as the
	// default of Prometheus does.
	maxQuerySamples = 50_000_000
	// maxSubquerySteps bounds the time that one answer takes: no clock ends it.
	maxSubquerySteps = 1_000_000
	// noTimeout: how long an answer takes must not change it.
	noTimeout = 10_000 * time.Hour
)

// A promRule is the PromQL side of a planned rule.
type promRule struct {
	expr      parser.Expr
	selectors []*parser.VectorSelector // in the order in which they stand
	left      string                   // of a comparison with a number; empty: none
	// anySeries says that the rule may read series that no selector of it
	// names: by a query in a template, or by info().
	anySeries bool
}

// newPromParser returns a parser that takes what package rules takes.
func newPromParser() parser.Parser {
	return parser.NewParser(parser.Options{EnableExperimentalFunctions: true, EnableBinopFillModifiers: true})
}

// newEngine returns the engine that evaluates the PromQL rules of a plan.
func newEngine(opt Options) *promql.Engine {
	return promql.NewEngine(promql.EngineOpts{
		MaxSamples: maxQuerySamples, Timeout: noTimeout, LookbackDelta: lookback,
		NoStepSubqueryIntervalFn: func(int64) int64 { return opt.Interval.Milliseconds() },
		EnableAtModifier:         true, EnableNegativeOffset: true,
		Parser: newPromParser(),
	})
}

// addPromQL compiles a PromQL rule.
func (p *Plan) addPromQL(pl *planned, r *rules.Rule) {
	expr, err := newPromParser().ParseExpr(r.Expr)
	if err != nil {
		pl.reason = "not valid PromQL: " + firstFault(err)
		return
	}
	if t := expr.Type(); t != parser.ValueTypeVector && t != parser.ValueTypeScalar {
		pl.reason = fmt.Sprintf("yields a %s; only an instant vector or a number can be followed through a run", parser.DocumentedType(t))
		return
	}
	if n := subquerySteps(expr, p.opt.Interval); n > maxSubquerySteps {
		pl.reason = fmt.Sprintf("its subqueries have %.3g steps at each evaluation; at most %d are evaluated", n, maxSubquerySteps)
		return
	}
	pr := &promRule{expr: expr, anySeries: hasTemplateQuery(r)}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		switch n := n.(type) {
		case *parser.VectorSelector:
			pr.selectors = append(pr.selectors, n)
		case *parser.Call:
			pr.anySeries = pr.anySeries || n.Func.Name == "info"
		}
		return nil
	})
	if left, op, bound, ok := promThreshold(expr); ok {
		pr.left, pl.op, pl.bound = left.String(), op, bound
	}
	pl.prom = pr
}

// subquerySteps returns how often the subqueries of an expression evaluate what
// is in them, for one answer. The interval is the step of those that give none.
func subquerySteps(e parser.Expr, interval time.Duration) float64 {
	most := 0.0
	parser.Inspect(e, func(n parser.Node, path []parser.Node) error {
		steps := 1.0
		for _, n := range append(slices.Clone(path), n) {
			if s, ok := n.(*parser.SubqueryExpr); ok {
				steps *= float64(s.Range) / float64(cmp.Or(s.Step, interval))
			}
		}
		most = max(most, steps)
		return nil
	})
	return most
}

// firstFault returns the first of a parser's errors.
func firstFault(err error) string {
	var list parser.ParseErrors
	if errors.As(err, &list) && len(list) > 0 {
		return list[0].Err.Error()
	}
	return err.Error()
}

// hasTemplateQuery reports whether a template of the rule may ask a query.
func hasTemplateQuery(r *rules.Rule) bool {
	for _, texts := range []map[string]string{r.Labels, r.Annotations} {
		for _, text := range texts {
			if strings.Contains(text, "query") && strings.Contains(text, "{{") {
				return true
			}
		}
	}
	return false
}

// promThreshold is [threshold] for PromQL.
func promThreshold(e parser.Expr) (left parser.Expr, op string, bound float64, ok bool) {
	b, isBinary := unparen(e).(*parser.BinaryExpr)
	if !isBinary || !b.Op.IsComparisonOperator() || b.ReturnBool {
		return nil, "", 0, false
	}
	written := b.Op.String()
	if n, isNum := promNumber(b.RHS); isNum && b.LHS.Type() == parser.ValueTypeVector {
		return b.LHS, written, n, true
	}
	if n, isNum := promNumber(b.LHS); isNum && b.RHS.Type() == parser.ValueTypeVector {
		if turned, ok := turnedRound[written]; ok {
			written = turned
		}
		return b.RHS, written, n, true
	}
	return nil, "", 0, false
}

// turnedRound says how a comparison is written with its sides exchanged.
var turnedRound = map[string]string{">": "<", "<": ">", ">=": "<=", "<=": ">="}

func unparen(e parser.Expr) parser.Expr {
	for {
		p, ok := e.(*parser.ParenExpr)
		if !ok {
			return e
		}
		e = p.Expr
	}
}

// promNumber returns the value of a number, which may have a sign.
func promNumber(e parser.Expr) (float64, bool) {
	switch e := unparen(e).(type) {
	case *parser.NumberLiteral:
		return e.Val, true
	case *parser.UnaryExpr:
		n, ok := promNumber(e.Expr)
		if e.Op == parser.SUB {
			n = -n
		}
		return n, ok
	}
	return 0, false
}

// nameMatcher returns the matcher of a selector that says its metric's name
// outright; empty if none does.
func metricName(matchers []*labels.Matcher) string {
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return ""
}
