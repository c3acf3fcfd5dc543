package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/rules"
)

// Queries as they are kept, each named for its file. Q stands for the filter
// that is lost, quoted as the file quotes it.
var keptAs = []struct{ name, quoted, text string }{
	{"folded.yaml", `"lost connection to"`, "queries:\n- name: folded\n  expr: >-\n    {app=\"web\"}\n    |= Q\n    | json\n\n"},
	{"literal.yaml", `"lost connection to"`, "groups:\n- name: g\n  interval: 5s\n  rules:\n  - alert: literal\n    expr: |\n      count_over_time({app=\"web\"}\n        |= Q [5s]) > 0\n  - alert: literal2\n    # both break by the same cause\n    expr: |\n      count_over_time({app=\"web\"} |= Q [10s]) > 0\n"},
	{"crlf.yaml", `"lost connection to"`, "queries:\r\n- name: before\r\n  expr: '{app=\"web\"}'\r\n- name: crlf\r\n  expr: |\r\n    {app=\"web\"} |= Q\r\n"},
	{"no-line-end.yaml", `"lost connection to"`, "queries:\n- {name: no-line-end, expr: '{app=\"web\"} |= Q'}"},
	{"with blanks.yaml", `"lost connection to"`, "queries:\n- {name: with blanks, expr: '{app=\"web\"} |= Q'}\n"},
	{"crd.yaml", `"lost connection to"`, "apiVersion: loki.grafana.com/v1\nkind: AlertingRule\nmetadata: {name: r}\nspec:\n  groups:\n  - name: g\n    interval: 5s\n    rules:\n    - alert: crd\n      expr: >\n        sum(count_over_time({app=\"web\"} |= Q [5s])) > 0\n"},
	{"configmap.yaml", `\"lost connection to\"`, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata:\n  rules.yaml: |\n    groups:\n    - name: g\n      interval: 5s\n      rules:\n      - alert: configmap\n        expr: \"sum(count_over_time({app=\\\"web\\\"} |= Q [5s])) > 0\"\n"},
	{"dashboard.json", `\"lost connection to\"`, "{\n  \"title\": \"T\", \"schemaVersion\": 36,\n  \"panels\": [\n    {\"id\": 1, \"title\": \"dashboard\", \"type\": \"logs\", \"datasource\": {\"type\": \"loki\"},\n     \"targets\": [{\"refId\": \"A\", \"expr\": \"{app=\\\"web\\\"} |= Q\"}]}\n  ]\n}\n"},
	{"runbook.md", "`lost connection to`", "# runbook\n\nLook for the worker:\n\n```logql\n{app=\"web\"} |= Q\n```\n"},
	{"grafana.yaml", `"lost connection to"`, "apiVersion: 1\ngroups:\n- orgId: 1\n  name: g\n  folder: f\n  interval: 10s\n  rules:\n  - uid: u\n    title: grafana\n    condition: B\n    for: 0s\n    data:\n    - refId: A\n      relativeTimeRange: {from: 60, to: 0}\n      datasourceUid: loki\n      model:\n        refId: A\n        datasource: {type: loki, uid: loki}\n        queryType: instant\n        expr: 'sum(count_over_time({app=\"web\"} |= Q [30s]))'\n    - refId: B\n      datasourceUid: __expr__\n      model: {refId: B, type: threshold, expression: A, conditions: [{evaluator: {type: gt, params: [0]}}]}\n"},
}

// A repair is written into every kind of file as it is quoted there, and both
// programs take its diff.
func TestRepair_Formats(t *testing.T) {
	work, recorded := t.TempDir(), t.TempDir()
	for _, k := range keptAs {
		if err := os.WriteFile(filepath.Join(work, k.name), []byte(strings.ReplaceAll(k.text, "Q", k.quoted)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := rules.Load([]string{work}, rules.Options{})
	if err != nil || len(set.Problems) > 0 {
		t.Fatal(err, set.Problems)
	}
	const start = `{"level":"info","msg":"Starting workers"}`
	rep := compare(t, Options{
		Deployed:  raw(t, recorded, "deployed.log", []string{start, `{"level":"error","msg":"The manager lost connection to the worker cluster"}`}),
		Candidate: raw(t, recorded, "candidate.log", []string{start, `{"level":"error","msg":"The manager is disconnected from the worker cluster"}`}),
		Rules:     []string{work}, Labels: logs.FromMap(map[string]string{"app": "web"}), Base: work,
	})
	repairs := repairsOf(t, rep)
	if want := len(set.Rules) - 1; len(repairs) != want {
		t.Errorf("%d repairs; want %d: %v", len(repairs), want, findings(rep))
	}
	all := applied(t, work, rep.Patch)
	for name, r := range repairs {
		if r.Diff == "" {
			t.Errorf("%s: no diff: %s (missing %q)", name, r.NoDiff, r.Missing)
			continue
		}
		if !strings.Contains(r.Expr, "is disconnected from") {
			t.Errorf("%s: %s", name, r.Expr)
		}
		if got := applied(t, work, r.Diff)[name]; got != r.Expr {
			t.Errorf("%s is %s after its diff; want %s", name, got, r.Expr)
		}
		if all[name] != r.Expr {
			t.Errorf("%s is %s after the patch of all; want %s", name, all[name], r.Expr)
		}
	}
}
