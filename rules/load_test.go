package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

var startPlaces = yamlpos.Places{{}}

func newFile(text string) *yamlpos.File { return yamlpos.NewFile("f", []byte(text)) }

// write makes files below a folder: names and contents by turns. A content
// "-> x" makes a link to x.
func write(t testing.TB, dir string, namesAndTexts ...string) {
	t.Helper()
	for i := 0; i < len(namesAndTexts); i += 2 {
		path := filepath.Join(dir, namesAndTexts[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(namesAndTexts[i+1], "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(namesAndTexts[i+1]), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func oneAlert(name string) string {
	return "groups: [{name: g, rules: [{alert: " + name + ", expr: up == 0}]}]\n"
}

// summary prints a set, one item a line.
func summary(dir string, set *Set) string {
	var b strings.Builder
	for _, r := range set.Rules {
		fmt.Fprintf(&b, "rule %s %s\n", r.Name, r.Pos.File)
	}
	for _, s := range set.Skipped {
		fmt.Fprintf(&b, "skip %v: %s\n", s.Pos, s.Reason)
	}
	for _, p := range set.Problems {
		fmt.Fprintf(&b, "problem %v\n", p)
	}
	return strings.ReplaceAll(b.String(), dir+string(filepath.Separator), "")
}

func TestLoad_Paths(t *testing.T) {
	f := func(files []string, paths []string, want string) {
		t.Helper()
		dir := t.TempDir()
		write(t, dir, files...)
		for i := range paths {
			paths[i] = filepath.Join(dir, paths[i])
		}
		set, err := Load(paths, Options{MaxFileBytes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, summary(dir, set)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", paths, diff)
		}
	}
	f([]string{"b.yaml", oneAlert("B"), "a.yml", oneAlert("A"), "sub/c.json", oneAlert("C"), "sub/.d.yaml", oneAlert("D"), "notes.txt", "groups: ["},
		[]string{""}, "rule A a.yml\nrule B b.yaml\nrule C sub/c.json\n")
	f([]string{"..2026/r.yaml", oneAlert("A"), "..data", "-> ..2026", "r.yaml", "-> ..data/r.yaml"},
		[]string{""}, "rule A r.yaml\n")
	f([]string{"..2026/r.yaml", oneAlert("A"), "..data", "-> ..2026", "r.yaml", "-> ..data/r.yaml"},
		[]string{"**/*.yaml", "", "r.yaml"}, "rule A r.yaml\n")
	f([]string{"tenant/bmFtZQ", oneAlert("A"), "tenant/LICENSE", "{ no: [yaml"},
		[]string{""}, "rule A tenant/bmFtZQ\nskip tenant/LICENSE: the file holds no rules\n")
	f([]string{"a/r.yaml", oneAlert("A"), "a/loop", "-> ../a", "b", "-> a"},
		[]string{""}, "rule A a/r.yaml\n")
	f([]string{"k.yaml", "resources: [a]\n", "r.yaml", "a: 1\n---\n" + oneAlert("A") + "---\n# nothing\n"},
		[]string{""}, "rule A r.yaml\nskip k.yaml: the file holds no rules\nskip r.yaml:1: the document holds no rules\n")
	f([]string{"k.yaml", "resources: [a]\n"}, []string{"k.yaml"},
		"problem k.yaml: the file holds no rules; rule files, objects, dashboards, alerts, saved queries, runbooks and pipelines are read, see docs/rules.md\n")
	f([]string{"k.yaml", "resources: [a]\n"}, []string{"*.yaml"}, "skip k.yaml: the file holds no rules\n")
	f([]string{"k.yaml", "a: b: c\n"}, []string{""}, "problem k.yaml:1:5: invalid YAML: mapping values are not allowed in this context\n")
	f([]string{"README.md", "a: b: c\n", "raw.md", "\xff\n", "rules.txt", "groups: [\n"}, []string{"*"},
		"skip README.md: the file holds no rules\nskip raw.md: the file holds no rules\nproblem rules.txt:1:9: invalid YAML: did not find expected node content\n")
	f([]string{"a.yaml", oneAlert("A")}, []string{"*.yml", "b.yaml", "[a"},
		"problem *.yml: no file matches the pattern; check the path\nproblem [a: the pattern is not valid; close its brackets and braces\nproblem b.yaml: no such file or directory; check the path\n")
	f([]string{"[a].yaml", oneAlert("A")}, []string{"[a].yaml"}, "rule A [a].yaml\n")
	f([]string{"x/a.yaml", oneAlert("A"), "y/b.yaml", oneAlert("B")}, []string{"{x,y}"}, "rule A x/a.yaml\nrule B y/b.yaml\n")
	f([]string{"a.yaml", strings.Repeat("#", 1001)}, []string{""}, "problem a.yaml: the file is larger than 1000 bytes\n")
	f([]string{"a.yaml", "-> nowhere"}, []string{""}, "problem a.yaml: no such file or directory\n")
	f([]string{"a.yaml", "groups: [{name: \xff}]"}, []string{""}, "problem a.yaml:1:17: the file is not UTF-8 text; convert it to UTF-8\n")
	f([]string{"inventory.yaml", "groups: [admin, dev]\nusers: []\n", "graf.yaml", "apiVersion: 1\ndatasources: []\n"}, []string{""},
		"skip graf.yaml: the file holds no rules\nskip inventory.yaml: the file holds no rules\n")
}

func TestLoad_NoPaths(t *testing.T) {
	if _, err := Load(nil, Options{}); err == nil {
		t.Error("Load of nothing gives no error")
	}
}

func TestLoad_TextFiles(t *testing.T) {
	set := loadString(t, "Binds.logql", "\ufeff# lines that tell of binds\n\n  # owner: me\n{app=\"é\"} # why\r\n  |= \"bind\"\n\n")
	if len(set.Rules) != 1 || set.Rules[0].Name != "Binds" || set.Rules[0].Language != LogQL || set.Rules[0].Kind != Query {
		t.Fatalf("rules %+v, problems %v", set.Rules, problemTexts(set))
	}
	if got := set.Rules[0].Pos.String(); got != "Binds.logql:4:1" {
		t.Errorf("the query stands at %s; want 4:1", got)
	}
	set = loadString(t, "up.promql", "sum(up)")
	if len(set.Rules) != 1 || set.Rules[0].Language != PromQL || set.Rules[0].LanguageReason != "the file name ends in .promql" {
		t.Errorf("rules %+v", set.Rules)
	}
	set = loadString(t, "bad.logql", "# c\nsum(\n  up)")
	if got := problemTexts(set); len(got) != 1 || !strings.HasPrefix(got[0], `bad.logql:3:3: query "bad" is not valid LogQL: `) {
		t.Errorf("problems %v", got)
	}
	set = loadString(t, "empty.logql", " \n# c")
	want := []string{"empty.logql:1:1: the file holds no query; write one query; lines that begin with # are comments"}
	if diff := cmp.Diff(want, problemTexts(set)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLoad_Queries(t *testing.T) {
	f := func(text, rules string, want ...string) {
		t.Helper()
		set := loadString(t, "q.yaml", text)
		if diff := cmp.Diff(want, problemTexts(set)); diff != "" {
			t.Errorf("problems of %q (-want +got):\n%s", text, diff)
		}
		if got := ruleNames(set); got != rules {
			t.Errorf("rules of %q are %q; want %q", text, got, rules)
		}
	}
	const q = `{name: q, expr: '{a="b"}'}`
	f("queries: ["+q+"]", "q")
	f("queries:\n- "+q+"\n- {expr: up}\n", "q", "q.yaml:3:3: the saved query has no name; add the field name")
	f("queries:\n- "+q+"\n- {name: x}\n", "q", `q.yaml:3:3: the saved query "x" has no expression; add the field expr`)
	f("queries:\n- "+q+"\n- "+q+"\n", "q", `q.yaml:3:10: the name "q" is used twice, first in line 2; give each saved query its own name`)
	f("queries:\n- "+q+"\n- {name: x, expr: up, lang: logql}\n", "q", `q.yaml:3:23: unknown field "lang"; known are name, expr, language, owner`)
	f("queries:\n- "+q+"\n- {name: x, expr: up, language: promq}\n", "q", `q.yaml:3:33: unknown language "promq"; did you mean promql?`)
	f("queries:\n- "+q+"\n- {name: x, expr: up, language: sql}\n", "q", `q.yaml:3:33: unknown language "sql"; write logql or promql`)
	f("queries:\n- "+q+"\n- {name: [x], expr: up}\n- x\n", "q", `q.yaml:3:10: "name" must be text`, "q.yaml:4:3: a saved query must have the fields name and expr")
	f("queries:\n- "+q+"\nquery: 1\n", "q", `q.yaml:3:1: unknown field "query"; known are queries`)
	f("queries: []\n", "", "q.yaml: the file holds no rules; rule files, objects, dashboards, alerts, saved queries, runbooks and pipelines are read, see docs/rules.md")
}

// spellings write the expression `sum(rate(a{x="é"}[5m])) > 0` in many ways.
var spellings = map[string]string{
	"plain":           `expr: sum(rate(a{x="é"}[5m])) > 0`,
	"plain, lines":    "expr: sum(\n   rate(a{x=\"é\"}[5m])\n\n )\n    > 0",
	"plain, below":    "expr:\n   sum(rate(a{x=\"é\"}[5m])) > 0",
	"single":          `expr: 'sum(rate(a{x="é"}[5m])) > 0'`,
	"single, quotes":  `expr: 'sum(rate(a{x=''é''}[5m])) > 0'`,
	"double":          `expr: "sum(rate(a{x=\"é\"}[5m])) > 0"`,
	"double, escapes": `expr: "sum(rate(a{x=\"\u00e9\"}[5m]))\n\x3e 0"`,
	"double, lines":   "expr: \"sum(\\\n    rate(a{x=\\\"é\\\"}[5m]))\n\n  > 0\"",
	"literal":         "expr: |\n  sum(\n    rate(a{x=\"é\"}[5m])\n\n  ) > 0",
	"literal, strip":  "expr: |-\n    sum(rate(a{x=\"é\"}[5m]))\n    > 0",
	"literal, keep":   "expr: |+2\n    sum(\n   rate(a{x=\"é\"}[5m]))\n  > 0\n\n",
	"literal, blank":  "expr: |\n\n\n  sum(rate(a{x=\"é\"}[5m])) > 0",
	"folded":          "expr: >\n  sum(\n  rate(a{x=\"é\"}[5m])\n\n      )\n  > 0",
	"folded, strip":   "expr: >1-\n   sum(\n rate(a{x=\"é\"}[5m]))\n > 0",
	"comment":         "expr: | # why\n  # really\n  sum(rate(a{x=\"é\"}[5m])) > 0 # so",
	"anchor":          "expr: &e !!str\n  sum(rate(a{x=\"é\"}[5m])) > 0",
	"UTF-8 before":    `"expr": "sum(rate(a{x=\"é\"}[5m])) > 0"`,
}

func TestLoad_Spellings(t *testing.T) {
	for name, spelling := range spellings {
		for _, end := range []string{"\n", "\r\n"} {
			for _, head := range []string{"", "\ufeff", "# é\n---\nx: 1\n---\n", "%YAML 1.1\n---\n"} {
				text := head + "groups:\n- name: g\n  rules:\n  - alert: \"é\"\n    " + strings.ReplaceAll(spelling, "\n", "\n    ") + "\n  - {alert: Z, expr: up}\n"
				text = strings.ReplaceAll(text, "\n", end)
				set := loadString(t, "r.yaml", text)
				if len(set.Problems) > 0 || ruleNames(set) != "é Z" {
					t.Errorf("%s: problems %v\n%s", name, problemTexts(set), text)
				}
			}
		}
	}
}

// A fault inside an expression must be placed on the byte in the file, by
// whichever spelling.
// Blanks that an expression begins with are not part of the query.
func TestLoad_LeadingBlanks(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		set := loadString(t, "r.yaml", text)
		if len(set.Rules) != 1 || len(set.Problems) > 0 {
			t.Fatalf("Load(%q): rules %s, problems %v", text, ruleNames(set), problemTexts(set))
		}
		r := &set.Rules[0]
		checkPositionsIn(t, r, text)
		if got := fmt.Sprintf("%d:%d %s", r.Pos.Line, r.Pos.Column, r.Expr); got != want || r.Position(0) != r.Pos {
			t.Errorf("Load(%q): %q, byte 0 at %v; want %q", text, got, r.Position(0), want)
		}
	}
	f("groups:\n- name: g\n  rules:\n  - alert: A\n    expr: |2\n\n          up\n            > 1\n", "7:11 up\n      > 1\n")
	f("queries:\n- name: q\n  expr: \"  \\n up\"\n", "3:15 up")
}

func TestLoad_FaultPlaces(t *testing.T) {
	for name, spelling := range spellings {
		if strings.Count(spelling, ">") == 0 || !strings.Contains(spelling, "> 0") {
			continue // the operator is written as an escape
		}
		for _, bad := range []string{"> up down", "> up{é}"} {
			at := strings.LastIndexAny(bad, "dé")
			text := "groups:\n- name: g\n  rules:\n  - alert: A\n    " + strings.ReplaceAll(strings.Replace(spelling, "> 0", bad, 1), "\n", "\n    ") + "\n"
			set := loadString(t, "r.yaml", text)
			if len(set.Problems) != 1 {
				t.Fatalf("%s: problems %v\n%s", name, problemTexts(set), text)
			}
			offset := strings.Index(text, bad) + at
			line := 1 + strings.Count(text[:offset], "\n")
			column := offset - strings.LastIndex(text[:offset], "\n")
			if p := set.Problems[0].Pos; p.Line != line || p.Column != column {
				t.Errorf("%s: the fault stands at %v; want %d:%d\n%s", name, set.Problems[0], line, column, text)
			}
		}
	}
}

func TestPosition_Random(t *testing.T) {
	words := []string{"sum(", "rate(", "{", "}", "é", "'", "\"", "\\", "|=", "#x", " ", "  ", "\n", "\n\n", "\n  ", ":", "- "}
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 2))
		var expr strings.Builder
		expr.WriteString("a")
		for range r.IntN(12) {
			expr.WriteString(words[r.IntN(len(words))])
		}
		lines := strings.Split(expr.String(), "\n")
		pad := strings.Repeat(" ", 1+r.IntN(4))
		spelling := []string{"|", ">", "|-", ">+"}[r.IntN(4)] + "\n" + pad + strings.Join(lines, "\n"+pad)
		if r.IntN(2) == 0 {
			spelling = "'" + strings.ReplaceAll(strings.Join(lines, "\n"+pad), "'", "''") + "'"
		}
		text := "queries:\n- name: é\n  expr: " + strings.ReplaceAll(spelling, "\n", "\n  ") + "\n"
		path := filepath.Join(t.TempDir(), "q.yaml")
		write(t, filepath.Dir(path), "q.yaml", text)
		docs, problems := yamlpos.Parse(yamlpos.NewFile(path, []byte(text)))
		if len(problems) > 0 {
			t.Fatalf("%v\n%s", problems[0], text)
		}
		budget := maxWork
		found := loadQueries(&part{file: docs[0].File, doc: docs[0], budget: &budget})
		if len(found.drafts) != 1 {
			t.Fatalf("%v\n%s", found.problems, text)
		}
		checkPositions(t, &found.drafts[0].rule)
	}
}

func TestLoad_Broken(t *testing.T) {
	brokenNames := func(set *Set) string {
		var names []string
		for _, b := range set.Broken {
			names = append(names, fmt.Sprintf("%v %s/%s %d:%d", b.Kind, b.Group, b.Name, b.Pos.Line, b.Pos.Column))
		}
		return strings.Join(names, ", ")
	}
	f := func(file, text, want string) {
		t.Helper()
		if got := brokenNames(loadString(t, file, text)); got != want {
			t.Errorf("Load(%q) has the broken rules %s; want %s", text, got, want)
		}
	}
	f("r.yaml", `groups:
- name: g
  rules:
  - {alert: Good, expr: 'rate({a="b"}[1m]) > 0'}
  - {alert: Parse, expr: 'rate({a="b"}[1m] > 0'}
  - {alert: Field, exp: 'up'}
  - {record: r:x, expr: up, for: 1m}
  - {alert: Both, record: both, expr: up}
  - {alert: Good, expr: 'rate({a="b"}[1m]) > 0'}
  - {alert: '', expr: up}
  - {expr: up}
`, "alert g/Parse 5:44, alert g/Field 6:20, recording g/r:x 7:14, alert g/Both 8:27")
	f("q.yaml", "queries:\n- {name: a, expr: '{a='}\n- {name: b, language: sql, expr: x}\n- {name: ' ', expr: x}\n- {name: c}\n",
		"query /a 2:23, query /b 3:23, query /c 5:3")
	f("q.logql", "# nothing\n", "query /q 1:1")

	set := loadString(t, "r.yaml", "groups:\n- name: g\n  rules:\n  - {alert: A, expr: 'up > 1'}\n  - {alert: B, expr: 'up > 2'}\n  - {alert: C, expr: 'up > 3'}\n  - {alert: D, expr: 'up ! 4'}\n")
	problem := func(i int) *source.Error { return &source.Error{Pos: set.Rules[i].Pos, Msg: "does not compile"} }
	set.Reject(map[int]*source.Error{2: problem(2), 0: problem(0)})
	if got := ruleNames(set); got != "B" {
		t.Errorf("after Reject the rules are %s; want B", got)
	}
	if got, want := brokenNames(set), "alert g/A 4:23, alert g/C 6:23, alert g/D 7:26"; got != want {
		t.Errorf("after Reject the broken rules are %s; want %s", got, want)
	}
	if got := problemTexts(set); len(got) != 3 || got[0] != "r.yaml:4:23: does not compile" {
		t.Errorf("after Reject the problems are %q", got)
	}
}

// Rules come as JSON too, with escapes that YAML does not know.
func TestLoad_JSON(t *testing.T) {
	set := loadString(t, "r.json", `{"groups": [{"name": "g", "interval": "30s", "limit": 5, "query_offset": null, "rules": [
{"alert": "A", "expr": "rate({a=\"b\"} |= \"x\/y \ud83d\ude00\" [5m]) > 0", "for": "5m", "labels": {"severity": "page"}},
{"alert": "B", "expr": "rate({a=\"b\"} |= \"x\/y \ud83d\ude00\" [5m] > 0"}, {"record": "r:x", "expr": "up\/\u0032"}]}]}`)
	if got := ruleNames(set); got != "A r:x" {
		t.Errorf("rules %s; want A and r:x", got)
	}
	if got := problemTexts(set); len(got) != 1 || !strings.HasPrefix(got[0], `r.json:3:70: alert "B" is not valid LogQL: `) {
		t.Errorf("problems %q; want one at the > of rule B", got)
	}
	if a := set.Rules[0]; a.Expr != `rate({a="b"} |= "x/y 😀" [5m]) > 0` || a.Interval != 30*time.Second || a.For != 5*time.Minute || a.Labels["severity"] != "page" {
		t.Errorf("rule A is %+v", a)
	}
}
