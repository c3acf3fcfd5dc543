package replay

import (
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
)

// nothing tells why an expression yields nothing, from what each of its
// pipelines found. Of an operation that needs both sides it is the side that
// lacks the most: no stream before no line. What has all that it needs fell
// below its threshold.
func nothing(e syntax.Expr, pipes []pipeCount) outcome.Nothing {
	n := &nothingWalk{pipes: pipes}
	if why := n.of(e); why != outcome.Something {
		return why
	}
	return outcome.BelowThreshold
}

// A pipeCount is what one pipeline found: the streams that it selects and the
// lines left at its end.
type pipeCount struct {
	streams int
	lines   int64
}

// A nothingWalk takes the pipelines in the order in which they stand in the
// expression, as a query lists them.
type nothingWalk struct {
	pipes []pipeCount
	next  int
}

// of returns why e has no series, or Something if it may have some.
func (n *nothingWalk) of(e syntax.Expr) outcome.Nothing {
	switch e := e.(type) {
	case *syntax.LogQuery:
		return n.pipeline()
	case *syntax.RangeAgg:
		why := n.pipeline()
		if e.Op == syntax.AbsentOverTime {
			return outcome.Something // lines are what silences it
		}
		return why
	case *syntax.VectorAgg:
		return n.of(e.Expr)
	case *syntax.BinaryExpr:
		return n.binary(e)
	case *syntax.LabelReplace:
		return n.of(e.Expr)
	default:
		return outcome.Something
	}
}

func (n *nothingWalk) binary(e *syntax.BinaryExpr) outcome.Nothing {
	left := n.of(e.LHS)
	right := n.of(e.RHS)
	switch {
	case e.Op == syntax.OpUnless:
		return left
	case e.Op == syntax.OpOr && (left == outcome.Something || right == outcome.Something):
		return outcome.Something
	case left == outcome.Something:
		return right
	case right == outcome.Something:
		return left
	}
	return min(left, right)
}

func (n *nothingWalk) pipeline() outcome.Nothing {
	if n.next >= len(n.pipes) {
		return outcome.Something
	}
	p := n.pipes[n.next]
	n.next++
	switch {
	case p.streams == 0:
		return outcome.NoStream
	case p.lines == 0:
		return outcome.NoLine
	}
	return outcome.Something
}
