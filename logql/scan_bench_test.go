package logql

import (
	"fmt"
	"testing"
)

// zapLines returns JSON lines as a Kubernetes controller writes them.
func zapLines() [][]byte {
	var lines [][]byte
	for i := range 64 {
		lines = append(lines, fmt.Appendf(nil, `{"level":"Level(-%d)","ts":"2026-01-01T00:00:%02d.485151261Z","caller":"scheduler/scheduler.go:%d","logger":"workload-reconciler","msg":"Workload assumed in the cache","workload":{"name":"job-train-%05x","namespace":"ml-team"},"clusterQueue":{"name":"team-a"},"flavors":["on-demand","spot"],"usage":{"cpu":"%d","memory":"64Gi"},"attempt":%d,"error":"Operation cannot be fulfilled on workloads \"job-%d\": the object has been modified; please apply your changes to the latest version and try again"}`,
			i%6, i%60, 100+i, i*7919, i, i%9, i))
	}
	return lines
}

func logfmtLines() [][]byte {
	var lines [][]byte
	for i := range 64 {
		lines = append(lines, fmt.Appendf(nil, `ts=2026-01-01T00:00:%02d.485Z level=info caller=api.go:%d method=GET path=/api/v1/jobs/%d status=200 duration=%dms size=512B bytes=%d msg="request done" err="near \"SELECT\""`,
			i%60, 100+i, i*31, i%90, i*7919))
	}
	return lines
}

func benchmarkLines(b *testing.B, lines [][]byte, scan func(line []byte) error) {
	total := 0
	for _, l := range lines {
		total += len(l)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range lines {
			if err := scan(l); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkScanJSON(b *testing.B) {
	lines := zapLines()
	b.Run("want=all", func(b *testing.B) {
		var s jsonScanner
		n := 0
		emit := func(key, value []byte) { n += len(key) + len(value) }
		benchmarkLines(b, lines, func(line []byte) error {
			s.arena.reset()
			return s.scan(line, emit)
		})
	})
	b.Run("want=msg", func(b *testing.B) {
		n := 0
		emit := func(key, value []byte) { n += len(key) + len(value) }
		s := jsonScanner{want: newNameSet([]string{"msg"})}
		benchmarkLines(b, lines, func(line []byte) error {
			s.arena.reset()
			return s.scan(line, emit)
		})
	})
}

func BenchmarkExtractJSON(b *testing.B) {
	lines := zapLines()
	for _, paths := range [][]string{{"msg"}, {"level", "workload.name", "error"}} {
		b.Run(fmt.Sprintf("paths=%d", len(paths)), func(b *testing.B) {
			var compiled []jsonPath
			for _, src := range paths {
				p, err := compileJSONPath(src)
				if err != nil {
					b.Fatal(err)
				}
				compiled = append(compiled, p)
			}
			x := newJSONExtractor(compiled)
			n := 0
			benchmarkLines(b, lines, func(line []byte) error {
				return x.extract(line, func(i int, value []byte) { n += len(value) })
			})
		})
	}
}

func BenchmarkScanLogfmt(b *testing.B) {
	var s logfmtScanner
	n := 0
	benchmarkLines(b, logfmtLines(), func(line []byte) error {
		s.arena.reset()
		return s.scan(line, func(key, value []byte) { n += len(key) + len(value) })
	})
}

func BenchmarkTemplate(b *testing.B) {
	for name, src := range map[string]string{
		"plain": `{{.level}} {{.msg}}`,
		"funcs": `{{.level | upper}} {{regexReplaceAll "a+" .msg "b"}}`,
	} {
		b.Run("kind="+name, func(b *testing.B) {
			tmpl, err := compileTemplate(src)
			if err != nil {
				b.Fatal(err)
			}
			env := testEnv(map[string]string{"level": "info", "msg": "Workload assumed in the cache"})
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				if out, err = tmpl.execute(out[:0], env); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
