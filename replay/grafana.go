package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/rules"
)

// maxChainSamples bounds the samples that the queries of one Grafana alert
// hold in memory.
const maxChainSamples = 2_000_000

// A grafanaState follows one Grafana alert through one run. The answers to its
// queries come in the order of time, but not in step with one another; when all
// that an evaluation needs is there, it is done.
type grafanaState struct {
	rs      *ruleState
	chain   *plannedChain
	queries []queryState
	next    int64 // the evaluation that comes next
	held    int   // samples in memory
	err     error

	last    []logql.Sample // what fired at the evaluation before
	missing map[string]int // evaluations without a series that fired, by labels
	noData  int            // evaluations in the state NoData
	errored int            // evaluations in the state Error
	failure error          // of the first of them
}

// A queryState is the answers to one query that an evaluation may still need.
type queryState struct {
	node    *rules.GrafanaNode
	window  logql.Window // of its answers
	answers []queryAnswer
	came    int64 // time of the last answer
}

type queryAnswer struct {
	ts      int64
	samples []logql.Sample
	err     error
}

func newGrafanaState(rs *ruleState, c *plannedChain) *grafanaState {
	g := &grafanaState{rs: rs, chain: c, queries: make([]queryState, len(c.queries)), missing: map[string]int{}}
	for i := range c.queries {
		g.queries[i].node = c.queries[i].node
	}
	return g
}

// begin sets the evaluations, and with them when each query is asked: an
// instant one at the end of its time range, one over a range at all points of
// all evaluations. Where these do not lie on one grid with the step of the
// query, a finer grid is asked that holds them all.
func (g *grafanaState) begin(window logql.Window) {
	g.rs.window, g.next = window, window.Start
	for i := range g.queries {
		q := &g.queries[i]
		from, to := int64(q.node.From), int64(q.node.To)
		if q.node.Instant {
			q.window = logql.Window{Start: window.Start - to, End: window.End - to, Step: window.Step}
		} else {
			q.window = logql.Window{Start: window.Start - from, End: q.lastPoint(window.End), Step: gcd(int64(q.node.Step), window.Step)}
		}
		q.came = q.window.Start - 1
		if n := (q.window.End - q.window.Start) / q.window.Step; n > maxInstants {
			g.err = fmt.Errorf("query %s has %d points in the run, more than %d; give it a larger interval", q.node.RefID, n, maxInstants)
		}
	}
	if g.err != nil {
		for i := range g.queries { // nothing is asked
			q := &g.queries[i]
			q.window.End = q.window.Start - 1
		}
	}
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// lastPoint returns the last point of the query that the evaluation at ts sees.
func (q *queryState) lastPoint(ts int64) int64 {
	if q.node.Instant {
		return ts - int64(q.node.To)
	}
	from := ts - int64(q.node.From)
	return from + (int64(q.node.From-q.node.To))/int64(q.node.Step)*int64(q.node.Step)
}

// deliver takes the answer to a query at ts and evaluates what it completes.
func (g *grafanaState) deliver(ctx context.Context, query int, ts int64, v []logql.Sample, err error) {
	if g.err != nil {
		return
	}
	q := &g.queries[query]
	q.came = ts
	if len(v) > 0 || err != nil {
		q.answers = append(q.answers, queryAnswer{ts: ts, samples: slices.Clone(v), err: err})
		g.held += len(v)
	}
	if g.held > maxChainSamples {
		g.err = fmt.Errorf("its queries have more than %d samples at a time; aggregate them, shorten their time range or give them a larger interval", maxChainSamples)
		g.queries = slices.Clone(g.queries)
		for i := range g.queries {
			g.queries[i].answers = nil
		}
		return
	}
	for g.next <= g.rs.window.End && g.ready() && g.err == nil {
		g.evaluate(ctx, g.next)
		g.next += g.rs.window.Step
		g.prune()
	}
}

// ready reports whether all that the next evaluation needs is there.
func (g *grafanaState) ready() bool {
	for i := range g.queries {
		if g.queries[i].came < g.queries[i].lastPoint(g.next) {
			return false
		}
	}
	return true
}

// prune lets go of answers that no further evaluation sees.
func (g *grafanaState) prune() {
	for i := range g.queries {
		q := &g.queries[i]
		from := g.next - int64(q.node.From)
		if q.node.Instant {
			from = g.next - int64(q.node.To)
		}
		n := 0
		for n < len(q.answers) && q.answers[n].ts < from {
			g.held -= len(q.answers[n].samples)
			q.answers[n] = queryAnswer{}
			n++
		}
		q.answers = q.answers[n:]
	}
}

// evaluate does the evaluation at ts.
func (g *grafanaState) evaluate(ctx context.Context, ts int64) {
	values := map[string]chainValue{}
	var failed error
	for i := range g.queries {
		v, err := g.queries[i].value(ts)
		if err != nil && failed == nil {
			failed = fmt.Errorf("query %s: %w", g.queries[i].node.RefID, err)
		}
		values[g.queries[i].node.RefID] = v
	}
	if failed != nil {
		g.fail(ctx, ts, failed)
		return
	}
	out, err := g.chain.answer(values)
	if err != nil {
		g.err = err
		return
	}
	if g.rs.plan.op != "" {
		for _, n := range values[g.chain.condition.Input].numbers {
			if !n.null {
				g.rs.left(ts, n.v)
			}
		}
	}
	g.decide(ctx, ts, out)
}

// value returns what a query yields at the evaluation at ts.
func (q *queryState) value(ts int64) (chainValue, error) {
	if q.node.Instant {
		at := ts - int64(q.node.To)
		var out numbers
		for _, a := range q.answers {
			if a.ts != at {
				continue
			}
			if a.err != nil {
				return chainValue{}, a.err
			}
			for _, s := range a.samples {
				out = append(out, number{labels: s.Labels, v: s.Value, shown: s.Value})
			}
		}
		return chainValue{numbers: out}, nil
	}
	out := chainValue{ranged: true}
	start, end := ts-int64(q.node.From), q.lastPoint(ts)
	index := newSeriesIndex()
	for _, a := range q.answers {
		if a.ts < start || a.ts > end || (a.ts-start)%int64(q.node.Step) != 0 {
			continue
		}
		if a.err != nil {
			return chainValue{}, a.err
		}
		for _, s := range a.samples {
			i := index.of(s.Labels)
			if i == len(out.series) {
				out.series = append(out.series, chainSeries{labels: s.Labels})
			}
			out.series[i].points = append(out.series[i].points, s.Value)
		}
	}
	return out, nil
}

// A seriesIndex numbers label sets. The same series mostly comes with the same
// slice, and is then known without a look at what is in it.
type seriesIndex struct {
	bySlice map[*logs.Label]int
	byText  map[string]int
}

func newSeriesIndex() *seriesIndex {
	return &seriesIndex{bySlice: map[*logs.Label]int{}, byText: map[string]int{}}
}

// of returns the number of a label set; that of a new one is the count of
// those before.
func (x *seriesIndex) of(ls logs.Labels) int {
	if len(ls) > 0 {
		if i, ok := x.bySlice[&ls[0]]; ok {
			return i
		}
	}
	text := ls.String()
	i, ok := x.byText[text]
	if !ok {
		i = len(x.byText)
		x.byText[text] = i
	}
	if len(ls) > 0 {
		x.bySlice[&ls[0]] = i
	}
	return i
}

// decide hands what fires to the alert states. A number other than 0 fires.
func (g *grafanaState) decide(ctx context.Context, ts int64, out numbers) {
	var firing []logql.Sample
	present := map[string]bool{}
	for _, n := range out {
		if n.null {
			continue
		}
		if math.IsNaN(n.v) {
			g.err = fmt.Errorf("the condition %s is NaN at %s, which is neither firing nor silent; compare it with a number", g.chain.condition.RefID, utc(ts))
			return
		}
		present[n.labels.String()] = true
		if n.v != 0 {
			firing = append(firing, logql.Sample{Labels: n.labels, Value: n.shown})
		}
	}
	if len(present) == 0 {
		g.without(ctx, ts, g.rs.plan.rule.Grafana.NoDataState, &g.noData)
		return
	}
	g.show(ctx, ts, g.linger(firing, present))
}

// staleAfter is how many evaluations a series must be missing, while others are
// there, until its alert resolves.
const staleAfter = 2

// linger adds the alerts whose series are missing but not yet stale.
func (g *grafanaState) linger(firing []logql.Sample, present map[string]bool) []logql.Sample {
	missing := map[string]int{}
	for _, s := range g.last {
		key := s.Labels.String()
		if present[key] {
			continue
		}
		if n := g.missing[key] + 1; n < staleAfter {
			missing[key] = n
			firing = append(firing, s)
		}
	}
	g.missing = missing
	return firing
}

// fail is an evaluation at which a query failed.
func (g *grafanaState) fail(ctx context.Context, ts int64, err error) {
	if g.failure == nil {
		g.failure = fmt.Errorf("at %s: %w", utc(ts), err)
	}
	g.without(ctx, ts, g.rs.plan.rule.Grafana.ExecErrState, &g.errored)
}

// without is an evaluation without an answer, at which a setting says what the
// alert does. In the states NoData and Error it is another alert that fires,
// which count counts.
func (g *grafanaState) without(ctx context.Context, ts int64, state string, count *int) {
	switch state {
	case "Alerting":
		g.show(ctx, ts, []logql.Sample{{Labels: logs.Labels{}, Value: 1}})
	case "KeepLast":
		g.show(ctx, ts, g.last)
	case "OK":
		g.show(ctx, ts, nil)
	default:
		*count++
		g.show(ctx, ts, nil)
	}
}

// show ends an evaluation.
func (g *grafanaState) show(ctx context.Context, ts int64, firing []logql.Sample) {
	g.last = slices.Clone(firing)
	g.rs.vector(ctx, ts, firing)
}

// fault says why the alert could not be evaluated; empty: it could.
func (g *grafanaState) fault() string {
	switch {
	case g.err != nil:
		return g.err.Error()
	case g.errored > 0 && g.rs.plan.rule.Grafana.ExecErrState == "Error":
		return fmt.Sprintf("Grafana would send DatasourceError for %d evaluations, first %v", g.errored, g.failure)
	case g.next <= g.rs.window.End:
		return fmt.Sprintf("a query gave no answer from %s on", time.Unix(0, g.next).UTC().Format(time.RFC3339))
	}
	return ""
}
