package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/source"
)

// foundIn lists the rules, notes and problems of a set with their places.
func foundIn(t *testing.T, set *Set, text string) []string {
	t.Helper()
	var out []string
	for i := range set.Rules {
		r := &set.Rules[i]
		checkPositionsIn(t, r, text)
		out = append(out, fmt.Sprintf("%d:%d %s: %s", r.Pos.Line, r.Pos.Column, r.Name, r.Expr+r.NotEvaluated))
	}
	for _, n := range set.Notes {
		out = append(out, fmt.Sprintf("%d:%d note: %s", n.Pos.Line, n.Pos.Column, n.Msg))
	}
	for _, p := range set.Problems {
		out = append(out, fmt.Sprintf("%d:%d problem: %s", p.Pos.Line, p.Pos.Column, p.Msg))
	}
	return out
}

func TestLoad_Dashboards(t *testing.T) {
	f := func(name, file, text string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, foundIn(t, loadString(t, file, text), text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	variable := `"schemaVersion": 1, "title": "D", "templating": {"list": [{"name": "v", "type": "custom", "query": "a,b,c", "current": {"value": "a"}}]},` + "\n"
	f("a fault beside a variable", "d.json", "{"+variable+`"panels": [{"title": "P", "datasource": {"type": "loki"}, "targets": [{"refId": "A", "expr": "{a=\"$v\"} |="}]}]}`,
		`2:108 problem: panel "D / P / A" is not valid LogQL: expected a string after |=, found the end of the query`)
	target := func(expr string) string {
		return `"datasource": {"type": "prometheus"}, "targets": [{"refId": "A", "expr": "` + expr + `"}]`
	}
	f("a resource of another kind", "d.json", `{"kind": "DashboardWithAccessInfo", "apiVersion": "dashboard.grafana.app/v2beta1", "spec": {"title": "D", "elements": {"p": {"kind": "Panel", "spec": {"id": 1, "title": "P",
		"data": {"kind": "QueryGroup", "spec": {"queries": [{"kind": "PanelQuery", "spec": {"refId": "A", "query": {"kind": "DataQuery", "group": "prometheus", "spec": {"expr": "up"}}}}]}}}}}}}`,
		"2:173 D / P / A: up")
	f("library panels of an export", "d.json", `{"title": "D", "schemaVersion": 1, "__elements": {
		"u": {"name": "L", "uid": "u", "model": {"title": "Lib", `+target("a")+`}},
		"w": {"name": "W", "model": {`+target("b")+`}}},
		"panels": [{"id": 1, "libraryPanel": {"uid": "u", "name": "L"}},
		{"id": 2, "libraryPanel": {"uid": "u", "name": "L"}},
		{"id": 3, "title": "Own", "libraryPanel": {"uid": "x", "name": "X", "model": {`+target("c")+`}}},
		{"id": 4, "libraryPanel": {"uid": "y", "name": "Y"}}]}`,
		"2:134 D / Lib / A: a", "3:106 D / W / A: b", "6:155 D / Own / A: c",
		`7:29 D / Y: the queries of the library panel "Y" are not in the dashboard; export it with its library panels`)
	f("library panels beside the dashboard", "d.json", `{"dashboard": {"title": "D", "schemaVersion": 1, "panels": [{"id": 1, "title": "P", "libraryPanel": {"uid": "u"}}]},
		"__elements": [{"uid": "u", "model": {`+target("a")+`}}]}`,
		"2:115 D / P / A: a")
	f("compressed", "d.yaml", "apiVersion: grafana.integreatly.org/v1beta1\nkind: GrafanaDashboard\nmetadata: {name: gz}\nspec: {gzipJson: H4sIAAAA}\n",
		`4:18 gz: the dashboard is compressed in the file and not read yet; save it as JSON`)
}

// A fault that is found when a rule is compiled is told once too.
func TestReject_Variants(t *testing.T) {
	set := loadString(t, "d.json", `{"schemaVersion": 1, "title": "D", "templating": {"list": [{"name": "v", "type": "custom", "query": "a,b,c", "current": {"value": "a"}}]},
		"panels": [{"title": "P", "datasource": {"type": "prometheus"}, "targets": [{"refId": "A", "expr": "up{a=\"$v\"}"}]}]}`)
	problem := &source.Error{Pos: set.Rules[0].Pos, Msg: "does not compile"}
	set.Reject(map[int]*source.Error{0: problem, 1: problem})
	if len(set.Rules) != 1 || len(set.Problems) != 1 || len(set.Broken) != 1 || set.Broken[0].Name != "D / P / A" {
		t.Errorf("rules %s, problems %v, broken %v; want one of each", ruleNames(set), problemTexts(set), set.Broken)
	}
}

// In a huge dashboard the defaults of all panels are listed, and one note
// counts the values that are not.
func TestLoad_HugeDashboard(t *testing.T) {
	const panels = 600
	var b strings.Builder
	b.WriteString(`{"schemaVersion": 1, "title": "D", "templating": {"list": [{"name": "v", "type": "custom", "query": "` + strings.Repeat("y,", 40) + `x", "current": {"value": "x"}}]}, "panels": [`)
	for i := range panels {
		fmt.Fprintf(&b, `{"title": "P%d", "datasource": {"type": "prometheus"}, "targets": [{"refId": "A", "expr": "up{a=\"$v\"}"}]},`, i)
	}
	set := loadString(t, "d.json", strings.TrimSuffix(b.String(), ",")+"]}")
	defaults := 0
	for _, r := range set.Rules {
		if r.variantOf == "" {
			defaults++
		}
	}
	if defaults != panels || len(set.Rules) > panels+maxDashboardVariants || len(set.Problems) > 0 || len(set.Notes) != 1 {
		t.Errorf("%d rules, %d of them with defaults; problems %v, notes %v", len(set.Rules), defaults, problemTexts(set), set.Notes)
	}
}
