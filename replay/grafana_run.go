package replay

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// beginGrafana sets the evaluations of the Grafana alerts of a run.
func (ru *runner) beginGrafana() {
	for i, rs := range ru.rules {
		if rs.grafana == nil {
			continue
		}
		span := ru.src.records()
		if rs.plan.prom != nil {
			span = ru.metrics.span(i)
		}
		start, end := span.instants(rs.plan.interval, rs.plan.rule.QueryOffset)
		rs.grafana.begin(logql.Window{Start: start, End: end, Step: int64(rs.plan.interval)})
	}
}

// windowOf returns when query n of a querySet is asked.
func (rs *ruleState) windowOf(node int) logql.Window {
	if node < 0 {
		return rs.window
	}
	return rs.grafana.queries[node].window
}

// followGrafana asks the PromQL queries of a Grafana alert, those of one
// evaluation after those of the one before.
func (pr *promRunner) followGrafana(i int) string {
	rs := pr.rules[i]
	g := rs.grafana
	if g.chain.hasLogQL() && rs.noRecords != "" {
		return rs.noRecords
	}
	next := make([]int64, len(g.queries))
	for j := range g.queries {
		next[j] = g.queries[j].window.Start
	}
	for ts := rs.window.Start; ts <= rs.window.End && g.err == nil; ts += rs.window.Step {
		for j := range g.queries {
			q := &g.chain.queries[j]
			if !q.isPromQL() {
				continue
			}
			for last := g.queries[j].lastPoint(ts); next[j] <= last && pr.ctx.Err() == nil; next[j] += g.queries[j].window.Step {
				v, err := pr.at(q.expr, next[j])
				g.deliver(pr.ctx, j, next[j], v, err)
			}
		}
	}
	if pr.ctx.Err() != nil {
		return pr.ctx.Err().Error()
	}
	return ""
}

// grafanaOutcome sums up a Grafana alert. run is the pass that its LogQL
// queries were part of, if it has any.
func (rs *ruleState) grafanaOutcome(run *logql.Run, pr *promRunner, promFault string) Outcome {
	notEvaluated := func(reason string) Outcome { return Outcome{State: outcome.NotEvaluated, Reason: reason} }
	switch {
	case rs.plan.reason != "":
		return notEvaluated(rs.plan.reason)
	case rs.noRecords != "" && rs.plan.chain.hasLogQL():
		return notEvaluated(rs.noRecords)
	case promFault != "":
		return notEvaluated(promFault)
	}
	var out Outcome
	why := outcome.BelowThreshold
	for j := range rs.plan.chain.queries {
		q := &rs.plan.chain.queries[j]
		if q.isPromQL() {
			why = min(why, q.selected(pr, &out))
			continue
		}
		if err := run.Err(q.query); err != nil {
			out.State, out.Reason = outcome.NotEvaluated, fmt.Sprintf("a Loki would refuse to answer query %s: %v", q.node.RefID, err)
			return out
		}
		why = min(why, nothing(q.parse, q.funnel(run, &out)))
	}
	if reason := rs.grafana.fault(); reason != "" {
		out.State, out.Reason = outcome.NotEvaluated, reason
		return out
	}
	out.Evidence = rs.evidence()
	rs.sum(&out)
	out.NoData = rs.grafana.noData
	if yieldsNothing(&out) {
		out.Nothing = why
	}
	return out
}

// funnel adds the counts of the pipelines of a query. Only those of the rule's
// own expression have a place in it.
func (q *chainQuery) funnel(run *logql.Run, out *Outcome) []pipeCount {
	var pipes []pipeCount
	base := 0
	if n := len(out.Funnel); n > 0 {
		base = out.Funnel[n-1].Pipeline + 1
	}
	for i, counts := range run.Funnel(q.query) {
		for j, c := range counts {
			step := q.pipes[i].Steps[j]
			s := outcome.Step{Pipeline: base + i, Stage: step.Text, Lines: c.Lines, Errors: c.Errors, Streams: c.Streams}
			if q.first {
				s.Start, s.End = step.Span.Start, step.Span.End
			}
			out.Funnel = append(out.Funnel, s)
		}
		p := pipeCount{counts[0].Streams, counts[len(counts)-1].Lines}
		out.Lines = max(out.Lines, p.lines)
		pipes = append(pipes, p)
	}
	return pipes
}

// selected adds how many series the selectors of a query select, and says
// whether that is why it yields nothing.
func (q *chainQuery) selected(pr *promRunner, out *Outcome) outcome.Nothing {
	why := outcome.BelowThreshold
	for _, s := range q.selectors {
		sel := outcome.Selector{Text: s.String(), Series: len(pr.store.selected(s.LabelMatchers))}
		if q.first {
			sel.Start, sel.End = int(s.PosRange.Start), int(s.PosRange.End)
		}
		if sel.Series == 0 {
			why = outcome.NoStream
		}
		out.Selectors = append(out.Selectors, sel)
	}
	return why
}
