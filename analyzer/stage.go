package analyzer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// eachQuery calls f for every log query of an expression, in query order.
func eachQuery(e syntax.Expr, f func(*syntax.LogQuery)) {
	switch e := e.(type) {
	case *syntax.LogQuery:
		f(e)
	case *syntax.RangeAgg:
		f(e.Range.Query)
	case *syntax.VectorAgg:
		eachQuery(e.Expr, f)
	case *syntax.BinaryExpr:
		eachQuery(e.LHS, f)
		eachQuery(e.RHS, f)
	case *syntax.LabelReplace:
		eachQuery(e.Expr, f)
	case *syntax.VectorFunc, *syntax.NumberLit:
	default:
		panic(fmt.Sprintf("analyzer: unknown expression %T", e))
	}
}

// stages returns the stage at which the builds part, and the other stages of
// the rule's query: first those after it, then those before it, which both
// builds passed. The first is nil where it is a selector or not known; there
// is nothing for PromQL and for a query that does not parse.
func (c *cell) stages(p *Parting) (at syntax.Stage, others []syntax.Stage) {
	if c.rule.Language == rules.PromQL {
		return nil, nil
	}
	expr, err := syntax.Parse(c.rule.Expr)
	if err != nil {
		return nil, nil
	}
	offset := -1
	if p != nil {
		offset = c.deployed.outcome().Funnel[p.Step].Start
	}
	var passed []syntax.Stage
	eachQuery(expr, func(q *syntax.LogQuery) {
		for _, s := range q.Stages {
			switch start := s.Span().Start; {
			case start == offset:
				at = s
			case start > offset:
				others = append(others, s)
			default:
				passed = append(passed, s)
			}
		}
	})
	return at, append(others, passed...)
}

// stageInWords says what no line on the build h has: the stage at which the
// builds part, in words.
func (c *cell) stageInWords(p *Parting, h *half) string {
	said := "no line passes " + p.Stage
	at, _ := c.stages(p)
	switch s := at.(type) {
	case *syntax.LineFilter:
		said = lineFilterInWords(s)
	case *syntax.LabelFilterStage:
		said = labelFilterInWords(s.Filter)
	}
	funnel := h.outcome().Funnel
	if p.Step > 0 && funnel[p.Step].Pipeline == funnel[p.Step-1].Pipeline {
		said += fmt.Sprintf(" (of %d)", funnel[p.Step-1].Lines)
	}
	return said
}

func lineFilterInWords(f *syntax.LineFilter) string {
	var texts []string
	for _, o := range f.Operands {
		text := strconv.Quote(o.Value)
		if o.IP {
			text = "an address in " + text
		}
		texts = append(texts, text)
	}
	what := strings.Join(texts, " or ")
	switch f.Op {
	case syntax.LineContains:
		return "no line contains " + what
	case syntax.LineNotContains:
		return "every line contains " + what
	case syntax.LineMatches:
		return "no line matches " + what
	case syntax.LineNotMatches:
		return "every line matches " + what
	case syntax.LinePattern:
		return "no line fits the pattern " + what
	case syntax.LineNotPattern:
		return "every line fits the pattern " + what
	}
	return "no line passes " + f.String()
}

func labelFilterInWords(f syntax.LabelFilter) string {
	s, ok := f.(*syntax.LabelString)
	if !ok {
		return "no line has " + f.String()
	}
	m := s.Matcher
	switch {
	case m.Op == syntax.MatchNotEqual && m.Value == "":
		return "no line has the field " + m.Name
	case m.Op == syntax.MatchEqual:
		return "no line has " + m.Name + "=" + strconv.Quote(m.Value)
	case m.Op == syntax.MatchRegexp:
		return "no line has " + m.Name + " matching " + strconv.Quote(m.Value)
	}
	return "no line has " + f.String()
}

// A target is what a stage looks for: one of the literals, in a field or,
// where none is named, anywhere in the line.
type target struct {
	field    string
	literals []string
}

// targets returns what a stage looks for.
func targets(stage syntax.Stage) []target {
	var out []target
	switch s := stage.(type) {
	case *syntax.LineFilter:
		t := target{}
		for _, o := range s.Operands {
			switch s.Op {
			case syntax.LineContains:
				t.literals = append(t.literals, o.Value)
			case syntax.LineMatches, syntax.LinePattern:
				t.literals = append(t.literals, plainParts(o.Value)...)
			}
		}
		out = append(out, t)
	case *syntax.LabelFilterStage:
		eachMatcher(s.Filter, func(m *syntax.Matcher) {
			t := target{field: m.Name}
			switch m.Op {
			case syntax.MatchEqual:
				t.literals = []string{m.Value}
			case syntax.MatchRegexp:
				t.literals = plainParts(m.Value)
			}
			out = append(out, t)
		})
	}
	return out
}

// wanted returns what the rule looks for, what the stage at which the builds
// part looks for first.
func (c *cell) wanted(p *Parting) []target {
	at, others := c.stages(p)
	wanted := targets(at)
	for _, s := range others {
		wanted = append(wanted, targets(s)...)
	}
	return wanted
}

// eachMatcher calls f for every comparison with a string in a label filter.
func eachMatcher(f syntax.LabelFilter, call func(*syntax.Matcher)) {
	switch f := f.(type) {
	case *syntax.LabelBinary:
		eachMatcher(f.LHS, call)
		eachMatcher(f.RHS, call)
	case *syntax.LabelString:
		call(f.Matcher)
	}
}

// plainParts returns the parts of a regexp or pattern between its special
// characters. It only ranks lines, so it may cut too often.
func plainParts(expr string) []string {
	var parts []string
	for _, s := range strings.FieldsFunc(expr, func(r rune) bool { return strings.ContainsRune(`\.+*?()|[]{}^$<>`, r) }) {
		if s = strings.TrimSpace(s); len(s) > 2 {
			parts = append(parts, s)
		}
	}
	return parts
}
