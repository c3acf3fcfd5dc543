package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/stillfires/stillfires/internal/metrics"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// memoryScrapes are scrapes held in memory.
type memoryScrapes struct {
	scrapes []metrics.Scrape
	i       int
	series  []labels.Labels
	targets []labels.Labels
}

func (m *memoryScrapes) Scan() bool                 { m.i++; return m.i <= len(m.scrapes) }
func (m *memoryScrapes) Scrape() *metrics.Scrape    { return &m.scrapes[m.i-1] }
func (m *memoryScrapes) Series(i int) labels.Labels { return m.series[i] }
func (m *memoryScrapes) Target(i int) labels.Labels { return m.targets[i] }
func (m *memoryScrapes) Families() []metrics.Family {
	return []metrics.Family{{Name: "x", Type: "gauge"}, {Name: "h", Type: "histogram"}}
}
func (m *memoryScrapes) Err() error { return nil }

// scrape makes scrapes of lines "SECONDS JOB series value; series value"; a
// line "SECONDS JOB down" is one that failed.
func scrape(t testing.TB, lines ...string) *memoryScrapes {
	t.Helper()
	m := &memoryScrapes{}
	number := func(list *[]labels.Labels, ls labels.Labels) int {
		if i := slices.IndexFunc(*list, func(x labels.Labels) bool { return labels.Equal(x, ls) }); i >= 0 {
			return i
		}
		*list = append(*list, ls)
		return len(*list) - 1
	}
	for _, line := range lines {
		words := strings.SplitN(line, " ", 3)
		at, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		s := metrics.Scrape{Time: int64(at * 1000), Up: true, Target: number(&m.targets, labels.FromStrings("job", words[1]))}
		s.Up = len(words) < 3 || words[2] != "down"
		for sample := range strings.SplitSeq(strings.Join(words[2:], ""), "; ") {
			name, value, ok := strings.Cut(sample, " ")
			if !ok {
				continue
			}
			ls, err := newPromParser().ParseMetric(name)
			if err != nil {
				t.Fatal(err)
			}
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			ls = labels.NewBuilder(ls).Set("job", words[1]).Labels()
			s.Samples = append(s.Samples, metrics.Sample{Series: number(&m.series, ls), Time: s.Time, Value: v})
		}
		m.scrapes = append(m.scrapes, s)
	}
	return m
}

// scraped is a run with a log and metrics.
func scraped(t testing.TB, scrapes ...string) *Source {
	t.Helper()
	src := record(t, "1 start", "15 lost", "55 end")
	src.Scrapes = scrape(t, scrapes...)
	return src
}

func promAlert(name, expr string) rules.Rule {
	return rules.Rule{Kind: rules.Alert, Name: name, Expr: expr, Language: rules.PromQL}
}

func runAll(t testing.TB, src *Source, rs ...rules.Rule) *Result {
	t.Helper()
	res, err := NewPlan(rs, Options{Interval: 10 * time.Second}).Run(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// TestPromQL_Firing holds alerts on metrics to when they fire.
func TestPromQL_Firing(t *testing.T) {
	lines := []string{
		`5 a x{q="1"} 1; x{q="2"} 0`, `15 a x{q="1"} 3; x{q="2"} 0`, `25 a x{q="2"} 2`, `35 a down`, `45 a x{q="2"} 2`,
		`46 b y 1`, `55 a x{q="2"} 0`,
	}
	f := func(name string, r rules.Rule, expr, want string) {
		t.Helper()
		r.Kind, r.Name, r.Language, r.Expr = rules.Alert, name, rules.PromQL, expr
		o := runAll(t, scraped(t, lines...), r).Outcomes[0]
		if o.State == outcome.NotEvaluated || firing(o) != want {
			t.Errorf("%s: state %d %s, firing %q; want %q", name, o.State, o.Reason, firing(o), want)
		}
	}
	f("a series that a scrape lacks ends there", rules.Rule{}, `x{q="1"} > 0`, "10-20")
	f("a scrape that fails ends all", rules.Rule{}, `x{q="2"} > 1`, "30-30 50-50")
	f("up", rules.Rule{}, `up == 0`, "40-40")
	f("a target that is scraped no more", rules.Rule{}, `y > 0`, "50-60")
	f("from before the first scrape to after the last", rules.Rule{}, `vector(1) > 0`, "0-60")
	f("absent", rules.Rule{}, `absent(y)`, "0-40")
	f("for", rules.Rule{For: 10 * time.Second}, `x{q="1"} > 0`, "20-20")
	f("keep_firing_for", rules.Rule{KeepFiringFor: 20 * time.Second}, `x{q="1"} > 0`, "10-40")
	f("offset of the query", rules.Rule{QueryOffset: 10 * time.Second}, `x{q="1"} > 0`, "20-30")
	f("interval", rules.Rule{Interval: 20 * time.Second}, `x{q="1"} > 0`, "20-20")
	f("rate needs two samples", rules.Rule{}, `increase(x{q="1"}[20s]) > 0`, "20-20")
	f("both sides", rules.Rule{}, `x{q="2"} > on() group_left y`, "50-50")
	f("a number", rules.Rule{}, `1`, "0-60")
	f("limit", rules.Rule{Limit: 2}, `x >= 0`, "10-30 50-60")
}

// TestPromQL_Outcome holds what else is said of a rule.
func TestPromQL_Outcome(t *testing.T) {
	lines := []string{`5 a x{q="1"} 1; h_bucket{le="1"} 2`, `15 a x{q="1"} 7.5; h_bucket{le="1"} 3`}
	f := func(name, expr string, want Outcome) {
		t.Helper()
		got := runAll(t, scraped(t, lines...), promAlert("a", expr)).Outcomes[0]
		got.Selectors, got.Firing, got.Alerts, got.Result = nil, nil, nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	seven, one := 7.5, 1.0
	f("no series", `z > 1`, Outcome{State: outcome.Silent, Nothing: outcome.NoStream})
	f("no series on one side", `x > on() z`, Outcome{State: outcome.Silent, Nothing: outcome.NoStream})
	f("no series on the side that is taken away", `x > 9 unless z`, Outcome{State: outcome.Silent, Nothing: outcome.BelowThreshold})
	f("no series on one side of or", `z > 1 or x > 9`, Outcome{State: outcome.Silent, Nothing: outcome.BelowThreshold})
	f("absent, and there in the end", `absent(x)`, Outcome{State: outcome.Fired, Series: 1, Peak: &one, Points: 1})
	f("absent and there at once", `absent(x) and on() x`, Outcome{State: outcome.Silent, Nothing: outcome.BelowThreshold})
	f("headroom", `(sum(x)) > (8)`, Outcome{
		State: outcome.Silent, Nothing: outcome.BelowThreshold,
		Headroom: &outcome.Headroom{Value: 7.5, Lowest: 1, Operator: ">", Threshold: 8},
	})
	f("turned round", `-8 >= x`, Outcome{
		State: outcome.Silent, Nothing: outcome.BelowThreshold,
		Headroom: &outcome.Headroom{Value: 7.5, Lowest: 1, Operator: "<=", Threshold: -8},
	})
	f("fires", `x > 2`, Outcome{
		State: outcome.Fired, Series: 1, Peak: &seven, Points: 1,
		Headroom: &outcome.Headroom{Value: 7.5, Lowest: 1, Operator: ">", Threshold: 2},
	})
	f("range vector", `x[1m]`, Outcome{State: outcome.NotEvaluated, Reason: "yields a range vector; only an instant vector or a number can be followed through a run"})
	f("a subquery without end", `count_over_time(absent(x)[1y:1ms])`, Outcome{State: outcome.NotEvaluated, Reason: "its subqueries have 3.15e+10 steps at each evaluation; at most 1000000 are evaluated"})
	f("subqueries in subqueries", `max_over_time(count_over_time(x[1d:1s])[1d:1m])`, Outcome{State: outcome.NotEvaluated, Reason: "its subqueries have 1.24e+08 steps at each evaluation; at most 1000000 are evaluated"})
	f("a subquery", `max_over_time(sum(x)[1m:]) > 9`, Outcome{
		State: outcome.Silent, Nothing: outcome.BelowThreshold,
		Headroom: &outcome.Headroom{Value: 7.5, Lowest: 1, Operator: ">", Threshold: 9},
	})
	f("syntax", `x >`, Outcome{State: outcome.NotEvaluated, Reason: "not valid PromQL: unexpected end of input"})
	f("many to many", `x * on() {job="a"}`, Outcome{
		State:  outcome.NotEvaluated,
		Reason: `a Prometheus would refuse to answer at 1970-01-01T00:00:10Z: found duplicate series for the match group {} on the right hand-side of the operation: [{__name__="h_bucket", job="a", le="1"}, {__name__="up", job="a"}];many-to-many matching not allowed: matching labels must be unique on one side`,
	})
}

// TestPromQL_Run holds what a run says of its metrics.
func TestPromQL_Run(t *testing.T) {
	src := scraped(t, `5 a x{q="1"} 1; x{q="2"} 1; h_bucket{le="1"} 2`, `15 a down`, `25 b x{q="1"} 7`)
	res := runAll(t, src, promAlert("a", `sum(x{q="1"}) > 5`))
	want := []outcome.Metric{
		{Name: "h_bucket", Family: "h", Type: "histogram", Series: 1, Labels: []outcome.Label{{Name: "job", Series: 1, Values: []string{"a"}}, {Name: "le", Series: 1, Values: []string{"1"}}}},
		{Name: "x", Family: "x", Type: "gauge", Series: 3, Labels: []outcome.Label{{Name: "job", Series: 3, Values: []string{"a", "b"}}, {Name: "q", Series: 3, Values: []string{"1", "2"}}}},
	}
	if diff := cmp.Diff(want, res.Metrics); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	// Of x{q="1"} two samples and an end are kept.
	if diff := cmp.Diff(outcome.Scrapes{Count: 3, Failed: 1, First: 5e9, Last: 25e9, Series: 4, Samples: 4, Stored: 3}, res.Scrapes); diff != "" {
		t.Errorf("scrapes (-want +got):\n%s", diff)
	}
	selectors := []outcome.Selector{{Text: `x{q="1"}`, Start: 4, End: 12, Series: 2}}
	if diff := cmp.Diff(selectors, res.Outcomes[0].Selectors); diff != "" {
		t.Errorf("selectors (-want +got):\n%s", diff)
	}
}

// TestPromQL_Feeds holds rules that read one another to their order.
func TestPromQL_Feeds(t *testing.T) {
	lines := []string{`5 a x{q="1"} 1; x{q="2"} 4`, `15 a x{q="1"} 2; x{q="2"} 4`, `25 a x{q="2"} 4`, `35 a x{q="2"} 0`}
	recording := func(name, expr string) rules.Rule {
		return rules.Rule{Kind: rules.Recording, Name: name, Expr: expr, Language: rules.PromQL, Labels: map[string]string{"by": "rule"}}
	}
	f := func(name string, want string, rs ...rules.Rule) {
		t.Helper()
		res := runAll(t, scraped(t, lines...), rs...)
		var got []string
		for i, o := range res.Outcomes {
			if o.State == outcome.NotEvaluated {
				got = append(got, o.Reason)
			} else if rs[i].Kind == rules.Alert {
				got = append(got, firing(o))
			}
		}
		if got := strings.Join(got, " | "); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
	f("two steps, the reader first", "10-20",
		promAlert("a", `twice{q="1",by="rule"} > 1`), recording("twice", `2 * once`), recording("once", `x`))
	f("a recorded series ends", "30-40",
		promAlert("a", `count(once) == 1`), recording("once", `x`))
	f("a window over recorded series", "30-40",
		promAlert("a", `count_over_time(once{q="2"}[30s]) > 2`), recording("once", `x`))
	lost := rules.Rule{Kind: rules.Recording, Name: "lost", Expr: `sum(count_over_time({app="web"} |= "lost" [20s]))`, Language: rules.LogQL}
	f("LogQL feeds PromQL", "20-30", promAlert("a", `lost > 0`), lost)
	f("both", "30-30", promAlert("a", `lost > 0 and on() count(x) == 1`), lost)
	f("alerts as series", "30-30 |  | 30-30",
		promAlert("on alerts", `ALERTS{alertname="b",alertstate="pending"} and on() x{q="2"} == 4 and on() ALERTS{alertname="c"}`),
		rules.Rule{Kind: rules.Alert, Name: "b", Expr: `vector(1)`, Language: rules.PromQL, For: time.Hour},
		rules.Rule{Kind: rules.Alert, Name: "c", Expr: `absent(x{q="1"}) and on() x == 4`, Language: rules.PromQL})
	f("a circle", "rules read one another's series in a circle: one → two → one | rules read one another's series in a circle: one → two → one | it reads the series of one, which is not evaluated: rules read one another's series in a circle: one → two → one",
		recording("one", `two`), recording("two", `one + x`), promAlert("a", `one > 0`))
	f("itself", "the rule reads its own series", recording("one", `one offset 1m or x`))
	f("a selector without name reads what was recorded before", "10-40", promAlert("a", `count({q="2"}) > 1`), recording("once", `x`))
	const noValues = "a log query yields lines, and a rule needs values; wrap it as in sum(count_over_time(… [5m])) > 0"
	f("not evaluated", noValues+" | it reads the series of bad, which is not evaluated: "+noValues,
		rules.Rule{Kind: rules.Recording, Name: "bad", Expr: `{app="web"}`, Language: rules.LogQL}, promAlert("a", `bad > 0`))
	f("equal series", `recording rule: vector contains metrics with the same labelset after applying rule labels | it reads the series of one, which is not evaluated: recording rule: vector contains metrics with the same labelset after applying rule labels`,
		rules.Rule{Kind: rules.Recording, Name: "one", Expr: `x`, Labels: map[string]string{"q": "same"}, Language: rules.PromQL}, promAlert("a", `one > 0`))
}

// A template of a PromQL alert may ask a query.
func TestPromQL_Template(t *testing.T) {
	r := promAlert("a", `x > 5`)
	r.Annotations = map[string]string{"summary": `{{ $value }} of {{ with query "sum(all)" }}{{ . | first | value }}{{ end }}`}
	o := runAll(t, scraped(t, `5 a x 7; all{n="1"} 8; all{n="2"} 9`), r).Outcomes[0]
	if len(o.Alerts) != 1 || o.Alerts[0].Annotations[0].Value != "7 of 17" {
		t.Errorf("alerts %v; want the summary %q", o.Alerts, "7 of 17")
	}
}

// A run without metrics evaluates what LogQL rules recorded, and says of other
// PromQL rules that it cannot.
func TestPromQL_NoMetrics(t *testing.T) {
	lost := rules.Rule{Kind: rules.Recording, Name: "lost", Expr: `sum(count_over_time({app="web"} |= "lost" [20s]))`, Language: rules.LogQL}
	src := record(t, "1 start", "15 lost", "55 end")
	res := runAll(t, src, promAlert("a", `x > 0`), promAlert("b", `lost > 0`), promAlert("c", `lost > 0 or x > 0`), lost)
	for _, i := range []int{0, 2} {
		if o := res.Outcomes[i]; o.State != outcome.NotEvaluated || !strings.HasPrefix(o.Reason, "the run has no metrics") {
			t.Errorf("rule %d: state %d, %q", i, o.State, o.Reason)
		}
	}
	if got := firing(res.Outcomes[1]); got != "20-30" {
		t.Errorf("a rule on what was recorded fires %q; want 20-30", got)
	}
}

// A run whose log is empty still has its metrics.
func TestPromQL_NoRecords(t *testing.T) {
	src := &Source{Build: "b", Scenario: "s", Repetition: 1, Entries: &memory{}, NoRecords: "no records", Scrapes: scrape(t, `15 a x 1`, `25 a x 1`)}
	lost := rules.Rule{Kind: rules.Query, Name: "lost", Expr: `{app="web"} |= "lost"`, Language: rules.LogQL}
	res := runAll(t, src, promAlert("a", `x > 0`), lost)
	if got := firing(res.Outcomes[0]); got != "20-30" {
		t.Errorf("fires %q; want 20-30", got)
	}
	if o := res.Outcomes[1]; o.State != outcome.NotEvaluated || o.Reason != "no records" {
		t.Errorf("LogQL rule: state %d, %q", o.State, o.Reason)
	}
	if got := fmt.Sprint(res.Start/1e9, res.End/1e9); got != "10 30" {
		t.Errorf("evaluated over %s; want 10 30", got)
	}
}

// A time that is wrong must not make a run endless.
func TestPromQL_Span(t *testing.T) {
	src := scraped(t, `1 a x 1`, `4000000000 a x 1`)
	_, err := NewPlan([]rules.Rule{promAlert("a", `x > 0`)}, Options{Interval: time.Second}).Run(t.Context(), src)
	if err == nil || !strings.Contains(err.Error(), "is the time of a scrape wrong?") {
		t.Errorf("error %v", err)
	}
}

// A plan is used by several runs at once, and each has the same answer.
func TestPromQL_Concurrent(t *testing.T) {
	rs := []rules.Rule{promAlert("a", `sum by (q) (increase(x[30s])) > 0`), promAlert("b", `ALERTS{alertname="a"}`)}
	plan := NewPlan(rs, Options{Interval: 10 * time.Second})
	lines := []string{`5 a x{q="1"} 1; x{q="2"} 4`, `15 a x{q="1"} 2; x{q="2"} 4`, `25 a x{q="1"} 3; x{q="2"} 9`}
	first := runAll(t, scraped(t, lines...), rs...)
	for i := range 4 {
		src := scraped(t, lines...)
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			got, err := plan.Run(t.Context(), src)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("run %d (-first +got):\n%s", i, diff)
			}
		})
	}
}

// TestPromThreshold holds what is split to what is written.
func TestPromThreshold(t *testing.T) {
	f := func(expr, want string) {
		t.Helper()
		e, err := newPromParser().ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if left, op, bound, ok := promThreshold(e); ok {
			got = fmt.Sprintf("%s %s %v", left, op, bound)
		}
		if got != want {
			t.Errorf("threshold of %s is %q; want %q", expr, got, want)
		}
	}
	f(`x > 1`, "x > 1")
	f(`(x > 1)`, "x > 1")
	f(`1 < x`, "x > 1")
	f(`x == -1`, "x == -1")
	f(`-(1) != x`, "x != -1")
	f(`x > bool 1`, "")
	f(`x > y`, "")
	f(`1 > bool 2`, "")
	f(`x + 1`, "")
	var _ parser.Expr = foreignExpr("")
}

// What a run notes of its metrics is bounded, and it says so.
func TestMetricCatalogue_Bounds(t *testing.T) {
	c := newMetricCatalogue()
	for i := range maxLabelValues + 1 {
		c.add(labels.FromStrings("__name__", "x", "l", fmt.Sprintf("%05d", i)))
	}
	list := c.list(nil)
	if l := list[0].Labels[0]; c.cut || !l.Cut || len(l.Values) != maxLabelValues || l.Series != maxLabelValues+1 {
		t.Errorf("cut %v, label %v of %d with %d values", c.cut, l.Cut, l.Series, len(l.Values))
	}
	many := map[string]string{"__name__": "y"}
	for i := range maxMetricLabels + 1 {
		many[fmt.Sprintf("l%d", i)] = "v"
	}
	if c.add(labels.FromMap(many)); !c.cut {
		t.Error("a metric of many labels: not cut")
	}
}
