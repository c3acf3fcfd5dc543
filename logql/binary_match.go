package logql

import "github.com/stillfires/stillfires/logql/syntax"

// A matchNode computes arithmetic and comparisons between series that match,
// one to one or, with group_left and group_right, many to one.
type matchNode struct {
	op       syntax.BinaryOp
	bool     bool
	matching *syntax.VectorMatching
	card     syntax.Cardinality
	lhs, rhs *sharedNode
	matcher  seriesMatcher
	sets     *labelSets

	ones  map[*labelSet]point
	taken map[*labelSet]struct{} // matches, or results, that are there already
	known map[pair]*labelSet
	out   []point
}

type pair struct{ many, one *labelSet }

func newMatchNode(e *syntax.BinaryExpr, lhs, rhs *sharedNode, sets *labelSets) *matchNode {
	n := &matchNode{
		op: e.Op, bool: e.Bool, matching: e.Matching,
		lhs: lhs, rhs: rhs,
		matcher: newSeriesMatcher(e.Matching, sets),
		sets:    sets,
		ones:    make(map[*labelSet]point),
		taken:   make(map[*labelSet]struct{}),
		known:   make(map[pair]*labelSet),
	}
	if e.Matching != nil {
		n.card = e.Matching.Card
	}
	return n
}

// forget implements [forgetter].
func (n *matchNode) forget() {
	n.matcher.forget()
	clear(n.known)
}

func (n *matchNode) eval(k int) ([]point, error) {
	l, err := n.lhs.eval(k)
	if err != nil {
		return nil, err
	}
	r, err := n.rhs.eval(k)
	if err != nil {
		return nil, err
	}
	many, one, oneSide := l, r, "right"
	if n.card == syntax.OneToMany {
		many, one, oneSide = r, l, "left"
	}
	clear(n.ones)
	for _, p := range one {
		set := n.matcher.group(p.set)
		if _, ok := n.ones[set]; ok {
			return nil, errManyMatches(oneSide, set)
		}
		n.ones[set] = p
	}
	return n.join(many)
}

// join pairs each series of the many side with its match.
func (n *matchNode) join(many []point) ([]point, error) {
	clear(n.taken)
	n.out = n.out[:0]
	for _, p := range many {
		set := n.matcher.group(p.set)
		other, ok := n.ones[set]
		if !ok {
			continue
		}
		l, r := p.value, other.value
		if n.card == syntax.OneToMany {
			l, r = r, l
		}
		v, keep := operate(n.op, l, r)
		if isComparison(n.op) && n.bool {
			v = boolValue(keep)
		} else if !keep {
			continue
		}
		result := n.result(p.set, other.set)
		match := result
		if n.card == syntax.OneToOne {
			match = set
		}
		if _, ok := n.taken[match]; ok {
			return nil, errManyMatches("left", set)
		}
		n.taken[match] = struct{}{}
		n.out = append(n.out, point{result, v})
	}
	return n.out, nil
}

func (n *matchNode) result(many, one *labelSet) *labelSet {
	key := pair{many, one}
	set := n.known[key]
	if set == nil {
		set = n.sets.internLabels(resultLabels(n.matching, n.card, &n.matcher, many, one))
		n.known[key] = set
	}
	return set
}
