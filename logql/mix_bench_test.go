package logql

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql/logqltest/loggen"
)

// mixRules returns n rules for the log of zapLog: of five, two with line
// filters, two with JSON and label filters, one with a regexp or unwrap. No
// two are equal, and most name texts of their own.
func mixRules(n int) []string {
	const sel = `{app="kueue", container="manager"}`
	levels := []string{"error", "info", "debug", "warn"}
	loggers := []string{"scheduler", "workload-reconciler", "job-reconciler", "cert-rotation", "events"}
	msgs := []string{"Workload assumed in the cache", "Reconciling Workload", "Scheduling cycle finished", "Workload evicted",
		"Quota usage", "assigned domains", "Reconciler error", "Starting workers", "leader election lost", "failed to sync"}
	things := []string{"webhook", "certificate", "quota", "snapshot", "topology", "cohort", "preemption", "admission", "lease", "flavor"}
	troubles := []string{"timed out", "rejected", "not found", "is stale", "failed", "exceeded", "lost", "denied", "conflict", "panicked"}
	ranges := []string{"1m", "5m", "10m"}
	var out []string
	for i := range n {
		k := i / 5
		own := fmt.Sprintf("%s %s", things[k%10], troubles[k/10%10])
		if k >= 100 {
			own += fmt.Sprint(" #", k)
		}
		msg, level, logger, rng := msgs[k%10], levels[k%4], loggers[k/2%5], ranges[k%3]
		var q string
		switch i % 5 {
		case 0:
			q = fmt.Sprintf(`sum(count_over_time(%s |= %q [%s])) > 0`, sel, own, rng)
		case 1:
			switch k % 4 {
			case 0:
				q = fmt.Sprintf(`sum(rate(%s |= "\"msg\":\"%s" != %q [%s])) > 0.1`, sel, msg, own, rng)
			case 1:
				q = fmt.Sprintf(`sum by (pod) (count_over_time(%s |~ "(?i)%s" [%s])) > 1`, sel, own, rng)
			case 2:
				q = fmt.Sprintf(`sum(count_over_time(%s |= %q or %q [%s])) > 3`, sel, own, msg+" again", rng)
			default:
				q = fmt.Sprintf(`sum(count_over_time(%s |= %q |= "\"attempt\":%d" [%s])) > 0`, sel, msg, k/20, rng)
			}
		case 2:
			q = fmt.Sprintf(`sum by (level) (count_over_time(%s | json | msg=%q [%s])) > %d`, sel, own, rng, k)
		case 3:
			switch k % 4 {
			case 0:
				q = fmt.Sprintf(`sum by (clusterQueue_name) (count_over_time(%s | json | logger=%q | level!=%q | attempt > %d [%s])) > 9`, sel, logger, level, k%9, rng)
			case 1:
				q = fmt.Sprintf(`sum by (msg) (count_over_time(%s | json | logger=%q | level=~"error|%s" | workload_namespace="ns-%d" [%s])) > 10`, sel, logger, level, k, rng)
			case 2:
				q = fmt.Sprintf(`sum(rate(%s | json | level=%q and msg=~"%s.*" [%s])) > 1`, sel, level, own, rng)
			default:
				q = fmt.Sprintf(`sum by (workload_namespace) (count_over_time(%s |= %q | json | level=%q [%s])) > 1`, sel, msg, levels[k/20%4], rng)
			}
		case 4:
			switch k % 4 {
			case 0:
				q = fmt.Sprintf(`sum(count_over_time(%s |~ "%s [a-z]+/[0-9]+" [%s])) > 0`, sel, own, rng)
			case 1:
				q = fmt.Sprintf(`quantile_over_time(0.%d, %s | json | logger=%q | msg=%q | unwrap latency_ms | __error__="" [%s]) by (logger) > 500`, 50+k%50, sel, logger, msg, rng)
			case 2:
				q = fmt.Sprintf(`max_over_time(%s |= %q | regexp "attempt.:(?P<n>[0-9]+)" | unwrap n [%s]) by (pod) > 3`, sel, own, rng)
			default:
				q = fmt.Sprintf(`sum by (host) (count_over_time(%s | regexp "%s (?P<host>[a-z0-9.]+):%d" | host!="" [%s])) > 0`, sel, own, k, rng)
			}
		}
		out = append(out, q)
	}
	return out
}

func TestMixRules(t *testing.T) {
	seen := make(map[string]bool)
	for _, text := range mixRules(500) {
		if seen[text] {
			t.Errorf("%s: twice", text)
		}
		seen[text] = true
	}
	compileAll(t, mixRules(500)...)
}

// fleetLog is the first n lines of the generated log.
func fleetLog(n int) *testLog {
	l := &testLog{streams: []logs.Labels{logs.FromMap(loggen.Labels())}}
	loggen.Lines(n, func(ts int64, line []byte) { l.add(ts, bytes.Clone(line)) })
	return l
}

// fleetLogfmt is fleetLog written as logfmt.
func fleetLogfmt(n int) *testLog {
	l := &testLog{streams: []logs.Labels{logs.FromMap(loggen.Labels())}}
	var text bytes.Buffer
	if err := loggen.WriteLogfmt(&text, n); err != nil {
		panic(err)
	}
	for line := range bytes.Lines(text.Bytes()) {
		l.add(loggen.Start+int64(len(l.entries))*20_000_000, bytes.TrimRight(line, "\n"))
	}
	return l
}

func (l *testLog) add(ts int64, line []byte) {
	l.stream = append(l.stream, 0)
	l.entries = append(l.entries, logs.Entry{Time: ts, Line: line})
	l.bytes += int64(len(line)) + 1
}

// BenchmarkMix runs the mix of rules in one pass over a log that is evaluated
// once a minute.
func BenchmarkMix(b *testing.B) {
	log := fleetLog(50_000)
	for _, n := range []int{100, 500} {
		b.Run(fmt.Sprint("rules=", n), func(b *testing.B) {
			set := NewSet(compileAll(b, loggen.Rules(n)...), Options{})
			windows := log.windows(n, time.Minute)
			b.SetBytes(log.bytes)
			b.ReportAllocs()
			for b.Loop() {
				log.run(b, set, windows, new(discard))
			}
		})
	}
}

// BenchmarkSingle runs the queries that have speed goals of their own.
func BenchmarkSingle(b *testing.B) {
	zap, fmtLog := fleetLog(50_000), fleetLogfmt(50_000)
	for _, x := range []struct {
		name, query string
		log         *testLog
	}{
		{"line", `{app="fleet-controller"} |= "Reconciler error"`, zap},
		{"json-msg", `{app="fleet-controller"} | json | msg="Reconciler error"`, zap},
		{"json-level", `{app="fleet-controller"} | json | level!="info"`, zap},
		{"json-sum", `sum by (level) (count_over_time({app="fleet-controller"} | json [5m]))`, zap},
		{"logfmt", `{app="fleet-controller"} | logfmt | level="error"`, fmtLog},
	} {
		b.Run("query="+x.name, func(b *testing.B) {
			set := NewSet(compileAll(b, x.query), Options{})
			windows := x.log.windows(1, 10*time.Second)
			b.SetBytes(x.log.bytes)
			b.ReportAllocs()
			for b.Loop() {
				x.log.run(b, set, windows, new(discard))
			}
		})
	}
}
