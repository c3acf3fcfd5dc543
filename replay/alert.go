package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/parser/posrange"
	promrules "github.com/prometheus/prometheus/rules"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/rules"
)

// An alertState follows one alert rule through a run. Prometheus's
// AlertingRule owns the states; alertState hands it the vectors and notes what
// fires.
type alertState struct {
	rule   *promrules.AlertingRule
	limit  int
	vector promql.Vector // the answer at the instant being evaluated
	query  string
	// ask answers other queries, which stand in templates; nil: none are.
	ask promrules.QueryFunc
	// feed takes the series ALERTS, where a PromQL rule may read them.
	feed *seriesFeed

	fired   map[uint64]*outcome.Alert // by hash of the labels
	firing  []outcome.Interval
	waiting []outcome.Interval // pending, and nothing fired
	points  int
	peak    *float64
	lastOn  bool              // the evaluation before this one fired
	waits   bool              // at the evaluation before this one alerts were pending, and none fired
	pending bool              // some alert was pending at the last evaluation
	held    *outcome.Interval // the longest that one alert was pending
	err     error
}

// newAlertState returns the state of r before the first evaluation.
func newAlertState(r *rules.Rule) *alertState {
	rule := promrules.NewAlertingRule(r.Name, foreignExpr(r.Expr), r.For, r.KeepFiringFor,
		labels.FromMap(r.Labels), labels.FromMap(r.Annotations), labels.EmptyLabels(), "",
		true, slog.New(slog.DiscardHandler))
	return &alertState{rule: rule, limit: r.Limit, query: r.Expr, fired: map[uint64]*outcome.Alert{}}
}

// evaluate runs one evaluation at ts with the vector that the expression has
// there. After an error the alert is not evaluated any more.
func (a *alertState) evaluate(ctx context.Context, ts int64, samples []logql.Sample) {
	if a.err != nil {
		return
	}
	a.vector = promVector(ts, samples)
	own, err := a.rule.Eval(ctx, 0, time.Unix(0, ts).UTC(), a.answer, &url.URL{}, a.limit)
	if err != nil {
		a.err = err
		return
	}
	if a.feed != nil {
		a.feed.write(ts/1e6, own)
	}
	a.note(ts)
}

// promVector returns the answer at ts as Prometheus has it.
func promVector(ts int64, samples []logql.Sample) promql.Vector {
	v := make(promql.Vector, 0, len(samples))
	for _, s := range samples {
		v = append(v, promql.Sample{Metric: promLabels(s.Labels), T: ts / 1e6, F: s.Value})
	}
	return v
}

// answer is the query function of the rule: it knows the rule's own
// expression, at the instant being evaluated. Other queries stand in templates.
func (a *alertState) answer(ctx context.Context, q string, ts time.Time) (promql.Vector, error) {
	switch {
	case q == a.query:
		return a.vector, nil
	case a.ask == nil:
		return nil, errors.New("queries in templates are not evaluated offline")
	}
	return a.ask(ctx, q, ts)
}

// note records which alerts fire after the evaluation at ts.
func (a *alertState) note(ts int64) {
	fires := false
	a.pending = false
	a.rule.ForEachActiveAlert(func(al *promrules.Alert) {
		switch al.State {
		case promrules.StatePending:
			a.pending = true
			a.noteHeld(al.ActiveAt.UnixNano(), ts)
		case promrules.StateFiring:
			fires = true
			a.noteFiring(ts, al)
		case promrules.StateInactive, promrules.StateUnknown:
		}
	})
	a.noteWaiting(ts, a.pending && !fires, fires)
	if !fires {
		a.lastOn = false
		return
	}
	a.points++
	if a.lastOn {
		a.firing[len(a.firing)-1].To = ts
	} else {
		a.firing = append(a.firing, outcome.Interval{From: ts, To: ts})
	}
	a.lastOn = true
}

// noteWaiting notes a stretch in which alerts were pending. One that led to
// firing ends where that begins.
func (a *alertState) noteWaiting(ts int64, waits, fires bool) {
	switch {
	case a.waits && (waits || fires):
		a.waiting[len(a.waiting)-1].To = ts
	case waits:
		a.waiting = append(a.waiting, outcome.Interval{From: ts, To: ts})
	}
	a.waits = waits
}

// noteHeld notes that an alert is pending since from. Of two stretches that are
// as long the first is kept.
func (a *alertState) noteHeld(from, to int64) {
	if a.held == nil || to-from > a.held.To-a.held.From {
		a.held = &outcome.Interval{From: from, To: to}
	}
}

func (a *alertState) noteFiring(ts int64, al *promrules.Alert) {
	h := al.Labels.Hash()
	seen := a.fired[h]
	if seen == nil {
		seen = &outcome.Alert{
			Labels: plainLabels(al.Labels), Annotations: plainLabels(al.Annotations),
			First: ts, Value: al.Value,
		}
		a.fired[h] = seen
	}
	seen.Last = ts
	if al.Value > seen.Value {
		seen.Value = al.Value
	}
	raise(&a.peak, al.Value)
}

// result writes what was seen to out. window is the time from the first to
// the last evaluation.
func (a *alertState) result(out *outcome.Outcome, hold, window time.Duration) {
	switch {
	case a.err != nil:
		out.State, out.Reason = outcome.NotEvaluated, fmt.Sprintf("alert state: %v", a.err)
		return
	case a.points > 0:
		out.State = outcome.Fired
	case a.pending || hold > window:
		out.State = outcome.Pending
	default:
		out.State = outcome.Silent
	}
	if a.points == 0 {
		out.Held = a.held
	}
	out.Points, out.Firing, out.Pending, out.Peak = a.points, a.firing, a.waiting, a.peak
	for _, al := range a.fired {
		out.Alerts = append(out.Alerts, *al)
	}
	slices.SortFunc(out.Alerts, func(x, y outcome.Alert) int {
		return cmp.Or(x.Labels.Compare(y.Labels), cmp.Compare(x.First, y.First))
	})
}

// raise sets *peak to v if that is higher. NaN never is, unless nothing else
// was seen.
func raise(peak **float64, v float64) {
	if *peak == nil || v > **peak || **peak != **peak {
		*peak = &v
	}
}

// lower sets *lowest to v if that is lower, with NaN as raise has it.
func lower(lowest **float64, v float64) {
	if *lowest == nil || v < **lowest || **lowest != **lowest {
		*lowest = &v
	}
}

func promLabels(ls logs.Labels) labels.Labels {
	b := labels.NewScratchBuilder(len(ls))
	for _, l := range ls {
		b.Add(l.Name, l.Value)
	}
	b.Sort()
	return b.Labels()
}

func plainLabels(ls labels.Labels) logs.Labels {
	out := make(logs.Labels, 0, ls.Len())
	ls.Range(func(l labels.Label) { out = append(out, logs.Label{Name: l.Name, Value: l.Value}) })
	return out
}

// foreignExpr lets an AlertingRule carry an expression of another language.
// The rule only prints it and hands the text to its query function.
type foreignExpr string

func (e foreignExpr) String() string                      { return string(e) }
func (e foreignExpr) Pretty(int) string                   { return string(e) }
func (foreignExpr) PositionRange() posrange.PositionRange { return posrange.PositionRange{} }
func (foreignExpr) Type() parser.ValueType                { return parser.ValueTypeVector }
func (foreignExpr) PromQLExpr()                           {}
