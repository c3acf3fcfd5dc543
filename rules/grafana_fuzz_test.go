package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// seedFiles adds the files of testdata/grafana that a name matches.
func seedFiles(f *testing.F, pattern string) {
	files, err := filepath.Glob("testdata/grafana/" + pattern)
	if err != nil || len(files) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
}

// checkGrafana holds what a file gave to what must be true of every file.
func checkGrafana(t *testing.T, text []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "d.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := Load([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Problems {
		if p.Pos.File == "" || p.Msg == "" {
			t.Errorf("problem without a place or text: %+v", p)
		}
	}
	for i := range set.Rules {
		r := &set.Rules[i]
		if r.Name == "" || r.Kind == 0 || r.Language == 0 || r.Pos.Line < 1 || r.Expr == "" && r.NotEvaluated == "" {
			t.Errorf("incomplete rule %+v", r)
		}
		if !strings.Contains(string(text), "binary") {
			checkPositions(t, r)
		}
		if r.Grafana != nil && r.NotEvaluated == "" && r.Grafana.Node(r.Grafana.Condition) == nil {
			t.Errorf("%s has no condition", r.Name)
		}
	}
}

func FuzzDashboard(f *testing.F) {
	seedFiles(f, "*.json")
	seedFiles(f, "*.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) < 1<<13 {
			checkGrafana(t, text)
		}
	})
}

func FuzzFill(f *testing.F) {
	f.Add(`{a=~"$v", b="${v:regex}"} |= "[[v]]" [$__interval] $$v ${w.x:csv} $1`, "a.b", true)
	f.Fuzz(func(t *testing.T, text, value string, multi bool) {
		if len(text) > 1<<12 || len(value) > 1<<10 {
			return
		}
		vars := variables{
			{name: "v", kind: "custom", known: true, current: []string{value, "x"}, multi: multi, options: []string{value, "x", "y"}},
			{name: "w", kind: "query", includeAll: true, all: value, isAll: true, known: true},
		}
		tpl := &template{text: text, places: yamlpos.Places{{}}, vars: vars, language: LogQL, dollars: multi}
		for _, c := range append([]choice{{}}, vars[0].choices()...) {
			got := tpl.fill(&c)
			if got.reason != "" {
				continue
			}
			if len(got.text) > maxExpr+len(text) {
				t.Fatalf("%d bytes", len(got.text))
			}
			for i := range len(got.text) {
				at := got.places.At(i)
				if at < 0 || at >= len(text) {
					t.Fatalf("byte %d of %q stands at %d of %q", i, got.text, at, text)
				}
				if text[at] != got.text[i] && text[at] != '$' && text[at] != '[' {
					t.Fatalf("byte %d of %q is %q, but %d of %q is %q", i, got.text, got.text[i], at, text, text[at])
				}
			}
		}
	})
}
