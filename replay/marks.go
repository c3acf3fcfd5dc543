package replay

import (
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// Bounds of what marks keep of a run.
const (
	maxMarks     = 20_000   // lines of one query
	maxMarkBytes = 32 << 20 // of all lines
	maxMarkLine  = 2 << 10  // of one line
)

// A markPlan is the mark queries, compiled. Those that begin with a stage are
// apart: all streams are theirs.
type markPlan struct {
	queries []outcome.MarkQuery
	why     []string // why one is not run; empty: it is
	sets    [2]markSet
}

type markSet struct {
	set *logql.Set
	of  []int // for each query of the set, its index in the plan
}

const (
	ofSelectors = iota
	ofAllStreams
)

func newMarkPlan(opt Options) markPlan {
	p := markPlan{queries: opt.Marks, why: make([]string, len(opt.Marks))}
	var queries [2][]*logql.Query
	for i, m := range opt.Marks {
		kind, text := ofSelectors, strings.TrimSpace(m.Query)
		if strings.HasPrefix(text, "|") || strings.HasPrefix(text, "!") {
			// The set takes every selector to match.
			kind, text = ofAllStreams, `{stream=~".+"} `+text
		}
		q, err := logql.ParseAndCompile(text)
		switch {
		case err != nil:
			p.why[i] = err.Error()
		case !q.IsLog():
			p.why[i] = "it yields values, and lines are wanted"
		default:
			queries[kind] = append(queries[kind], q)
			p.sets[kind].of = append(p.sets[kind].of, i)
		}
	}
	for kind := range p.sets {
		if len(queries[kind]) > 0 {
			p.sets[kind].set = logql.NewSet(queries[kind], logql.Options{AssumeSelectors: kind == ofAllStreams || opt.AssumeSelectors})
		}
	}
	return p
}

// A markRun gathers the lines of one run.
type markRun struct {
	plan  *markPlan
	src   *Source
	runs  []*logql.Run
	marks []outcome.Marks
	bytes int
}

func newMarkRun(p *markPlan, src *Source) *markRun {
	r := &markRun{plan: p, src: src, marks: make([]outcome.Marks, len(p.queries))}
	for i, q := range p.queries {
		r.marks[i] = outcome.Marks{MarkQuery: q, Why: p.why[i]}
	}
	for i := range p.sets {
		set := &p.sets[i]
		if set.set == nil {
			continue
		}
		windows := make([]logql.Window, len(set.of))
		for q := range windows {
			windows[q] = logql.Window{Start: src.First, End: src.Last + 1}
		}
		r.runs = append(r.runs, set.set.NewRun(src.Streams, windows, &markSink{r, set}))
	}
	return r
}

func (r *markRun) push(stream int, e *logs.Entry) {
	for _, run := range r.runs {
		run.Push(stream, e)
	}
}

func (r *markRun) finish() []outcome.Marks {
	for _, run := range r.runs {
		run.Close()
	}
	return r.marks
}

// A markSink notes the lines of one set.
type markSink struct {
	run *markRun
	set *markSet
}

// Match implements logql.Sink.
func (s *markSink) Match(query, _ int, m *logql.Match) {
	marks := &s.run.marks[s.set.of[query]]
	line := m.Entry.Line[:min(len(m.Entry.Line), maxMarkLine)]
	if len(marks.Lines) >= maxMarks || s.run.bytes+len(line) > maxMarkBytes {
		if marks.Cut++; marks.Cut == 1 {
			marks.CutAt = m.Entry.Time
		}
		return
	}
	s.run.bytes += len(line)
	mark := outcome.Mark{Stream: s.run.src.Streams[m.Stream], Time: m.Entry.Time, Line: string(line)}
	if len(marks.Labels) > 0 {
		mark.Labels = wantedLabels(m.Labels(), marks.Labels)
	}
	marks.Lines = append(marks.Lines, mark)
}

// Vector implements logql.Sink. Log queries yield none.
func (s *markSink) Vector(int, int64, []logql.Sample) {}

func wantedLabels(all logs.Labels, names []string) logs.Labels {
	var out []logs.Label
	for _, name := range names {
		if v := all.Get(name); v != "" {
			out = append(out, logs.Label{Name: name, Value: v})
		}
	}
	return logs.New(out...)
}
