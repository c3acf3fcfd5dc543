package rules

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/logql/syntax"
)

// match translates a stage that runs others on some lines, or drops them.
func (t *translator) match(fl *flow, s stage) {
	inner := fl.clone()
	q := t.selector(inner, s)
	if s.args.get("action").text == "drop" {
		t.dropMatched(fl, q)
		return
	}
	before := inner.closed
	t.depth++
	if t.depth > maxMatchDepth {
		at := s.at
		t.fault(t.file.Errorf(at, at+1, "match stages stand more than %d deep in others: these are not read", maxMatchDepth), "")
	} else {
		t.run(inner, stagesOf(s.args.get("stages")))
	}
	t.depth--
	fl.leave(inner, before)
}

// leave takes over what a match stage changed for the lines that it matches.
func (f *flow) leave(inner *flow, closed string) {
	for name, v := range inner.fields {
		if old, ok := f.fields[name]; !ok || old != v {
			f.fields[name] = field{why: name + " is extracted within a match stage, from some lines only"}
		}
	}
	for name, v := range inner.labels {
		if old, ok := f.labels[name]; !ok || old != v {
			f.labels[name] = field{why: "the label " + name + " is set within a match stage, for some lines only"}
		}
	}
	if inner.dropped {
		f.close("a match stage before it drops some lines")
		f.dropped = true
	}
	if inner.rewritten {
		f.changed, f.rewritten = "a match stage before it changes some lines", true
	}
	if inner.closed != closed {
		f.close(inner.closed)
	}
}

// selector reads the selector of a match stage and adds it to the flow. It
// returns nil where that cannot be done; the flow is then closed.
func (t *translator) selector(fl *flow, s stage) *syntax.LogQuery {
	sel := s.args.get("selector")
	if sel.form != formScalar {
		if sel.form == formComputed {
			fl.close("the selector of a match stage is computed")
			return nil
		}
		t.fault(t.file.Errorf(sel.at, max(sel.end, sel.at+1), "a match stage needs a selector"), "write one such as {app=\"x\"} |= \"y\"")
		fl.close("the selector of a match stage is missing")
		return nil
	}
	e, err := syntax.Parse(sel.text)
	var bad *syntax.Error
	q, isLog := e.(*syntax.LogQuery)
	switch {
	case errors.As(err, &bad):
		from, to := sel.places.At(bad.Span.Start), sel.places.At(max(bad.Span.Start, bad.Span.End-1))+1
		t.fault(t.file.Errorf(from, to, "the selector of a match stage is not valid LogQL: %v", errors.New(bad.Msg)), bad.Hint)
	case err != nil || !isLog:
		t.fault(t.file.Errorf(sel.at, sel.at+1, "the selector of a match stage must be one of lines"), "write one such as {app=\"x\"} |= \"y\"")
	default:
		for _, m := range q.Selector.Matchers {
			fl.matcher(m)
		}
		for _, st := range q.Stages {
			if _, ok := st.(*syntax.LineFilter); !ok {
				fl.close("the selector of a match stage has more than line filters: " + st.String())
			} else if fl.changed != "" {
				fl.close(fl.changed)
			}
			fl.stages = append(fl.stages, st.String())
		}
		return q
	}
	fl.close("the selector of a match stage is not valid")
	return nil
}

// labelOf returns the value of a label where stages set it.
func (f *flow) labelOf(name string) (field, bool) {
	if v, ok := f.labels[name]; ok {
		return v, true
	}
	if f.kept != nil && !slices.Contains(f.kept, name) {
		return field{}, true
	}
	return field{}, false
}

// matcher keeps the entries that a matcher takes.
func (f *flow) matcher(m *syntax.Matcher) {
	set, ok := f.labelOf(m.Name)
	switch {
	case !ok:
		if text := m.String(); !slices.Contains(f.matchers, text) {
			f.matchers = append(f.matchers, text)
		}
	case set.why != "":
		f.close(set.why)
	case set.label != "":
		f.stages = append(f.stages, "| "+labelFilter(set.label, m.Op, m.Value))
	case !takes(m, set.fixed):
		f.close(fmt.Sprintf("no line gets here: the label %s is always %q", m.Name, set.fixed))
	}
}

// labelFilter writes a matcher as a label filter. There Loki takes regexps such
// as "text.*" for "contains text", unless they are anchored.
func labelFilter(label string, op syntax.MatchOp, value string) string {
	if op == syntax.MatchRegexp || op == syntax.MatchNotRegexp {
		value = "^(?:" + value + ")$"
	}
	return label + op.String() + quote(value)
}

// takes reports whether a matcher takes a value.
func takes(m *syntax.Matcher, value string) bool {
	switch m.Op {
	case syntax.MatchEqual:
		return value == m.Value
	case syntax.MatchNotEqual:
		return value != m.Value
	}
	re, err := regexp.Compile("^(?s:" + m.Value + ")$")
	matched := err == nil && re.MatchString(value)
	return matched == (m.Op == syntax.MatchRegexp)
}

// dropMatched leaves out the lines that a query takes: it keeps those that
// differ in a label or pass not all line filters.
func (t *translator) dropMatched(fl *flow, q *syntax.LogQuery) {
	fl.dropped = true
	if q == nil {
		fl.close("a match stage before it drops lines, and its selector is not known")
		return
	}
	var conditions []string
	for _, m := range q.Selector.Matchers {
		set, ok := fl.labelOf(m.Name)
		label := m.Name
		switch {
		case ok && set.why != "":
			fl.close(set.why)
			return
		case ok && set.label == "":
			if !takes(m, set.fixed) {
				return // nothing is dropped
			}
			continue
		case ok:
			label = set.label
		case slices.Contains(fl.matchers, m.String()):
			continue // all lines match
		}
		conditions = append(conditions, labelFilter(label, negated(m.Op), m.Value))
	}
	filters := make([]*syntax.LineFilter, 0, len(q.Stages))
	for _, st := range q.Stages {
		f, ok := st.(*syntax.LineFilter)
		if !ok || fl.changed != "" {
			fl.close("a match stage before it drops lines by " + st.String())
			return
		}
		filters = append(filters, f)
	}
	t.keepOthers(fl, conditions, filters)
}

// keepOthers keeps lines that meet one of some conditions on labels, or pass
// not all of some line filters.
func (t *translator) keepOthers(fl *flow, conditions []string, filters []*syntax.LineFilter) {
	if len(conditions) == 0 && len(filters) == 1 {
		negative := *filters[0]
		negative.Op = opposite(negative.Op)
		fl.stages = append(fl.stages, negative.String())
		return
	}
	if len(conditions)+len(filters) == 0 {
		fl.close("a match stage before it drops all lines")
		return
	}
	for _, f := range filters {
		test, ok := lineTest(f)
		if !ok {
			fl.close("a match stage before it drops lines by " + f.String())
			return
		}
		label := t.label("dropped")
		fl.stages = append(fl.stages, "| label_format "+label+"="+test)
		conditions = append(conditions, label+`=""`)
	}
	fl.stages = append(fl.stages, "| "+strings.Join(conditions, " or "))
}

// lineTest returns a template that gives 1 for lines that pass a line filter.
func lineTest(f *syntax.LineFilter) (template string, ok bool) {
	if len(f.Operands) != 1 || f.Operands[0].IP {
		return "", false
	}
	text := quote(f.Operands[0].Value)
	var test string
	switch f.Op {
	case syntax.LineContains:
		test = "contains " + text + " __line__"
	case syntax.LineNotContains:
		test = "not (contains " + text + " __line__)"
	case syntax.LineMatches:
		test = "ne 0 (count " + text + " __line__)"
	case syntax.LineNotMatches:
		test = "eq 0 (count " + text + " __line__)"
	default:
		return "", false
	}
	return quote("{{ if " + test + " }}1{{ end }}"), true
}

func negated(op syntax.MatchOp) syntax.MatchOp {
	switch op {
	case syntax.MatchEqual:
		return syntax.MatchNotEqual
	case syntax.MatchNotEqual:
		return syntax.MatchEqual
	case syntax.MatchRegexp:
		return syntax.MatchNotRegexp
	}
	return syntax.MatchRegexp
}

func opposite(op syntax.LineFilterOp) syntax.LineFilterOp {
	switch op {
	case syntax.LineContains:
		return syntax.LineNotContains
	case syntax.LineNotContains:
		return syntax.LineContains
	case syntax.LineMatches:
		return syntax.LineNotMatches
	case syntax.LineNotMatches:
		return syntax.LineMatches
	case syntax.LinePattern:
		return syntax.LineNotPattern
	}
	return syntax.LinePattern
}

// alternatives returns a regexp that matches the given texts.
func alternatives(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = regexp.QuoteMeta(text)
	}
	return strings.Join(quoted, "|")
}
