package replay

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// maxTimeline bounds the evaluations that are kept of one rule.
const maxTimeline = 100_000

// A timeline keeps what a rule did at each evaluation. It is made only where it
// was asked for; a nil timeline keeps nothing.
type timeline struct {
	at  map[int64]*outcome.Stretch // of one evaluation each, by time
	cut bool
}

func newTimeline() *timeline { return &timeline{at: map[int64]*outcome.Stretch{}} }

// of returns the evaluation at ts, nil where no more are kept.
func (t *timeline) of(ts int64) *outcome.Stretch {
	if t == nil {
		return nil
	}
	s := t.at[ts]
	if s == nil {
		if len(t.at) == maxTimeline {
			t.cut = true
			return nil
		}
		s = &outcome.Stretch{From: ts, To: ts, Evaluations: 1, State: outcome.None}
		t.at[ts] = s
	}
	return s
}

// answer notes the answer at ts and the state that follows from it. The values
// of a rule with a threshold are those on its left-hand side.
func (t *timeline) answer(ts int64, v []logql.Sample, state outcome.State, threshold bool) {
	s := t.of(ts)
	if s == nil {
		return
	}
	s.State, s.Series = state, len(v)
	for i := range v {
		if !threshold {
			raise(&s.Highest, v[i].Value)
			lower(&s.Lowest, v[i].Value)
		}
	}
}

func (t *timeline) left(ts int64, v float64) {
	if s := t.of(ts); s != nil {
		raise(&s.Highest, v)
		lower(&s.Lowest, v)
	}
}

// list returns stretches of evaluations with equal states, in time order.
func (t *timeline) list() []outcome.Stretch {
	if t == nil {
		return nil
	}
	all := make([]*outcome.Stretch, 0, len(t.at))
	for _, s := range t.at {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *outcome.Stretch) int { return cmp.Compare(a.From, b.From) })
	var out []outcome.Stretch
	for _, s := range all {
		if n := len(out); n > 0 && out[n-1].State == s.State {
			last := &out[n-1]
			last.To = s.To
			last.Evaluations++
			last.Series = max(last.Series, s.Series)
			if s.Highest != nil {
				raise(&last.Highest, *s.Highest)
				lower(&last.Lowest, *s.Lowest)
			}
			continue
		}
		out = append(out, *s)
	}
	return out
}

// stateNow is the state of a rule after an evaluation that yielded v.
func (rs *ruleState) stateNow(v []logql.Sample) outcome.State {
	switch {
	case rs.alert != nil && rs.alert.lastOn:
		return outcome.Fired
	case rs.alert != nil && rs.alert.pending:
		return outcome.Pending
	case rs.alert != nil:
		return outcome.Silent
	case len(v) > 0:
		return outcome.Matched
	}
	return outcome.None
}
