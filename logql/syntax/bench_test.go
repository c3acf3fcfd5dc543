package syntax

import "testing"

func BenchmarkParse(b *testing.B) {
	for _, q := range []struct{ name, query string }{
		{"line", `{app="kueue"} |= "panic"`},
		{"pipeline", `{namespace="kueue-system", container="manager"} |= "error" | json | level="error" and attempt > 3 or took > 1m30s | line_format "{{.ts}} {{.msg}}"`},
		{"alert", `sum by (pod) (rate({app="kueue"} |~ "Workload .* (evicted|preempted)" | json | __error__="" [5m])) / on (pod) group_left sum by (pod) (rate({app="kueue"}[5m])) * 100 > 5`},
	} {
		b.Run("query="+q.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(q.query)))
			for b.Loop() {
				if _, err := Parse(q.query); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	e, err := Parse(`sum by (pod) (rate({app="kueue"} |= "x" | json | level="error" [5m])) / sum(rate({app="kueue"}[5m])) > 0.1`)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = e.String()
	}
}
