package logqltest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/logql/syntax"
)

// sorted orders the constructs by name, those of operators among the others.
func (g ConstructGroup) sorted() ConstructGroup {
	slices.SortFunc(g.Constructs, func(a, b Construct) int { return cmp.Compare(a.Name, b.Name) })
	return g
}

// metricConstructs are those of metric queries.
func metricConstructs() []ConstructGroup {
	return []ConstructGroup{rangeConstructs(), rangeFunctions(), vectorFunctions(), binaryConstructs()}
}

func rangeConstructs() ConstructGroup {
	const count = `count_over_time({app="x"}[5m]%s)`
	const unwrap = `sum_over_time({app="x"} | json | unwrap %s [5m])`
	return ConstructGroup{Title: "Log ranges", Constructs: []Construct{
		{Name: "range", Feature: "node LogRange", Example: fmt.Sprintf(count, "")},
		{Name: "range before the stages", Example: `count_over_time({app="x"}[5m] | json)`},
		{Name: "offset", Feature: "offset", Example: fmt.Sprintf(count, " offset 1m")},
		{Name: "negative offset", Feature: "offset negative", Example: fmt.Sprintf(count, " offset -1m")},
		{Name: "unwrap", Feature: "unwrap ", Example: fmt.Sprintf(unwrap, "n")},
		{Name: "unwrap duration", Feature: "unwrap duration", Example: fmt.Sprintf(unwrap, "duration(took)")},
		{Name: "unwrap duration_seconds", Feature: "unwrap duration_seconds", Example: fmt.Sprintf(unwrap, "duration_seconds(took)")},
		{Name: "unwrap bytes", Feature: "unwrap bytes", Example: fmt.Sprintf(unwrap, "bytes(size)")},
		{Name: "filter after unwrap", Feature: "unwrap filtered", Example: fmt.Sprintf(unwrap, `n | __error__=""`)},
	}}
}

// rangeFunctions lists every RangeOp that there is.
func rangeFunctions() ConstructGroup {
	g := ConstructGroup{Title: "Range aggregations", Constructs: []Construct{
		{Name: "rate of unwrapped values", Feature: "rate unwrapped", Example: `rate({app="x"} | json | unwrap n [5m])`},
		{Name: "grouping", Feature: "range grouping", Example: `max_over_time({app="x"} | json | unwrap n [5m]) by (pod)`},
	}}
	for _, op := range ops[syntax.RangeOp]() {
		example := fmt.Sprintf(`%s({app="x"} | json | unwrap n [5m])`, op)
		switch op {
		case "count_over_time", "rate", "bytes_over_time", "bytes_rate", "absent_over_time":
			example = fmt.Sprintf(`%s({app="x"}[5m])`, op)
		case "quantile_over_time":
			example = `quantile_over_time(0.99, {app="x"} | json | unwrap n [5m])`
		}
		g.Constructs = append(g.Constructs, Construct{Name: op, Feature: "range " + op, Example: example})
	}
	return g
}

// vectorFunctions lists every VectorOp that there is.
func vectorFunctions() ConstructGroup {
	const arg = `(count_over_time({app="x"}[5m]))`
	g := ConstructGroup{Title: "Aggregations and functions", Constructs: []Construct{
		{Name: "by", Feature: "grouping by", Example: "sum by (pod) " + arg},
		{Name: "without", Feature: "grouping without", Example: "sum without (pod) " + arg},
		{Name: "label_replace", Feature: "node LabelReplace", Example: `label_replace(rate({app="x"}[5m]), "to", "$1", "pod", "(.*)-.*")`},
		{Name: "vector", Feature: "node VectorFunc", Example: "vector(1)"},
		{Name: "number", Feature: "node NumberLit", Example: "1.5"},
	}}
	for _, op := range ops[syntax.VectorOp]() {
		c := Construct{Name: op, Feature: "vector " + op, Example: op + arg}
		if strings.Contains(op, "top") || op == "bottomk" {
			c.Example = op + "(3, " + arg[1:]
		}
		if op == syntax.ApproxTopK.String() {
			c.Differs = "the exact largest series, where a Loki estimates them"
		}
		g.Constructs = append(g.Constructs, c)
	}
	return g
}

// binaryConstructs lists every BinaryOp that there is.
func binaryConstructs() ConstructGroup {
	const left, right = `sum by (a) (rate({app="x"}[5m]))`, `sum by (a) (rate({app="y"}[5m]))`
	g := ConstructGroup{Title: "Binary operators", Constructs: []Construct{
		{Name: "bool", Feature: "bool", Example: left + " > bool 1"},
		{Name: "on", Feature: "matching on", Example: left + " / on (a) " + right},
		{Name: "ignoring", Feature: "matching ignoring", Example: left + " / ignoring (b) " + right},
		{Name: "group_left", Feature: fmt.Sprintf("cardinality %d", syntax.ManyToOne), Example: left + " / on (a) group_left () " + right},
		{Name: "group_right", Feature: fmt.Sprintf("cardinality %d", syntax.OneToMany), Example: left + " / on (a) group_right () " + right},
		{Name: "labels of the one side", Feature: "group include", Example: left + " / on (a) group_left (b) " + right},
	}}
	for _, op := range ops[syntax.BinaryOp]() {
		g.Constructs = append(g.Constructs, Construct{Name: op, Feature: "binary " + op, Example: left + " " + op + " " + right})
	}
	return g
}

// foreignConstructs are what people try that LogQL does not have, or that is
// experimental.
func foreignConstructs() ConstructGroup {
	return ConstructGroup{Title: "Not in LogQL, or experimental", Constructs: []Construct{
		{Name: "variants", Example: `variants(count_over_time({app="x"}[5m])) of ({app="x"}[5m])`},
		{Name: "subquery", Example: `max_over_time(rate({app="x"}[1m])[5m:1m])`},
		{Name: "@ modifier", Example: `rate({app="x"}[5m] @ 1767225600)`},
		{Name: "PromQL metric", Example: `up == 0`},
		{Name: "increase", Example: `increase({app="x"}[5m])`},
		{Name: "absent", Example: `absent({app="x"})`},
		{Name: "histogram_quantile", Example: `histogram_quantile(0.9, rate({app="x"}[5m]))`},
		{Name: "dashboard variable", Example: `{app="$app"} |= "x" [$__interval]`},
		{Name: "single quotes", Example: `{app='x'}`},
		{Name: "selector that can match everything", Example: `{app=~".*"}`},
	}}
}
