package analyzer

import (
	"slices"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// twins returns the rules that differ from another one only in their
// selectors, when selectors were assumed to match: then both saw the same
// lines, and which rule a line belongs to is unknown.
func (c *comparison) twins() map[int]bool {
	if !c.in.SelectorsAssumed {
		return nil
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
		g := groups[rest]
		if g == nil {
			g = &group{selectors: map[string]bool{}}
			groups[rest] = g
		}
		g.rules = append(g.rules, i)
		g.selectors[selectors] = true
	}
	twins := map[int]bool{}
	for _, g := range groups {
		if len(g.selectors) < 2 {
			continue
		}
		for _, i := range g.rules {
			twins[i] = true
		}
	}
	return twins
}

// withoutSelectors prints a LogQL rule with its selectors blanked, and its
// selectors. It reports false for what is not LogQL or does not parse.
func withoutSelectors(r *rules.Rule) (rest, selectors string, ok bool) {
	if r.Language == rules.PromQL {
		return "", "", false
	}
	expr, err := syntax.Parse(r.Expr)
	if err != nil {
		return "", "", false
	}
	eachQuery(expr, func(q *syntax.LogQuery) {
		selectors += q.Selector.String()
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
