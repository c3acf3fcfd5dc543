package replay

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	promrules "github.com/prometheus/prometheus/rules"

	"github.com/stillfires/stillfires/rules"
)

// A seriesFeed writes what a rule yields into the store, where later rules read it:
// the series of a recording rule, or the ALERTS of an alert. A series that an
// evaluation lacks ends there, as it does in Prometheus.
type seriesFeed struct {
	store *metricStore
	live  map[int]bool // series of the evaluation before
	err   error
}

func newSeriesFeed(store *metricStore) *seriesFeed {
	return &seriesFeed{store: store, live: map[int]bool{}}
}

// write adds the series of the evaluation that asked at ms.
func (f *seriesFeed) write(ms int64, v promql.Vector) {
	if f.err != nil {
		return
	}
	now := make(map[int]bool, len(v))
	for _, s := range v {
		n := f.store.number(s.Metric)
		now[n] = true
		if f.err = f.store.append(n, ms, s.F); f.err != nil {
			return
		}
	}
	for n := range f.live { // the order does not matter: each has its own series
		if now[n] {
			continue
		}
		if f.err = f.store.end(n, ms); f.err != nil {
			return
		}
	}
	f.live = now
}

// A recordState follows one recording rule whose series other rules read.
type recordState struct {
	rule   *promrules.RecordingRule
	vector promql.Vector
	limit  int
	feed   *seriesFeed
	err    error
}

func newRecordState(r *rules.Rule, store *metricStore) *recordState {
	return &recordState{
		rule:  promrules.NewRecordingRule(r.Name, foreignExpr(r.Expr), labels.FromMap(r.Labels)),
		limit: r.Limit, feed: newSeriesFeed(store),
	}
}

// evaluate records the answer at ts, nanoseconds. After an error the rule
// records nothing more.
func (r *recordState) evaluate(ctx context.Context, ts int64, v promql.Vector) {
	if r.err != nil {
		return
	}
	r.vector = append(r.vector[:0], v...)
	out, err := r.rule.Eval(ctx, 0, time.Unix(0, ts).UTC(), r.answer, &url.URL{}, r.limit)
	if err != nil {
		r.err = fmt.Errorf("recording rule: %w", err)
		return
	}
	r.feed.write(ts/1e6, out)
	r.err = r.feed.err
}

func (r *recordState) answer(context.Context, string, time.Time) (promql.Vector, error) {
	return r.vector, nil
}
