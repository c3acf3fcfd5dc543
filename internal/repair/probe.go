package repair

import (
	"math"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// A probe sends single lines through pipelines. What it found is kept: most
// questions are asked many times.
type probe struct {
	assume bool // every selector is taken to match
	// level and service say that lines have the labels that Loki adds when it
	// stores them, as they do for a rule that names one.
	level, service bool
	queries        map[string]*logql.Query
	left           int // passes that may still be made
}

// maxProbes bounds the work of all proposals of a report.
const maxProbes = 40_000

func newProbe(assume bool) *probe {
	return &probe{assume: assume, queries: map[string]*logql.Query{}, left: maxProbes}
}

// serve makes the probe ask for one rule.
func (p *probe) serve(expr string) {
	p.service, p.level = strings.Contains(expr, "service_name"), strings.Contains(expr, "detected_level")
}

// A passage is what a pipeline made of one line.
type passage struct {
	passed bool
	labels logs.Labels // with those that were parsed
	line   string
}

// pass sends a line through a log query. A query that cannot be run lets
// nothing pass.
func (p *probe) pass(query string, e *outcome.Evidence) passage {
	if p.left--; p.left < 0 {
		return passage{}
	}
	q, ok := p.queries[query]
	if !ok {
		q, _ = logql.ParseAndCompile(query)
		if q != nil && !q.IsLog() {
			q = nil
		}
		p.queries[query] = q
	}
	if q == nil {
		return passage{}
	}
	var got passage
	entry := logs.Entry{Time: e.Time, Line: []byte(e.Line)}
	streams := []logs.Labels{e.Stream}
	if p.service {
		streams = logql.WithServiceNames(streams)
	}
	if p.level {
		level := logql.DetectLevel(e.Stream, nil, entry.Line)
		entry.Metadata = logs.Labels{{Name: "detected_level", Value: level}}
	}
	set := logql.NewSet([]*logql.Query{q}, logql.Options{AssumeSelectors: p.assume})
	run := set.NewRun(streams, []logql.Window{{Start: math.MinInt64, End: math.MaxInt64}}, &got)
	run.Push(0, &entry)
	run.Close()
	return got
}

// Match implements [logql.Sink].
func (p *passage) Match(_, _ int, m *logql.Match) {
	p.passed, p.labels, p.line = true, m.Labels(), string(m.Line)
}

// Vector implements [logql.Sink].
func (p *passage) Vector(int, int64, []logql.Sample) {}
