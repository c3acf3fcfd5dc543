package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/feed"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// An Outcome is what one rule did on one run.
type Outcome = outcome.Outcome

// A Result is what one run gave for every rule of a plan.
type Result = outcome.Run

// A Source is a recorded run: what is known of it before its records are
// read, and the records, merged over its streams in time order.
type Source struct {
	Build      string
	Scenario   string
	Repetition int
	Incomplete bool

	Streams []logs.Labels
	// Starts are, of each stream, the numbers of the records with which later
	// processes begin, counted from 0; nil: not known.
	Starts      [][]int64
	First, Last int64 // times of the first and last record, nanoseconds
	// From and To widen the evaluation beyond the records; 0: not.
	From, To int64
	Entries  Entries
	// NoRecords says why there are no records to evaluate LogQL on; empty:
	// there are some.
	NoRecords string
	// Scrapes are the metrics of the run; nil: it has none. They are read only
	// if [Plan.NeedsMetrics].
	Scrapes Scrapes
	// Facts are what was recorded beside logs and metrics; nil: nothing, or
	// the plan has no use for them.
	Facts *facts.Facts
}

// Entries is a cursor over the records of a run; Stream is an index into
// Source.Streams.
type Entries = feed.Entries

// maxInstants bounds the evaluations of a rule in a run. One record with a
// wrong date would otherwise stretch a run over centuries.
const maxInstants = 1_000_000

// Run feeds the records of src to all rules in one pass and returns what each
// of them did. It fails only when the records cannot be read, their times span
// more than can be evaluated, or ctx ends; a rule that cannot be evaluated
// says so in its outcome.
func (p *Plan) Run(ctx context.Context, src *Source) (*Result, error) {
	if err := p.checkSpan(src); err != nil {
		return nil, err
	}
	ru, err := newRunner(ctx, p, src)
	if err != nil {
		return nil, err
	}
	res := &Result{
		Build: src.Build, Scenario: src.Scenario, Repetition: src.Repetition,
		Incomplete: src.Incomplete, Streams: len(src.Streams),
		First: src.First, Last: src.Last,
	}
	res.Start, res.End = src.instants(p.opt.Interval, 0)
	res.Step = int64(p.opt.Interval)
	obs := newObservers(src, p.opt.Profile)
	marks := newMarkRun(&p.marks, src)
	var dedup logs.Dedup
	keep := func(stream int, e *logs.Entry) (recordTag, bool) {
		res.Records++
		obs.next(stream)
		switch {
		case len(e.Line) == 0:
			res.Empty++
			return recordTag{}, false
		case dedup.Repeat(stream, e):
			res.Repeats++
			return recordTag{}, false
		}
		return obs.add(stream, e), true
	}
	work := func(stream int, e *logs.Entry, tag recordTag) bool {
		ru.tag = tag
		ru.push(stream, e)
		marks.push(stream, e)
		return true
	}
	if err := feed.Tagged(ctx, src.Entries, keep, work); err != nil {
		return nil, err
	}
	res.Outcomes = ru.finish()
	res.Scrapes, res.MetricMarks = ru.metricMarks.stats, ru.metricMarks.marks
	ru.metrics.describe(res)
	obs.finish(res, ru.rules)
	res.Marks = marks.finish()
	return res, ctx.Err()
}

// checkSpan refuses a run whose records lie too far apart.
func (p *Plan) checkSpan(src *Source) error {
	step := p.opt.Interval
	for i := range p.rules {
		step = min(step, p.rules[i].interval)
	}
	start, end := src.instants(step, 0)
	if n := float64(end)/float64(step) - float64(start)/float64(step); n > maxInstants {
		return fmt.Errorf("run %s/%s/%d: its records lie between %s and %s, which is %.3g evaluations at intervals of %s and more than %d; is the date of a record wrong? (evaluate less often with a longer interval)",
			src.Build, src.Scenario, src.Repetition, utc(src.First), utc(src.Last), n, step, maxInstants)
	}
	return nil
}

func utc(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339) }

// instants returns the first and last evaluation of a grid with the given
// step: the last multiple of it at or before the first record, and the first
// one strictly after the last record.
func (s *Source) instants(step time.Duration, offset time.Duration) (start, end int64) {
	return s.records().instants(step, offset)
}

// records is the time from the first to the last record, widened.
func (s *Source) records() timeSpan { return s.widen(timeSpan{s.First, s.Last}) }

func (s *Source) widen(t timeSpan) timeSpan {
	if s.From != 0 {
		t.first = min(t.first, s.From)
	}
	if s.To != 0 {
		t.last = max(t.last, s.To)
	}
	return t
}

// A timeSpan is a stretch of time; both ends are in it.
type timeSpan struct{ first, last int64 }

func (t timeSpan) instants(step, offset time.Duration) (start, end int64) {
	n := int64(step)
	return floor(t.first, n) - int64(offset), floor(t.last, n) + n - int64(offset)
}

// floor returns the highest multiple of step at or before t.
func floor(t, step int64) int64 {
	past := t % step
	if past < 0 {
		past += step
	}
	return t - past
}

// A runner holds the state of all rules during one run.
type runner struct {
	ctx   context.Context
	plan  *Plan
	src   *Source
	runs  [ingestVariants]*logql.Run
	rules []*ruleState
	// metrics evaluates the PromQL rules; nil if there are none.
	metrics     *promRunner
	metricMarks *metricMarkRun
	tag         recordTag // of the record that is pushed
	// scratch holds an entry with labels added at ingest.
	scratch logs.Entry
}

func newRunner(ctx context.Context, p *Plan, src *Source) (*runner, error) {
	ru := &runner{ctx: ctx, plan: p, src: src, rules: make([]*ruleState, len(p.rules))}
	for i := range p.rules {
		ru.rules[i] = newRuleState(&p.rules[i], src)
		if slices.Contains(p.opt.Timelines, i) {
			ru.rules[i].timeline = newTimeline()
		}
	}
	ru.metricMarks = newMetricMarkRun(p.opt.MetricMarks)
	switch {
	case len(p.order.rules) > 0:
		var err error
		if ru.metrics, err = newPromRunner(ctx, p, src, ru.rules, ru.metricMarks); err != nil {
			return nil, err
		}
	case src.Scrapes != nil:
		if err := ru.metricMarks.read(ctx, src.Scrapes); err != nil {
			return nil, err
		}
	}
	ru.beginGrafana()
	for v := range p.sets {
		set := &p.sets[v]
		if len(set.queries) == 0 {
			continue
		}
		windows := make([]logql.Window, len(set.queries))
		for q, rule := range set.rules {
			windows[q] = ru.rules[rule].windowOf(set.nodes[q])
		}
		ru.runs[v] = set.set.NewRun(ingestStreams(src.Streams, ingest(v)), windows, &sink{runner: ru, set: set})
	}
	return ru, nil
}

// push feeds one entry to the queries of every variant.
func (ru *runner) push(stream int, e *logs.Entry) {
	for v, run := range ru.runs {
		if run == nil {
			continue
		}
		in := e
		if ingest(v)&ingestDetectedLevel != 0 {
			level := logql.DetectLevel(ru.src.Streams[stream], e.Metadata, e.Line)
			ru.scratch = *e
			ru.scratch.Metadata = logs.New(append(slices.Clip(e.Metadata),
				logs.Label{Name: labelDetectedLevel, Value: level})...)
			in = &ru.scratch
		}
		run.Push(stream, in)
	}
}

func ingestStreams(streams []logs.Labels, v ingest) []logs.Labels {
	if v&ingestServiceName == 0 {
		return streams
	}
	return logql.WithServiceNames(streams)
}

// finish evaluates what remains and returns the outcomes.
func (ru *runner) finish() []Outcome {
	for _, run := range ru.runs {
		if run != nil {
			run.Close()
		}
	}
	ru.metrics.evaluate()
	out := make([]Outcome, len(ru.rules))
	for i, rs := range ru.rules {
		if rs.grafana != nil {
			out[i] = rs.grafanaOutcome(ru.runs[rs.plan.variant], ru.metrics, ru.metrics.why(i))
			continue
		}
		if rs.plan.prom != nil {
			out[i] = ru.metrics.outcome(i)
			continue
		}
		out[i] = rs.outcome(ru.runs[rs.plan.variant])
	}
	return out
}

// A sink passes what the queries of one variant yield to their rules.
type sink struct {
	*runner
	set *querySet
}

// Match implements logql.Sink.
func (s *sink) Match(query, _ int, m *logql.Match) {
	if !s.set.isLeft[query] {
		s.rules[s.set.rules[query]].match(s.src.Streams[m.Stream], m, s.tag)
	}
}

// Vector implements logql.Sink.
func (s *sink) Vector(query int, ts int64, v []logql.Sample) {
	rs := s.rules[s.set.rules[query]]
	if node := s.set.nodes[query]; node >= 0 {
		rs.grafana.deliver(s.ctx, node, ts, v, nil)
		return
	}
	if s.set.isLeft[query] {
		rs.leftVector(ts, v)
		return
	}
	rs.vector(s.ctx, ts, v)
}
