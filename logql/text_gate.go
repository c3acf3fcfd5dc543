package logql

import (
	"slices"

	"github.com/grafana/regexp"
)

// A textGate decides for a line filter on the raw line by the texts that the
// index of the route found in it. Only where these do not settle it, the
// filter's own matchers are run.
type textGate struct {
	operands []gateOperand
	negative bool
	// texts are those of all operands. Without one of them no operand matches.
	// None: an operand needs no text that is known.
	texts []int32
	folds bool   // some are without regard to case
	tried uint64 // number of the last line that it was tried on
}

// A gateOperand is an alternative of a line filter.
type gateOperand struct {
	match lineMatcher
	texts []int32 // one of which it needs; none: unknown
	exact bool    // it matches if a text is found
}

// pass is lineFilterStage.process.
func (g *textGate) pass(e *entry) bool {
	x := e.foundTexts()
	for i := range g.operands {
		o := &g.operands[i]
		if o.texts != nil && !(x.odd && g.folds) {
			if !slices.ContainsFunc(o.texts, x.holds) {
				continue
			}
			if o.exact {
				return !g.negative
			}
		}
		if o.match.match(e, e.line) {
			return !g.negative
		}
	}
	return g.negative
}

// foundTexts returns the index of the route after it was searched for the
// texts of the line that was pushed.
func (s *lineState) foundTexts() *textIndex {
	if !s.textsDone {
		s.textsDone = true
		s.texts.search(s.in.Line)
	}
	return s.texts
}

// gates makes the gates of a route and collects their texts.
type gates struct {
	texts []lineText
	known map[string]int32
	nodes []*node // that have a gate
	folds bool
}

// enoughTexts is how many texts make it pay to have an index.
const enoughTexts = 6

// add gives a gate to a node that is a line filter on the raw line.
func (b *gates) add(n *node) {
	g := new(textGate)
	var operands []lineMatcher
	switch s := n.stage.(type) {
	case *lineFilterStage:
		g.negative, operands = s.negative, s.operands
	case *regexpStage:
		operands = []lineMatcher{regexpStageMatcher{s}}
	default:
		return
	}
	all := true
	for _, m := range operands {
		match, texts, exact := neededTexts(m)
		o := gateOperand{match: match, exact: exact}
		if len(texts) == 0 || len(b.texts)+len(texts) > maxTexts {
			all = false
		} else {
			for _, t := range texts {
				g.folds = g.folds || t.fold
				o.texts = append(o.texts, b.text(t))
			}
		}
		g.texts = append(g.texts, o.texts...)
		g.operands = append(g.operands, o)
	}
	if !all {
		g.texts = nil
	}
	b.folds = b.folds || g.folds
	n.gate = g
	b.nodes = append(b.nodes, n)
}

func (b *gates) text(t lineText) int32 {
	key := "a" + string(t.text)
	if t.fold {
		key = "A" + string(t.text)
	}
	i, ok := b.known[key]
	if !ok {
		i = int32(len(b.texts))
		b.known[key] = i
		b.texts = append(b.texts, t)
	}
	return i
}

// after returns b, or nil if the stage may change the line.
func (b *gates) after(s stage) *gates {
	switch s.(type) {
	case *lineFormatStage, *unpackStage, decolorizeStage:
		return nil
	}
	return b
}

// index returns the index of all texts and makes branches wait for them, or takes the gates away again when
// there are so few that the filters do better on their own.
func (b *gates) index(root *branch) *textIndex {
	if len(b.texts) >= enoughTexts || b.folds {
		x := newTextIndex(b.texts)
		root.wait(x)
		return x
	}
	for _, n := range b.nodes {
		n.gate = nil
	}
	return nil
}

// neededTexts returns texts of which a line must hold one for m to match, none
// if none are known, and whether m matches whenever it does. Otherwise match
// is what to ask then. Texts without regard to case tell nothing of a line
// with letters that [hasOddLetter] finds.
func neededTexts(m lineMatcher) (match lineMatcher, texts []lineText, exact bool) {
	switch m := m.(type) {
	case *containsMatcher:
		if len(m.text) > 0 {
			texts = []lineText{{text: m.text}}
		}
		return m, texts, true
	case *foldMatcher:
		return m, []lineText{{m.text, true}}, true
	case anyMatcher:
		exact = true
		for _, x := range m {
			_, more, ok := neededTexts(x)
			if len(more) == 0 {
				return m, nil, false
			}
			texts, exact = append(texts, more...), exact && ok
		}
		return m, texts, exact
	case *chainMatcher:
		for _, link := range m.links {
			if rulesOutMore(link, texts) {
				texts = link
			}
		}
		return m, texts, false
	case *regexpMatcher:
		return bareRegexp{m.re}, m.needs, false
	case regexpStageMatcher:
		return m, m.needs, false
	case patternMatcher:
		for _, p := range m.parts {
			if len(p.literal) > 0 && (texts == nil || len(p.literal) > len(texts[0].text)) {
				texts = []lineText{{text: p.literal}}
			}
		}
	}
	return m, texts, false
}

// bareRegexp is a regexpMatcher whose texts were found.
type bareRegexp struct{ re *regexp.Regexp }

func (m bareRegexp) match(_ *entry, line []byte) bool { return m.re.Match(line) }

// A regexpStageMatcher makes the regexp of a parser run only on lines with the
// texts that it needs.
type regexpStageMatcher struct{ *regexpStage }

func (m regexpStageMatcher) match(e *entry, _ []byte) bool { return m.parse(e) }

// A textNodes is the nodes of a branch that take only lines with a text, by
// that text.
type textNodes struct {
	group  []int32 // by text: index into groups
	groups [][]*node
	folded []*node // those without regard to case
}

// enoughNodes is how many nodes of a branch make it pay to go by the texts
// found, instead of asking each node.
const enoughNodes = 6

// wait moves nodes of a branch to textNodes, and does so with the branches
// after it. Nodes with short texts, which the index finds only when asked,
// stay.
func (b *branch) wait(x *textIndex) {
	for _, n := range slices.Concat(b.nodes, b.filters, b.switched) {
		n.next.wait(x)
		n.strict.wait(x)
	}
	waits := func(n *node) bool {
		return n.gate != nil && n.gate.texts != nil && !n.gate.negative &&
			!slices.ContainsFunc(n.gate.texts, func(text int32) bool { return x.short[text] })
	}
	count := 0
	for _, n := range b.filters {
		if waits(n) {
			count++
		}
	}
	if count < enoughNodes {
		return
	}
	t := &textNodes{group: make([]int32, len(x.texts)), groups: make([][]*node, 1)}
	b.filters = slices.DeleteFunc(b.filters, func(n *node) bool {
		if !waits(n) {
			return false
		}
		for _, text := range n.gate.texts {
			if t.group[text] == 0 {
				t.group[text] = int32(len(t.groups))
				t.groups = append(t.groups, nil)
			}
			g := &t.groups[t.group[text]]
			*g = append(*g, n)
		}
		if n.gate.folds {
			t.folded = append(t.folded, n)
		}
		return true
	})
	b.waiting = t
}

// walkTexts takes the entry to the nodes whose texts its line holds.
func (r *Run) walkTexts(t *textNodes) {
	x := r.line.foundTexts()
	for _, text := range x.found {
		r.tryGates(t.groups[t.group[text]])
	}
	if x.odd {
		r.tryGates(t.folded)
	}
}

func (r *Run) tryGates(nodes []*node) {
	for _, n := range nodes {
		if n.gate.tried == r.line.number {
			continue
		}
		n.gate.tried = r.line.number
		if n.gate.pass(&r.entry) {
			r.enter(n)
		}
	}
}
