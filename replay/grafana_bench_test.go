package replay

import (
	"fmt"
	"testing"
)

// BenchmarkGrafana_Range reduces 100 series of 120 points each at 360
// evaluations.
func BenchmarkGrafana_Range(b *testing.B) {
	r := grafanaRule(b, "noDataState: OK", loki("A", "range", "from: 600", `sum by (peer) (count_over_time({app="web"} | logfmt [1m]))`),
		expr("B", "type: reduce, expression: A, reducer: max"), threshold1("Z", "B", "type: gt, params: [0]"))
	var lines []string
	for i := range 3600 {
		lines = append(lines, fmt.Sprintf("%d peer=p%d", i, i%100))
	}
	for b.Loop() {
		run(b, r, record(b, lines...))
	}
}
