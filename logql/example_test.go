package logql_test

import (
	"fmt"
	"time"

	"github.com/stillfires/stillfires/logql"
)

// A printer prints what the queries of a run yield.
type printer struct{}

func (printer) Match(query, _ int, m *logql.Match) {
	fmt.Printf("query %d: line %s\n", query, m.Line)
}

func (printer) Vector(query int, ts int64, v []logql.Sample) {
	for _, s := range v {
		fmt.Printf("query %d: %v = %v at %s\n", query, s.Labels, s.Value, time.Unix(0, ts).UTC().Format(time.TimeOnly))
	}
}

// Two queries in one pass over three entries of one stream.
func Example() {
	lines, err := logql.ParseAndCompile(`{app="web"} |= "lost"`)
	if err != nil {
		fmt.Println(err)
		return
	}
	count, err := logql.ParseAndCompile(`sum by (level) (count_over_time({app="web"} | json | level="error" [1m]))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	second := int64(time.Second)
	streams := []logql.Labels{logql.NewLabels(logql.Label{Name: "app", Value: "web"})}
	run := logql.NewSet([]*logql.Query{lines, count}, logql.Options{}).NewRun(streams, []logql.Window{
		{Start: 0, End: 60 * second},
		{Start: 30 * second, End: 60 * second, Step: 30 * second},
	}, printer{})
	for i, line := range []string{
		`{"level":"info","msg":"start"}`,
		`{"level":"error","msg":"connection lost"}`,
		`{"level":"error","msg":"retry failed"}`,
	} {
		run.Push(0, &logql.Entry{Time: int64(i) * 20 * second, Line: []byte(line)})
	}
	run.Close()
	for i := range 2 {
		if err := run.Err(i); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// query 0: line {"level":"error","msg":"connection lost"}
	// query 1: line {"level":"error","msg":"connection lost"}
	// query 1: {level="error"} = 1 at 00:00:30
	// query 1: line {"level":"error","msg":"retry failed"}
	// query 1: {level="error"} = 2 at 00:01:00
}
