package replay

import (
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/internal/outcome"
)

// promNothing tells why a PromQL expression yields nothing, from how many
// series each of its selectors chose. An operation that needs both sides has
// none where one side selects none.
func promNothing(e parser.Expr, selected []outcome.Selector) outcome.Nothing {
	w := promNothingWalk{}
	for _, s := range selected {
		w[s.Start] = s.Series
	}
	if w.lacks(e) {
		return outcome.NoStream
	}
	return outcome.BelowThreshold
}

// A promNothingWalk has the number of series of each selector, by where it
// begins.
type promNothingWalk map[int]int

// lacks reports whether e has no series as no selector chose one that it needs.
func (w promNothingWalk) lacks(e parser.Expr) bool {
	switch e := e.(type) {
	case *parser.VectorSelector:
		return w[int(e.PosRange.Start)] == 0
	case *parser.BinaryExpr:
		left, right := w.lacks(e.LHS), w.lacks(e.RHS)
		switch e.Op {
		case parser.LUNLESS:
			return left
		case parser.LOR:
			return left && right
		}
		return left || right
	case *parser.Call:
		return w.call(e)
	case *parser.AggregateExpr:
		lacks := w.lacks(e.Expr)
		if e.Param != nil {
			w.lacks(e.Param)
		}
		return lacks
	}
	lacks := false
	for child := range parser.ChildrenIter(e) {
		if c, ok := child.(parser.Expr); ok && w.lacks(c) {
			lacks = true
		}
	}
	return lacks
}

// call looks at the arguments of a function. Those that say something of
// series that are absent, or of none, yield a value without any.
func (w promNothingWalk) call(e *parser.Call) bool {
	lacks := false
	for _, arg := range e.Args {
		if w.lacks(arg) && arg.Type() != parser.ValueTypeScalar {
			lacks = true
		}
	}
	switch e.Func.Name {
	case "absent", "absent_over_time", "scalar", "vector":
		return false
	}
	return lacks
}
