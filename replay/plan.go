package replay

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// DefaultInterval is how often a rule is evaluated whose group gives no
// interval.
const DefaultInterval = time.Minute

// Options are settings of a [Plan].
type Options struct {
	// Interval is the evaluation interval of rules whose group gives none.
	// 0 means DefaultInterval.
	Interval time.Duration
	// AssumeSelectors takes every stream selector to match: for raw logs
	// without labels.
	AssumeSelectors bool
	// IngestLabels adds service_name and detected_level, as Loki 3 does when
	// it stores a line, for all rules and not just for those that name them.
	IngestLabels bool
	// Marks are queries whose lines are wanted beside what the rules do.
	Marks []outcome.MarkQuery
	// MetricMarks are likewise metrics.
	MetricMarks []*profile.MetricSource
	// Timelines are the indices of the rules of which every evaluation is
	// kept; nil: of none.
	Timelines []int
	// Profile says which recorded things records are held against; nil: none.
	Profile *profile.Profile
}

// NeedsFacts reports whether a run wants [Source.Facts].
func (p *Plan) NeedsFacts() bool { return p.opt.Profile != nil && p.opt.Profile.Correlation != nil }

// A Plan is a set of rules, compiled. It is immutable.
type Plan struct {
	rules []planned
	// sets has the queries by the labels that are added at ingest. Most
	// plans have only the first.
	sets     [ingestVariants]querySet
	engine   *promql.Engine // nil: no rule is PromQL
	order    promOrder
	wanted   wanted
	marks    markPlan
	opt      Options
	problems map[int]*source.Error
}

// A planned rule knows where its queries are.
type planned struct {
	rule     *rules.Rule
	reason   string // why it is not evaluated; else empty
	interval time.Duration

	variant ingest
	query   int // index of the rule's query in its set
	left    int // index of the comparison's left-hand side; -1: none
	op      string
	bound   float64
	isLog   bool
	isAlert bool
	expr    syntax.Expr
	pipes   []logql.Pipeline
	prom    *promRule     // of a PromQL rule, and of a Grafana alert with PromQL
	chain   *plannedChain // of a Grafana alert
}

// A querySet is the queries that are run over the same entries.
type querySet struct {
	queries []*logql.Query
	rules   []int // the rule that each query belongs to
	isLeft  []bool
	nodes   []int // of a Grafana alert: which of its queries it is; else -1
	set     *logql.Set
}

// NewPlan compiles rules. A rule that cannot be compiled is in the plan too:
// its outcome is "not evaluated" with the reason.
func NewPlan(rs []rules.Rule, opt Options) *Plan {
	if opt.Interval <= 0 {
		opt.Interval = DefaultInterval
	}
	p := &Plan{rules: make([]planned, len(rs)), opt: opt, problems: map[int]*source.Error{}}
	for i := range rs {
		p.add(i, &rs[i])
	}
	p.marks = newMarkPlan(opt)
	p.order, p.wanted = newPromOrder(p.rules), newWanted(p.rules)
	if len(p.order.rules) > 0 {
		p.engine = newEngine(opt)
	}
	for v := range p.sets {
		p.sets[v].set = logql.NewSet(p.sets[v].queries, logql.Options{AssumeSelectors: opt.AssumeSelectors})
	}
	return p
}

func (p *Plan) add(i int, r *rules.Rule) {
	pl := planned{rule: r, interval: p.opt.Interval, left: -1, isAlert: r.Kind == rules.Alert}
	if r.Interval > 0 {
		pl.interval = r.Interval
	}
	defer func() { p.rules[i] = pl }()
	if r.NotEvaluated != "" {
		pl.reason = r.NotEvaluated
		return
	}
	if r.Grafana != nil {
		p.addGrafana(i, &pl, r)
		return
	}
	if r.Language == rules.PromQL {
		p.addPromQL(&pl, r)
		return
	}
	expr, err := syntax.Parse(r.Expr)
	if err != nil {
		pl.reason = "not valid LogQL: " + err.Error()
		return
	}
	query, err := logql.ParseAndCompile(r.Expr) // places are those of the text
	if err != nil {
		pl.reason = err.Error()
		p.refuse(i, r, err)
		return
	}
	pl.expr, pl.isLog, pl.pipes = expr, query.IsLog(), query.Pipelines()
	if pl.isLog && (r.Kind == rules.Alert || r.Kind == rules.Recording) {
		pl.reason = "a log query yields lines, and a rule needs values; wrap it as in sum(count_over_time(… [5m])) > 0"
		return
	}
	pl.variant = ingestOf(expr)
	if p.opt.IngestLabels {
		pl.variant = ingestBoth
	}
	set := &p.sets[pl.variant]
	pl.query = set.add(i, query, false)
	if left, op, bound, ok := threshold(expr); ok {
		if q, err := logql.Compile(left); err == nil {
			pl.left = set.add(i, q, true)
			pl.op, pl.bound = op, bound
		}
	}
}

// maxMessage bounds the characters of a message about a rule.
const maxMessage = 400

// refuse notes a query that parses but cannot be right, such as one with a
// bad regexp in a line filter.
func (p *Plan) refuse(i int, r *rules.Rule, err error) {
	var bad *syntax.Error
	if errors.Is(err, logql.ErrUnsupported) || !errors.As(err, &bad) {
		return
	}
	p.problems[i] = &source.Error{
		Pos: r.Position(bad.Span.Start), Msg: fmt.Sprintf("%s %q is not valid LogQL: %s", r.Kind, r.Name, source.Clip(bad.Msg, maxMessage)),
		Hint: bad.Hint, Show: bad.Caret(),
	}
}

// Len returns the number of rules.
func (p *Plan) Len() int { return len(p.rules) }

// Problems returns what is wrong with the rules that are not valid, by index:
// they parse, but a part of them, such as a regexp, is at fault.
func (p *Plan) Problems() map[int]*source.Error { return p.problems }

func (s *querySet) add(rule int, q *logql.Query, left bool) int {
	s.queries = append(s.queries, q)
	s.rules = append(s.rules, rule)
	s.isLeft = append(s.isLeft, left)
	s.nodes = append(s.nodes, -1)
	return len(s.queries) - 1
}

func (s *querySet) addNode(rule int, q *logql.Query, node int) int {
	i := s.add(rule, q, false)
	s.nodes[i] = node
	return i
}

// threshold splits "expr OP number", or "number OP expr" turned round, and
// reports whether the expression is one of them.
func threshold(e syntax.Expr) (left syntax.Expr, op string, bound float64, ok bool) {
	b, isBinary := e.(*syntax.BinaryExpr)
	if !isBinary || b.Bool {
		return nil, "", 0, false
	}
	op, turned := comparison(b.Op)
	if op == "" {
		return nil, "", 0, false
	}
	if n, isNum := b.RHS.(*syntax.NumberLit); isNum {
		return b.LHS, op, n.Value, !isNumber(b.LHS)
	}
	if n, isNum := b.LHS.(*syntax.NumberLit); isNum {
		return b.RHS, turned, n.Value, true
	}
	return nil, "", 0, false
}

func isNumber(e syntax.Expr) bool {
	_, ok := e.(*syntax.NumberLit)
	return ok
}

// comparison returns how op is written, and how it is written with its sides
// exchanged; empty strings for an operator that does not compare.
func comparison(op syntax.BinaryOp) (written, turned string) {
	switch op {
	case syntax.OpEqual:
		return "==", "=="
	case syntax.OpNotEqual:
		return "!=", "!="
	case syntax.OpGreater:
		return ">", "<"
	case syntax.OpGreaterEqual:
		return ">=", "<="
	case syntax.OpLess:
		return "<", ">"
	case syntax.OpLessEqual:
		return "<=", ">="
	default:
		return "", ""
	}
}

// ingest says which of the labels that Loki 3 adds at ingest a query sees.
type ingest int

const (
	ingestServiceName ingest = 1 << iota
	ingestDetectedLevel
	ingestBoth     = ingestServiceName | ingestDetectedLevel
	ingestVariants = ingestBoth + 1
)

// Names of the labels that Loki 3 adds at ingest by default.
const (
	labelServiceName   = "service_name"
	labelDetectedLevel = "detected_level"
)

// ingestOf returns the ingest labels that an expression names anywhere. The
// text is searched, not the tree: a template may name a label too, and an
// addition too many does no harm.
func ingestOf(e syntax.Expr) ingest {
	var v ingest
	text := e.String()
	if strings.Contains(text, labelServiceName) {
		v |= ingestServiceName
	}
	if strings.Contains(text, labelDetectedLevel) {
		v |= ingestDetectedLevel
	}
	return v
}

// IngestLabelled returns the names of the rules that see labels which Loki
// adds at ingest, in the order of the rules.
func (p *Plan) IngestLabelled() []string {
	var names []string
	for i := range p.rules {
		if p.rules[i].variant != 0 {
			names = append(names, p.rules[i].rule.Name)
		}
	}
	return names
}
