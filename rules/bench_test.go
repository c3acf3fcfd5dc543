package rules

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The ways in which many rules are written.
var manyRules = []struct{ name, file, head, rule, between, tail string }{
	{"json-one-line", "r.json", `{"groups":[{"name":"g","rules":[`, `{"alert":"A%d","expr":"sum by (job) (rate({app=\"a\"} |= \"broken %d\" [5m])) > 0","labels":{"severity":"page"},"annotations":{"summary":"it broke"}}`, ",", "]}]}"},
	{"yaml-one-line", "r.yaml", "{groups: [{name: g, rules: [", "{alert: A%d, expr: 'sum by (job) (rate({app=\"a\"} |= \"broken %d\" [5m])) > 0', labels: {severity: page}, annotations: {summary: it broke}}", ", ", "]}]}"},
	{"yaml", "r.yaml", "groups:\n- name: g\n  rules:\n", "  - alert: A%d\n    expr: |\n      sum by (job) (rate({app=\"a\"} |= \"broken %d\" [5m])) > 0\n    labels:\n      severity: page\n    annotations:\n      summary: it broke\n", "", ""},
}

// writeRules writes a file of n rules and returns its path.
func writeRules(t testing.TB, form, n int) string {
	t.Helper()
	m := manyRules[form]
	var b strings.Builder
	b.WriteString(m.head)
	for i := range n {
		if i > 0 {
			b.WriteString(m.between)
		}
		fmt.Fprintf(&b, m.rule, i, i)
	}
	b.WriteString(m.tail)
	path := filepath.Join(t.TempDir(), m.file)
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// BenchmarkLoad shows the time of each rule, which must not grow with their
// number.
func BenchmarkLoad(b *testing.B) {
	for form, m := range manyRules {
		for _, n := range []int{1000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", m.name, n), func(b *testing.B) {
				path := writeRules(b, form, n)
				for b.Loop() {
					set, err := Load([]string{path}, Options{})
					if err != nil || len(set.Problems) > 0 || len(set.Rules) != n {
						b.Fatal(err, len(set.Rules), set.Problems)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/rule")
			})
		}
	}
}

// Very many rules on one line are loaded, and soon: a time that grew with
// the square of their number would be minutes here.
func TestLoad_ManyRulesOnOneLine(t *testing.T) {
	const n = 20_000
	f := func(form int) {
		t.Helper()
		path := writeRules(t, form, n)
		start := time.Now()
		set, err := Load([]string{path}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Problems) > 0 || len(set.Rules) != n {
			t.Fatalf("%d rules, problems %v; want %d and none", len(set.Rules), set.Problems, n)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("loading took %v; want at most a minute", took)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := 1 + bytes.LastIndex(text, []byte("sum by"))
		if last := set.Rules[n-1].Pos; last.Line != 1 || last.Column != want {
			t.Errorf("the last expression stands at %v; want 1:%d", last, want)
		}
	}
	f(0)
	f(1)
}
