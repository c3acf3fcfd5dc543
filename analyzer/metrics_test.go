package analyzer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

func promRule(expr string) rules.Rule {
	r := alertRule()
	r.Name, r.Language, r.Expr, r.Annotations = "Pending", rules.PromQL, expr, nil
	return r
}

// metric returns a metric with labels, given as names and values.
func metric(name, kind string, labels ...string) outcome.Metric {
	m := outcome.Metric{Name: name, Family: name, Type: kind, Series: 1}
	for i := 0; i+1 < len(labels); i += 2 {
		m.Labels = append(m.Labels, outcome.Label{Name: labels[i], Series: 1, Values: strings.Split(labels[i+1], " ")})
	}
	return m
}

// metricsOf is a rule that reads pending_total{queue="a"}, a counter on
// deployed; the candidate has the metric given.
func metricsOf(name, kind, label, value string) func() trial {
	return func() trial {
		tr := trial{
			rule: promRule(`pending_total{queue="a"} > 0`), expect: MustStaySilent,
			deployed: states(outcome.Silent), candidate: states(outcome.Silent),
			deployedMetrics: []outcome.Metric{metric("pending_total", "counter", "queue", "a")},
		}
		var labels []string
		if label != "" {
			labels = []string{label, value}
		}
		tr.candidateMetrics = []outcome.Metric{metric(name, kind, labels...)}
		return tr
	}
}

// TestMetricFindings holds findings, with severity, subject and message, to
// what the builds had.
func TestMetricFindings(t *testing.T) {
	f := func(name, expr string, deployed, candidate []outcome.Metric, want ...string) {
		t.Helper()
		tr := trial{
			rule: promRule(expr), expect: MustStaySilent,
			deployed: states(outcome.Silent), candidate: states(outcome.Silent),
			deployedMetrics: deployed, candidateMetrics: candidate,
		}
		tr.rule.Annotations = map[string]string{"summary": `{{ if $labels.zone }}{{ index $labels "rack" }}{{ end }}`}
		var got []string
		for _, f := range tr.run().Findings {
			got = append(got, f.ID+" "+f.Severity.String()+" "+f.Subject+": "+f.Message)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := ids(tr.itself().run()); len(got) > 0 {
			t.Errorf("%s: deployed with itself gives %v", name, got)
		}
	}
	list := func(m ...outcome.Metric) []outcome.Metric {
		slices.SortFunc(m, func(a, b outcome.Metric) int { return strings.Compare(a.Name, b.Name) })
		return m
	}
	other := metric("other", "gauge")

	f("a metric that a rule reads was renamed", `rate(pending_total[5m]) > 1`,
		list(metric("pending_total", "counter"), other), list(metric("pendings_total", "counter"), other),
		"metric-lost break pending_total: reads the metric pending_total, which no run of the candidate has; nearest: pendings_total")
	f("absence is asked for", `absent(pending_total)`,
		list(metric("pending_total", "counter"), other), list(other))
	f("nobody reads it", `other > 0`,
		list(metric("pending_total", "counter"), other), list(other),
		"metric-lost info pending_total: the metric pending_total: in no run of the candidate; no rule reads it")
	f("the candidate was not scraped", `pending_total > 0`, list(metric("pending_total", "counter")), nil)
	f("type", `rate(pending_total[5m]) > 1`,
		list(metric("pending_total", "counter")), list(metric("pending_total", "gauge")),
		"metric-type-changed warn pending_total: reads the metric pending_total, a counter on deployed and a gauge on candidate")
	f("type of an unread metric", `up == 0`,
		list(metric("pending_total", "counter")), list(metric("pending_total", "gauge")),
		"metric-type-changed info pending_total: the metric pending_total is a counter on deployed and a gauge on candidate; no rule reads it")
	f("a value", `pending_total{queue="fast",zone=~"a|b"} > 1`,
		list(metric("pending_total", "counter", "queue", "fast slow", "zone", "a b")),
		list(metric("pending_total", "counter", "queue", "fast1 slow", "zone", "b c")),
		`metric-label-lost warn pending_total/queue=fast: reads the metric pending_total, of which no series has queue="fast" on candidate; nearest: "fast1"`,
		`metric-label-lost warn pending_total/zone=a: reads the metric pending_total, of which no series has zone="a" on candidate; nearest: "c"`)
	f("a grouping", `sum by (queue) (pending_total) > 1`,
		list(metric("pending_total", "counter", "queue", "fast")), list(metric("pending_total", "counter", "queue_name", "fast")),
		"metric-label-lost warn pending_total/queue: reads the metric pending_total, of which no series has the label queue on candidate; nearest: queue_name")
	f("texts of the alert", `pending_total > 1`,
		list(metric("pending_total", "counter", "rack", "1", "zone", "a")), list(metric("pending_total", "counter")),
		"metric-label-lost warn pending_total/rack: reads the metric pending_total, of which no series has the label rack on candidate",
		"metric-label-lost warn pending_total/zone: reads the metric pending_total, of which no series has the label zone on candidate")
	f("a label that nobody names", `pending_total > 1`,
		list(metric("pending_total", "counter", "queue", "fast")), list(metric("pending_total", "counter")),
		"metric-label-lost info pending_total/queue: no series of pending_total has the label queue on candidate; no rule names it")
}

// A metric that the candidate has in another scenario is not lost.
func TestMetricLost_OtherScenario(t *testing.T) {
	in := metricsOf("other_total", "counter", "", "")().input()
	add := func(s *Side, scenario string, metrics ...outcome.Metric) {
		run := s.Runs[0]
		run.Scenario, run.Metrics = scenario, metrics
		s.Runs = append(s.Runs, run)
	}
	in.Scenarios = append(in.Scenarios, "load")
	add(&in.Deployed, "load", metric("other_total", "counter"))
	add(&in.Candidate, "load", metric("pending_total", "counter", "queue", "a"))
	if got := ids(Compare(in)); contains(got, "metric-lost") {
		t.Errorf("findings %v; the candidate has the metric in another scenario", got)
	}
	in.Candidate.Runs[1].Metrics = []outcome.Metric{metric("other_total", "counter")}
	if got := ids(Compare(in)); !contains(got, "metric-lost") {
		t.Errorf("findings %v; want metric-lost", got)
	}
}

// The message of a lost alert says what its selector asks for in vain.
func TestAlertLost_PromQL(t *testing.T) {
	tr := metricsOf("pending_total", "counter", "queue", "ax")()
	tr.rule = promRule(`sum(pending_total{queue="a"}) > 0`)
	tr.expect = MustFire
	tr.deployed, tr.candidate = states(outcome.Fired), states(outcome.Silent)
	for _, o := range []*outcome.Outcome{&tr.deployed[0], &tr.candidate[0]} {
		o.Funnel, o.Evidence, o.Lines = nil, nil, 0
		o.Selectors = []outcome.Selector{{Text: `pending_total{queue="a"}`, Start: 4, End: 28, Series: 1}}
	}
	tr.candidate[0].Selectors[0].Series = 0
	tr.candidate[0].Nothing = outcome.NoStream
	f := tr.run().Findings[0]
	want := `fires on deployed (03:05:00–03:06:00), silent on candidate: no series of pending_total has queue="a" on candidate; nearest: "ax"`
	if f.ID != "alert-lost" || f.Message != want {
		t.Errorf("finding %s: %q; want %q", f.ID, f.Message, want)
	}
}

// All queries of a Grafana alert are looked at, each in its place.
func TestMetricLost_Grafana(t *testing.T) {
	tr := metricsOf("other_total", "counter", "", "")()
	tr.deployedMetrics = []outcome.Metric{metric("more_total", ""), metric("pending_total", "")}
	tr.rule.Grafana = &rules.GrafanaChain{Nodes: []rules.GrafanaNode{
		{RefID: "A", Type: "query", Language: rules.PromQL, Expr: tr.rule.Expr},
		{RefID: "B", Type: "query", Language: rules.PromQL, Expr: "more_total", Pos: source.Position{File: "g.json", Line: 7, Column: 3}},
	}}
	var got []string
	for _, f := range tr.run().Findings {
		got = append(got, f.ID+" "+f.Subject+" "+f.Pos.String())
	}
	if diff := cmp.Diff([]string{"metric-lost more_total g.json:7:3", "metric-lost pending_total rules/kueue.yaml:5:15"}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Where not all metrics of a run are known, none is said to be lost.
func TestMetricLost_Cut(t *testing.T) {
	in := metricsOf("other_total", "counter", "", "")().input()
	in.Candidate.Runs[0].MetricsCut = true
	if got := ids(Compare(in)); len(got) > 0 {
		t.Errorf("findings %v", got)
	}
}

func TestRenamed(t *testing.T) {
	f := func(name, want string, fresh ...string) {
		t.Helper()
		if got := renamed(name, append(fresh, "kept"), []string{"kept"}); got != want {
			t.Errorf("renamed(%q, %q) = %q; want %q", name, fresh, got, want)
		}
	}
	f("multikueuecluster", "multikueue_cluster", "job", "multikueue_cluster")
	f("syncer", "syncer_v2", "other", "syncer_v2")
	f("kueue_pending_workloads", "kueue_pending_workloads_by_priority", "kueue_pending_jobs_count_total", "kueue_pending_workloads_by_priority")
	f("kueue_cluster_queue_status", "", "kueue_local_queue_usage", "kueue_resource_usage")
	f("kept_metric", "", "kept")
}
