package analyzer

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"
	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/logql/syntax"
)

// A Responsible is the part of a stage that treats both builds differently: a
// literal, an alternative of a regexp, or a comparison with a field.
type Responsible struct {
	Text  string // as it stands in the expression
	Field string // label that it is compared with; empty: the line
	// Start and End are byte offsets in the rule's expression.
	Start, End int
	// Pos and Last are the first and the last byte in the rule's file.
	Pos, Last source.Position
}

// A blame looks for what is responsible for a parting.
type blame struct {
	expr    string
	matched string   // a line that passes the stage on one build
	others  []string // lines of the other build, those nearest to it first
	streams []outcome.Evidence
}

// responsible returns the part of the stage that lets no line of one build
// pass; nil where the stage does not filter.
func (c *cell) responsible(p *Parting, matched *outcome.Evidence, near []Near, other *half) *Responsible {
	if p == nil {
		return nil
	}
	steps := c.deployed.outcome().Funnel
	step := steps[p.Step]
	if step.End == 0 || step.End > len(c.rule.Expr) {
		return nil // of another query of the rule
	}
	b := &blame{expr: c.rule.Expr}
	if matched != nil {
		b.matched = matched.Line
	}
	for i := range near {
		b.others = append(b.others, near[i].Line)
	}
	for _, run := range other.runs {
		for i := range run.Messages {
			b.streams = append(b.streams, run.Messages[i].First)
			for _, e := range run.Messages[i].Examples() {
				b.others = append(b.others, e.Line)
			}
		}
	}
	r := Responsible{Start: step.Start, End: step.End}
	if at, _ := c.stages(p); at != nil {
		r = b.stage(at)
	} else if p.Step == 0 || steps[p.Step-1].Pipeline != step.Pipeline {
		r = b.selector(c.rule.Expr, step.Start, r)
	}
	r.Text = c.rule.Expr[r.Start:r.End]
	r.Pos, r.Last = c.rule.Position(r.Start), c.rule.Position(max(r.End-1, r.Start))
	// The last character may be written as an escape of several bytes.
	if next := c.rule.Position(r.End); next.Line == r.Last.Line && next.Column > r.Last.Column {
		r.Last.Column = next.Column - 1
	}
	return &r
}

func spanned(n syntax.Node) Responsible { return Responsible{Start: n.Span().Start, End: n.Span().End} }

// selector finds the matcher that no stream of the other build passes.
func (b *blame) selector(text string, start int, whole Responsible) Responsible {
	expr, err := syntax.Parse(text)
	if err != nil {
		return whole
	}
	syntax.Walk(expr, func(n syntax.Node) bool {
		s, ok := n.(*syntax.Selector)
		if !ok || s.Span().Start != start {
			return true
		}
		for _, m := range s.Matchers {
			if len(b.streams) > 0 && !slices.ContainsFunc(b.streams, func(e outcome.Evidence) bool { return matches(m, e.Stream.Get(m.Name)) }) {
				whole = spanned(m)
				whole.Field = m.Name
				return false
			}
		}
		return false
	})
	return whole
}

func (b *blame) stage(at syntax.Stage) Responsible {
	switch s := at.(type) {
	case *syntax.LineFilter:
		return b.operand(s)
	case *syntax.LabelFilterStage:
		return b.comparison(s.Filter)
	}
	return spanned(at)
}

// operand finds the text of a line filter by which the lines passed, or by
// which they were left out.
func (b *blame) operand(f *syntax.LineFilter) Responsible {
	if len(f.Operands) == 0 {
		return spanned(f)
	}
	lines := []string{b.matched}
	if f.Op == syntax.LineNotContains || f.Op == syntax.LineNotMatches {
		lines = b.others
	}
	for _, line := range lines {
		for _, o := range f.Operands {
			switch f.Op {
			case syntax.LineContains, syntax.LineNotContains:
				if strings.Contains(line, o.Value) {
					return spanned(o)
				}
			case syntax.LineMatches, syntax.LineNotMatches:
				if start, end, ok := b.choice(o.Span(), o.Value, line, false); ok {
					return Responsible{Start: start, End: end}
				}
			}
		}
	}
	return spanned(f.Operands[0])
}

// choice returns where the alternative of a regexp stands that a text matches.
// A regexp without alternatives, or whose literal has escapes, is taken whole.
func (b *blame) choice(span syntax.Span, pattern, text string, anchored bool) (start, end int, ok bool) {
	whole := matchesRegexp(pattern, text, anchored)
	inner := b.expr[span.Start+1 : max(span.End-1, span.Start+1)]
	parts := alternatives(pattern)
	if !whole || inner != pattern || len(parts) < 2 {
		return span.Start, span.End, whole
	}
	at := span.Start + 1
	for _, part := range parts {
		if matchesRegexp(part, text, anchored) {
			return at, at + len(part), true
		}
		at += len(part) + 1
	}
	return span.Start, span.End, true
}

func matchesRegexp(pattern, text string, anchored bool) bool {
	if anchored {
		pattern = "^(?:" + pattern + ")$"
	}
	re, err := regexp.Compile("(?s)" + pattern)
	return err == nil && re.MatchString(text)
}

// alternatives splits a regexp at the bars that stand in no brackets.
func alternatives(pattern string) []string {
	var out []string
	depth, from, class := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '|' && depth == 0:
			out = append(out, pattern[from:i])
			from = i + 1
		}
	}
	return append(out, pattern[from:])
}

// comparison finds the comparison of a label filter that the nearest lines of
// the other build do not pass; where none is near, one that no line passes.
func (b *blame) comparison(f syntax.LabelFilter) Responsible {
	var all []*syntax.Matcher
	eachMatcher(f, func(m *syntax.Matcher) { all = append(all, m) })
	if s, ok := f.(*syntax.LabelString); ok {
		return b.matcher(s.Matcher)
	}
	passed := map[*syntax.Matcher]bool{}
	for _, line := range b.others {
		values := valuesOf(line)
		for _, m := range all {
			if matches(m, values[m.Name]) {
				passed[m] = true
			}
		}
	}
	for _, m := range all {
		if !passed[m] {
			return b.matcher(m)
		}
	}
	if len(b.others) > 0 {
		values := valuesOf(b.others[0])
		for _, m := range all {
			if !matches(m, values[m.Name]) {
				return b.matcher(m)
			}
		}
	}
	return spanned(f)
}

// matcher returns a comparison, or the alternative of its regexp that the
// matched line has.
func (b *blame) matcher(m *syntax.Matcher) Responsible {
	out := spanned(m)
	out.Field = m.Name
	if m.Op == syntax.MatchRegexp && len(alternatives(m.Value)) > 1 {
		if start, end, ok := b.choice(m.ValuePos, m.Value, valuesOf(b.matched)[m.Name], true); ok {
			out.Start, out.End = start, end
		}
	}
	return out
}

// valuesOf returns the texts in a line by the names that LogQL's parsers give
// them.
func valuesOf(line string) map[string]string {
	out := map[string]string{}
	add := func(field, text string) {
		if _, ok := out[LabelName(field)]; !ok && field != "" {
			out[LabelName(field)] = text
		}
	}
	if isObject(line) {
		eachString(gjson.Parse(line), "", maxDepth, add)
		return out
	}
	quoted(line, add)
	for word := range strings.FieldsSeq(line) {
		if name, value, ok := strings.Cut(word, "="); ok && !strings.HasPrefix(value, `"`) {
			add(name, value)
		}
	}
	return out
}
