package replay

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// Evidence lines kept of each rule: the first and the last that matched.
const (
	keepFirst = 3
	keepLast  = 2
)

// maxSeriesSeen bounds the label sets that are remembered to count series.
const maxSeriesSeen = 100_000

// A ruleState follows one rule through one run.
type ruleState struct {
	plan   *planned
	window logql.Window
	alert  *alertState // nil for other kinds
	// record is of a recording rule whose series a PromQL rule may read.
	record *recordState
	// grafana is of a Grafana alert.
	grafana *grafanaState
	// noRecords says why there is nothing to evaluate; empty: there is.
	noRecords string

	seen seenTags
	// timeline is nil where it was not asked for.
	timeline *timeline
	first    []seenLine
	last     []seenLine // a ring once it is full
	lastAt   int        // where the ring begins
	series   map[string]struct{}
	peak     *float64
	highest  *float64 // left-hand side of a threshold
	lowest   *float64 // likewise
	result   []outcome.Sample
}

func newRuleState(p *planned, src *Source) *ruleState {
	rs := &ruleState{plan: p, series: map[string]struct{}{}, noRecords: src.NoRecords}
	start, end := src.instants(p.interval, p.rule.QueryOffset)
	rs.window = logql.Window{Start: start, End: end, Step: int64(p.interval)}
	if p.isLog {
		// A saved log query has no clock: it is asked about all of the run.
		rs.window = logql.Window{Start: min(start, src.First), End: src.Last + 1}
	}
	if p.isAlert {
		rs.alert = newAlertState(p.alertRule())
	}
	if p.chain != nil {
		rs.grafana = newGrafanaState(rs, p.chain)
	}
	return rs
}

// match notes a line that passed a pipeline of the rule.
func (rs *ruleState) match(stream logs.Labels, m *logql.Match, tag recordTag) {
	rs.seen.add(tag, stream, m.Entry)
	var slot *seenLine
	switch {
	case len(rs.first) < keepFirst:
		rs.first = append(rs.first, seenLine{})
		slot = &rs.first[len(rs.first)-1]
	case len(rs.last) < keepLast:
		rs.last = append(rs.last, seenLine{})
		slot = &rs.last[len(rs.last)-1]
	default:
		slot = &rs.last[rs.lastAt]
		rs.lastAt = (rs.lastAt + 1) % keepLast
	}
	slot.set(stream, m.Entry)
}

// evidence returns the lines kept, in time order.
func (rs *ruleState) evidence() []outcome.Evidence {
	var out []outcome.Evidence
	for _, l := range slices.Concat(rs.first, rs.last[rs.lastAt:], rs.last[:rs.lastAt]) {
		out = append(out, l.evidence())
	}
	return out
}

// vector notes the answer at one instant.
func (rs *ruleState) vector(ctx context.Context, ts int64, v []logql.Sample) {
	for _, s := range v {
		if len(rs.series) < maxSeriesSeen {
			rs.series[s.Labels.String()] = struct{}{}
		}
		raise(&rs.peak, s.Value)
	}
	if rs.alert != nil {
		rs.alert.evaluate(ctx, ts+int64(rs.plan.rule.QueryOffset), v)
	}
	if rs.record != nil {
		rs.record.evaluate(ctx, ts, promVector(ts, v))
	}
	rs.timeline.answer(ts+int64(rs.plan.rule.QueryOffset), v, rs.stateNow(v), rs.plan.op != "")
	if ts == rs.window.End {
		rs.result = rs.result[:0]
		for _, s := range v {
			rs.result = append(rs.result, outcome.Sample{Labels: s.Labels, Value: s.Value})
		}
	}
}

func (rs *ruleState) leftVector(ts int64, v []logql.Sample) {
	for _, s := range v {
		rs.left(ts, s.Value)
	}
}

// left notes a value on the left-hand side of a threshold.
func (rs *ruleState) left(ts int64, v float64) {
	rs.timeline.left(ts+int64(rs.plan.rule.QueryOffset), v)
	raise(&rs.highest, v)
	lower(&rs.lowest, v)
}

// outcome sums up. run is the pass that the rule's queries were part of.
func (rs *ruleState) outcome(run *logql.Run) Outcome {
	if rs.plan.reason != "" {
		return Outcome{State: outcome.NotEvaluated, Reason: rs.plan.reason}
	}
	if rs.noRecords != "" {
		return Outcome{State: outcome.NotEvaluated, Reason: rs.noRecords}
	}
	var out Outcome
	pipes := rs.funnel(run, &out)
	if err := run.Err(rs.plan.query); err != nil {
		out.State, out.Reason = outcome.NotEvaluated, fmt.Sprintf("a Loki would refuse to answer: %v", err)
		return out
	}
	out.Evidence = rs.evidence()
	rs.sum(&out)
	if yieldsNothing(&out) {
		out.Nothing = nothing(rs.plan.expr, pipes)
	}
	return out
}

// sum fills in what the answers at all instants came to.
func (rs *ruleState) sum(out *Outcome) {
	out.Series, out.Peak, out.Result = len(rs.series), rs.peak, rs.result
	if rs.timeline != nil {
		out.Timeline, out.TimelineCut = rs.timeline.list(), rs.timeline.cut
	}
	if rs.highest != nil {
		out.Headroom = &outcome.Headroom{Value: *rs.highest, Lowest: *rs.lowest, Operator: rs.plan.op, Threshold: rs.plan.bound}
	}
	switch {
	case rs.alert != nil:
		rs.alert.result(out, rs.plan.rule.For, time.Duration(rs.window.End-rs.window.Start))
	case rs.matched(out):
		out.State = outcome.Matched
	default:
		out.State = outcome.None
	}
}

// yieldsNothing reports whether there is a nothing to tell. Where an alert was
// pending the expression yielded something, only not for long enough.
func yieldsNothing(out *Outcome) bool {
	return out.Held == nil && out.State != outcome.Fired && out.State != outcome.Matched && out.State != outcome.NotEvaluated
}

// matched reports whether a rule that is no alert yielded anything: a log
// query lines, a metric query series.
func (rs *ruleState) matched(out *Outcome) bool {
	if rs.plan.isLog {
		return out.Lines > 0
	}
	return len(rs.series) > 0
}

// funnel copies the counts of all pipelines. Lines are those of the pipeline
// that has most: the pipelines of an expression often count the same lines, so
// their sum would say too much.
func (rs *ruleState) funnel(run *logql.Run, out *Outcome) []pipeCount {
	var pipes []pipeCount
	for i, counts := range run.Funnel(rs.plan.query) {
		steps := rs.plan.pipes[i].Steps
		for j, c := range counts {
			out.Funnel = append(out.Funnel, outcome.Step{
				Pipeline: i, Stage: steps[j].Text, Start: steps[j].Span.Start, End: steps[j].Span.End,
				Lines: c.Lines, Errors: c.Errors, Streams: c.Streams,
			})
		}
		p := pipeCount{counts[0].Streams, counts[len(counts)-1].Lines}
		out.Lines = max(out.Lines, p.lines)
		pipes = append(pipes, p)
	}
	return pipes
}
