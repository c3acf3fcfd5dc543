package logql

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/syntax"
)

func TestRangeAgg(t *testing.T) {
	entries := []testEntry{{at: 1, line: "v=1"}, {at: 2, line: "v=4"}, {at: 3, line: "v=NaN"}, {at: 4, line: "v=2"}, {at: 5, line: "w=1"}}
	test := func(query string, at float64, want ...string) {
		t.Helper()
		checkInstant(t, query, at, entries, want...)
	}
	const unwrapped = `({app="a"} | logfmt v | unwrap v [10s])`
	test(`count_over_time({app="a"}[10s])`, 5, `{app="a"} 5`)
	test(`rate({app="a"}[10s])`, 5, `{app="a"} 0.5`)
	test(`bytes_over_time({app="a"} | line_format "{{__line__}}!" [10s])`, 5, `{app="a"} 22`)
	test(`bytes_rate({app="a"}[10s])`, 5, `{app="a"} 1.7`)
	test(`sum_over_time`+unwrapped, 2, `{app="a"} 5`)
	test(`rate`+unwrapped, 2, `{app="a"} 0.5`)
	test(`avg_over_time`+unwrapped, 2, `{app="a"} 2.5`)
	test(`sum_over_time`+unwrapped, 4, `{app="a"} NaN`)
	test(`min_over_time`+unwrapped, 4, `{app="a"} 1`)
	test(`max_over_time`+unwrapped, 4, `{app="a"} 4`)
	test(`first_over_time`+unwrapped, 4, `{app="a"} 1`)
	test(`last_over_time`+unwrapped, 5, `{app="a"} 2`) // the line without v gives no sample
	test(`stdvar_over_time`+unwrapped, 2, `{app="a"} 2.25`)
	test(`stddev_over_time`+unwrapped, 2, `{app="a"} 1.5`)
	test(`quantile_over_time(0.5, {app="a"} | logfmt v | unwrap v [10s])`, 2, `{app="a"} 2.5`)
	test(`quantile_over_time(2, {app="a"} | logfmt v | unwrap v [10s])`, 2, `{app="a"} +Inf`)
	test(`rate_counter`+unwrapped, 1, `{app="a"} 0`)
	test(`max_over_time({app="a"} | logfmt | unwrap v [10s]) by (nope)`, 2, `{} 4`)
	test(`absent_over_time({app="a", x=~".*"}[1s])`, 9, `{app="a"} 1`)
	test(`absent_over_time({app="a"}[1s])`, 5)
	test(`count_over_time({app="a"}[0s])`, 5)
}

func TestRangeAgg_SampleErrors(t *testing.T) {
	entries := lines("v=x", "v=1")
	checkInstant(t, `sum_over_time({app="a"} | logfmt v | unwrap v | __error__="" [10s])`, 5, entries, `{app="a"} 1`)
	checkInstant(t, `sum_over_time({app="a"} | logfmt v | unwrap v [1s])`, 2, entries, `{app="a"} 1`) // the bad one is not seen
	got := instant(t, `sum_over_time({app="a"} | logfmt v | unwrap v [10s])`, 5, entries)
	if len(got) != 1 || got[0][:6] != "error:" {
		t.Errorf("a sample with __error__ gives %v; want an error", got)
	}
	// The failure of a parser is no error if the query asks for it.
	checkInstant(t, `sum by (__error__) (count_over_time({app="a"} | json | __error__!="" [10s]))`, 5, entries,
		`{__error__="JSONParserErr"} 2`)
	// A parser that nobody needs does not run.
	checkInstant(t, `sum(count_over_time({app="a"} | json [10s]))`, 5, entries, `{} 2`)
}

// TestRangeAgg_EqualsPlain compares the sliding windows with a computation of
// each window from all entries.
func TestRangeAgg_EqualsPlain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	ops := map[string]func(p *rangePlan, vs []float64, times []int64) float64{
		"count_over_time(%s)":  plainCount,
		"rate(%s)":             func(p *rangePlan, vs []float64, ts []int64) float64 { return plainCount(p, vs, ts) / p.rang.Seconds() },
		"sum_over_time(%s)":    plainSum,
		"avg_over_time(%s)":    func(p *rangePlan, vs []float64, ts []int64) float64 { return plainSum(p, vs, ts) / float64(len(vs)) },
		"min_over_time(%s)":    func(_ *rangePlan, vs []float64, _ []int64) float64 { return slices.Min(vs) },
		"max_over_time(%s)":    func(_ *rangePlan, vs []float64, _ []int64) float64 { return slices.Max(vs) },
		"first_over_time(%s)":  func(_ *rangePlan, vs []float64, _ []int64) float64 { return vs[0] },
		"last_over_time(%s)":   func(_ *rangePlan, vs []float64, _ []int64) float64 { return vs[len(vs)-1] },
		"stdvar_over_time(%s)": plainVariance,
		"quantile_over_time(0.7, %s)": func(p *rangePlan, vs []float64, _ []int64) float64 {
			return quantile(p.param, slices.Sorted(slices.Values(vs)))
		},
		"rate_counter(%s)": plainCounter,
	}
	for format, plain := range ops {
		for range 40 {
			rang, offset := 1+rnd.IntN(9), rnd.IntN(13)-6
			w := Window{Start: seconds(float64(rnd.IntN(10))), Step: seconds(0.5 + float64(rnd.IntN(8))/2)}
			w.End = w.Start + seconds(float64(rnd.IntN(30)))
			inner := fmt.Sprintf(`{app="a"} | logfmt v | unwrap v [%ds] offset %ds`, rang, offset)
			if format == "count_over_time(%s)" || format == "rate(%s)" {
				inner = fmt.Sprintf(`{app="a"}[%ds] offset %ds`, rang, offset)
			}
			var entries []testEntry
			for at := 0.0; at < 30; at += float64(rnd.IntN(6)) / 2 {
				entries = append(entries, testEntry{at: at, line: fmt.Sprintf("v=%d", rnd.IntN(9))})
			}
			comparePlain(t, fmt.Sprintf(format, inner), w, entries, plain)
		}
	}
}

func comparePlain(t *testing.T, query string, w Window, entries []testEntry, plain func(*rangePlan, []float64, []int64) float64) {
	t.Helper()
	res, err := runOne(t, query, w, entries)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[int64]float64)
	for _, s := range res.Series {
		for _, p := range s.Points {
			got[p.Time] = p.Value
		}
	}
	p := compileAll(t, query)[0].root.(*rangePlan)
	for at := w.Start; at <= w.End; at += w.Step {
		var vs []float64
		var times []int64
		for _, e := range entries {
			if ts := seconds(e.at) + int64(p.offset); ts > at-int64(p.rang) && ts <= at {
				var v float64
				fmt.Sscanf(e.line, "v=%g", &v)
				vs, times = append(vs, v), append(times, seconds(e.at))
			}
		}
		v, ok := got[at]
		if ok != (len(vs) > 0) {
			t.Fatalf("%s at %d of %v: point %v; want %v", query, at, w, ok, len(vs) > 0)
		}
		if ok {
			if want := plain(p, vs, times); math.Abs(v-want) > 1e-9*max(1, math.Abs(want)) && !(math.IsNaN(v) && math.IsNaN(want)) {
				t.Fatalf("%s at %d of %v = %v; want %v, from %v", query, at, w, v, want, vs)
			}
		}
	}
}

func plainCount(_ *rangePlan, vs []float64, _ []int64) float64 { return float64(len(vs)) }

func plainSum(_ *rangePlan, vs []float64, _ []int64) (sum float64) {
	for _, v := range vs {
		sum += v
	}
	return sum
}

func plainVariance(_ *rangePlan, vs []float64, _ []int64) (sum float64) {
	mean := plainSum(nil, vs, nil) / float64(len(vs))
	for _, v := range vs {
		sum += (v - mean) * (v - mean)
	}
	return sum / float64(len(vs))
}

func plainCounter(p *rangePlan, vs []float64, times []int64) float64 {
	f := counterFold{count: float64(len(vs)), first: counterSample{times[0], vs[0]}, last: counterSample{times[len(vs)-1], vs[len(vs)-1]}}
	for i := 1; i < len(vs); i++ {
		if vs[i] < vs[i-1] {
			f.resets += vs[i-1]
		}
	}
	return f.rate(p.rang)
}

func TestLeaf_LetsGoOfSeries(t *testing.T) {
	qs := compileAll(t, `count_over_time({app="a"} | logfmt [2s])`)
	r := NewSet(qs, Options{}).NewRun(testStream, []Window{{End: seconds(3 * fewSets), Step: seconds(1)}}, new(discard))
	for i := range 3 * fewSets {
		r.Push(0, &logs.Entry{Time: seconds(float64(i)), Line: fmt.Appendf(nil, "id=%d", i)})
	}
	l := r.pipelines[0][0].leaf
	if n := len(l.active); n > 4 {
		t.Errorf("%d series are active; want those of the window, about 3", n)
	}
	if n := len(l.series); n > 8 {
		t.Errorf("%d series are known; want those of the window, about 3", n)
	}
	if n := len(l.sets.byKey); n > 2*fewSets {
		t.Errorf("%d label sets are kept; want at most %d", n, 2*fewSets)
	}
}

func TestQuantile(t *testing.T) {
	test := func(q float64, want float64, vs ...float64) {
		t.Helper()
		if got := quantile(q, vs); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("quantile(%v, %v) = %v; want %v", q, vs, got, want)
		}
	}
	test(0.5, 2, 1, 2, 3)
	test(0.25, 1.5, 1, 2, 3)
	test(0, 1, 1, 2)
	test(1, 2, 1, 2)
	test(-1, math.Inf(-1), 1)
	test(1.5, math.Inf(1), 1)
	test(math.NaN(), math.NaN(), 1)
}

// Every aggregation of the syntax has a window.
func TestLeaf_KnowsEveryOperation(t *testing.T) {
	for op := syntax.CountOverTime; op <= syntax.RateCounter; op++ {
		for _, unwrapped := range []bool{false, true} {
			l := &leaf{plan: &rangePlan{op: op, unwrapped: unwrapped}}
			if w := l.newWindow(); w == nil || !w.empty() {
				t.Errorf("operation %d has no empty window", op)
			}
		}
	}
}

// A leaf that remembers what it found finds the same.
func TestLeaf_InstantsRemembered(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	for range 300 {
		w := Window{Start: rnd.Int64N(50), Step: 1 + rnd.Int64N(20)}
		w.End = w.Start + rnd.Int64N(100)
		p := &rangePlan{rang: time.Duration(1 + rnd.IntN(60)), offset: time.Duration(rnd.IntN(40) - 20)}
		l := &leaf{plan: p, window: w, count: w.instants()}
		for ts := int64(0); ts < 200; ts += rnd.Int64N(4) {
			first, last := l.instants(ts)
			for k := range l.count {
				at := w.at(k)
				sees := at-int64(p.rang)-int64(p.offset) < ts && ts <= at-int64(p.offset)
				if sees != (first <= k && k <= last) {
					t.Fatalf("%+v range %d offset %d at %d: instants %d to %d, instant %d sees it: %v", w, p.rang, p.offset, ts, first, last, k, sees)
				}
			}
		}
	}
}
