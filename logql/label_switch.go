package logql

import "slices"

// A labelSwitch stands for nodes that take only entries with certain values of
// one label: the value is looked up once, and the nodes found by it.
type labelSwitch struct {
	ref     nameRef
	byValue map[string][]switchNode
}

// A switchNode is a node that may take entries with a value.
type switchNode struct {
	node  *node
	exact bool // it takes them all; otherwise its stage decides
	// alone is the node, if its stage may change the entry.
	alone []*node
}

// enoughValues is how many nodes make a switch.
const enoughValues = 3

// makeSwitches moves nodes into switches where enough look at one label.
func (b *branch) makeSwitches() {
	count := make(map[string]int)
	for _, n := range slices.Concat(b.filters, b.nodes) {
		if c := conditionOf(n); c != nil {
			count[c.ref.name]++
		}
	}
	byName := make(map[string]*labelSwitch)
	move := func(n *node) bool {
		c := conditionOf(n)
		if c == nil || count[c.ref.name] < enoughValues {
			return false
		}
		s := byName[c.ref.name]
		if s == nil {
			s = &labelSwitch{c.ref, make(map[string][]switchNode)}
			byName[c.ref.name] = s
			b.switches = append(b.switches, s)
		}
		for _, value := range c.values {
			x := switchNode{node: n, exact: c.exact}
			if !isFilter(n.stage) {
				x.alone = []*node{n}
			}
			s.byValue[value] = append(s.byValue[value], x)
		}
		b.switched = append(b.switched, n)
		return true
	}
	b.filters = slices.DeleteFunc(b.filters, move)
	b.nodes = slices.DeleteFunc(b.nodes, move)
}

// A valueCondition says that a label must have one of some values.
type valueCondition struct {
	ref    nameRef
	values []string
	exact  bool // and that nothing else is asked
}

// conditionOf returns a condition that a node sets, nil if there is none. Of
// name="value" and a choice of values it is all that the node asks, of
// conditions joined by "and" the first.
func conditionOf(n *node) *valueCondition {
	s, ok := n.stage.(*labelFilterStage)
	if !ok {
		return nil
	}
	return conditionOfFilter(s.filter)
}

func conditionOfFilter(f labelFilter) *valueCondition {
	switch f := f.(type) {
	case *stringFilter:
		if !f.negative {
			return &valueCondition{f.ref, []string{f.value}, true}
		}
	case *textFilter:
		if f.negative {
			return nil
		}
		c := &valueCondition{ref: f.ref, exact: true}
		for _, m := range f.matches {
			if m.contains || m.fold {
				return nil
			}
			if !slices.Contains(c.values, m.text) {
				c.values = append(c.values, m.text)
			}
		}
		return c
	case *andFilter:
		for _, sub := range []labelFilter{f.lhs, f.rhs} {
			if c := conditionOfFilter(sub); c != nil {
				c.exact = false
				return c
			}
		}
	}
	return nil
}

// walkSwitch takes the entry to the nodes that its label chooses.
func (r *Run) walkSwitch(s *labelSwitch) {
	e := &r.entry
	v, _ := e.filterValue(s.ref)
	for _, x := range s.byValue[string(v)] {
		if x.alone != nil {
			r.walkNodes(x.alone)
		} else if x.exact || x.node.stage.process(e) {
			r.enter(x.node)
		}
	}
}
