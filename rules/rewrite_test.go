package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A changed expression is written as the file quotes it, and nothing else
// changes.
func TestRewrite(t *testing.T) {
	const lost, found = `"got it"`, `"got it" or "was 'let' \\w \"in\": #1"`
	tests := []struct{ name, file, text string }{
		{"block", "a.yaml", "groups:\n- name: g\n  rules:\n  - alert: A\n    expr: |\n      count_over_time({app=\"x\"}\n        |= \"got it\" [1m]) > 0\n    for: 1m\n"},
		{"block without line end", "a.yaml", "queries:\n- name: A\n  expr: |-\n    {app=\"x\"} |= \"got it\""},
		{"folded", "a.yaml", "queries:\n- name: A\n  expr: >-\n    {app=\"x\"}\n    |= \"got it\"\n    | json\n"},
		{"single quotes", "a.yaml", "queries:\n- {name: A, expr: '{app=\"x\", q=~\"it''s\"} |= \"got it\"'}\n- {name: B, expr: '{app=\"y\"} |= \"got it\"'}\n"},
		{"double quotes", "a.yaml", "queries:\n- name: A\n  expr: \"{app=\\\"x\\\"} |= \\\"got it\\\" | json\"\n"},
		{"double quotes over lines", "a.yaml", "queries:\n- name: A\n  expr: \"{app=\\\"x\\\"}\n    |= \\\"got it\\\"\n    | json\"\n"},
		{"carriage returns", "a.yaml", "queries:\r\n- name: A\r\n  expr: |\r\n    {app=\"x\"} |= \"got it\"\r\n- name: B\r\n  expr: '{app=\"x\"}'\r\n"},
		{"object", "a.yaml", "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata: {name: r}\nspec:\n  groups:\n  - name: g\n    rules:\n    - alert: A\n      expr: >\n        sum(count_over_time({app=\"x\"} |= \"got it\" [1m])) > 0\n"},
		{"within a ConfigMap", "a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata:\n  rules.yaml: |\n    groups:\n    - name: g\n      rules:\n      - alert: A\n        expr: 'sum(count_over_time({app=\"x\"} |= \"got it\" [1m])) > 0'\n"},
		{"quoted within a ConfigMap", "a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata:\n  rules.yaml: \"groups:\\n- name: g\\n  rules:\\n  - alert: A\\n    expr: 'sum(count_over_time({app=\\\"x\\\"} |= \\\"got it\\\" [1m])) > 0'\\n\"\n"},
		{"dashboard", "a.json", `{"title": "T", "schemaVersion": 36, "panels": [{"id": 1, "title": "A", "type": "logs", "datasource": {"type": "loki"}, "targets": [{"refId": "A", "expr": "{app=\"x\"} |= \"got it\""}]}]}` + "\n"},
		{"dashboard in a ConfigMap", "a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata:\n  d.json: |\n    {\"title\": \"T\", \"schemaVersion\": 36, \"panels\": [\n    {\"id\": 1, \"title\": \"A\", \"type\": \"logs\", \"datasource\": {\"type\": \"loki\"}, \"targets\": [{\"refId\": \"A\", \"expr\": \"{app=\\\"x\\\"} |= \\\"got it\\\"\"}]}]}\n"},
		{"runbook", "a.md", "# A\n\n> ```logql\n> {app=\"x\"}\n>   |= \"got it\"\n> ```\n\ntext\n"},
		{"one query", "a.logql", "# remark\n{app=\"x\"} |= \"got it\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := LoadText(tt.file, []byte(tt.text))
			if len(set.Problems) > 0 || len(set.Rules) == 0 {
				t.Fatal(set.Problems, len(set.Rules))
			}
			rule := &set.Rules[0]
			i := strings.Index(rule.Expr, lost)
			got, err := NewEditor(tt.file, []byte(tt.text)).Rewrite(Change{rule, []Replacement{{i, i + len(lost), found}}})
			if err != nil {
				t.Fatalf("%q: %v", rule.Expr, err)
			}
			after := LoadText(tt.file, got)
			want := strings.Replace(rule.Expr, lost, found, 1)
			if after.Rules[0].Expr != want {
				t.Errorf("expression %q; want %q", after.Rules[0].Expr, want)
			}
			if a, b := strings.Count(tt.text, "\n"), strings.Count(string(got), "\n"); a != b {
				t.Errorf("%d lines became %d", a, b)
			}
		})
	}
}

// What does not stand in the file as one text of its own is not changed.
func TestRewrite_Refused(t *testing.T) {
	tests := []struct{ name, file, text, lost, found, want string }{
		{"anchor", "a.yaml", "queries:\n- {name: A, expr: &e '{app=\"x\"} |= \"a\"'}\n- {name: B, expr: *e}\n", `"a"`, `"b"`, `rule "B" is written by the same text and would change with it`},
		{"plain text that would end", "a.yaml", "queries:\n- name: A\n  expr: sum(count_over_time({app=\"x\"} |= \"a\" [1m]))\n", `"a"`, `"a # b"`, "cannot be read any more"},
		{"variable", "a.json", `{"title":"T","schemaVersion":36,"templating":{"list":[{"name":"v","type":"custom","query":"abc","current":{"value":"abc"}}]},"panels":[{"id":1,"title":"A","type":"logs","datasource":{"type":"loki"},"targets":[{"refId":"A","expr":"{app=\"x\"} |= \"$v\""}]}]}`, `"abc"`, `"abcd"`, ""},
		{"a word of a text with variables", "a.json", `{"title":"T","schemaVersion":36,"templating":{"list":[{"name":"v","type":"custom","query":"abc","current":{"value":"abc"}}]},"panels":[{"id":1,"title":"A","type":"logs","datasource":{"type":"loki"},"targets":[{"refId":"A","expr":"{app=\"x\"} |= \"$v\""}]}]}`, `abc`, `xyz`, "does not stand in the file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := LoadText(tt.file, []byte(tt.text))
			if len(set.Rules) == 0 {
				t.Fatal(set.Problems)
			}
			rule := &set.Rules[0]
			i := strings.Index(rule.Expr, tt.lost)
			if i < 0 {
				t.Fatalf("no %s in %s", tt.lost, rule.Expr)
			}
			got, err := NewEditor(tt.file, []byte(tt.text)).Rewrite(Change{rule, []Replacement{{i, i + len(tt.lost), tt.found}}})
			switch {
			case tt.want == "" && err == nil:
				if e := LoadText(tt.file, got).Rules[0].Expr; e != strings.Replace(rule.Expr, tt.lost, tt.found, 1) {
					t.Errorf("wrote %s", e)
				}
			case tt.want == "":
			case err == nil || !strings.Contains(err.Error(), tt.want):
				t.Errorf("error %v; want %q\n%s", err, tt.want, got)
			}
		})
	}
}

// Several changes of one file follow each other.
func TestRewrite_Several(t *testing.T) {
	text := []byte("queries:\n- name: A\n  expr: '{app=\"x\"} |= \"a\"'\n- name: B\n  expr: '{app=\"x\"} |= \"a\"'\n")
	for i := range 2 {
		rule := &LoadText("a.yaml", text).Rules[i]
		at := strings.Index(rule.Expr, `"a"`)
		var err error
		if text, err = NewEditor("a.yaml", text).Rewrite(Change{rule, []Replacement{{1, 4, "job"}, {at, at + 3, `"a" or "b"`}}}); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.ReplaceAll("queries:\n- name: A\n  expr: '{app=\"x\"} |= \"a\"'\n- name: B\n  expr: '{app=\"x\"} |= \"a\"'\n", `{app="x"} |= "a"`, `{job="x"} |= "a" or "b"`)
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLookup(t *testing.T) {
	set := LoadText("rules/web.yaml", []byte("groups:\n- name: g\n  rules:\n  - alert: LostA\n    expr: |\n      count_over_time({a=\"b\"} [1m]) > 0\n  - alert: LostB\n    expr: count_over_time({a=\"b\"} [1m]) > 1\n- name: h\n  rules:\n  - alert: LostB\n    expr: count_over_time({a=\"b\"} [1m]) > 2\n"))
	tests := []struct {
		name string
		want int
		err  string
	}{
		{"LostA", 0, ""}, {"g/LostB", 1, ""}, {"h/LostB", 2, ""}, {"h/*", 2, ""}, {"*A", 0, ""},
		{"rules/web.yaml:6", 0, ""}, {"web.yaml:7", 0, ""}, {"web.yaml:8", 1, ""}, {"web.yaml:99", 2, ""},
		{"LostB", 0, `"LostB" means 2 rules`}, {"Lost*", 0, `means 3 rules`},
		{"web.yaml:1", 0, "no rule stands at web.yaml:1"}, {"LostB", 0, "alert LostB, group h"}, {"eb.yaml:8", 0, "no rule is named"}, {"LostC", 0, "did you mean"}, {"x*", 0, "no rule is named like"}, {"[", 0, "no rule"},
	}
	for _, tt := range tests {
		got, err := set.Lookup(tt.name)
		switch {
		case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
			t.Errorf("Lookup(%q): %v, %v; want error %q", tt.name, got, err, tt.err)
		case tt.err == "" && (err != nil || len(got) != 1 || got[0] != tt.want):
			t.Errorf("Lookup(%q): %v, %v; want %d", tt.name, got, err, tt.want)
		}
	}
}

// A place in files of one name is that in each of them, unless the whole path
// is given.
func TestLookup_SameFile(t *testing.T) {
	const text = "queries:\n- name: A\n  expr: '{a=\"b\"}'\n"
	set := LoadText("web.yaml", []byte(text))
	for _, file := range []string{"a/rules.yaml", "b/rules.yaml"} {
		set.Rules = append(set.Rules, LoadText(file, []byte(text)).Rules...)
	}
	if got, err := set.Lookup("rules.yaml:3"); err == nil || !strings.Contains(err.Error(), "means 2 rules") {
		t.Errorf("rules.yaml:3 is %v, %v; want an error that lists both", got, err)
	}
	if got, err := set.Lookup("b/rules.yaml:3"); err != nil || len(got) != 1 || got[0] != 2 {
		t.Errorf("b/rules.yaml:3 is %v, %v; want 2", got, err)
	}
}

// Of several changes those are made that can be made; each is also made alone.
func TestRewriteAll(t *testing.T) {
	change := func(r *Rule) Change {
		at := strings.Index(r.Expr, `"a"`)
		return Change{r, []Replacement{{at, at + 3, `"a" or "b"`}}}
	}
	const c, changed = `{app="x"} |= "a" | json`, `{app="x"} |= "a" or "b" | json`
	shared := "- {name: A, expr: &e '{app=\"x\"} |= \"a\"'}\n- {name: B, expr: *e}\n"
	alone := "- name: C\n  expr: \"" + strings.ReplaceAll(c, `"`, `\"`) + "\"\n"
	for _, text := range []string{"queries:\n" + alone, "queries:\n" + shared + alone} {
		set := LoadText("a.yaml", []byte(text))
		var changes []Change
		for i := range set.Rules {
			if set.Rules[i].Name != "B" {
				changes = append(changes, change(&set.Rules[i]))
			}
		}
		want := strings.Replace(text, strings.ReplaceAll(c, `"`, `\"`), strings.ReplaceAll(changed, `"`, `\"`), 1)
		all, each := NewEditor("a.yaml", []byte(text)).RewriteAll(changes)
		if diff := cmp.Diff(want, string(all)); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		for i, e := range each {
			switch name := changes[i].Rule.Name; {
			case name == "A" && e.Err == nil:
				t.Errorf("A was changed, and B with it: %s", e.Text)
			case name == "C" && (e.Err != nil || string(e.Text) != want):
				t.Errorf("C: %v\n%s", e.Err, e.Text)
			}
		}
	}
}
