package logql

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A grid is a list of instants with the queries that are evaluated at them.
// Queries share a grid, and so the parts they have in common, when their
// windows are equal and they have to wait equally long for entries that a
// negative offset asks for.
type grid struct {
	run     *Run
	window  Window
	wait    int64 // how long after an instant its last entry may come
	count   int   // of instants
	next    int   // first instant not yet evaluated
	nodes   map[string]*sharedNode
	queries []gridQuery
	sets    *labelSets
	out     []Sample
}

type gridQuery struct {
	query int
	root  *sharedNode
	seen  map[*labelSet]struct{} // series yielded so far, when they are limited
}

// newGrids makes the grids of all metric queries of a run.
func newGrids(r *Run, windows []Window) []*grid {
	type key struct {
		window Window
		wait   int64
	}
	var grids []*grid
	byKey := make(map[key]*grid)
	for i, q := range r.set.queries {
		if q.IsLog() {
			continue
		}
		k := key{windows[i], waitOf(q.root)}
		g := byKey[k]
		if g == nil {
			g = &grid{run: r, window: windows[i], wait: k.wait, nodes: make(map[string]*sharedNode), sets: newLabelSets()}
			g.count = g.window.instants()
			byKey[k] = g
			grids = append(grids, g)
		}
		b := &nodeBuilder{grid: g, pipelines: r.pipelines[i]}
		root, _ := b.build(q.root)
		gq := gridQuery{query: i, root: root}
		if r.set.opt.MaxSeries > 0 {
			gq.seen = make(map[*labelSet]struct{})
		}
		g.queries = append(g.queries, gq)
	}
	return grids
}

// instants returns how many instants a window has.
func (w Window) instants() int {
	switch {
	case w.Step <= 0:
		return 1
	case w.End < w.Start:
		return 0
	}
	return int((w.End-w.Start)/w.Step) + 1
}

// at returns the time of instant k.
func (w Window) at(k int) int64 {
	if w.Step <= 0 {
		return w.End
	}
	return w.Start + int64(k)*w.Step
}

// waitOf returns how far into the future of an instant a plan looks: the
// largest negative offset in it.
func waitOf(p plan) int64 {
	switch p := p.(type) {
	case *rangePlan:
		return max(0, -int64(p.offset))
	case *vectorPlan:
		return waitOf(p.arg)
	case *replacePlan:
		return waitOf(p.arg)
	case *binaryPlan:
		return max(waitOf(p.lhs), waitOf(p.rhs))
	}
	return 0
}

// advance evaluates the instants that no entry at or after now can change.
func (g *grid) advance(now int64) {
	for g.next < g.count && addTime(g.window.at(g.next), g.wait) < now {
		g.evaluate(g.next)
		g.next++
	}
}

// finish evaluates all instants that remain.
func (g *grid) finish() {
	for ; g.next < g.count; g.next++ {
		g.evaluate(g.next)
	}
}

// addTime adds without overflow.
func addTime(t, d int64) int64 {
	switch {
	case d > 0 && t > math.MaxInt64-d:
		return math.MaxInt64
	case d < 0 && t < math.MinInt64-d:
		return math.MinInt64
	}
	return t + d
}

// evaluate computes all queries at instant k.
func (g *grid) evaluate(k int) {
	ts := g.window.at(k)
	for i := range g.queries {
		q := &g.queries[i]
		if g.run.errs[q.query] != nil {
			continue
		}
		points, err := q.root.eval(k)
		if err == nil {
			err = g.limit(q, points)
		}
		if err != nil {
			g.run.errs[q.query] = err
			continue
		}
		g.out = g.out[:0]
		for _, p := range points {
			g.out = append(g.out, Sample{p.set.labels, p.value})
		}
		g.run.sink.Vector(q.query, ts, g.out)
	}
	if len(g.sets.byKey) > g.sets.enough {
		g.sweep()
	}
}

// A forgetter is an evaluator that remembers label sets from one instant to
// the next, to save work.
type forgetter interface{ forget() }

// sweep lets go of the label sets of series that are gone, so that memory does
// not grow with all the series that ever were.
func (g *grid) sweep() {
	inUse := make(map[*labelSet]struct{})
	for _, n := range g.nodes {
		switch e := n.evaluator.(type) {
		case *leaf:
			for _, s := range e.active {
				inUse[s.set] = struct{}{}
			}
		case forgetter:
			e.forget()
		}
	}
	for i := range g.queries {
		maps.Copy(inUse, g.queries[i].seen)
	}
	g.sets.keep(inUse)
}

// limit fails a query that has yielded too many series.
func (g *grid) limit(q *gridQuery, points []point) error {
	most := g.run.set.opt.MaxSeries
	if most <= 0 {
		return nil
	}
	for _, p := range points {
		q.seen[p.set] = struct{}{}
	}
	if len(q.seen) > most {
		return fmt.Errorf("the query yields more than %d series; aggregate them with sum by (…) or select fewer", most)
	}
	return nil
}

// A point is the value of a series at the instant in hand.
type point struct {
	set   *labelSet
	value float64
}

// An evaluator computes the vector of an expression at one instant. The
// vector is valid until the next call.
type evaluator interface {
	eval(k int) ([]point, error)
}

// A sharedNode is an expression that may stand in several queries. It is
// computed once an instant.
type sharedNode struct {
	evaluator evaluator
	scalar    bool // a number, not a vector
	done      int  // instants computed
	out       []point
	err       error
}

func (n *sharedNode) eval(k int) ([]point, error) {
	if n.done <= k {
		n.out, n.err = n.evaluator.eval(k)
		n.done = k + 1
	}
	return n.out, n.err
}

// A nodeBuilder turns the plan of one query into nodes of a grid.
type nodeBuilder struct {
	grid      *grid
	pipelines []*runPipeline // of the query
}

// build returns the node of a plan, that of an earlier query if it has an
// equal one, and the key by which equal nodes are known.
func (b *nodeBuilder) build(p plan) (*sharedNode, string) {
	sets := b.grid.sets
	switch p := p.(type) {
	case *rangePlan:
		n := b.share(p.key, func() evaluator { return newLeaf(b.grid, p) })
		b.pipeline(p.pipeline).leaf = n.evaluator.(*leaf)
		return n, p.key
	case *vectorPlan:
		arg, key := b.build(p.arg)
		key = fmt.Sprintf("%s(%s)", p.key(), key)
		return b.share(key, func() evaluator { return newVectorNode(p, arg, sets) }), key
	case *replacePlan:
		arg, key := b.build(p.arg)
		key = fmt.Sprintf("%s(%s)", p.key(), key)
		return b.share(key, func() evaluator { return newReplaceNode(p, arg, sets) }), key
	case *binaryPlan:
		lhs, left := b.build(p.lhs)
		rhs, right := b.build(p.rhs)
		key := fmt.Sprintf("%s(%s)(%s)", p.key(), left, right)
		return b.share(key, func() evaluator { return newBinaryNode(p, lhs, rhs, sets) }), key
	case *numberPlan:
		key := fmt.Sprintf("number %v %t", p.value, p.vector)
		n := b.share(key, func() evaluator { return constNode{{sets.empty, p.value}} })
		n.scalar = !p.vector
		return n, key
	}
	panic("logql: a log query has no instants")
}

func (b *nodeBuilder) share(key string, build func() evaluator) *sharedNode {
	n := b.grid.nodes[key]
	if n == nil {
		n = &sharedNode{evaluator: build()}
		b.grid.nodes[key] = n
	}
	return n
}

// pipeline returns the pipeline of the run that was made from p.
func (b *nodeBuilder) pipeline(p *pipelinePlan) *runPipeline {
	i := slices.IndexFunc(b.pipelines, func(rp *runPipeline) bool { return rp.plan == p })
	return b.pipelines[i]
}

// constNode is a number or vector(number).
type constNode []point

func (n constNode) eval(int) ([]point, error) { return n, nil }
