package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql"
)

// Evaluations in one state are one stretch, with the values of both ends.
func TestTimeline(t *testing.T) {
	tl := newTimeline()
	// The left-hand side may come before or after the answer.
	for ts, v := range []float64{0, 1, 5, 7, 2} {
		state := outcome.Silent
		if v > 4 {
			state = outcome.Fired
		}
		tl.left(int64(ts), v)
		tl.left(int64(ts), v/2)
		tl.answer(int64(ts), make([]logql.Sample, int(v/5)), state, true)
	}
	f := func(v float64) *float64 { return &v }
	want := []outcome.Stretch{
		{From: 0, To: 1, Evaluations: 2, State: outcome.Silent, Lowest: f(0), Highest: f(1)},
		{From: 2, To: 3, Evaluations: 2, State: outcome.Fired, Series: 1, Lowest: f(2.5), Highest: f(7)},
		{From: 4, To: 4, Evaluations: 1, State: outcome.Silent, Lowest: f(1), Highest: f(2)},
	}
	if diff := cmp.Diff(want, tl.list()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var none *timeline
	none.answer(1, nil, outcome.Fired, false)
	none.left(1, 2)
	if got := none.list(); got != nil {
		t.Errorf("a timeline that was not asked for holds %v", got)
	}
}

func TestTimeline_Bounded(t *testing.T) {
	tl := newTimeline()
	for ts := range int64(maxTimeline + 1) {
		tl.answer(ts, nil, outcome.None, false)
	}
	if got := tl.list(); len(got) != 1 || got[0].Evaluations != maxTimeline || !tl.cut {
		t.Errorf("%v, cut %v", got, tl.cut)
	}
}
