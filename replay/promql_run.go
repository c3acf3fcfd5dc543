package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/prometheus/promql"
	promrules "github.com/prometheus/prometheus/rules"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/rules"
)

// A promRunner evaluates the PromQL rules of a plan on one run: after the log
// was read, rule by rule, those whose series others read first. Each answer is
// an instant query at an instant of the rule's grid, as Prometheus asks it.
type promRunner struct {
	ctx    context.Context
	plan   *Plan
	src    *Source
	rules  []*ruleState
	store  *metricStore
	load   *metricLoad // nil: the run has no metrics
	query  promrules.QueryFunc
	failed []string // by rule: why it could not be evaluated
}

// newPromRunner reads the metrics of the run and prepares the rules that feed
// others.
func newPromRunner(ctx context.Context, p *Plan, src *Source, states []*ruleState, marks *metricMarkRun) (*promRunner, error) {
	pr := &promRunner{
		ctx: ctx, plan: p, src: src, rules: states,
		store: newMetricStore(), failed: make([]string, len(p.rules)),
	}
	pr.query = promrules.EngineQueryFunc(p.engine, pr.store)
	if src.Scrapes != nil {
		var err error
		if pr.load, err = p.loadMetrics(ctx, src.Scrapes, pr.store, marks); err != nil {
			return nil, err
		}
		if pr.load.stats.Count > 0 {
			if err := p.checkScrapes(src, pr.scraped()); err != nil {
				return nil, err
			}
		}
	}
	for i, rs := range states {
		switch {
		case !p.order.feeds[i] || rs.plan.reason != "":
		case rs.plan.rule.Kind == rules.Recording:
			rs.record = newRecordState(rs.plan.rule, pr.store)
		case rs.alert != nil:
			rs.alert.feed = newSeriesFeed(pr.store)
		}
	}
	return pr, nil
}

// scraped is the time from the first to the last scrape, widened.
func (pr *promRunner) scraped() timeSpan {
	return pr.src.widen(timeSpan{pr.load.stats.First, pr.load.stats.Last})
}

// describe adds to a run's result what was read of its metrics.
func (pr *promRunner) describe(res *Result) {
	if pr == nil || pr.load == nil {
		return
	}
	res.Metrics = pr.load.catalogue.list(pr.src.Scrapes.Families())
	res.MetricsCut = pr.load.catalogue.cut
	res.Scrapes = pr.load.stats
	if pr.src.NoRecords != "" && res.Scrapes.Count > 0 {
		res.First, res.Last = res.Scrapes.First, res.Scrapes.Last
		res.Start, res.End = pr.scraped().instants(pr.plan.opt.Interval, 0)
	}
}

// evaluate evaluates all rules.
func (pr *promRunner) evaluate() {
	if pr == nil {
		return
	}
	for _, i := range pr.plan.order.rules {
		if pr.ctx.Err() != nil {
			return
		}
		if pr.failed[i] = pr.obstacle(i); pr.failed[i] == "" {
			pr.failed[i] = pr.follow(i)
		}
	}
}

// hasScrapes reports whether something was scraped in the run.
func (pr *promRunner) hasScrapes() bool { return pr.load != nil && pr.load.stats.Count > 0 }

// obstacle says why a rule cannot be evaluated on this run; empty: it can.
func (pr *promRunner) obstacle(i int) string {
	if reason := pr.plan.rules[i].reason; reason != "" {
		return reason
	}
	if pr.plan.order.outside[i] && !pr.hasScrapes() {
		return "the run has no metrics to evaluate PromQL on; record them with the drill, and name them under metrics in the import description"
	}
	for _, j := range pr.plan.order.reads[i] {
		if why := pr.fault(j); why != "" {
			return fmt.Sprintf("it reads the series of %s, which is not evaluated: %s", pr.plan.rules[j].rule.Name, why)
		}
	}
	return ""
}

// fault says why the series of a rule that feeds others are not to be had.
func (pr *promRunner) fault(i int) string {
	rs := pr.rules[i]
	switch {
	case rs.plan.reason != "":
		return rs.plan.reason
	case rs.plan.prom == nil && rs.noRecords != "":
		return rs.noRecords
	case pr.failed[i] != "":
		return pr.failed[i]
	case rs.record != nil && rs.record.err != nil:
		return rs.record.err.Error()
	case rs.alert != nil && rs.alert.err != nil:
		return rs.alert.err.Error()
	case rs.alert != nil && rs.alert.feed != nil && rs.alert.feed.err != nil:
		return rs.alert.feed.err.Error()
	}
	return ""
}

// span is the time over which a rule is evaluated: that of the scrapes, and
// that of the records where it reads what LogQL rules recorded.
func (pr *promRunner) span(i int) timeSpan {
	var t timeSpan
	switch scraped := pr.hasScrapes(); {
	case !scraped:
		return pr.src.records()
	default:
		t = pr.scraped()
	}
	if pr.src.NoRecords == "" && pr.plan.readsLogs(i) {
		r := pr.src.records()
		t.first, t.last = min(t.first, r.first), max(t.last, r.last)
	}
	return t
}

// readsLogs reports whether a rule reads, directly or not, what a LogQL rule
// yields.
func (p *Plan) readsLogs(i int) bool {
	seen := map[int]bool{i: true}
	for queue := []int{i}; len(queue) > 0; {
		next := queue[0]
		queue = queue[1:]
		if p.rules[next].prom == nil || p.rules[next].chain != nil && p.rules[next].chain.hasLogQL() {
			return true
		}
		for _, j := range p.order.reads[next] {
			if !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	return false
}

// follow evaluates one rule at all its instants. It returns why the rule could
// not be evaluated, or an empty text.
func (pr *promRunner) follow(i int) string {
	rs := pr.rules[i]
	if rs.grafana != nil {
		return pr.followGrafana(i)
	}
	start, end := pr.span(i).instants(rs.plan.interval, rs.plan.rule.QueryOffset)
	rs.window = logql.Window{Start: start, End: end, Step: int64(rs.plan.interval)}
	if rs.alert != nil {
		rs.alert.ask = pr.query
	}
	for ts := start; ts <= end && pr.ctx.Err() == nil; ts += rs.window.Step {
		v, err := pr.at(rs.plan.rule.Expr, ts)
		if err != nil {
			return fmt.Sprintf("a Prometheus would refuse to answer at %s: %v", utc(ts), err)
		}
		rs.vector(pr.ctx, ts, v)
		if left := rs.plan.prom.left; left != "" {
			if v, err := pr.at(left, ts); err == nil {
				rs.leftVector(ts, v)
			}
		}
	}
	if rs.record != nil && rs.record.err != nil {
		return rs.record.err.Error()
	}
	return ""
}

// at returns the answer of an expression at one instant, ordered by labels.
func (pr *promRunner) at(expr string, ts int64) ([]logql.Sample, error) {
	v, err := pr.query(pr.ctx, expr, time.Unix(0, ts).UTC())
	if err != nil {
		return nil, err
	}
	return plainSamples(v), nil
}

func plainSamples(v promql.Vector) []logql.Sample {
	out := make([]logql.Sample, 0, len(v))
	for _, s := range v {
		out = append(out, logql.Sample{Labels: plainLabels(s.Metric), Value: s.F})
	}
	slices.SortFunc(out, func(a, b logql.Sample) int { return cmp.Or(a.Labels.Compare(b.Labels)) })
	return out
}

// why says why a rule could not be evaluated; empty: it could, or it has no
// PromQL.
func (pr *promRunner) why(i int) string {
	if pr == nil {
		return ""
	}
	return pr.failed[i]
}

// outcome sums up what a rule did.
func (pr *promRunner) outcome(i int) Outcome {
	rs := pr.rules[i]
	if why := pr.failed[i]; why != "" {
		return Outcome{State: outcome.NotEvaluated, Reason: why}
	}
	var out Outcome
	for _, s := range rs.plan.prom.selectors {
		out.Selectors = append(out.Selectors, outcome.Selector{
			Text: s.String(), Start: int(s.PosRange.Start), End: int(s.PosRange.End),
			Series: len(pr.store.selected(s.LabelMatchers)),
		})
	}
	rs.sum(&out)
	if yieldsNothing(&out) {
		out.Nothing = promNothing(rs.plan.prom.expr, out.Selectors)
	}
	return out
}

// NeedsMetrics reports whether a rule of the plan reads metrics, or a mark.
func (p *Plan) NeedsMetrics() bool { return len(p.order.rules)+len(p.opt.MetricMarks) > 0 }
