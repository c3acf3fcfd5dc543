package logqltest_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// seedQueries returns the queries of testdata/queries.txt.
func seedQueries(tb testing.TB) []string {
	tb.Helper()
	text, err := os.ReadFile("testdata/queries.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out
}

// FuzzPipeline runs any query over any text: nothing panics, time is bounded,
// and the answer is the same a second time, beside other queries, and when
// lines are counted in a block.
func FuzzPipeline(f *testing.F) {
	lines := hostileLines()
	for i, query := range seedQueries(f) {
		for j := range 3 {
			if line := lines[(3*i+j)%len(lines)]; len(line) < 1000 {
				f.Add(query, []byte(line))
			}
		}
	}
	var text bytes.Buffer
	if err := loggen.Write(&text, 40); err != nil {
		f.Fatal(err)
	}
	for _, query := range loggen.Rules(20) {
		f.Add(query, text.Bytes())
	}
	beside := compile(f, loggen.Selector()+`| json | level!="info"`, loggen.Rules(1)[0], `sum(count_over_time({app=~".+"} | logfmt [5s]))`)
	f.Fuzz(func(t *testing.T, query string, text []byte) {
		if len(query) > 1<<10 || len(text) > 64<<10 {
			return
		}
		q, err := logql.ParseAndCompile(query)
		if err != nil {
			return
		}
		first := fuzzAnswer(q, text)
		same(t, "a second time", first, fuzzAnswer(q, text))
		same(t, "beside other queries", first, fuzzAnswer(q, text, beside...))
		if q.IsLog() {
			checkCount(t, q, text)
		}
	})
}

// fuzzAnswer runs a query over the lines of a text, a second apart.
func fuzzAnswer(q *logql.Query, text []byte, beside ...*logql.Query) answer {
	qs := append([]*logql.Query{q}, beside...)
	windows := make([]logql.Window, len(qs))
	for i := range windows {
		windows[i] = logql.Window{End: int64(20 * time.Second), Step: int64(time.Second)}
	}
	streams := []logs.Labels{logs.FromMap(loggen.Labels())}
	sink := logql.NewResults(qs, make([]logql.Limit, len(qs)), streams)
	run := logql.NewSet(qs, logql.Options{AssumeSelectors: true, MaxSeries: 100}).NewRun(streams, windows, sink)
	at := int64(0)
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		run.Push(0, &logs.Entry{Time: at, Line: line})
		at += int64(time.Second)
	}
	run.Close()
	return answerOf(run, sink, 0)
}
