package analyzer

import (
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// The part of a stage that is responsible: what deployed lines passed it by, or
// what the candidate's lines do not pass.
func TestResponsible(t *testing.T) {
	const (
		deployed  = `{"level":"error","msg":"worker lost","reason":"Gone","logger":"cluster"}`
		candidate = `{"level":"error","msg":"worker dropped","reason":"Gone","logger":"cluster"}`
	)
	tests := []struct {
		expr  string
		stage int // index of the step at which the builds part
		want  string
		field string
	}{
		{`{app="web"} |= "worker lost"`, 1, `"worker lost"`, ""},
		{`{app="web"} |= "no such" or "worker lost"`, 1, `"worker lost"`, ""},
		{"{app=\"web\"} |~ `no such|worker (lost|gone)|x`", 1, `worker (lost|gone)`, ""},
		{"{app=\"web\"} |~ \"worker\\\\slost|x\"", 1, `"worker\\slost|x"`, ""},
		{`{app="web"} != "dropped"`, 1, `"dropped"`, ""},
		{`{app="web"} | json | level="error" and msg="worker lost"`, 2, `msg="worker lost"`, "msg"},
		{`{app="web"} | json | (level="error" and reason="Gone") and msg=~"no.*|worker l.*"`, 2, `worker l.*`, "msg"},
		{`{app="web"} | json | uid!=""`, 2, `uid!=""`, "uid"},
		{`{app="web", pod="a"} |= "x"`, 0, `pod="a"`, "pod"},
		{`{app="web"} | json | line_format "x"`, 2, `| line_format "x"`, ""},
	}
	for _, tt := range tests {
		expr, err := syntax.Parse(tt.expr)
		if err != nil {
			t.Fatal(err)
		}
		q := expr.(*syntax.LogQuery)
		spans := []syntax.Span{q.Selector.Span()}
		for _, s := range q.Stages {
			spans = append(spans, s.Span())
		}
		var funnel []outcome.Step
		for _, s := range spans {
			funnel = append(funnel, outcome.Step{Stage: tt.expr[s.Start:s.End], Start: s.Start, End: s.End})
		}
		stream := logs.FromMap(map[string]string{"app": "web"})
		run := &outcome.Run{Messages: []outcome.Message{{First: outcome.Evidence{Stream: stream, Line: candidate}}}}
		rule := &rules.Rule{Expr: tt.expr, Language: rules.LogQL, Pos: source.Position{File: "r.yaml", Line: 3, Column: 5}}
		c := &cell{rule: rule, deployed: half{outcomes: []*outcome.Outcome{{Funnel: funnel}}}}
		got := c.responsible(&Parting{Step: tt.stage}, &outcome.Evidence{Line: deployed}, nil, &half{runs: []*outcome.Run{run}})
		if got == nil || got.Text != tt.want || got.Field != tt.field {
			t.Errorf("%s: %+v; want %q of field %q", tt.expr, got, tt.want, tt.field)
		}
	}
}

func TestAlternatives(t *testing.T) {
	for pattern, want := range map[string]int{"a": 1, "a|b": 2, `a\|b`: 1, "(a|b)|c": 2, "[|]|b": 2, `[\]|]`: 1, "": 1, "|": 2} {
		if got := alternatives(pattern); len(got) != want {
			t.Errorf("alternatives(%q) = %q; want %d", pattern, got, want)
		}
	}
}

// TestResponsible_Escaped: the span in the file takes in the whole of an escape.
func TestResponsible_Escaped(t *testing.T) {
	const text = `queries:
- name: q
  expr: "{app=\"web\"} |= \"worker lost\" | json"
`
	set := rules.LoadText("r.yaml", []byte(text))
	rule := &set.Rules[0]
	expr, err := syntax.Parse(rule.Expr)
	if err != nil {
		t.Fatal(err)
	}
	q := expr.(*syntax.LogQuery)
	span := q.Stages[0].Span()
	funnel := []outcome.Step{{Start: 0, End: q.Selector.Span().End}, {Stage: "|=", Start: span.Start, End: span.End}}
	c := &cell{rule: rule, deployed: half{outcomes: []*outcome.Outcome{{Funnel: funnel}}}}
	got := c.responsible(&Parting{Step: 1}, &outcome.Evidence{Line: "worker lost"}, nil, &half{})
	line := strings.Split(text, "\n")[got.Pos.Line-1]
	if written := line[got.Pos.Column-1 : got.Last.Column]; written != `\"worker lost\"` {
		t.Errorf("the span holds %s; want %s", written, `\"worker lost\"`)
	}
}
