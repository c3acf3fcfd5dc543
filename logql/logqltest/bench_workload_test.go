package logqltest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/feed"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// A workload is one measured piece of work.
type workload struct {
	bench  string // the benchmark's name
	name   string // of the sub-benchmark
	source string // file, corpus or memory
	cores  int    // 0: all
	// text is the log whose size is the amount of work.
	text func(l *benchLog) (string, error)
	// run does the work and returns how much came out of it: lines or samples.
	run func(l *benchLog) (int64, error)
}

func workloads() []workload {
	var all []workload
	add := func(w workload) {
		if w.cores > 0 {
			w.name += fmt.Sprintf("/cores=%d", w.cores)
		}
		w.name += "/tool=stillfires"
		all = append(all, w)
	}
	plain, logfmt, whole := (*benchLog).json, (*benchLog).logfmt, (*benchLog).whole
	for _, n := range loggen.Needles() {
		name, query := "needle="+n.Name, fmt.Sprintf("%s |= %q", loggen.Selector(), n.Text)
		add(workload{"Count", name, "file", 0, plain, countFile(query, plain)})
		add(workload{"Count", name, "file", 1, plain, countFile(query, plain)})
		add(workload{"Corpus", name, "corpus", 0, plain, countCorpus(query)})
	}
	for _, p := range []struct{ name, stages string }{
		{"json-few", `| json | msg="Reconciler error"`},
		{"json-most", `| json | level!="info"`},
		{"json-escaped", `| json | error=~"(?s).*unknown field \"resourcs\".*"`},
		{"json-nested", `| json | workload_namespace="team-maps"`},
		{"json-broken", `| json | __error__!=""`},
	} {
		add(workload{"Parse", "query=" + p.name, "file", 1, plain, countFile(loggen.Selector()+p.stages, plain)})
	}
	add(workload{"Parse", "query=logfmt-error", "file", 1, logfmt, countFile(loggen.Selector()+`| logfmt | level="error"`, logfmt)})

	// A broken line makes the first of these fail, as it does in Loki.
	byLevel := fmt.Sprintf(`sum by (level) (count_over_time(%s | json [5m]))`, loggen.Selector())
	byLevelOfWhole := fmt.Sprintf(`sum by (level) (count_over_time(%s | json | __error__="" [5m]))`, loggen.Selector())
	const steps = 100
	for _, source := range []struct {
		name string
		read reader
	}{{"memory", fromMemory}, {"file", fromFile}, {"corpus", fromCorpus}} {
		name := "query=sum-by-level/source=" + source.name
		add(workload{"Metric", name, source.name, 1, whole, evaluate([]string{byLevel}, steps, whole, source.read)})
	}
	add(workload{"Metric", "query=sum-by-level/source=corpus", "corpus", 0, whole, evaluate([]string{byLevel}, steps, whole, fromCorpus)})
	add(workload{"Metric", "query=sum-by-level-of-whole/source=corpus", "corpus", 1, plain, evaluate([]string{byLevelOfWhole}, steps, plain, fromCorpus)})

	for _, n := range []int{1, 100, 500} {
		add(workload{"Rules", fmt.Sprintf("rules=%d/path=set", n), "corpus", 0, plain, evaluate(loggen.Rules(n), 0, plain, fromCorpus)})
	}
	add(workload{"Rules", "rules=500/path=replay", "corpus", 0, plain, replayRules(500)})
	return all
}

// countFile counts the lines of a plain file that a query keeps.
func countFile(query string, file func(*benchLog) (string, error)) func(*benchLog) (int64, error) {
	return func(l *benchLog) (n int64, err error) {
		q, err := logql.ParseAndCompile(query)
		if err != nil {
			return 0, err
		}
		path, err := file(l)
		if err != nil {
			return 0, err
		}
		f, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		return logql.CountLines(context.Background(), q, logs.FromMap(loggen.Labels()), f)
	}
}

// A counting is a sink that only counts.
type counting struct{ matches, samples atomic.Int64 }

func (c *counting) Match(int, int, *logql.Match) { c.matches.Add(1) }

func (c *counting) Vector(_ int, _ int64, v []logql.Sample) { c.samples.Add(int64(len(v))) }

// countCorpus counts the records of the corpus that a log query keeps, and
// reads them with their times.
func countCorpus(query string) func(*benchLog) (int64, error) {
	return func(l *benchLog) (n int64, err error) {
		q, err := logql.ParseAndCompile(query)
		if err != nil {
			return 0, err
		}
		run, err := corpusOf(l.json())
		if err != nil {
			return 0, err
		}
		streams := []logs.Labels{run.Manifest.Streams[0].LabelSet()}
		var keep func([]byte) []byte
		if p := q.Prefilter(streams); p != nil {
			keep = p.Keep
		}
		entries, err := run.EntriesWhere(keep, 0)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, entries.Close()) }()
		var sink counting
		pass := logql.NewSet([]*logql.Query{q}, logql.Options{}).NewRun(streams, []logql.Window{{Start: math.MinInt64, End: math.MaxInt64}}, &sink)
		for entries.Scan() {
			pass.Push(entries.Stream(), entries.Entry())
		}
		pass.Close()
		return sink.matches.Load(), errors.Join(entries.Err(), pass.Err(0))
	}
}

// A reader calls push for each entry of the plain log at path, or of what was
// made of it.
type reader func(l *benchLog, path string, push func(e *logs.Entry)) error

// evaluate runs metric queries over the log, at the given number of instants
// or, with none, once a minute.
func evaluate(queries []string, steps int, text func(*benchLog) (string, error), read reader) func(*benchLog) (int64, error) {
	return func(l *benchLog) (int64, error) {
		var compiled []*logql.Query
		for _, text := range queries {
			q, err := logql.ParseAndCompile(text)
			if err != nil {
				return 0, fmt.Errorf("%s: %w", text, err)
			}
			compiled = append(compiled, q)
		}
		// The mean distance of lines is 20 ms.
		end := loggen.Start + int64(l.lines)*int64(20*time.Millisecond)
		w := logql.Window{Start: loggen.Start + int64(time.Minute), End: end, Step: int64(time.Minute)}
		if steps > 0 {
			w.Step = (end - loggen.Start) / int64(steps)
			w.Start = loggen.Start + w.Step
		}
		windows := make([]logql.Window, len(compiled))
		for i := range windows {
			windows[i] = w
		}
		var sink counting
		pass := logql.NewSet(compiled, logql.Options{Lanes: runtime.GOMAXPROCS(0)}).NewRun([]logs.Labels{logs.FromMap(loggen.Labels())}, windows, &sink)
		path, err := text(l)
		if err != nil {
			return 0, err
		}
		if err := read(l, path, func(e *logs.Entry) { pass.Push(0, e) }); err != nil {
			return 0, err
		}
		pass.Close()
		for i, q := range queries {
			if err := pass.Err(i); err != nil {
				return 0, fmt.Errorf("%s: %w", q, err)
			}
		}
		return sink.samples.Load(), nil
	}
}

func fromCorpus(_ *benchLog, path string, push func(e *logs.Entry)) (err error) {
	run, err := corpusOf(path, nil)
	if err != nil {
		return err
	}
	entries, err := run.Entries()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, entries.Close()) }()
	// As query and replay read: on a goroutine of its own.
	all := func(int, *logs.Entry) bool { return true }
	return feed.Each(context.Background(), entries, all, func(_ int, e *logs.Entry) bool {
		push(e)
		return true
	})
}

func fromFile(_ *benchLog, path string, push func(e *logs.Entry)) (err error) {
	entries, err := corpus.OpenRaw(context.Background(), path, false, corpus.RawOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, entries.Close()) }()
	for entries.Scan() {
		push(entries.Entry())
	}
	return entries.Err()
}

// load keeps a log in memory, to measure the engine alone.
func (l *benchLog) load(path string) error {
	l.entries = make([]logs.Entry, 0, l.lines)
	return fromFile(l, path, func(e *logs.Entry) {
		l.entries = append(l.entries, logs.Entry{Time: e.Time, Line: bytes.Clone(e.Line)})
	})
}

func fromMemory(l *benchLog, _ string, push func(e *logs.Entry)) error {
	for i := range l.entries {
		push(&l.entries[i])
	}
	return nil
}

// replayRules evaluates rules as a review does, with alert states.
func replayRules(n int) func(*benchLog) (int64, error) {
	return func(l *benchLog) (samples int64, err error) {
		var rs []rules.Rule
		for i, expr := range loggen.Rules(n) {
			rs = append(rs, rules.Rule{Kind: rules.Alert, Name: fmt.Sprintf("Rule%d", i), Group: "bench", Language: rules.LogQL, Expr: expr})
		}
		plan := replay.NewPlan(rs, replay.Options{})
		if problems := plan.Problems(); len(problems) > 0 {
			return 0, problems[0]
		}
		run, err := corpusOf(l.json())
		if err != nil {
			return 0, err
		}
		entries, err := run.Entries()
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, entries.Close()) }()
		st := &run.Manifest.Streams[0]
		result, err := plan.Run(context.Background(), &replay.Source{
			Build: run.Build, Scenario: run.Scenario, Repetition: run.Repetition,
			Streams: []logs.Labels{st.LabelSet()}, First: st.First.UnixNano(), Last: st.Last.UnixNano(), Entries: entries,
		})
		if err != nil {
			return 0, err
		}
		for i := range result.Outcomes {
			if reason := result.Outcomes[i].Reason; reason != "" {
				return 0, fmt.Errorf("%s: %s", rs[i].Expr, reason)
			}
			samples += int64(len(result.Outcomes[i].Firing))
		}
		return samples, nil
	}
}
