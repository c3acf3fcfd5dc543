package replay

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// grafanaRules loads alert rules from YAML: data and settings of one rule, the
// condition of which is Z.
func grafanaRule(t testing.TB, settings string, data ...string) rules.Rule {
	t.Helper()
	text := "apiVersion: 1\ngroups:\n- name: g\n  folder: F\n  interval: 10s\n  rules:\n  - title: Lost\n    condition: Z\n"
	for line := range strings.Lines(settings) {
		text += "    " + line
	}
	text += "\n    data:\n"
	for _, d := range data {
		text += "    - " + d + "\n"
	}
	path := filepath.Join(t.TempDir(), "r.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := rules.Load([]string{path}, rules.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Problems) > 0 || len(set.Rules) != 1 {
		t.Fatalf("%d rules, problems %v\n%s", len(set.Rules), set.Problems, text)
	}
	return set.Rules[0]
}

// loki makes a query of Loki.
func loki(refID, kind, from, expr string) string {
	return fmt.Sprintf("{refId: %s, datasourceUid: l, relativeTimeRange: {%s}, model: {datasource: {type: loki}, queryType: %s, intervalMs: 5000, expr: '%s'}}", refID, from, kind, expr)
}

func prom(refID, from, expr string) string {
	return fmt.Sprintf("{refId: %s, datasourceUid: p, relativeTimeRange: {%s}, model: {datasource: {type: prometheus}, intervalMs: 5000, instant: %t, expr: '%s'}}", refID, from, from == "", expr)
}

// expr makes an expression.
func expr(refID, model string) string {
	return fmt.Sprintf("{refId: %s, datasourceUid: __expr__, model: {%s}}", refID, model)
}

func threshold1(refID, input, evaluator string) string {
	return expr(refID, "type: threshold, expression: "+input+", conditions: [{evaluator: {"+evaluator+"}}]")
}

var lostLines = []string{"1 start", "15 lost", "18 lost", "75 lost", "101 end"}

const lostCount = `sum(count_over_time({app="web"} |= "lost" [20s]))`

func TestGrafana_States(t *testing.T) {
	f := func(name string, r rules.Rule, state outcome.State, want string) {
		t.Helper()
		if o := run(t, r, record(t, lostLines...)); o.State != state || firing(o) != want {
			t.Errorf("%s: state %d, firing %q; want %d, %q (%s)", name, o.State, firing(o), state, want, o.Reason)
		}
	}
	instant := loki("A", "instant", "from: 60", lostCount)
	above := func(bound string) string { return threshold1("Z", "A", "type: gt, params: ["+bound+"]") }
	f("plain", grafanaRule(t, "noDataState: OK", instant, above("0")), outcome.Fired, "20-30 80-90")
	f("for", grafanaRule(t, "noDataState: OK\nfor: 10s", instant, above("0")), outcome.Fired, "30-30 90-90")
	f("keep firing", grafanaRule(t, "noDataState: OK\nkeepFiringFor: 30s", instant, above("0")), outcome.Fired, "20-60 80-110")
	f("threshold", grafanaRule(t, "noDataState: OK", instant, above("1")), outcome.Fired, "20-30")
	f("below", grafanaRule(t, "noDataState: OK", instant, threshold1("Z", "A", "type: lt, params: [2]")), outcome.Fired, "80-90")
	f("range", grafanaRule(t, "noDataState: OK", instant, threshold1("Z", "A", "type: within_range, params: [0, 2]")), outcome.Fired, "80-90")
	f("condition is a query", grafanaRule(t, "noDataState: OK", loki("Z", "instant", "from: 60", lostCount+" > 1")), outcome.Fired, "20-30")
	f("offset", grafanaRule(t, "noDataState: OK", loki("A", "instant", "from: 60, to: 10", lostCount), above("0")), outcome.Fired, "30-40 90-100")
	f("no data alerts", grafanaRule(t, "noDataState: Alerting", instant, above("5")), outcome.Fired, "0-10 40-70 100-110")
	f("no data keeps", grafanaRule(t, "noDataState: KeepLast", instant, above("1")), outcome.Fired, "20-70")
	f("never", grafanaRule(t, "noDataState: OK", instant, above("9")), outcome.Silent, "")
	f("for longer than the window", grafanaRule(t, "noDataState: OK\nfor: 1h", instant, above("0")), outcome.Pending, "")
	f("paused", grafanaRule(t, "isPaused: true", instant, above("0")), outcome.NotEvaluated, "")
	f("PromQL without metrics", grafanaRule(t, "", prom("A", "", "up"), above("0")), outcome.NotEvaluated, "")
	f("log query refused by Loki", grafanaRule(t, "", loki("A", "instant", "", `count_over_time({app="web"}[1m]) * on () group_left count_over_time({app="web"} | pattern "<w>" [90s])`), above("0")), outcome.NotEvaluated, "")
}

// A count that is no series at all is not 0: the alert has no data, and it is
// DatasourceNoData that fires.
func TestGrafana_NoData(t *testing.T) {
	o := run(t, grafanaRule(t, "", loki("A", "instant", "from: 60", lostCount), threshold1("Z", "A", "type: gt, params: [9]")), record(t, lostLines...))
	if o.State != outcome.Silent || o.NoData != 8 || o.Nothing != outcome.BelowThreshold {
		t.Errorf("state %d, %d evaluations without data, nothing %d (%s)", o.State, o.NoData, o.Nothing, o.Reason)
	}
	if h := o.Headroom; h == nil || h.Value != 2 || h.Operator != ">" || h.Threshold != 9 {
		t.Errorf("headroom %+v", h)
	}
}

// A query over a range has a point each 5 s; windows are those of each
// evaluation.
func TestGrafana_Reduce(t *testing.T) {
	f := func(reduce, math, want string) {
		t.Helper()
		r := grafanaRule(t, "noDataState: OK", loki("A", "range", "from: 20, to: 5", `sum(count_over_time({app="web"} |= "lost" [10s]))`),
			expr("B", "type: reduce, expression: A, "+reduce), expr("Z", "type: math, expression: '"+math+"'"))
		o := run(t, r, record(t, lostLines...))
		if got := firing(o); got != want || o.State == outcome.NotEvaluated {
			t.Errorf("%s, %s: firing %q; want %q (%s)", reduce, math, got, want, o.Reason)
		}
	}
	// The points are 1 at 15, 2 at 20, 1 at 25 (the line at 15 has left), and 1
	// at 75 and 80. An evaluation at t sees those at t-20, t-15, t-10 and t-5.
	f("reducer: last", "$B >= 1", "20-40 80-100")
	f("reducer: last", "$B == 2", "")
	f("reducer: max", "$B == 2", "30-40")
	f("reducer: min", "$B == 1", "20-40 80-100")
	f("reducer: sum", "$B == 3", "40-40")
	f("reducer: sum", "$B == 4", "30-30")
	f("reducer: mean", "$B > 1.2", "30-40")
	f("reducer: count", "$B == 3", "30-30")
	f("reducer: count", "!($B < 2) || is_nan($B)", "30-40 90-90")
}

func TestGrafana_Series(t *testing.T) {
	count := `sum by (peer) (count_over_time({app="web"} | logfmt | msg="lost" [20s]))`
	lines := []string{"1 msg=start", "11 msg=lost peer=a", "15 msg=lost peer=b", "16 msg=lost peer=b", "35 msg=lost peer=b", "71 msg=end"}
	r := grafanaRule(t, "noDataState: OK\nlabels: {severity: page}\nannotations: {s: '{{ $labels.peer }}', v: '{{ $values.A }} of {{ $labels.peer }}'}",
		loki("A", "instant", "", count), threshold1("Z", "A", "type: gt, params: [0]"))
	o := run(t, r, record(t, lines...))
	var got []string
	for _, a := range o.Alerts {
		got = append(got, fmt.Sprintf("%v %v %d-%d %v", a.Labels, a.Annotations, a.First/1e9, a.Last/1e9, a.Value))
	}
	// a has its last sample at 30, is missing at 40 while b is there, and
	// would be stale at 50.
	want := []string{
		`{alertname="Lost", grafana_folder="F", peer="a", severity="page"} {s="a", v="{{ $values.A }} of {{ $labels.peer }}"} 20-40 1`,
		`{alertname="Lost", grafana_folder="F", peer="b", severity="page"} {s="b", v="{{ $values.A }} of {{ $labels.peer }}"} 20-50 2`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
}

func TestGrafana_Classic(t *testing.T) {
	cond := func(evaluator, operator, reducer string) string {
		return "{evaluator: {" + evaluator + "}, operator: {type: " + operator + "}, query: {params: [A]}, reducer: {type: " + reducer + "}}"
	}
	f := func(want string, conditions ...string) {
		t.Helper()
		r := grafanaRule(t, "noDataState: OK", loki("A", "range", "from: 20", `sum(count_over_time({app="web"} |= "lost" [10s]))`),
			expr("Z", "type: classic_conditions, conditions: ["+strings.Join(conditions, ", ")+"]"))
		if o := run(t, r, record(t, lostLines...)); firing(o) != want || o.State == outcome.NotEvaluated {
			t.Errorf("%v: firing %q; want %q (%s)", conditions, firing(o), want, o.Reason)
		}
	}
	f("20-40", cond("type: gt, params: [1]", "and", "max"))
	f("20-40 80-100", cond("type: gt, params: [0]", "and", "avg"))
	f("0-10 50-70 110-110", cond("type: no_value", "and", "avg"))
	f("80-100", cond("type: gt, params: [0]", "and", "avg"), cond("type: lt, params: [2]", "and", "max"))
	f("0-110", cond("type: gt, params: [0]", "and", "avg"), cond("type: no_value", "or", "avg"))
	f("30-30", cond("type: gt, params: [1]", "and", "max"), cond("type: gt, params: [3]", "and", "sum"))
}

func TestGrafana_NotEvaluated(t *testing.T) {
	f := func(want string, data ...string) {
		t.Helper()
		o := run(t, grafanaRule(t, "noDataState: OK", data...), record(t, lostLines...))
		if o.State != outcome.NotEvaluated || !strings.Contains(o.Reason, want) {
			t.Errorf("state %d, reason %q; want %q", o.State, o.Reason, want)
		}
	}
	ranged := loki("A", "range", "from: 60", lostCount)
	f("it is evaluated only once it is reduced", ranged, threshold1("Z", "A", "type: gt, params: [0]"))
	f("Grafana wants it reduced", loki("Z", "range", "from: 60", lostCount))
	f("which is not evaluated", ranged, expr("Z", "type: reduce, expression: A, reducer: median"))
	f("counts the points of A", loki("A", "instant", "", lostCount), expr("Z", "type: reduce, expression: A, reducer: count"))
	f("have no labels in common", loki("A", "instant", "", `sum by (a) (count_over_time({app="web"} | label_format a="x" [90s]))`),
		loki("B", "instant", "", `sum by (b) (count_over_time({app="web"} | label_format b="x" [90s]))`), expr("Z", "type: math, expression: $A + $B"))
	f("is NaN", loki("A", "instant", "", lostCount), expr("Z", "type: math, expression: $A * nan()"))
}

// A step that does not divide the interval gives a finer grid, of which each
// evaluation sees its own points.
func TestGrafana_OddStep(t *testing.T) {
	a := strings.Replace(loki("A", "range", "from: 18", `sum(count_over_time({app="web"} |= "lost" [1s]))`), "5000", "6000", 1)
	r := grafanaRule(t, "noDataState: OK", a, expr("Z", "type: reduce, expression: A, reducer: sum"))
	// At t it sees t-18, t-12, t-6, t: a line at 18 is seen in (17, 18] alone.
	// 30-12 = 18; at 20: 2, 8, 14, 20; at 40: 22, 28, 34, 40. The line at 15 is
	// seen in (14, 15]: at 20-6 = 14 not, at 30: 12, 18, 24, 30 not.
	if o := run(t, r, record(t, lostLines...)); firing(o) != "30-30" {
		t.Errorf("firing %q; want 30-30 (%s)", firing(o), o.Reason)
	}
}

func TestCalculate(t *testing.T) {
	set := func(items ...any) numbers { // labels and values by turns
		var out numbers
		for i := 0; i < len(items); i += 2 {
			var ls []logs.Label
			for pair := range strings.FieldsSeq(items[i].(string)) {
				name, value, _ := strings.Cut(pair, "=")
				ls = append(ls, logs.Label{Name: name, Value: value})
			}
			n := number{labels: logs.New(ls...)}
			if v, ok := items[i+1].(float64); ok {
				n.v = v
			} else {
				n.null = true
			}
			out = append(out, n)
		}
		return out
	}
	vars := map[string]numbers{
		"A": set("h=a", 1.0, "h=b", 2.0), "B": set("h=a p=x", 10.0, "h=b p=y", 20.0, "h=c p=z", 30.0),
		"C": set("", 5.0), "N": set("", nil), "E": nil, "X": set("h=b", math.NaN()),
	}
	f := func(text, want string) {
		t.Helper()
		e, err := rules.ParseMath(text)
		if err != nil {
			t.Fatal(err)
		}
		out, err := calculate(e, vars)
		var parts []string
		for _, n := range out {
			v := fmt.Sprint(n.v)
			if n.null {
				v = "null"
			}
			parts = append(parts, fmt.Sprintf("%v %s", n.labels, v))
		}
		got := strings.Join(parts, "; ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s = %s; want %s", text, got, want)
		}
	}
	f("1 + 2 * 3 ** 2", "{} 19")
	f("7 % 4 - -1", "{} 4")
	f("$A * $C", `{h="a"} 5; {h="b"} 10`)
	f("$A + $B", `{h="a", p="x"} 11; {h="b", p="y"} 22`)
	f("$A == $A", `{h="a"} 1; {h="b"} 1`)
	f("$A > 1 && $C < 9", `{h="a"} 0; {h="b"} 1`)
	f("!($A >= 2) || 0", `{h="a"} 1; {h="b"} 0`)
	f("$E + 1", "")
	f("$N + 1", "{} null")
	f("is_null($N)", "{} 1")
	f("is_nan($X) + is_number($C) + is_inf(inf)", `{h="b"} 3`)
	f("$X > 0", `{h="b"} 0`)
	f("abs(-2.5) + round(2.5) + floor(2.5) + ceil(2.5) + log(1)", "{} 10.5")
	f("$A + $X", `{h="b"} NaN`)
	f("$B / $N", `{h="a", p="x"} null; {h="b", p="y"} null; {h="c", p="z"} null`)
}

func FuzzCalculate(f *testing.F) {
	f.Add("$A > 5 && abs(-$B) ** 2 % 3 != null")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := rules.ParseMath(text)
		if err != nil || len(text) > 1000 {
			return
		}
		vars := map[string]numbers{"A": {{v: 1}}, "B": {{labels: logs.New(logs.Label{Name: "a", Value: "b"}), v: 2}, {null: true}}}
		if _, err := calculate(e, vars); err != nil && err.Error() == "" {
			t.Error("an error without text")
		}
	})
}

// A step that would need too many points is refused, not tried.
func TestGrafana_TooManyPoints(t *testing.T) {
	r := grafanaRule(t, "", strings.Replace(loki("A", "range", "from: 60", lostCount), "5000", "5001", 1), expr("Z", "type: reduce, expression: A, reducer: last"))
	if o := run(t, r, record(t, "1 start", "3000 end")); o.State != outcome.NotEvaluated || !strings.Contains(o.Reason, "give it a larger interval") {
		t.Errorf("state %d, reason %q", o.State, o.Reason)
	}
}
