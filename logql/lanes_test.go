package logql

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// laneRules are enough rules of both kinds for two lanes.
func laneRules() []string {
	texts := hostileRules()
	for i := range 2 * fewQueries {
		texts = append(texts, fmt.Sprintf(`sum(count_over_time({app="kueue"} |= "%c" != "%d" [10s]))`, 'a'+i%26, i))
	}
	return texts
}

func TestLanes_SameAnswers(t *testing.T) {
	log := hostileLog(3 * batchEntries)
	texts := laneRules()
	qs := compileAll(t, texts...)
	answers := func(lanes int) []setAnswer {
		sink := NewResults(qs, make([]Limit, len(qs)), log.streams)
		set := NewSet(qs, Options{MaxSeries: 100, Lanes: lanes})
		if (lanes > 1) != (set.lanes != nil) {
			t.Fatalf("%d lanes asked for, %d made", lanes, len(set.lanes))
		}
		r := log.run(t, set, log.windows(len(qs), 10*time.Second), sink)
		var out []setAnswer
		for i := range qs {
			out = append(out, setAnswer{sink.Result(i), r.Err(i) != nil, r.Funnel(i)})
		}
		return out
	}
	want, got := answers(0), answers(2)
	for i := range want {
		checkAnswer(t, texts[i], want[i], got[i])
	}
}

// A sink is never called at once for one query.
func TestLanes_OneQueryAtATime(t *testing.T) {
	log := zapLog(3 * batchEntries)
	qs := compileAll(t, laneRules()...)
	sink := &busySink{t: t, busy: make([]atomic.Bool, len(qs)), last: make([]int64, len(qs))}
	log.run(t, NewSet(qs, Options{Lanes: 2}), log.windows(len(qs), time.Second), sink)
}

type busySink struct {
	t    *testing.T
	busy []atomic.Bool
	last []int64
}

func (s *busySink) Match(query, _ int, _ *Match) {
	if !s.busy[query].CompareAndSwap(false, true) {
		s.t.Error("Match was called at once for one query")
	}
	s.busy[query].Store(false)
}

func (s *busySink) Vector(query int, ts int64, _ []Sample) {
	if !s.busy[query].CompareAndSwap(false, true) || ts <= s.last[query] {
		s.t.Error("Vector was called at once or out of order for one query")
	}
	s.last[query] = ts
	s.busy[query].Store(false)
}

func TestMakeLanes(t *testing.T) {
	many := compileAll(t, laneRules()...)
	f := func(what string, queries []*Query, lanes int, want []int) {
		t.Helper()
		var got []int
		for _, l := range makeLanes(queries, Options{Lanes: lanes}) {
			got = append(got, len(l.queries))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	f("not asked for", many, 1, nil)
	f("few", many[:40], 2, nil)
	f("one kind", compileAll(t, mixRules(100)...)[:20], 2, nil)
	if lanes := makeLanes(many, Options{Lanes: 8}); len(lanes) != 2 {
		t.Errorf("%d lanes; want 2", len(lanes))
	}
}
