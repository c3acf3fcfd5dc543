package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/internal/source"
)

// loadText loads one named file with the given content. Positions have the
// base name of the file only.
func loadString(t testing.TB, name, text string) *Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := Load([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range set.Rules {
		checkPositions(t, &set.Rules[i])
		set.Rules[i].Pos.File = name
	}
	for _, p := range set.Problems {
		p.Pos.File = name
	}
	for i := range set.Broken {
		set.Broken[i].Pos.File = name
	}
	return set
}

func problemTexts(set *Set) []string {
	var texts []string
	for _, p := range set.Problems {
		texts = append(texts, p.Error())
	}
	return texts
}

func ruleNames(set *Set) string {
	var names []string
	for _, r := range set.Rules {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

func TestLoad_Groups(t *testing.T) {
	set := loadString(t, "r.yaml", `namespace: team-a
groups:
  - name: g
    interval: 30s
    query_offset: 1m
    limit: 7
    labels: {team: infra, severity: info}
    rules:
      - alert: A
        expr: sum(rate({app="x"} |= "y" [5m])) > 0
        for: 2m
        keep_firing_for: 90s
        labels: {severity: page, n: 1}
        annotations: {summary: "{{ $value }} of {{ $labels.app }}"}
      - record: r:x
        expr: |
          count_over_time({app="x"} |= "y" [5m])
        labels:
          owner: bob
`)
	want := []Rule{{
		Kind: Alert, Name: "A", Group: "g", Format: "rule groups", Language: LogQL, LanguageReason: "only LogQL can read it",
		Expr: `sum(rate({app="x"} |= "y" [5m])) > 0`, Pos: source.Position{File: "r.yaml", Line: 10, Column: 15},
		Interval: 30 * time.Second, QueryOffset: time.Minute, Limit: 7, For: 2 * time.Minute, KeepFiringFor: 90 * time.Second,
		Labels:      map[string]string{"team": "infra", "severity": "page", "n": "1"},
		Annotations: map[string]string{"summary": "{{ $value }} of {{ $labels.app }}"},
		Owner:       "infra",
	}, {
		Kind: Recording, Name: "r:x", Group: "g", Format: "rule groups", Language: LogQL, LanguageReason: "only LogQL can read it",
		Expr: "count_over_time({app=\"x\"} |= \"y\" [5m])\n", Pos: source.Position{File: "r.yaml", Line: 17, Column: 11},
		Interval: 30 * time.Second, QueryOffset: time.Minute, Limit: 7,
		Labels: map[string]string{"team": "infra", "severity": "info", "owner": "bob"},
		Owner:  "bob",
	}}
	if diff := cmp.Diff(want, set.Rules, cmpopts.IgnoreUnexported(Rule{})); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if len(set.Problems) > 0 {
		t.Errorf("problems: %v", problemTexts(set))
	}
}

// rule wraps the fields of one rule between two valid ones.
func wrapRule(fields string) string {
	return "groups:\n- name: g\n  rules:\n  - {alert: First, expr: up == 0}\n" +
		"  - " + strings.ReplaceAll(fields, "\n", "\n    ") + "\n  - {alert: Last, expr: up == 1}\n"
}

func TestLoad_BadRules(t *testing.T) {
	f := func(fields string, want ...string) {
		t.Helper()
		set := loadString(t, "r.yaml", wrapRule(fields))
		if diff := cmp.Diff(want, problemTexts(set)); diff != "" {
			t.Errorf("problems of %q (-want +got):\n%s", fields, diff)
		}
		if got := ruleNames(set); got != "First Last" {
			t.Errorf("%q: rules are %q; want the two others", fields, got)
		}
	}
	f("alert: X", `r.yaml:5:5: alert "X": field 'expr' must be set in rule`)
	f("expr: up", "r.yaml:5:5: one of 'record' or 'alert' must be set")
	f("alert: X\nrecord: y\nexpr: up", `r.yaml:6:13: alert "X": only one of 'record' and 'alert' must be set`)
	f("alert: X\nexpr: up\nfro: 5m", `r.yaml:7:5: unknown field "fro"; did you mean for?`)
	f("alert: X\nexpr: up\nzzzzz: 5m", `r.yaml:7:5: unknown field "zzzzz"; known are record, alert, expr, for, keep_firing_for, labels, annotations`)
	f("alert: X\nexpr: up\nfor: 5x", `r.yaml:7:10: field "for": unknown unit "x" in duration "5x"`)
	f("alert: X\nexpr: up\nfor: [5m]", `r.yaml:7:10: "for" must be one value`)
	f("alert: X\nexpr: [up]", `r.yaml:6:11: "expr" must be one value`)
	f("alert: X\nexpr: ' '", `r.yaml:6:11: alert "X": the expression is empty`)
	f("alert: X\nexpr: up\nexpr: up", `r.yaml:7:5: key "expr" is given twice, first in line 6`)
	f("alert: X\nexpr: up\nlabels: {__name__: y}", `r.yaml:7:14: alert "X": invalid label name: __name__`)
	f("alert: X\nexpr: up\nlabels: {a: [y]}", `r.yaml:7:17: "a" must be one value`)
	f("alert: X\nexpr: up\nlabels: 5", `r.yaml:7:13: "labels" must be a mapping of names to texts`)
	f("record: a{b}\nexpr: up", `r.yaml:5:13: record "a{b}": braces present in the recording rule name; should it be in expr?: a{b}`)
	f("record: x\nexpr: up\nfor: 5m", `r.yaml:5:13: record "x": invalid field 'for' in recording rule`)
	f("record: x\nexpr: up\nannotations: {a: b}", `r.yaml:5:13: record "x": invalid field 'annotations' in recording rule`)
	f("just text", "r.yaml:5:5: a rule must have the fields alert or record, and expr")
	f("alert: X\nexpr: |\n  sum(\n    foo bar)", `r.yaml:8:13: alert "X" is not valid PromQL: unexpected identifier "bar" in aggregation`)
	f("alert: X\nexpr: \"sum(foo{\\\"a\\\"b})\"", `r.yaml:6:25: alert "X" is not valid PromQL: unexpected identifier "b" in label matching, expected "," or "}"`)
}

// Rules may repeat others: all are loaded, and copies within a group are noted.
func TestLoad_Copies(t *testing.T) {
	f := func(second, rules string, want ...string) {
		t.Helper()
		set := loadString(t, "r.yaml", "groups:\n- name: a\n  rules:\n  - {alert: X, expr: up, for: 5m}\n"+second)
		var notes []string
		for _, n := range set.Notes {
			notes = append(notes, fmt.Sprintf("%d:%d %s", n.Pos.Line, n.Pos.Column, n.Msg))
		}
		if diff := cmp.Diff(want, notes); diff != "" || len(set.Problems) > 0 || ruleNames(set) != rules {
			t.Errorf("%q: rules %s, problems %v, notes (-want +got):\n%s", second, ruleNames(set), problemTexts(set), diff)
		}
	}
	f("  - {alert: X, expr: up, for: 5m}\n", "X X", `5:13 alert "X" repeats the rule in line 4 of the same group`)
	f("  - {alert: X, expr: up, for: 5m, annotations: {a: b}}\n", "X X", `5:13 alert "X" repeats the rule in line 4 of the same group`)
	f("  - {alert: X, expr: up, for: 30s}\n", "X X")
	f("  - {alert: X, expr: up, for: 5m, keep_firing_for: 1m}\n", "X X")
	f("  - {alert: X, expr: up, for: 5m, labels: {a: b}}\n", "X X")
	f("- name: b\n  rules:\n  - {alert: X, expr: up, for: 5m}\n", "X X")

	long := strings.Repeat("z", 4000)
	set := loadString(t, "r.yaml", "groups:\n- name: a\n  rules:\n  - {alert: "+long+", expr: up}\n  - {alert: "+long+", expr: up}\n")
	if len(set.Notes) != 1 || len(set.Notes[0].Msg) > 400 {
		t.Errorf("notes of a long name: %v", set.Notes)
	}
}

func TestLoad_BadTemplates(t *testing.T) {
	set := loadString(t, "r.yaml", wrapRule("alert: X\nexpr: up\nlabels: {a: '{{ .x'}\nannotations:\n  b: |\n    {{ nope }}"))
	if len(set.Problems) != 2 {
		t.Fatalf("problems: %v; want 2", problemTexts(set))
	}
	for i, want := range []string{`r.yaml:7:17: alert "X": label "a": `, `r.yaml:9:10: alert "X": annotation "b": `} {
		if got := set.Problems[i].Error(); !strings.HasPrefix(got, want) {
			t.Errorf("problem %q; want it to begin with %q", got, want)
		}
	}
}

func TestLoad_BadLogQL(t *testing.T) {
	set := loadString(t, "r.yaml", wrapRule("alert: X\nexpr: >\n  sum(count_over_time(\n  {app=\"é\"} |= \"b\"\n  | json | level=\n  [5m])) > 0"))
	if len(set.Problems) != 1 || ruleNames(set) != "First Last" {
		t.Fatalf("problems: %v, rules %s", problemTexts(set), ruleNames(set))
	}
	p := set.Problems[0]
	if p.Pos.Line != 10 || p.Pos.Column != 7 {
		t.Errorf("the fault stands at %v; want 10:7, the bracket", p.Pos)
	}
	if want := "      [5m])) > 0\n      ^^^^"; p.Show != want {
		t.Errorf("Show = %q; want %q", p.Show, want)
	}
	if !strings.Contains(p.Msg, `alert "X" is not valid LogQL: `) {
		t.Errorf("Msg = %q", p.Msg)
	}
}

func TestLoad_BadGroups(t *testing.T) {
	f := func(text, rules string, want ...string) {
		t.Helper()
		set := loadString(t, "r.yaml", text)
		if diff := cmp.Diff(want, problemTexts(set)); diff != "" {
			t.Errorf("problems of %q (-want +got):\n%s", text, diff)
		}
		if got := ruleNames(set); got != rules {
			t.Errorf("rules of %q are %q; want %q", text, got, rules)
		}
	}
	const a = "rules: [{alert: A, expr: up}]"
	f("groups:\n- "+a+"\n", "A", "r.yaml:2:3: Groupname must not be empty")
	f("groups:\n- {name: g}\n- {name: g, "+a+"}\n", "A", `r.yaml:3:10: groupname: "g" is repeated in the same file`)
	f("groups:\n- {name: g, intervall: 5s, "+a+"}\n", "A", `r.yaml:2:13: unknown field "intervall"; did you mean interval?`)
	f("groups:\n- {name: g, interval: 5, "+a+"}\n", "A", `r.yaml:2:23: field "interval": not a valid duration string: "5"`)
	f("groups:\n- {name: g, limit: x, "+a+"}\n", "A", "r.yaml:2:20: field \"limit\": cannot unmarshal !!str `x` into int")
	f("groups:\n- {name: g, labels: {__name__: x, y: z}, "+a+"}\n", "A", `r.yaml:2:22: group "g": invalid label name: __name__`)
	f("groups:\n- {name: g, rules: {alert: A}}\n", "", `r.yaml:2:20: "rules" must be a list; begin each item with a dash`)
	f("groups:\n- text\n- {name: g, "+a+"}\n", "A", "r.yaml:2:3: a group must have the fields name and rules")
	f("groups: 5\n", "", `r.yaml:1:9: "groups" must be a list; begin each item with a dash`)
	f("groups:\n- {name: g, "+a+"}\nnamespaces: x\n", "A", `r.yaml:3:1: unknown field "namespaces"; did you mean namespace?`)
	f("groups: []\n", "", "r.yaml: the file holds no rules; rule files, objects, dashboards, alerts, saved queries, runbooks and pipelines are read, see docs/rules.md")
	f("groups:\n- {name: \"g\\x7f\\u2028é\\U0001F600\", "+a+"}\n", "A")
	f("groups:\n- {name: g, "+a+"}\n---\ngroups: [}\n---\ngroups:\n- {name: g, rules: [{alert: B, expr: up}]}\n", "A B",
		"r.yaml:4:9: invalid YAML: did not find expected node content")
}

// rulefmt tells which fields there are; all of them must be read.
func TestLoad_EveryField(t *testing.T) {
	values := map[string]string{
		"record": "x", "alert": "X", "expr": "up", "for": "1m", "keep_firing_for": "1m", "labels": "{}", "annotations": "{}",
		"name": "g", "interval": "1m", "query_offset": "1m", "limit": "1", "rules": "[{alert: X, expr: up}]",
	}
	for _, key := range ruleKeys() {
		if values[key] == "" {
			t.Fatalf("no value to try for %q", key)
		}
		set := loadString(t, "r.yaml", "groups: [{name: g, rules: [{"+key+": "+values[key]+"}]}]")
		for _, p := range set.Problems {
			if strings.Contains(p.Msg, "unknown field") {
				t.Errorf("field %q of a rule: %v", key, p)
			}
		}
	}
	for _, key := range groupKeys() {
		set := loadString(t, "r.yaml", "groups: [{"+key+": "+values[key]+"}]")
		for _, p := range set.Problems {
			if strings.Contains(p.Msg, "unknown field") {
				t.Errorf("field %q of a group: %v", key, p)
			}
		}
	}
}

func TestLoad_Aliases(t *testing.T) {
	set := loadString(t, "r.yaml", `groups:
- name: g
  rules:
  - &base
    alert: A
    expr: &e |
      up == 0
    labels: &l {a: b}
  - <<: *base
    alert: B
  - {alert: C, expr: *e, labels: *l}
`)
	if got := ruleNames(set); got != "A B C" || len(set.Problems) > 0 {
		t.Fatalf("rules %q, problems %v", got, problemTexts(set))
	}
	for _, r := range set.Rules {
		if r.Pos.Line != 7 || r.Pos.Column != 7 || r.Labels["a"] != "b" {
			t.Errorf("%s stands at %v with labels %v; want 7:7 and a=b", r.Name, r.Pos, r.Labels)
		}
	}
}

// A short file can spell very many rules with anchors.
func TestLoad_AliasBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("x: &r [")
	b.WriteString(strings.Repeat("{alert: A, expr: up},", 1000) + "]\n")
	b.WriteString("groups: [")
	b.WriteString(strings.Repeat("{name: g, rules: *r},", 1000) + "]\n")
	set := loadString(t, "r.yaml", b.String())
	want := "the file is too large or repeats too much with anchors: the rest is not read"
	if last := set.Problems[len(set.Problems)-1]; !slices.ContainsFunc(set.Problems, func(e *source.Error) bool { return e.Msg == want }) {
		t.Errorf("%d problems, the last is %v; want %q", len(set.Problems), last, want)
	}
}
