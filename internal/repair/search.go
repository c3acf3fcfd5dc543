package repair

import (
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// A piece is the text of a selector or of a stage.
type piece struct {
	text    string
	kind    string // of the change; empty: as it was
	changed bool
}

// A change is a pipeline some pieces of which were changed.
type change struct {
	pieces []piece
	spans  []syntax.Span // of the pieces in the expression
}

// A search changes one pipeline so that lines of the candidate pass.
type search struct {
	written *Written
	rule    *rules.Rule
	query   *syntax.LogQuery
	targets []target

	nodes   []syntax.Node // the selector, then the stages
	spans   []syntax.Span // of nodes
	known   []line        // lines of the deployed build that pass
	found   []change
	missing string // what was not found for the first piece that nothing mends
}

// Bounds of a search.
const (
	maxExamples     = 6
	maxChanges      = 12 // of one pipeline
	maxAlternatives = 8  // of one piece
	maxChanged      = 3  // pieces
)

// examples takes those lines of the deployed build that pass the pipeline, one
// of each kind.
func (s *search) examples(losses []Loss) {
	s.nodes, s.spans = []syntax.Node{s.query.Selector}, []syntax.Span{s.query.Selector.Span()}
	for _, stage := range s.query.Stages {
		s.nodes, s.spans = append(s.nodes, stage), append(s.spans, stage.Span())
	}
	whole := join(s.original())
	seen := map[string]bool{}
	for _, loss := range losses {
		for i := range loss.Deployed {
			l := newLine(loss.Deployed[i])
			if k := key(l.spoken()); len(s.known) < maxExamples && !seen[k] && s.pass(whole, &l.Evidence).passed {
				seen[k] = true
				s.known = append(s.known, l)
			}
		}
	}
}

func (s *search) original() []piece {
	var out []piece
	for _, span := range s.spans {
		out = append(out, piece{text: s.rule.Expr[span.Start:span.End]})
	}
	return out
}

func (s *search) pass(query string, e *outcome.Evidence) passage {
	return s.written.probe.pass(query, e)
}

func join(pieces []piece) string {
	texts := make([]string, len(pieces))
	for i, p := range pieces {
		texts[i] = p.text
	}
	return strings.Join(texts, " ")
}

// run tries every target.
func (s *search) run() []change {
	if len(s.known) == 0 {
		s.missing = "no line that the rule matched on deployed is short enough to be shown"
		return nil
	}
	for i := range s.targets {
		t := s.targets[i]
		// Of a message one line is known, of the stream that wrote it first.
		// That the stream of the rule wrote it too is tried before any change
		// of the selector; the replay tells.
		if stream := s.known[0].Stream; t.Stream.Compare(stream) != 0 {
			as := t
			as.Stream = stream
			s.walk(&as, s.original(), 0, 0)
		}
		s.walk(&t, s.original(), 0, 0)
	}
	if pieces, lines := s.formerNames(); pieces != nil {
		for _, t := range lines {
			s.walk(&t, s.original(), 0, 0)
		}
		for _, t := range append(lines, s.targets...) {
			s.walk(&t, pieces, 0, 1)
		}
	}
	return s.found
}

// walk sends the target down the pieces from piece from on, and changes the
// first that drops it.
func (s *search) walk(t *target, pieces []piece, from, changed int) {
	if len(s.found) >= maxChanges {
		return
	}
	before := passage{passed: true, labels: t.Stream, line: t.Line}
	at := from
	for ; at < len(pieces); at++ {
		got := s.pass(join(pieces[:at+1]), &t.Evidence)
		if !got.passed {
			break
		}
		before = got
	}
	if at == len(pieces) {
		if changed > 0 && s.keepsKnown(pieces) {
			s.found = append(s.found, change{pieces, s.spans})
		}
		return
	}
	if changed == maxChanged {
		return
	}
	if at == from && at > 0 {
		before = s.pass(join(pieces[:at]), &t.Evidence)
	}
	p := &place{search: s, target: t, pieces: pieces, at: at, before: before}
	all := p.alternatives()
	if len(all) == 0 && s.missing == "" {
		s.missing = p.missing
	}
	for i, alt := range all {
		if i == maxAlternatives {
			return
		}
		next := append([]piece{}, pieces...)
		next[at] = piece{alt.text, alt.kind, true}
		if s.pass(join(next[:at+1]), &t.Evidence).passed {
			s.walk(t, next, at+1, changed+1)
		}
	}
}

// keepsKnown reports whether what the rule matched on deployed still passes.
func (s *search) keepsKnown(pieces []piece) bool {
	whole := join(pieces)
	for i := range s.known {
		if !s.pass(whole, &s.known[i].Evidence).passed {
			return false
		}
	}
	return true
}

// A place is a piece that drops the target.
type place struct {
	*search
	*target
	pieces []piece
	at     int
	before passage // of the target, up to the piece
	// missing says what the target does not have, where nothing mends it.
	missing string
}

// An alternative is another text for a piece, or for a part of one.
type alternative struct {
	text string
	kind string
	// either says that the text is two filters joined by "or".
	either bool
	// then is a stage that must follow the piece; empty: none.
	then string
}

// alternatives returns what may stand in place of the piece.
func (p *place) alternatives() []alternative {
	switch n := p.nodes[p.at].(type) {
	case *syntax.Selector:
		return p.selector(n)
	case *syntax.LineFilter:
		return p.lineFilter(n)
	case *syntax.LabelFilterStage:
		return p.labelStage(n)
	}
	return nil
}

// source returns the text of a node as it stands in the rule.
func (p *place) source(n syntax.Node) string {
	span := n.Span()
	return p.rule.Expr[span.Start:span.End]
}

// knownLabels returns the labels that a line of the deployed build has before
// the piece. Changed pieces let it pass as the original ones did.
func (p *place) knownLabels(l *line) passage {
	if p.at == 0 {
		return passage{passed: true, labels: l.Stream, line: l.Line}
	}
	return p.pass(join(p.pieces[:p.at]), &l.Evidence)
}

// pair returns the line of the deployed build that the target answers: the one
// that said what the target says, else the first.
func (p *place) pair() *line {
	for i := range p.known {
		for _, f := range p.known[i].fields {
			if f.value == p.said {
				return &p.known[i]
			}
		}
	}
	for i := range p.known {
		if key(p.known[i].spoken()) == key(p.said) {
			return &p.known[i]
		}
	}
	return &p.known[0]
}

// sameMessage reports whether the target says exactly what the line of the
// deployed build said.
func (p *place) sameMessage() bool { return key(p.said) == key(p.says) }
