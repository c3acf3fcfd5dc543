package logql

import (
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
)

// A pipelinePlan is a compiled log pipeline: selector and stages, unwrap and
// its filters included.
type pipelinePlan struct {
	query    *syntax.LogQuery
	unwrap   *syntax.Unwrap
	selector *selector
	stages   []pipelineStage
	labels   []string // that the stages look at, by name
	text     string   // of the whole query
}

func (c *compiler) compilePipeline(q *syntax.LogQuery, unwrap *syntax.Unwrap, need *labelNeed) (*pipelinePlan, error) {
	p := &pipelinePlan{query: q, unwrap: unwrap, text: c.text}
	sel, err := c.compileSelector(q.Selector)
	if err != nil {
		return nil, err
	}
	p.selector = sel
	for _, s := range q.Stages {
		st, err := c.compileStage(s, need)
		if err != nil {
			return nil, err
		}
		p.add(s, st, need)
	}
	if unwrap != nil {
		p.stages = append(p.stages, pipelineStage{key: unwrapText(unwrap), stage: newUnwrap(unwrap)})
		for _, f := range unwrap.Filters {
			st, err := c.compileLabelFilterStage(f)
			if err != nil {
				return nil, err
			}
			p.add(f, st, need)
		}
	}
	p.labels = lookedAt(q.Stages, unwrap)
	c.pipelines = append(c.pipelines, p)
	return p, nil
}

func (p *pipelinePlan) add(s syntax.Stage, st stage, need *labelNeed) {
	out := pipelineStage{key: s.String(), stage: st}
	switch st.(type) {
	case needyStage:
		out.need = need.key()
	case *jsonPathStage, *logfmtKeyStage, *unpackStage:
		out.key += need.key()
	case passStage:
		out.key += "\x00"
	}
	p.stages = append(p.stages, out)
}

// unwrapText prints unwrap without the filters that follow it.
func unwrapText(u *syntax.Unwrap) string {
	bare := *u
	bare.Filters = nil
	return bare.String()
}

// public returns the pipeline as [Query.Pipelines] shows it.
func (p *pipelinePlan) public() Pipeline {
	out := Pipeline{Selector: p.query.Selector}
	step := func(text string, span syntax.Span) {
		out.Steps = append(out.Steps, Step{Text: text, Span: span})
	}
	step(p.query.Selector.String(), p.query.Selector.Span())
	for _, s := range p.query.Stages {
		step(stageText(s.String()), s.Span())
	}
	if p.unwrap != nil {
		span := p.unwrap.Span()
		if len(p.unwrap.Filters) > 0 {
			span = p.cut(span, p.unwrap.Filters[0].Span().Start)
		}
		step(stageText(unwrapText(p.unwrap)), span)
		for _, f := range p.unwrap.Filters {
			step(stageText(f.String()), f.Span())
		}
	}
	return out
}

// cut ends a span before the blanks before an offset.
func (p *pipelinePlan) cut(span syntax.Span, end int) syntax.Span {
	if span.Start <= end && end <= len(p.text) {
		span.End = span.Start + len(strings.TrimRight(p.text[span.Start:end], " \t\r\n"))
	}
	return span
}

// stageText puts a "|" before a stage that is printed without an operator.
func stageText(text string) string {
	if strings.HasPrefix(text, "|") || strings.HasPrefix(text, "!") {
		return text
	}
	return "| " + text
}

// A selector is the compiled condition on a stream's labels.
type selector struct {
	key      string
	matchers []streamMatcher
}

type streamMatcher struct {
	name  string
	match func(value []byte) bool
}

func (c *compiler) compileSelector(s *syntax.Selector) (*selector, error) {
	sel := &selector{key: s.String()}
	for _, m := range s.Matchers {
		match, err := c.valueMatcher(m)
		if err != nil {
			return nil, err
		}
		sel.matchers = append(sel.matchers, streamMatcher{m.Name, match})
	}
	return sel, nil
}

// matches reports whether the selector chooses a stream. An absent label
// counts as empty.
func (s *selector) matches(stream logs.Labels) bool {
	for _, m := range s.matchers {
		if !m.match([]byte(stream.Get(m.name))) {
			return false
		}
	}
	return true
}

// absentLabels are the labels of what absent_over_time yields: those that the
// selector compares with "=", unless one name is compared twice.
func absentLabels(s *syntax.Selector) []label {
	seen := make(map[string]int)
	for _, m := range s.Matchers {
		seen[m.Name]++
	}
	var out []label
	for _, m := range s.Matchers {
		if m.Op == syntax.MatchEqual && seen[m.Name] == 1 && m.Value != "" {
			out = append(out, label{[]byte(m.Name), []byte(m.Value)})
		}
	}
	slices.SortFunc(out, compareLabels)
	return out
}

// need returns which labels the aggregation and its pipeline look at.
func (p *rangePlan) need(e *syntax.RangeAgg) *labelNeed {
	names := pipelineLabels(e.Range.Query.Stages, e.Range.Unwrap)
	n := new(labelNeed)
	switch {
	case e.Op == syntax.AbsentOverTime:
	case p.grouping == nil || p.grouping.without:
		n.all = true
	default:
		for _, ref := range p.grouping.names {
			names = append(names, ref.name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	n.asks = slices.Contains(names, errorLabel)
	if !n.all {
		n.names = names
	}
	return n
}

// lookedAt returns the labels whose values the stages may ask for by name, with
// repeats.
func lookedAt(stages []syntax.Stage, unwrap *syntax.Unwrap) []string {
	names := pipelineLabels(stages, unwrap)
	for _, s := range stages {
		var items []syntax.LabelItem
		switch s := s.(type) {
		case *syntax.DropStage:
			items = s.Items
		case *syntax.KeepStage:
			items = s.Items
		}
		for _, item := range items {
			names = append(names, item.Name)
		}
	}
	return names
}

// pipelineLabels returns the labels by which Loki tells its parsers what the
// stages need, with repeats.
func pipelineLabels(stages []syntax.Stage, unwrap *syntax.Unwrap) []string {
	var names []string
	for _, s := range stages {
		switch s := s.(type) {
		case *syntax.LabelFilterStage:
			names = filterLabels(names, s.Filter)
		case *syntax.LineFormat:
			names = append(names, templateLabels(s.Template)...)
		case *syntax.LabelFormat:
			for _, item := range s.Items {
				if item.Rename {
					names = append(names, item.Src)
				} else {
					names = append(names, templateLabels(item.Src)...)
				}
			}
		}
	}
	if unwrap != nil {
		names = append(names, unwrap.Label)
		for _, f := range unwrap.Filters {
			names = filterLabels(names, f.Filter)
		}
	}
	return names
}

func templateLabels(src string) []string {
	t, err := compileTemplate(src)
	if err != nil {
		return nil // compiling the stage reports it
	}
	return t.fields
}

func filterLabels(names []string, f syntax.LabelFilter) []string {
	switch f := f.(type) {
	case *syntax.LabelBinary:
		return filterLabels(filterLabels(names, f.LHS), f.RHS)
	case *syntax.LabelString:
		return append(names, f.Matcher.Name)
	case *syntax.LabelNumber:
		return append(names, f.Name)
	case *syntax.LabelDuration:
		return append(names, f.Name)
	case *syntax.LabelBytes:
		return append(names, f.Name)
	case *syntax.LabelIP:
		return append(names, f.Name)
	}
	panic("logql: unknown label filter " + f.String())
}
