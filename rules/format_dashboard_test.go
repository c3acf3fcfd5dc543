package rules

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	f("compressed", "d.yaml", "apiVersion: grafana.integreatly.org/v1beta1\nkind: GrafanaDashboard\nmetadata: {name: gz}\nspec: {gzipJson: H4sIAAAA}\n",
		`4:18 gz: the dashboard is compressed in the file and not read yet; save it as JSON`)
}
