package replay

import (
	"fmt"
	"math"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/rules"
)

// A chainSeries is the points of one series that a query over a range yields.
type chainSeries struct {
	labels logs.Labels
	points []float64
}

// A chainValue is what a node of a chain yields at one evaluation: numbers, or
// series if it is a query over a range.
type chainValue struct {
	numbers numbers
	series  []chainSeries
	ranged  bool
}

// answer evaluates the condition of a chain from the answers to its queries, by
// refID.
func (c *plannedChain) answer(values map[string]chainValue) (numbers, error) {
	for _, n := range c.nodes {
		switch n.Type {
		case "reduce":
			values[n.RefID] = chainValue{numbers: reduce(n, values[n.Input])}
		case "threshold":
			values[n.RefID] = chainValue{numbers: compare(&n.Conditions[0], values[n.Input].numbers)}
		case "math":
			vars := map[string]numbers{}
			for _, name := range n.Math.Vars() {
				vars[name] = values[name].numbers
			}
			out, err := calculate(n.Math, vars)
			if err != nil {
				return nil, fmt.Errorf("expression %s: %w", n.RefID, err)
			}
			values[n.RefID] = chainValue{numbers: out}
		case "classic_conditions":
			values[n.RefID] = chainValue{numbers: classic(n, values)}
		}
	}
	return values[c.condition.RefID].numbers, nil
}

// reduce makes a number of each series. A number stays what it is.
func reduce(n *rules.GrafanaNode, in chainValue) numbers {
	var out numbers
	one := func(labels logs.Labels, points []float64) {
		v, null := reducePoints(n, points)
		out = append(out, number{labels: labels, v: v, null: null, shown: v})
	}
	for _, s := range in.series {
		one(s.labels, s.points)
	}
	for _, x := range in.numbers {
		if x.null {
			one(x.labels, nil)
			continue
		}
		one(x.labels, []float64{x.v})
	}
	return out
}

// reducePoints reduces the points of one series by the mode of the node. If
// the mode drops all points, the result is null.
func reducePoints(n *rules.GrafanaNode, points []float64) (v float64, null bool) {
	if n.Mode != "" {
		kept := make([]float64, 0, len(points))
		for _, p := range points {
			switch isNumber := !math.IsNaN(p) && !math.IsInf(p, 0); {
			case isNumber:
				kept = append(kept, p)
			case n.Mode == "replaceNN":
				kept = append(kept, n.ReplaceWith)
			}
		}
		points = kept
	}
	if n.Reducer == "count" {
		return float64(len(points)), false
	}
	if len(points) == 0 {
		return math.NaN(), n.Mode == "dropNN"
	}
	switch n.Reducer {
	case "last":
		return points[len(points)-1], false
	case "min", "max":
		v = points[0]
		for _, p := range points {
			switch {
			case math.IsNaN(p) || math.IsNaN(v):
				v = math.NaN()
			case n.Reducer == "min":
				v = min(v, p)
			default:
				v = max(v, p)
			}
		}
		return v, false
	}
	for _, p := range points {
		v += p
	}
	if n.Reducer == "mean" {
		v /= float64(len(points))
	}
	return v, false
}

// compare makes 1 or 0 of each number. Null stays null.
func compare(c *rules.GrafanaCondition, in numbers) numbers {
	out := make(numbers, len(in))
	for i, n := range in {
		out[i] = n
		if !n.null {
			out[i].v, out[i].shown = truth(holds(c, n.v)), n.v
		}
	}
	return out
}

// holds reports whether a value meets an evaluator.
func holds(c *rules.GrafanaCondition, v float64) bool {
	p := c.Params
	switch c.Evaluator {
	case "gt":
		return v > p[0]
	case "lt":
		return v < p[0]
	case "gte":
		return v >= p[0]
	case "lte":
		return v <= p[0]
	case "eq":
		return v == p[0]
	case "ne":
		return v != p[0]
	case "within_range":
		return v > min(p[0], p[1]) && v < max(p[0], p[1])
	case "outside_range":
		return v < min(p[0], p[1]) || v > max(p[0], p[1])
	case "within_range_included":
		return v >= min(p[0], p[1]) && v <= max(p[0], p[1])
	case "outside_range_included":
		return v <= min(p[0], p[1]) || v >= max(p[0], p[1])
	}
	return false // no_value
}

// classic evaluates classic conditions, which yield one number without labels:
// 1 or 0, or null without data.
func classic(n *rules.GrafanaNode, values map[string]chainValue) numbers {
	fires, noData, shown := false, false, math.NaN()
	for i, c := range n.Conditions {
		f, none, v := classicCondition(&c, values[c.Query])
		if f && (math.IsNaN(shown) || v > shown) {
			shown = v
		}
		switch {
		case i == 0:
			fires, noData = f, none
		case c.Or:
			fires, noData = fires || f, noData || none
		default:
			fires, noData = fires && f, noData && none
		}
	}
	if math.IsNaN(shown) {
		shown = truth(fires)
	}
	return numbers{{v: truth(fires), null: noData && !fires, shown: shown}}
}

// classicCondition reports whether some series meets a condition, and whether
// there is no data at all. v is the highest value that meets it.
func classicCondition(c *rules.GrafanaCondition, in chainValue) (fires, noData bool, v float64) {
	v = math.NaN()
	found := 0
	one := func(points []float64) {
		r, ok := classicReduce(c.Reducer, points)
		switch {
		case !ok:
			fires = fires || c.Evaluator == "no_value"
			return
		case holds(c, r):
			fires = true
			if math.IsNaN(v) || r > v {
				v = r
			}
		}
		found++
	}
	for _, s := range in.series {
		one(s.points)
	}
	for _, n := range in.numbers {
		if n.null {
			one(nil)
		} else {
			one([]float64{n.v})
		}
	}
	if len(in.series)+len(in.numbers) == 0 {
		fires = c.Evaluator == "no_value"
	}
	return fires, found == 0, v
}

// classicReduce reduces points, those that are no number left out. It reports
// false if none is left.
func classicReduce(reducer string, points []float64) (float64, bool) {
	all := len(points)
	points = slices.DeleteFunc(slices.Clone(points), math.IsNaN)
	if len(points) == 0 {
		return 0, false
	}
	first, last := points[0], points[len(points)-1]
	sum := 0.0
	for _, p := range points {
		sum += p
	}
	switch reducer {
	case "avg":
		return sum / float64(len(points)), true
	case "sum":
		return sum, true
	case "min":
		return slices.Min(points), true
	case "max":
		return slices.Max(points), true
	case "count":
		return float64(all), true
	case "count_non_null":
		return float64(len(points)), true
	case "last":
		return last, true
	case "median":
		slices.Sort(points)
		if m := len(points) / 2; len(points)%2 == 0 {
			return (points[m-1] + points[m]) / 2, true
		}
		return points[len(points)/2], true
	case "diff":
		return last - first, true
	case "diff_abs":
		return math.Abs(last - first), true
	case "percent_diff":
		return (last - first) / math.Abs(first) * 100, true
	case "percent_diff_abs":
		return math.Abs((last - first) / first * 100), true
	}
	panic("replay: unknown reducer " + reducer)
}
