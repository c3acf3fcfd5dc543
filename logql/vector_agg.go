package logql

import (
	"cmp"
	"math"
	"slices"

	"github.com/stillfires/stillfires/logql/syntax"
)

func (p *vectorPlan) key() string {
	e := *p.expr
	e.Expr = &syntax.NumberLit{}
	return e.String()
}

// newVectorNode returns the node of a vector aggregation.
func newVectorNode(p *vectorPlan, arg *sharedNode, sets *labelSets) evaluator {
	switch p.expr.Op {
	case syntax.TopK, syntax.BottomK, syntax.ApproxTopK:
		return &topNode{grouper: newGrouper(p.grouping, sets), arg: arg, k: p.expr.Param, bottom: p.expr.Op == syntax.BottomK}
	case syntax.Sort, syntax.SortDesc:
		return &sortNode{arg: arg, desc: p.expr.Op == syntax.SortDesc}
	}
	return &aggNode{grouper: newGrouper(p.grouping, sets), arg: arg, op: p.expr.Op}
}

// A grouper finds the group of a series.
type grouper struct {
	grouping grouping
	matching bool // series of two vectors, not grouping those of one
	sets     *labelSets
	known    map[*labelSet]*labelSet
	index    map[*labelSet]int // of the groups met at the instant in hand
}

func newGrouper(g grouping, sets *labelSets) grouper {
	return grouper{
		grouping: g,
		sets:     sets,
		known:    make(map[*labelSet]*labelSet),
		index:    make(map[*labelSet]int),
	}
}

// forget implements [forgetter].
func (g *grouper) forget() { clear(g.known) }

func (g *grouper) group(s *labelSet) *labelSet {
	out := g.known[s]
	if out == nil {
		labels := g.grouping.keep(s.labels)
		if g.grouping.without && !g.matching {
			labels = withoutEmpty(labels)
		}
		out = g.sets.internLabels(labels)
		g.known[s] = out
	}
	return out
}

// An aggNode computes sum, avg, min, max, count, stddev and stdvar.
type aggNode struct {
	grouper
	arg    *sharedNode
	op     syntax.VectorOp
	groups []aggGroup
	out    []point
}

// An aggGroup is the state of one group at an instant.
type aggGroup struct {
	set    *labelSet
	count  float64
	value  float64 // sum, minimum, maximum, or mean
	spread float64 // sum of squared distances from the mean
}

func (n *aggNode) eval(k int) ([]point, error) {
	in, err := n.arg.eval(k)
	if err != nil {
		return nil, err
	}
	clear(n.index)
	n.groups = n.groups[:0]
	for _, p := range in {
		set := n.group(p.set)
		i, ok := n.index[set]
		if !ok {
			i = len(n.groups)
			n.index[set] = i
			n.groups = append(n.groups, aggGroup{set: set})
		}
		n.groups[i].add(n.op, p.value)
	}
	n.out = n.out[:0]
	for i := range n.groups {
		n.out = append(n.out, point{n.groups[i].set, n.groups[i].result(n.op)})
	}
	return n.out, nil
}

func (g *aggGroup) add(op syntax.VectorOp, v float64) {
	g.count++
	if g.count == 1 && (op == syntax.Min || op == syntax.Max) {
		g.value = v
		return
	}
	switch op {
	case syntax.Sum, syntax.Avg:
		g.value += v
	case syntax.Min:
		if v < g.value || math.IsNaN(g.value) {
			g.value = v
		}
	case syntax.Max:
		if v > g.value || math.IsNaN(g.value) {
			g.value = v
		}
	case syntax.Stddev, syntax.Stdvar:
		d := v - g.value
		g.value += d / g.count
		g.spread += d * (v - g.value)
	}
}

func (g *aggGroup) result(op syntax.VectorOp) float64 {
	switch op {
	case syntax.Avg:
		return g.value / g.count
	case syntax.Count:
		return g.count
	case syntax.Stdvar:
		return g.spread / g.count
	case syntax.Stddev:
		return math.Sqrt(g.spread / g.count)
	}
	return g.value
}

// A topNode computes topk and bottomk: the k series with the highest or lowest
// values of each group, with all their labels. Of equal values the series that
// comes first by its labels is taken. It serves approx_topk too: the exact
// answer is among those that an estimate may give.
type topNode struct {
	grouper
	arg    *sharedNode
	k      int
	bottom bool
	groups [][]point
	out    []point
}

func (n *topNode) eval(k int) ([]point, error) {
	in, err := n.arg.eval(k)
	if err != nil {
		return nil, err
	}
	clear(n.index)
	used := 0
	for _, p := range in {
		set := n.group(p.set)
		i, ok := n.index[set]
		if !ok {
			i = used
			n.index[set] = i
			used++
			if i == len(n.groups) {
				n.groups = append(n.groups, nil)
			}
			n.groups[i] = n.groups[i][:0]
		}
		n.groups[i] = append(n.groups[i], p)
	}
	n.out = n.out[:0]
	for _, g := range n.groups[:used] {
		sortPoints(g, !n.bottom)
		n.out = append(n.out, g[:min(n.k, len(g))]...)
	}
	return n.out, nil
}

// A sortNode computes sort and sort_desc.
type sortNode struct {
	arg  *sharedNode
	desc bool
	out  []point
}

func (n *sortNode) eval(k int) ([]point, error) {
	in, err := n.arg.eval(k)
	if err != nil {
		return nil, err
	}
	n.out = append(n.out[:0], in...)
	sortPoints(n.out, n.desc)
	return n.out, nil
}

// sortPoints sorts by value, NaN last, and equal values by labels.
func sortPoints(ps []point, desc bool) {
	slices.SortFunc(ps, func(a, b point) int {
		an, bn := math.IsNaN(a.value), math.IsNaN(b.value)
		c := cmp.Compare(a.value, b.value)
		switch {
		case an && !bn:
			return 1
		case bn && !an:
			return -1
		case an && bn:
			c = 0
		case desc:
			c = -c
		}
		if c == 0 {
			c = a.set.labels.Compare(b.set.labels)
		}
		return c
	})
}
