package logql

import (
	"fmt"
	"strings"
	"time"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// Compile turns a parsed query into an immutable program. Errors are
// [*syntax.Error] of the compile phase, or wrap [ErrUnsupported]. The places in
// errors are those in the text that expr is printed as; use [ParseAndCompile]
// for errors about a text that a user wrote.
func Compile(expr syntax.Expr) (*Query, error) {
	q, err := compileText("", expr)
	if err == nil {
		return q, nil
	}
	if _, again := ParseAndCompile(expr.String()); again != nil {
		return nil, again
	}
	return nil, err
}

func compileText(text string, expr syntax.Expr) (*Query, error) {
	c := &compiler{text: text}
	root, err := c.compileExpr(expr)
	if err != nil {
		return nil, err
	}
	q := &Query{expr: expr, root: root}
	for _, p := range c.pipelines {
		q.plans = append(q.plans, p)
		q.pipelines = append(q.pipelines, p.public())
	}
	return q, nil
}

// A compiler compiles one query.
type compiler struct {
	text      string
	pipelines []*pipelinePlan // so far, in source order
}

func (c *compiler) errorf(span syntax.Span, format string, args ...any) error {
	return syntax.NewError(syntax.PhaseCompile, c.text, span, fmt.Sprintf(format, args...), "")
}

// A plan is a compiled expression. Plans are immutable; a run makes its nodes
// from them.
type plan interface{ plan() }

type logPlan struct{ pipeline *pipelinePlan }

// A rangePlan is a range aggregation.
type rangePlan struct {
	key          string // equal plans over equal windows give equal vectors
	pipeline     *pipelinePlan
	op           syntax.RangeOp
	unwrapped    bool
	param        float64
	rang, offset time.Duration
	grouping     *grouping // nil: by all labels
	absentLabels []label   // of absent_over_time
}

type vectorPlan struct {
	expr     *syntax.VectorAgg
	arg      plan
	grouping grouping
}

type binaryPlan struct {
	expr     *syntax.BinaryExpr
	lhs, rhs plan
}

type replacePlan struct {
	expr *syntax.LabelReplace
	re   *regexp.Regexp
	arg  plan
}

// A numberPlan is a number, or with vector set a vector of one sample.
type numberPlan struct {
	value  float64
	vector bool
}

func (*logPlan) plan()     {}
func (*rangePlan) plan()   {}
func (*vectorPlan) plan()  {}
func (*binaryPlan) plan()  {}
func (*replacePlan) plan() {}
func (*numberPlan) plan()  {}

// A grouping says which labels of a series stay.
type grouping struct {
	without bool
	names   []nameRef
}

func newGrouping(g *syntax.Grouping) *grouping {
	if g == nil {
		return nil
	}
	out := &grouping{without: g.Without}
	for _, name := range g.Labels {
		out.names = append(out.names, newNameRef(name))
	}
	return out
}

func (g *grouping) has(name string) bool {
	for _, n := range g.names {
		if n.name == name {
			return true
		}
	}
	return false
}

func (c *compiler) compileExpr(e syntax.Expr) (plan, error) {
	switch e := e.(type) {
	case *syntax.LogQuery:
		p, err := c.compilePipeline(e, nil, &labelNeed{all: true})
		if err != nil {
			return nil, err
		}
		return &logPlan{p}, nil
	case *syntax.RangeAgg:
		return c.compileRange(e, nil)
	case *syntax.VectorAgg:
		return c.compileVectorAgg(e)
	case *syntax.BinaryExpr:
		lhs, err := c.compileExpr(e.LHS)
		if err != nil {
			return nil, err
		}
		rhs, err := c.compileExpr(e.RHS)
		if err != nil {
			return nil, err
		}
		return foldBinary(&binaryPlan{e, lhs, rhs}), nil
	case *syntax.LabelReplace:
		arg, err := c.compileExpr(e.Expr)
		if err != nil {
			return nil, err
		}
		re, err := compileAnchored(e.Regexp)
		if err != nil {
			return nil, c.errorf(e.RegexpPos, "%v", err)
		}
		return &replacePlan{e, re, arg}, nil
	case *syntax.VectorFunc:
		return &numberPlan{value: e.Value, vector: true}, nil
	case *syntax.NumberLit:
		return &numberPlan{value: e.Value}, nil
	}
	panic("logql: unknown expression " + e.String())
}

func (c *compiler) compileVectorAgg(e *syntax.VectorAgg) (plan, error) {
	var arg plan
	var err error
	if r, ok := e.Expr.(*syntax.RangeAgg); ok {
		arg, err = c.compileRange(r, e)
	} else {
		arg, err = c.compileExpr(e.Expr)
	}
	if err != nil {
		return nil, err
	}
	p := &vectorPlan{expr: e, arg: arg}
	if g := newGrouping(e.Grouping); g != nil {
		p.grouping = *g
	}
	return p, nil
}

// compileRange compiles a range aggregation. outer is the vector aggregation
// around it, nil if there is none.
func (c *compiler) compileRange(e *syntax.RangeAgg, outer *syntax.VectorAgg) (plan, error) {
	p := &rangePlan{
		op:        e.Op,
		unwrapped: e.Range.Unwrap != nil,
		param:     e.Param,
		rang:      e.Range.Range,
		offset:    e.Range.Offset,
		grouping:  newGrouping(e.Grouping),
	}
	if p.grouping == nil && outer != nil && sumsUp(outer, e) {
		p.grouping = newGrouping(outer.Grouping)
		if p.grouping == nil {
			p.grouping = new(grouping)
		}
	}
	need := p.need(e)
	var err error
	if p.pipeline, err = c.compilePipeline(e.Range.Query, e.Range.Unwrap, need); err != nil {
		return nil, err
	}
	if e.Op == syntax.AbsentOverTime {
		p.absentLabels = absentLabels(e.Range.Query.Selector)
	}
	p.key = e.String() + p.grouping.key() + need.key()
	return p, nil
}

// sumsUp reports whether the sum of a range aggregation over series equals
// the same aggregation over their entries taken together: then series need
// not be told apart by labels that the sum removes. Loki does so too, which
// shows: it parses only what the sum needs.
func sumsUp(outer *syntax.VectorAgg, e *syntax.RangeAgg) bool {
	if outer.Op != syntax.Sum || outer.Grouping != nil && outer.Grouping.Without {
		return false
	}
	switch e.Op {
	case syntax.CountOverTime, syntax.Rate, syntax.BytesOverTime, syntax.BytesRate, syntax.SumOverTime:
		return true
	}
	return false
}

func (g *grouping) key() string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\x00%t", g.without)
	for _, n := range g.names {
		b.WriteString("," + n.name)
	}
	return b.String()
}
