package logql

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
)

// A route is what the lines of streams go through that the same pipelines
// select: the stages of all these pipelines, as a tree in which common
// beginnings stand once.
type route struct {
	node
	// paths lists for each pipeline and stage the nodes that stand for it.
	paths map[*runPipeline][][]*node
	texts *textIndex // of line filters on the raw line; nil: they search themselves
	want  *nameSet   // of the fields that some stage or grouping looks at
}

// A branch is where a route goes on.
type branch struct {
	nodes    []*node    // that may change an entry
	filters  []*node    // that do not
	waiting  *textNodes // filters that wait for texts; nil: none
	switches []*labelSwitch
	switched []*node // those that stand in switches
	ends     []*end
}

// A node is a stage in a route.
type node struct {
	key   string
	stage stage
	gate  *textGate // goes before stage if set
	next  branch

	// A parser that pipelines with different needs share has strict: what its
	// lines go through instead of the node when they are not well formed.
	// There the pipelines part by their needs before the parser.
	needy  needyStage
	strict branch

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
	rt := &route{paths: make(map[*runPipeline][][]*node)}
	for _, p := range pipelines {
		rt.paths[p] = make([][]*node, len(p.plan.stages))
	}
	gates := &gates{known: make(map[string]int32)}
	rt.next = rt.grow(pipelines, 0, false, gates)
	rt.texts = gates.index(&rt.next)
	rt.want = fieldsOf(pipelines)
	return rt
}

// fieldsOf returns the fields that the pipelines look at, as they are called
// in the line: a label that has got the suffix of extracted fields lacks it
// there.
func fieldsOf(pipelines []*runPipeline) *nameSet {
	var names []string
	for _, p := range pipelines {
		for _, name := range p.plan.labels {
			names = append(names, name, strings.TrimSuffix(name, extractedSuffix))
		}
		if p.leaf != nil && p.leaf.plan.grouping != nil && !p.leaf.plan.grouping.without {
			for _, ref := range p.leaf.plan.grouping.names {
				names = append(names, ref.name, strings.TrimSuffix(ref.name, extractedSuffix))
			}
		}
	}
	slices.Sort(names)
	return newNameSet(slices.Compact(names))
}

// grow returns where pipelines go on that have all stages before stage i in
// common. With strict set, parsers with different needs are kept apart. Line
// filters get a gate; raw is nil where the line may not be the one pushed.
func (rt *route) grow(pipelines []*runPipeline, i int, strict bool, raw *gates) branch {
	var nodes []*node
	var ends []*end
	groups := make(map[*node][]*runPipeline)
	for _, p := range pipelines {
		if i == len(p.plan.stages) {
			ends = addEnd(ends, p)
			continue
		}
		s := p.plan.stages[i]
		key := s.key
		if strict {
			key += s.need
		}
		at := slices.IndexFunc(nodes, func(n *node) bool { return n.key == key })
		if at < 0 {
			at = len(nodes)
			nodes = append(nodes, &node{key: key, stage: s.stage})
		}
		n := nodes[at]
		groups[n] = append(groups[n], p)
		rt.paths[p][i] = append(rt.paths[p][i], n)
	}
	for _, n := range nodes {
		group := groups[n]
		n.next = rt.grow(group, i+1, strict, raw.after(n.stage))
		if raw != nil {
			raw.add(n)
		}
		if needy, ok := n.stage.(needyStage); ok && !strict && needsDiffer(group, i) {
			n.needy = needy
			n.strict = rt.grow(group, i, true, raw)
		}
	}
	b := branch{ends: ends}
	for _, n := range nodes {
		if isFilter(n.stage) {
			b.filters = append(b.filters, n)
		} else {
			b.nodes = append(b.nodes, n)
		}
	}
	b.makeSwitches()
	return b
}

// isFilter reports whether a stage leaves entries as they are.
func isFilter(s stage) bool {
	switch s := s.(type) {
	case *lineFilterStage, passStage:
		return true
	case *labelFilterStage:
		return !mayFail(s.filter)
	}
	return false
}

func needsDiffer(pipelines []*runPipeline, i int) bool {
	return slices.ContainsFunc(pipelines, func(p *runPipeline) bool {
		return p.plan.stages[i].need != pipelines[0].plan.stages[i].need
	})
}

// addEnd makes p end with those that yield the same.
func addEnd(ends []*end, p *runPipeline) []*end {
	for _, x := range ends {
		if x.leaf == p.leaf {
			x.pipelines = append(x.pipelines, p)
			return ends
		}
	}
	return append(ends, &end{leaf: p.leaf, pipelines: []*runPipeline{p}})
}
