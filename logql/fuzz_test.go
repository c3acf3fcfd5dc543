package logql

import (
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

// FuzzRun runs any query over any lines: nothing may panic, and the answer must
// not depend on another query in the set.
func FuzzRun(f *testing.F) {
	for _, query := range zapRules()[:20] {
		f.Add(query, "plain", `{"level":"error","msg":"panic"}`)
	}
	f.Add(`{app="kueue"} | unpack | decolorize | logfmt --strict | label_format a=b | drop c | keep d=~".*"`, `{"_entry":"a=1"}`, "\x1b[1mx")
	f.Add(`quantile_over_time(0.5, {app="kueue"} | regexp "(?P<v>\\d+)" | unwrap duration(v) [1m] offset -1s) by (v)`, "12s", "1")
	f.Add(`topk(2, label_replace(sum by (a) (bytes_rate({app="kueue"} | pattern "<a> <_>" [1s])), "b", "$1", "a", "(.)"))`, "x y", "é")
	f.Fuzz(func(t *testing.T, query, a, b string) {
		q, err := ParseAndCompile(query)
		if err != nil {
			return
		}
		other := compileAll(t, `sum by (level) (count_over_time({app="kueue"} | json [5s]))`)[0]
		stream := []logs.Labels{logs.New(logs.Label{Name: "app", Value: "kueue"})}
		run := func(qs ...*Query) (int, bool) {
			sink := new(countOf)
			w := make([]Window, len(qs))
			for i := range w {
				w[i] = Window{End: seconds(4), Step: seconds(1)}
			}
			r := NewSet(qs, Options{AssumeSelectors: true, MaxSeries: 50}).NewRun(stream, w, sink)
			for i, line := range []string{a, b, a + b, b} {
				r.Push(0, &logs.Entry{Time: seconds(float64(i)), Line: []byte(line)})
			}
			r.Close()
			return sink.n, r.Err(0) != nil
		}
		n1, failed1 := run(q)
		n2, failed2 := run(q, other)
		if n1 != n2 || failed1 != failed2 {
			t.Errorf("%s alone: %d results, failed %v; beside another: %d, %v", query, n1, failed1, n2, failed2)
		}
	})
}

// A countOf counts what the first query yields.
type countOf struct{ n int }

func (c *countOf) Match(query, _ int, m *Match) {
	if query == 0 {
		m.Labels()
		c.n++
	}
}

func (c *countOf) Vector(query int, _ int64, v []Sample) {
	if query == 0 {
		c.n += len(v)
	}
}
