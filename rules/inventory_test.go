package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/source"
)

const inventory = "testdata/inventory"

// located returns file:line:column of the nth byte sequence text in a file of
// the inventory, and text.
func located(t *testing.T, file, text string, nth int) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(inventory, file))
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for range nth {
		i := strings.Index(string(content[at+1:]), text)
		if i < 0 {
			t.Fatalf("%s has no %q", file, text)
		}
		at += 1 + i
	}
	line, column := source.At(string(content), at)
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// TestLoad_Inventory finds one item of each kind, with broken ones among them,
// and compares names, kinds, languages and places.
func TestLoad_Inventory(t *testing.T) {
	set, err := Load([]string{inventory}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, w := range []struct {
		file, kind, language, name, at string
	}{
		{"objects/configmap.yaml", "alert", "logql", "InConfigMap", "sum(\n"},
		{"objects/configmap.yaml", "alert", "logql", "AfterBad", "count_over_time({app=\"cm\"} |= \"it"},
		{"objects/configmap.yaml", "alert", "logql", "Quoted", `rate({app=\"q\"}`},
		{"objects/configmap.yaml", "query", "logql", "folded", `{app="f"}`},
		{"objects/configmap.yaml", "query", "logql", "Runbook 1", `{app="md"}`},
		{"objects/list.json", "alert", "promql", "InList", "increase(errors"},
		{"objects/list.json", "query", "logql", "q", `{app=\"x\"}`},
		{"objects/loki-operator.yaml", "alert", "logql", "TooManyErrors", "sum(rate("},
		{"objects/loki-operator.yaml", "alert", "promql", "PromInLoki", "up{"},
		{"objects/loki-operator.yaml", "recording", "logql", "app:errors:rate1m", `sum(rate({app="web"} |~`},
		{"objects/prometheusrule.yaml", "alert", "promql", "QueueStuck", "increase("},
		{"objects/prometheusrule.yaml", "recording", "promql", "kueue:attempts:rate5m", "sum by"},
		{"objects/prometheusrule.yaml", "alert", "logql", "LostWorker", "count_over_time("},
		{"objects/vmrule.yaml", "alert", "promql", "VMDown", "up{"},
		{"objects/vmrule.yaml", "alert", "promql", "VMOnlyMetricsQL", "rate("},
		{"objects/vmrule.yaml", "alert", "logql", "VMLogQL", "sum(count"},
		{"objects/vmrule.yaml", "alert", "other", "VLogs", "_msg:"},
		{"objects/vmrule.yaml", "recording", "other", "vm:graphite", "sumSeries"},
		{"objects/vmrule.yaml", "alert", "promql", "VMKept", "vector"},
		{"patterns/stillfires.yaml", "pattern", "logql", "plain", "panic: runtime"},
		{"patterns/stillfires.yaml", "pattern", "logql", "options", "-iE"},
		{"patterns/stillfires.yaml", "pattern", "logql", "basic", "a.c+"},
		{"patterns/stillfires.yaml", "pattern", "other", "back", `\(a\)`},
		{"patterns/stillfires.yaml", "pattern", "logql", "re", `took \d+ms`},
		{"patterns/stillfires.yaml", "pattern", "logql", "select", "select("},
		{"patterns/stillfires.yaml", "pattern", "other", "hard-jq", "group_by"},
		{"pipelines/config.alloy", "metric", "logql", "loki_process_custom_lost_total", "lost_total"},
		{"pipelines/config.alloy", "metric", "logql", "kueue_errors_total", "errors_total"},
		{"pipelines/config.alloy", "metric", "other", "loki_process_custom_sampled", "sampled"},
		{"pipelines/promtail.yaml", "metric", "logql", "promtail_custom_reconcile_errors_total", "reconcile_errors_total"},
		{"pipelines/promtail.yaml", "metric", "logql", "my_lines_total", "lines_total"},
		{"pipelines/promtail.yaml", "metric", "logql", "promtail_custom_errors_total", "          errors_total"},
		{"pipelines/promtail.yaml", "metric", "other", "promtail_custom_odd_total", "odd_total"},
		{"pipelines/promtail.yaml", "metric", "logql", "promtail_custom_code_seconds", "code_seconds"},
		{"pipelines/promtail.yaml", "metric", "other", "promtail_custom_stream_total", "stream_total"},
		{"pipelines/promtail.yaml", "metric", "other", "promtail_custom_never_total", "never_total"},
		{"pipelines/promtail.yaml", "metric", "logql", "promtail_custom_took_ms", "took_ms"},
		{"pipelines/promtail.yaml", "metric", "other", "promtail_custom_sampled_total", "sampled_total"},
		{"runbooks/crlf.markdown", "query", "logql", "CRLF 1", `{app="crlf"}`},
		{"runbooks/worker.md", "query", "logql", "Worker lost 1", `{app="worker"}`},
		{"runbooks/worker.md", "query", "promql", "Worker lost 2", "sum(rate("},
		{"runbooks/worker.md", "query", "logql", "Worker lost 3", `{app="quoted"}`},
		{"runbooks/worker.md", "query", "logql", "Two words 3", `{app="next"}`},
		{"saved.yaml", "query", "logql", "saved", `{app="saved"}`},
		{"tenants/team-a/rules", "alert", "logql", "TenantLogs", "count_over_time("},
		{"tenants/team-a/rules", "alert", "logql", "TenantLogs2", `count_over_time({app="t"} |= "y"`},
		{"tenants/team-a/rules", "alert", "promql", "TenantMetric", "up{"},
	} {
		text := strings.TrimLeft(w.at, " ")
		place := located(t, w.file, w.at, 1)
		if n := len(w.at) - len(text); n > 0 { // spaces tell the text from others
			i := strings.LastIndexByte(place, ':')
			var column int
			fmt.Sscan(place[i+1:], &column)
			place = fmt.Sprintf("%s:%d", place[:i], column+n)
		}
		want = append(want, strings.Join([]string{place, w.kind, w.language, w.name}, " "))
	}
	var got []string
	for i := range set.Rules {
		r := &set.Rules[i]
		pos := r.Pos
		pos.File, _ = strings.CutPrefix(filepath.ToSlash(pos.File), inventory+"/")
		got = append(got, strings.Join([]string{pos.String(), r.Kind.String(), r.Language.String(), r.Name}, " "))
		checkPositions(t, r)
	}
	sort.Strings(want)
	sort.Strings(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// The faults of the inventory, each at its place, and what is said beside.
func TestLoad_InventoryFaults(t *testing.T) {
	set, err := Load([]string{inventory}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	add := func(what string, pos source.Position, msg string) {
		pos.File, _ = strings.CutPrefix(filepath.ToSlash(pos.File), inventory+"/")
		got = append(got, fmt.Sprintf("%s %v: %s", what, pos, msg))
	}
	for _, p := range set.Problems {
		add("problem", p.Pos, p.Msg)
	}
	for _, n := range set.Notes {
		add("note", n.Pos, n.Msg)
	}
	for _, s := range set.Skipped {
		add("skipped", s.Pos, s.Reason)
	}
	want := strings.Split(strings.TrimSpace(inventoryFaults), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const inventoryFaults = `
problem objects/configmap.yaml:18:39: alert "BadInConfigMap" is not valid LogQL: expected a string after |=, found the end of the query
problem objects/configmap.yaml:33:13: invalid YAML: did not find expected node content
problem objects/list.json:10:43: alert "BadInList" is not valid PromQL: unclosed left parenthesis
problem objects/loki-operator.yaml:15:17: alert "PromInLoki" is PromQL, but an AlertingRule takes LogQL only
problem objects/loki-operator.yaml:32:9: invalid YAML: did not find expected node content
problem objects/loki-operator.yaml:37:7: an AlertingRule must have groups under spec
problem objects/prometheusrule.yaml:18:32: alert "Broken" is not valid PromQL: unclosed left parenthesis
problem objects/vmrule.yaml:15:17: alert "VMLogQL" is LogQL, but a VMRule takes PromQL only
problem objects/vmrule.yaml:27:13: unknown type "grafite" of a group
problem patterns/stillfires.yaml:11:29: pattern "bad-re" is not valid: missing closing ): ` + "`took (\\d+ms`" + `
problem patterns/stillfires.yaml:15:36: the pattern "both" has both jq and grep
problem patterns/stillfires.yaml:16:51: the selector is not valid: expected a string in double quotes or backticks after =, found "}"
problem pipelines/config.alloy:32:3: a metric has no name
problem pipelines/promtail.yaml:36:19: metric "wrong_total" has the unknown type "Kounter"
problem pipelines/promtail.yaml:55:33: the selector of a match stage is not valid LogQL: expected "," or "}" after the matcher, found "|"
problem runbooks/worker.md:35:8: query "Two words 1" is not valid PromQL: unexpected end of input inside braces
problem runbooks/worker.md:38:1: the block is not closed
problem saved.yaml:3:43: query "saved-bad" is not valid LogQL: expected "," or "}" after the matcher, found "|="
note objects/prometheusrule.yaml:28:13: group "kueue-logs" is LogQL in a PrometheusRule: only a ruler of Loki runs it, Prometheus refuses it
note pipelines/config.alloy:37:2: stage geoip is not evaluated
note pipelines/config.alloy:42:2: stage sampling is not evaluated
note pipelines/promtail.yaml:64:9: stage sampling is not evaluated
note tenants/team-a/rules:7:38: alert "TenantMetric" is PromQL, but other rules of its group are LogQL: a ruler runs only one of them
skipped objects/configmap.yaml:7: key notes.txt holds no rules
skipped objects/configmap.yaml:35: key rules.yaml.gz is binaryData, which is not read: put it under data to have it read
skipped objects/list.json:5: the object holds no rules
skipped objects/loki-operator.yaml:28: the document holds no rules
skipped other.yaml: the file holds no rules
skipped runbooks/plain.md: the file holds no rules
`
