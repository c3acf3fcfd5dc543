package logql

import (
	"fmt"
	"math"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
)

func (p *binaryPlan) key() string {
	e := *p.expr
	e.LHS, e.RHS = &syntax.NumberLit{}, &syntax.NumberLit{}
	return e.String()
}

// foldBinary computes an operation between two numbers when the query is
// compiled.
func foldBinary(p *binaryPlan) plan {
	l, lok := p.lhs.(*numberPlan)
	r, rok := p.rhs.(*numberPlan)
	if !lok || !rok || l.vector || r.vector {
		return p
	}
	v, keep := operate(p.expr.Op, l.value, r.value)
	if isComparison(p.expr.Op) {
		v = boolValue(keep)
	}
	return &numberPlan{value: v}
}

func isComparison(op syntax.BinaryOp) bool {
	return op >= syntax.OpEqual && op <= syntax.OpLessEqual
}

func isSetOperation(op syntax.BinaryOp) bool { return op <= syntax.OpUnless }

func boolValue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// operate computes l op r. A comparison yields l, and keep tells its outcome.
func operate(op syntax.BinaryOp, l, r float64) (v float64, keep bool) {
	switch op {
	case syntax.OpEqual:
		return l, l == r
	case syntax.OpNotEqual:
		return l, l != r
	case syntax.OpGreater:
		return l, l > r
	case syntax.OpGreaterEqual:
		return l, l >= r
	case syntax.OpLess:
		return l, l < r
	case syntax.OpLessEqual:
		return l, l <= r
	case syntax.OpAdd:
		return l + r, true
	case syntax.OpSub:
		return l - r, true
	case syntax.OpMul:
		return l * r, true
	case syntax.OpDiv:
		if r == 0 {
			return math.NaN(), true // not infinite, unlike Prometheus
		}
		return l / r, true
	case syntax.OpMod:
		return math.Mod(l, r), true
	case syntax.OpPow:
		return math.Pow(l, r), true
	}
	panic(fmt.Sprintf("logql: unknown binary operator %d", op))
}

// newBinaryNode returns the node of a binary operation: between a vector and
// a number, a set operation, or one between series that match.
func newBinaryNode(p *binaryPlan, lhs, rhs *sharedNode, sets *labelSets) evaluator {
	e := p.expr
	switch {
	case lhs.scalar || rhs.scalar:
		return &scalarNode{op: e.Op, bool: e.Bool, lhs: lhs, rhs: rhs}
	case isSetOperation(e.Op):
		return &setNode{op: e.Op, lhs: lhs, rhs: rhs, matcher: newSeriesMatcher(e.Matching, sets)}
	}
	return newMatchNode(e, lhs, rhs, sets)
}

// A scalarNode applies an operation with a number to each sample. Comparisons
// keep the sample as it is, with bool they yield 0 or 1.
type scalarNode struct {
	op       syntax.BinaryOp
	bool     bool
	lhs, rhs *sharedNode
	out      []point
}

func (n *scalarNode) eval(k int) ([]point, error) {
	l, err := n.lhs.eval(k)
	if err != nil {
		return nil, err
	}
	r, err := n.rhs.eval(k)
	if err != nil {
		return nil, err
	}
	n.out = n.out[:0]
	vector := l
	if n.lhs.scalar {
		vector = r
	}
	for _, p := range vector {
		a, b := p.value, p.value
		if n.lhs.scalar {
			a = l[0].value
		} else {
			b = r[0].value
		}
		v, keep := operate(n.op, a, b)
		switch {
		case isComparison(n.op) && n.bool:
			v = boolValue(keep)
		case !keep:
			continue
		case isComparison(n.op):
			v = p.value
		}
		n.out = append(n.out, point{p.set, v})
	}
	return n.out, nil
}

// A seriesMatcher finds the labels by which the series of two vectors match:
// with on those listed, otherwise all but those listed.
type seriesMatcher struct{ grouper }

func newSeriesMatcher(vm *syntax.VectorMatching, sets *labelSets) seriesMatcher {
	g := grouping{without: true}
	if vm != nil {
		g.without = !vm.On
		for _, name := range vm.Labels {
			g.names = append(g.names, newNameRef(name))
		}
	}
	m := seriesMatcher{newGrouper(g, sets)}
	m.matching = true
	return m
}

// A setNode computes and, or, unless.
type setNode struct {
	op       syntax.BinaryOp
	lhs, rhs *sharedNode
	matcher  seriesMatcher
	seen     map[*labelSet]struct{}
	out      []point
}

// forget implements [forgetter].
func (n *setNode) forget() { n.matcher.forget() }

func (n *setNode) eval(k int) ([]point, error) {
	l, err := n.lhs.eval(k)
	if err != nil {
		return nil, err
	}
	r, err := n.rhs.eval(k)
	if err != nil {
		return nil, err
	}
	if n.seen == nil {
		n.seen = make(map[*labelSet]struct{})
	}
	clear(n.seen)
	n.out = n.out[:0]
	if n.op == syntax.OpOr {
		for _, p := range l {
			n.seen[n.matcher.group(p.set)] = struct{}{}
		}
		n.out = append(n.out, l...)
		n.take(r, false)
		return n.out, nil
	}
	for _, p := range r {
		n.seen[n.matcher.group(p.set)] = struct{}{}
	}
	n.take(l, n.op == syntax.OpAnd)
	return n.out, nil
}

// take appends the points that match a series seen, or those that match none.
func (n *setNode) take(points []point, matching bool) {
	for _, p := range points {
		if _, ok := n.seen[n.matcher.group(p.set)]; ok == matching {
			n.out = append(n.out, p)
		}
	}
}

// errManyMatches says that a series of one side matches several of the other.
func errManyMatches(side string, set *labelSet) error {
	return fmt.Errorf("several series on the %s side of the operation match on %s; make the match unique with on (…), ignoring (…) or an aggregation",
		side, set.labels)
}

// resultLabels returns the labels of the result for a series of the many side
// (or the left side, one to one) and its match.
func resultLabels(m *syntax.VectorMatching, card syntax.Cardinality, matcher *seriesMatcher, many, one *labelSet) logs.Labels {
	if card == syntax.OneToOne {
		return withoutEmpty(matcher.group(many).labels)
	}
	out := withoutEmpty(many.labels)
	for _, name := range m.Include {
		out = withLabel(out, name, one.labels.Get(name))
	}
	return out
}

// withLabel returns ls with one label set, or taken away when value is empty.
func withLabel(ls logs.Labels, name, value string) logs.Labels {
	out := make(logs.Labels, 0, len(ls)+1)
	for _, l := range ls {
		if l.Name != name {
			out = append(out, l)
		}
	}
	if value == "" {
		return out
	}
	return logs.New(append(out, logs.Label{Name: name, Value: value})...)
}
