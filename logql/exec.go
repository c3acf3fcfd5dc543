package logql

import (
	"fmt"
	"slices"

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
	line  lineState
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
	r := &Run{
		set:       s,
		sink:      sink,
		errs:      make([]error, len(s.queries)),
		pipelines: make([][]*runPipeline, len(s.queries)),
	}
	r.line.extractors = make(map[*jsonPathStage]*jsonExtractor)
	r.entry.lineState = &r.line
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
	if len(st.route.children) == 0 && len(st.route.ends) == 0 {
		return
	}
	r.line.begin(st, e)
	x := &r.entry
	*x = entry{lineState: &r.line, line: e.Line, ops: x.ops[:0]}
	r.arrive(st.route.ends)
	r.walk(st.route.children)
}

// walk takes the entry through stages that all begin where it is.
func (r *Run) walk(nodes []*node) {
	e := &r.entry
	var start mark
	if len(nodes) > 1 {
		start = e.mark()
	}
	for i, n := range nodes {
		if i > 0 {
			e.reset(start)
		}
		if !n.stage.process(e) {
			continue
		}
		n.lines++
		if e.err != "" {
			n.errors++
		}
		r.arrive(n.ends)
		if len(n.children) > 0 {
			r.walk(n.children)
		}
	}
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
			for i, n := range path {
				counts[i+1].Lines += n.lines
				counts[i+1].Errors += n.errors
			}
		}
		out = append(out, counts)
	}
	return out
}

// A route is what the lines of streams go through that the same pipelines
// select: the stages of all these pipelines, as a tree in which common
// beginnings stand once.
type route struct {
	node
	paths map[*runPipeline][]*node
}

// A node is a stage in a route.
type node struct {
	key      string
	stage    stage
	children []*node
	ends     []*end

	lines, errors int64 // that passed
}

// An end is where pipelines end that yield the same.
type end struct {
	leaf      *leaf
	pipelines []*runPipeline
}

// routeStreams finds the route of every stream.
func (r *Run) routeStreams(streams []logs.Labels) {
	routes := make(map[string]*route)
	for i, ls := range streams {
		selected, key := r.selected(ls)
		rt := routes[key]
		if rt == nil {
			rt = newRoute(selected)
			routes[key] = rt
			r.routes = append(r.routes, rt)
		}
		for _, p := range selected {
			p.streams++
		}
		st := streamState{index: i, route: rt}
		for _, l := range ls {
			st.labels = append(st.labels, label{[]byte(l.Name), []byte(l.Value)})
			st.mask |= 1 << nameSlot(l.Name)
		}
		r.streams = append(r.streams, st)
	}
}

// selected returns the pipelines whose selector chooses a stream, and a key
// that tells such lists apart.
func (r *Run) selected(stream logs.Labels) ([]*runPipeline, string) {
	var out []*runPipeline
	var key []byte
	known := make(map[string]bool)
	for _, ps := range r.pipelines {
		for _, p := range ps {
			sel := p.plan.selector
			ok, seen := known[sel.key]
			if !seen {
				ok = r.set.opt.AssumeSelectors || sel.matches(stream)
				known[sel.key] = ok
			}
			if ok {
				out = append(out, p)
				key = append(key, '1')
			} else {
				key = append(key, '0')
			}
		}
	}
	return out, string(key)
}

func newRoute(pipelines []*runPipeline) *route {
	rt := &route{paths: make(map[*runPipeline][]*node)}
	for _, p := range pipelines {
		at := &rt.node
		path := []*node{}
		for _, s := range p.plan.stages {
			at = at.child(s)
			path = append(path, at)
		}
		at.end(p)
		rt.paths[p] = path
	}
	return rt
}

// child returns the child of n for a stage and makes it if there is none.
func (n *node) child(s pipelineStage) *node {
	i := slices.IndexFunc(n.children, func(c *node) bool { return c.key == s.key })
	if i < 0 {
		i = len(n.children)
		n.children = append(n.children, &node{key: s.key, stage: s.stage})
	}
	return n.children[i]
}

// end makes p end at n.
func (n *node) end(p *runPipeline) {
	for _, x := range n.ends {
		if x.leaf == p.leaf {
			x.pipelines = append(x.pipelines, p)
			return
		}
	}
	n.ends = append(n.ends, &end{leaf: p.leaf, pipelines: []*runPipeline{p}})
}
