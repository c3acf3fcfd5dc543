package logql

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
)

// A discard is a sink that only counts.
type discard struct{ matches, samples int }

func (d *discard) Match(int, int, *Match) { d.matches++ }

func (d *discard) Vector(_ int, _ int64, v []Sample) { d.samples += len(v) }

// A testLog is a log in memory.
type testLog struct {
	streams []logs.Labels
	stream  []int
	entries []logs.Entry
	bytes   int64
}

// zapLog generates a log as a controller with a zap JSON encoder writes it.
func zapLog(n int) *testLog {
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(s ...string) string { return s[rnd.IntN(len(s))] }
	l := new(testLog)
	for i := range 4 {
		l.streams = append(l.streams, logs.FromMap(map[string]string{
			"app": "kueue", "namespace": "kueue-system", "container": "manager", "pod": fmt.Sprint("manager-", i)}))
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		at := start.Add(time.Duration(i) * 20 * time.Millisecond)
		level := pick("info", "info", "info", "info", "info", "debug", "debug", "error")
		msg := pick("Workload assumed in the cache", "Reconciling Workload", "Scheduling cycle finished",
			"Workload evicted", "Quota usage", "assigned domains", "Reconciler error", "Starting workers")
		line := fmt.Sprintf(`{"level":%q,"ts":%q,"caller":"%s/controller.go:%d","logger":%q,"msg":%q,`+
			`"workload":{"name":"job-%05x","namespace":%q},"clusterQueue":{"name":%q},"attempt":%d,"latency_ms":%.3f,"reconcileID":"%016x"}`,
			level, at.Format(time.RFC3339Nano), pick("workload", "job", "clusterqueue"), rnd.IntN(900),
			pick("scheduler", "workload-reconciler", "job-reconciler", "cert-rotation"), msg,
			rnd.IntN(1<<20), pick("etl", "ml-train", "default"), pick("team-a", "team-b", "gpu"),
			rnd.IntN(10), rnd.Float64()*1000, rnd.Uint64())
		l.stream = append(l.stream, rnd.IntN(len(l.streams)))
		l.entries = append(l.entries, logs.Entry{Time: at.UnixNano(), Line: []byte(line)})
		l.bytes += int64(len(line)) + 1
	}
	return l
}

// zapRules returns 60 alert rules as they are written for such a log.
func zapRules() []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	const sel = `{app="kueue", container="manager"}`
	for _, msg := range []string{"Workload evicted", "Reconciler error", "panic", "leader election lost", "Quota usage",
		"failed to sync", "context deadline exceeded", "Scheduling cycle finished", "cannot assign", "certificate expired"} {
		add(`sum(count_over_time(%s |= %q [5m])) > 0`, sel, msg)
		add(`sum by (level) (count_over_time(%s | json | msg=%q [5m])) > 1`, sel, msg)
		add(`sum by (workload_namespace) (rate(%s |= %q | json | level="error" [5m])) > 0.1`, sel, msg)
	}
	for _, logger := range []string{"scheduler", "workload-reconciler", "job-reconciler", "cert-rotation", "events"} {
		add(`sum by (msg) (count_over_time(%s | json | logger=%q | level=~"error|warn" [5m])) > 10`, sel, logger)
		add(`sum(rate(%s | json | logger=%q | level!="debug" [1m])) == 0`, sel, logger)
		add(`max by (clusterQueue_name) (max_over_time(%s | json | logger=%q | unwrap latency_ms [5m]) by (clusterQueue_name)) > 900`, sel, logger)
		add(`quantile_over_time(0.99, %s | json | logger=%q | unwrap latency_ms | __error__="" [5m]) by (logger) > 500`, sel, logger)
	}
	for i := range 10 {
		add(`count_over_time(%s |~ "(?i)error|fail" | json | attempt > %d | keep level, logger [5m]) > 0`, sel, i)
	}
	return out
}

func compileAll(tb testing.TB, texts ...string) []*Query {
	tb.Helper()
	var out []*Query
	for _, text := range texts {
		q, err := ParseAndCompile(text)
		if err != nil {
			tb.Fatalf("%s: %v", text, err)
		}
		out = append(out, q)
	}
	return out
}

func (l *testLog) run(tb testing.TB, set *Set, windows []Window, sink Sink) *Run {
	tb.Helper()
	r := set.NewRun(l.streams, windows, sink)
	for i := range l.entries {
		r.Push(l.stream[i], &l.entries[i])
	}
	r.Close()
	return r
}

// windows is the whole log for n queries.
func (l *testLog) windows(n int, step time.Duration) []Window {
	w := Window{Start: l.entries[0].Time, End: l.entries[len(l.entries)-1].Time, Step: int64(step)}
	out := make([]Window, n)
	for i := range out {
		out[i] = w
	}
	return out
}

func BenchmarkRules(b *testing.B) {
	log := zapLog(20_000)
	rules := zapRules()
	for _, n := range []int{1, 10, 60} {
		b.Run(fmt.Sprint("rules=", n), func(b *testing.B) {
			queries := compileAll(b, rules[len(rules)-n:]...)
			set := NewSet(queries, Options{})
			windows := log.windows(n, time.Minute)
			b.SetBytes(log.bytes)
			b.ReportAllocs()
			for b.Loop() {
				r := log.run(b, set, windows, new(discard))
				for i := range queries {
					if err := r.Err(i); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkStages(b *testing.B) {
	log := zapLog(20_000)
	for name, query := range map[string]string{
		"contains": `{app="kueue"} |= "evicted"`,
		"regexp":   `{app="kueue"} |~ "evic(ted|ting)"`,
		"json":     `{app="kueue"} | json | level="fatal"`,
		"format":   `{app="kueue"} | json | line_format "{{.level}} {{.msg}}" |= "fatal"`,
		"pattern":  "{app=\"kueue\"} | pattern `<_>\"level\":\"<level>\"<_>` | level=\"fatal\"",
	} {
		b.Run("stage="+name, func(b *testing.B) {
			set := NewSet(compileAll(b, query), Options{})
			windows := log.windows(1, 0)
			b.SetBytes(log.bytes)
			b.ReportAllocs()
			for b.Loop() {
				log.run(b, set, windows, new(discard))
			}
		})
	}
}

// BenchmarkWindow steps in small steps through a long window: work must not
// grow with the number of entries in it.
func BenchmarkWindow(b *testing.B) {
	log := zapLog(20_000)
	for _, op := range []string{"count_over_time(%s [1h])", "sum_over_time(%s | unwrap latency_ms [1h])", "quantile_over_time(0.9, %s | unwrap latency_ms [1h])"} {
		name, _, _ := strings.Cut(op, "(")
		b.Run("op="+name, func(b *testing.B) {
			query := fmt.Sprintf(op, `{app="kueue"} | json latency_ms | keep app, latency_ms`)
			if name == "count_over_time" {
				query = fmt.Sprintf(op, `{app="kueue"}`)
			}
			set := NewSet(compileAll(b, query), Options{})
			b.SetBytes(log.bytes)
			b.ReportAllocs()
			for b.Loop() {
				log.run(b, set, log.windows(1, 5*time.Second), new(discard))
			}
		})
	}
}
