package rules

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what is found to the .want files")

// listing prints all that a set holds, one item a line.
func listing(set *Set) string {
	var b strings.Builder
	at := func(p fmt.Stringer) string { return filepath.Base(fmt.Sprint(p)) }
	for _, r := range set.Rules {
		fmt.Fprintf(&b, "%s: %s %s %q\n", at(r.Pos), r.Kind, r.Language, r.Name)
		if r.Expr != "" {
			fmt.Fprintf(&b, "\t%s\n", strings.ReplaceAll(strings.TrimSpace(r.Expr), "\n", "\n\t"))
		}
		if r.NotEvaluated != "" {
			fmt.Fprintf(&b, "\tnot evaluated: %s\n", r.NotEvaluated)
		}
		if g := r.Grafana; g != nil {
			fmt.Fprintf(&b, "\tevery %v for %v keep %v labels %v folder %q condition %s no data %s error %s\n", r.Interval, r.For, r.KeepFiringFor, r.Labels, g.Folder, g.Condition, g.NoDataState, g.ExecErrState)
			for i := range g.Nodes {
				fmt.Fprintf(&b, "\t%s\n", node(&g.Nodes[i]))
			}
		}
	}
	for _, p := range set.Problems {
		fmt.Fprintf(&b, "problem %s: %s; %s\n", at(p.Pos), p.Msg, p.Hint)
	}
	for _, r := range set.Broken {
		fmt.Fprintf(&b, "broken %s: %s %q\n", at(r.Pos), r.Kind, r.Name)
	}
	for _, n := range set.Notes {
		fmt.Fprintf(&b, "note %s: %s\n", at(n.Pos), n.Msg)
	}
	return b.String()
}

func node(n *GrafanaNode) string {
	s := n.RefID + " " + n.Type
	switch n.Type {
	case "query":
		s += fmt.Sprintf(" %s at %s: %s, %v to %v instant %t step %v", n.Language, filepath.Base(n.Pos.String()), strings.TrimSpace(n.Expr), n.From, n.To, n.Instant, n.Step)
	case "reduce":
		s += fmt.Sprintf(" %s of %s mode %q %v", n.Reducer, n.Input, n.Mode, n.ReplaceWith)
	case "math":
		s += " " + spelled(n.Math)
	default:
		s += fmt.Sprintf(" of %q %+v", n.Input, n.Conditions)
	}
	return s
}

// Each file of testdata/grafana has what is found in it beside it.
func TestLoad_Grafana(t *testing.T) {
	files, err := filepath.Glob("testdata/grafana/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".want") {
			continue
		}
		set, err := Load([]string{file}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := listing(set)
		if *update {
			if err := os.WriteFile(file+".want", []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file + ".want")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
		for i := range set.Rules {
			checkPositions(t, &set.Rules[i])
		}
	}
}

// What only looks a little like something of Grafana's is passed over.
func TestLoad_NotGrafana(t *testing.T) {
	for _, text := range []string{
		`{"title": "x", "data": [1, {"a": "b"}]}`,
		`{"schemaVersion": 2, "title": "x"}`,
		`{"panels": [{"name": "x"}], "annotations": {"a": "b"}}`,
		`{"panels": "none"}`,
		`[{"title": "x"}, {"data": []}]`,
		`{"apiVersion": 1, "contactPoints": [{"name": "x"}]}`,
		`{"apiVersion": "grafana.integreatly.org/v1beta1", "kind": "GrafanaFolder", "spec": {"title": "x"}}`,
		`{"apiVersion": "dashboard.grafana.app/v1", "kind": "DashboardList", "spec": {}}`,
		`{"dashboard": {"title": "x"}}`,
		`{"elements": {"a": 1}}`,
	} {
		dir := t.TempDir()
		write(t, dir, "x.json", text)
		set, err := Load([]string{dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Rules)+len(set.Problems)+len(set.Notes) > 0 || len(set.Skipped) != 1 {
			t.Errorf("%s: %s", text, listing(set))
		}
	}
}
