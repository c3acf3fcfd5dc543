package logql

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/logs"
)

// A Run is one pass of a [Set] over the entries of some streams. It is not
// safe for concurrent use.
type Run struct {
	set       *Set
	sink      Sink
	errs      []error
	pipelines [][]*runPipeline // by query
	streams   []streamState
	routes    []*route
	grids     []*grid

	now   int64
	begun bool
	line  *lineState
	lanes *laneRun // that do the work in place of this run; nil: none
	entry entry
	match Match
}

// A streamState is a stream with the pipelines that its lines pass.
type streamState struct {
	index  int
	labels []label
	mask   uint64
	route  *route
}

// A runPipeline is a pipeline of one query in one run.
type runPipeline struct {
	query, index int
	plan         *pipelinePlan
	window       Window // of a log query
	leaf         *leaf  // that a metric query feeds; nil for a log query
	streams      int    // selected
}

func newRun(s *Set, streams []logs.Labels, windows []Window, sink Sink) *Run {
	if len(windows) != len(s.queries) {
		panic(fmt.Sprintf("logql: %d windows for %d queries", len(windows), len(s.queries)))
	}
	if s.lanes != nil {
		return &Run{set: s, lanes: newLaneRun(s, streams, windows, sink)}
	}
	r := &Run{
		set:       s,
		sink:      sink,
		errs:      make([]error, len(s.queries)),
		pipelines: make([][]*runPipeline, len(s.queries)),
		line:      newLineState(),
	}
	r.entry.lineState = r.line
	for i, q := range s.queries {
		for j, p := range q.plans {
			r.pipelines[i] = append(r.pipelines[i], &runPipeline{query: i, index: j, plan: p, window: windows[i]})
		}
	}
	r.grids = newGrids(r, windows)
	r.routeStreams(streams)
	return r
}

func (r *Run) push(stream int, e *logs.Entry) {
	now := e.Time
	if r.begun {
		now = max(now, r.now)
	}
	if !r.begun || now > r.now {
		r.now, r.begun = now, true
		for _, g := range r.grids {
			g.advance(now)
		}
	}
	st := &r.streams[stream]
	st.route.lines++
	if len(st.route.paths) == 0 {
		return
	}
	r.line.begin(st, e)
	x := &r.entry
	*x = entry{lineState: r.line, line: e.Line, ops: x.ops[:0]}
	r.walk(&st.route.next)
}

// walk takes the entry down all ways from where it is, and leaves it as it
// was.
func (r *Run) walk(b *branch) {
	if len(b.ends) > 0 {
		r.arrive(b.ends)
	}
	if b.waiting != nil {
		r.walkTexts(b.waiting)
	}
	for _, s := range b.switches {
		r.walkSwitch(s)
	}
	for _, n := range b.filters {
		if n.gate != nil && n.gate.pass(&r.entry) || n.gate == nil && n.stage.process(&r.entry) {
			r.enter(n)
		}
	}
	if len(b.nodes) > 0 {
		r.walkNodes(b.nodes)
	}
}

// walkNodes is for nodes that may change the entry.
func (r *Run) walkNodes(nodes []*node) {
	e := &r.entry
	start := e.mark()
	for _, n := range nodes {
		switch {
		case n.gate != nil:
			n.gate.pass(e)
			r.enter(n)
		case n.needy != nil && n.needy.broken(e):
			r.walk(&n.strict)
		case n.stage.process(e):
			r.enter(n)
		}
		e.reset(&start)
	}
}

// enter counts an entry that passed the stage of a node and takes it on.
func (r *Run) enter(n *node) {
	n.lines++
	if r.entry.err != "" {
		n.errors++
	}
	r.walk(&n.next)
}

// arrive hands the entry to the pipelines that end where it is.
func (r *Run) arrive(ends []*end) {
	e := &r.entry
	for _, x := range ends {
		if x.leaf == nil {
			r.report(x.pipelines, true)
			continue
		}
		first, last := x.leaf.instants(r.now)
		if first > last {
			continue
		}
		r.report(x.pipelines, false)
		x.leaf.add(e, first, last)
	}
}

// report tells the sink of a match.
func (r *Run) report(pipelines []*runPipeline, isLog bool) {
	e := &r.entry
	for _, p := range pipelines {
		if isLog && (r.now < p.window.Start || r.now >= p.window.End) || r.errs[p.query] != nil {
			continue
		}
		r.match = Match{Stream: e.stream, Line: e.line, Entry: e.in, entry: e}
		r.sink.Match(p.query, p.index, &r.match)
	}
}

func (r *Run) close() {
	for _, g := range r.grids {
		g.finish()
	}
}

func (r *Run) funnel(query int) [][]StageCount {
	var out [][]StageCount
	for _, p := range r.pipelines[query] {
		counts := make([]StageCount, 1+len(p.plan.stages))
		counts[0].Streams = p.streams
		for _, rt := range r.routes {
			path, ok := rt.paths[p]
			if !ok {
				continue
			}
			counts[0].Lines += rt.lines
			for i, nodes := range path {
				for _, n := range nodes {
					counts[i+1].Lines += n.lines
					counts[i+1].Errors += n.errors
				}
			}
		}
		out = append(out, counts)
	}
	return out
}
