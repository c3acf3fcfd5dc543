package logql

import (
	"fmt"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/logql/syntax"
)

// labelFilterStage implements "| filter": conditions on labels, joined by
// "and", "," or nothing, and by "or", which binds less.
type labelFilterStage struct{ filter labelFilter }

func (s *labelFilterStage) process(e *entry) bool { return s.filter.pass(e) }

// A labelFilter is a compiled condition on the labels of an entry.
type labelFilter interface{ pass(e *entry) bool }

type andFilter struct{ lhs, rhs labelFilter }

func (f *andFilter) pass(e *entry) bool { return f.lhs.pass(e) && f.rhs.pass(e) }

type orFilter struct{ lhs, rhs labelFilter }

func (f *orFilter) pass(e *entry) bool { return f.lhs.pass(e) || f.rhs.pass(e) }

// mayFail reports whether a filter can set __error__.
func mayFail(f labelFilter) bool {
	switch f := f.(type) {
	case *andFilter:
		return mayFail(f.lhs) || mayFail(f.rhs)
	case *orFilter:
		return mayFail(f.lhs) || mayFail(f.rhs)
	case *stringFilter, *textFilter, *regexpFilter, *ipFilter:
		return false
	}
	return true
}

func (c *compiler) compileLabelFilterStage(s *syntax.LabelFilterStage) (stage, error) {
	f, err := c.compileLabelFilter(s.Filter)
	if err != nil {
		return nil, err
	}
	return &labelFilterStage{filter: f}, nil
}

func (c *compiler) compileLabelFilter(f syntax.LabelFilter) (labelFilter, error) {
	switch f := f.(type) {
	case *syntax.LabelBinary:
		lhs, err := c.compileLabelFilter(f.LHS)
		if err != nil {
			return nil, err
		}
		rhs, err := c.compileLabelFilter(f.RHS)
		if err != nil {
			return nil, err
		}
		if f.Or {
			return &orFilter{lhs, rhs}, nil
		}
		return &andFilter{lhs, rhs}, nil
	case *syntax.LabelString:
		return c.compileStringFilter(f.Matcher)
	case *syntax.LabelNumber:
		return newNumberFilter(f), nil
	case *syntax.LabelDuration:
		return newDurationFilter(f), nil
	case *syntax.LabelBytes:
		return newBytesFilter(f), nil
	case *syntax.LabelIP:
		m, err := compileIP(f.Addr)
		if err != nil {
			return nil, c.errorf(f.AddrPos, "%v", err)
		}
		return &ipFilter{ref: newNameRef(f.Name), ip: m, negative: f.Op == syntax.MatchNotEqual}, nil
	}
	panic("logql: unknown label filter " + f.String())
}

// stringFilter implements name="text" and name!="text". An absent label
// counts as empty.
type stringFilter struct {
	ref      nameRef
	value    string
	negative bool
}

func (f *stringFilter) pass(e *entry) bool {
	v, _ := e.filterValue(f.ref)
	return (string(v) == f.value) != f.negative
}

// textFilter implements name=~"regexp" and name!~"regexp" for a regexp that
// consists of simple alternatives. An absent label counts as empty.
type textFilter struct {
	ref      nameRef
	matches  []textMatch
	negative bool
}

func (f *textFilter) pass(e *entry) bool {
	v, _ := e.filterValue(f.ref)
	for i := range f.matches {
		if f.matches[i].match(v) {
			return !f.negative
		}
	}
	return f.negative
}

// regexpFilter implements the other regexps, anchored at both ends. An absent
// label counts as empty.
type regexpFilter struct {
	ref      nameRef
	re       *regexp.Regexp
	negative bool
}

func (f *regexpFilter) pass(e *entry) bool {
	v, _ := e.filterValue(f.ref)
	return f.re.Match(v) != f.negative
}

func (c *compiler) compileStringFilter(m *syntax.Matcher) (labelFilter, error) {
	ref := newNameRef(m.Name)
	switch m.Op {
	case syntax.MatchRegexp, syntax.MatchNotRegexp:
		re, err := compileAnchored(m.Value)
		if err != nil {
			return nil, c.errorf(m.ValuePos, "%v", err)
		}
		negative := m.Op == syntax.MatchNotRegexp
		if matches, ok := simpleMatches(m.Value); ok {
			return &textFilter{ref, matches, negative}, nil
		}
		return &regexpFilter{ref, re, negative}, nil
	}
	return &stringFilter{ref: ref, value: m.Value, negative: m.Op == syntax.MatchNotEqual}, nil
}

// compileAnchored compiles a regexp that must match the whole of a value.
func compileAnchored(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil {
		return nil, err
	}
	return regexp.Compile("^(?s:" + text + ")$")
}

// ipFilter implements name=ip("range") and name!=ip("range"). An absent label
// does not pass, but an entry on which an earlier stage failed always does.
type ipFilter struct {
	ref      nameRef
	ip       *ipMatcher
	negative bool
}

func (f *ipFilter) pass(e *entry) bool {
	if e.err != "" {
		return true
	}
	v, ok := e.filterValue(f.ref)
	return ok && f.ip.matchAddr(string(v)) != f.negative
}

// compare is the result of "a op b" for numbers.
func compare[T uint64 | int64 | float64](op syntax.CompareOp, a, b T) bool {
	switch op {
	case syntax.CompareEqual:
		return a == b
	case syntax.CompareNotEqual:
		return a != b
	case syntax.CompareGreater:
		return a > b
	case syntax.CompareGreaterEqual:
		return a >= b
	case syntax.CompareLess:
		return a < b
	case syntax.CompareLessEqual:
		return a <= b
	}
	panic(fmt.Sprintf("logql: unknown comparison %d", op))
}
