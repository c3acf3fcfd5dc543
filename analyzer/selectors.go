package analyzer

import (
	"slices"
	"strings"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// blind are the rules of which nothing is proven by a pass because every
// selector was taken to match.
type blind struct {
	// twins differ from another rule only in their selectors: both saw the
	// same lines, and which rule a line belongs to is unknown.
	twins map[int]bool
	// torn hold two different selectors: each saw the lines of the other.
	torn map[int]bool
}

func (b *blind) has(rule int) bool { return b.twins[rule] || b.torn[rule] }

func (b *blind) any() bool { return len(b.twins)+len(b.torn) > 0 }

// notes tells the reader why such a review cannot pass.
func (b *blind) notes() []string {
	const cannot = "so the review cannot pass; give the stream labels with --labels, or compare a corpus that has them"
	var out []string
	if len(b.twins) > 0 {
		out = append(out, "some rules differ only in their selectors, and every selector was taken to match: "+
			"which of them a line belongs to is unknown, "+cannot)
	}
	if len(b.torn) > 0 {
		out = append(out, "some rules hold two different selectors, and every selector was taken to match: "+
			"both sides of such a rule saw the same lines, "+cannot)
	}
	return out
}

// blind finds the rules that raw logs cannot judge; none where the streams
// have labels.
func (c *comparison) blind() blind {
	out := blind{twins: map[int]bool{}, torn: map[int]bool{}}
	if !c.in.SelectorsAssumed {
		return out
	}
	type group struct {
		rules     []int
		selectors map[string]bool
	}
	groups := map[string]*group{}
	for i := range c.in.Rules {
		rest, selectors, ok := withoutSelectors(&c.in.Rules[i])
		if !ok {
			continue
		}
		if len(slices.Compact(slices.Sorted(slices.Values(selectors)))) > 1 {
			out.torn[i] = true
		}
		g := groups[rest]
		if g == nil {
			g = &group{selectors: map[string]bool{}}
			groups[rest] = g
		}
		g.rules = append(g.rules, i)
		g.selectors[strings.Join(selectors, "\x00")] = true
	}
	for _, g := range groups {
		if len(g.selectors) < 2 {
			continue
		}
		for _, i := range g.rules {
			out.twins[i] = true
		}
	}
	return out
}

// withoutSelectors prints a LogQL rule with its selectors blanked, and its
// selectors, each with its matchers in one order. It reports false for what is
// not LogQL or does not parse.
func withoutSelectors(r *rules.Rule) (rest string, selectors []string, ok bool) {
	if r.Language == rules.PromQL {
		return "", nil, false
	}
	expr, err := syntax.Parse(r.Expr)
	if err != nil {
		return "", nil, false
	}
	eachQuery(expr, func(q *syntax.LogQuery) {
		var matchers []string
		for _, m := range q.Selector.Matchers {
			matchers = append(matchers, m.String())
		}
		slices.Sort(matchers)
		selectors = append(selectors, strings.Join(matchers, ","))
		// The tree is this function's own.
		q.Selector = &syntax.Selector{}
	})
	return expr.String(), selectors, true
}

// selects reports whether one of the rule's selectors chooses a stream. It is
// true where that is not known: for PromQL, for a query that does not parse,
// and where every selector was assumed to match.
func (c *cell) selects(stream logs.Labels) bool {
	if c.rule.Language == rules.PromQL || c.cmp.in.SelectorsAssumed {
		return true
	}
	expr, err := syntax.Parse(c.rule.Expr)
	if err != nil {
		return true
	}
	chosen := false
	eachQuery(expr, func(q *syntax.LogQuery) {
		chosen = chosen || !slices.ContainsFunc(q.Selector.Matchers, func(m *syntax.Matcher) bool { return !matches(m, stream.Get(m.Name)) })
	})
	return chosen
}

// matches reports whether a label's value passes a matcher. A regexp that is
// not valid passes everything; the rule was then refused elsewhere.
func matches(m *syntax.Matcher, value string) bool {
	switch m.Op {
	case syntax.MatchEqual:
		return value == m.Value
	case syntax.MatchNotEqual:
		return value != m.Value
	}
	re, err := regexp.Compile("^(?s:" + m.Value + ")$")
	if err != nil {
		return true
	}
	return re.MatchString(value) == (m.Op == syntax.MatchRegexp)
}
