package logql

import (
	"bytes"
	"slices"

	"github.com/stillfires/stillfires/logql/syntax"
)

// lineFilterStage implements
//
//	|= "text"   != "text"   |~ "regexp"   !~ "regexp"   |> "pattern"   !> "pattern"
//
// each with alternatives joined by "or", and |= ip("range"), != ip("range").
// The positive operators keep a line that one alternative matches, the
// negative ones a line that none matches. Regexps are not anchored. After
// decolorize they still see the colour codes: Loki moves line filters before
// all stages but those that write the line anew.
type lineFilterStage struct {
	operands []lineMatcher
	negative bool
}

// A lineMatcher tells whether a line matches one alternative. The line is that
// of e, or what it was before decolorize.
type lineMatcher interface {
	match(e *entry, line []byte) bool
}

func (f *lineFilterStage) process(e *entry) bool {
	line := e.line
	if e.coloured != nil {
		line = e.coloured
	}
	for _, m := range f.operands {
		if m.match(e, line) {
			return !f.negative
		}
	}
	return f.negative
}

type containsMatcher struct{ text []byte }

func newContains(text string) *containsMatcher { return &containsMatcher{[]byte(text)} }

func (m *containsMatcher) match(_ *entry, line []byte) bool { return bytes.Contains(line, m.text) }

type ipLineMatcher struct{ *ipMatcher }

func (m ipLineMatcher) match(_ *entry, line []byte) bool { return m.findIn(line) }

type patternMatcher struct{ *patternFilter }

func (m patternMatcher) match(_ *entry, line []byte) bool { return m.patternFilter.match(line) }

func (c *compiler) compileLineFilter(f *syntax.LineFilter) (stage, error) {
	s := new(lineFilterStage)
	switch f.Op {
	case syntax.LineNotContains, syntax.LineNotMatches, syntax.LineNotPattern:
		s.negative = true
	}
	for _, o := range f.Operands {
		m, err := lineMatcherOf(f.Op, o)
		if err != nil {
			return nil, c.errorf(o.Span(), "%v", err)
		}
		s.operands = append(s.operands, m)
	}
	s.leaveOutEmpty()
	return s, nil
}

// leaveOutEmpty takes alternatives that match every line out of a positive
// filter that has others: Loki does not let them count.
func (f *lineFilterStage) leaveOutEmpty() {
	if f.negative {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(f.operands), func(m lineMatcher) bool {
		c, ok := m.(*containsMatcher)
		return ok && len(c.text) == 0
	})
	if len(rest) > 0 {
		f.operands = rest
	}
}

func lineMatcherOf(op syntax.LineFilterOp, o syntax.LineOperand) (lineMatcher, error) {
	if o.IP {
		m, err := compileIP(o.Value)
		if err != nil {
			return nil, err
		}
		return ipLineMatcher{m}, nil
	}
	switch op {
	case syntax.LineMatches, syntax.LineNotMatches:
		return compileLineRegexp(o.Value)
	case syntax.LinePattern, syntax.LineNotPattern:
		m, err := compilePatternFilter(o.Value)
		if err != nil {
			return nil, err
		}
		return patternMatcher{m}, nil
	}
	return newContains(o.Value), nil
}
