package rules

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stillfires/stillfires/logql/syntax"
)

// inventoryFiles calls f with the content of each file of the inventory that
// has one of the extensions.
func inventoryFiles(t testing.TB, f func(text []byte), extensions ...string) {
	t.Helper()
	err := filepath.WalkDir(inventory, func(path string, d os.DirEntry, err error) error {
		for _, ext := range extensions {
			if err == nil && filepath.Ext(path) == ext {
				text, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				f(text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkLoaded loads a text as a file and checks what holds for all of them.
func checkLoaded(t *testing.T, name string, text []byte) {
	t.Helper()
	if len(text) > 1<<14 {
		return
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	set, err := Load([]string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Rules)+len(set.Problems) == 0 {
		t.Error("a named file gave neither rules nor problems")
	}
	for _, p := range set.Problems {
		if p.Pos.File == "" || p.Msg == "" {
			t.Errorf("problem without a place or text: %+v", p)
		}
	}
	for i := range set.Rules {
		r := &set.Rules[i]
		if r.Name == "" || r.Expr == "" || r.Language == 0 || r.Kind == 0 || r.Format == "" || r.Pos.Line < 1 {
			t.Errorf("incomplete rule %+v", r)
		}
		if r.NotEvaluated == "" && r.Language == LogQL {
			if _, err := syntax.Parse(r.Expr); err != nil {
				t.Errorf("%s is not LogQL: %v", r.Expr, err)
			}
		}
		checkPositions(t, r)
	}
}

func FuzzLoadMarkdown(f *testing.F) {
	inventoryFiles(f, func(text []byte) { f.Add(text) }, ".md", ".markdown")
	f.Add([]byte("> - ```logql\n>   {a=\"b\"}\n>   ```\n1. ~~~promql\n\tup\n   ~~~"))
	f.Fuzz(func(t *testing.T, text []byte) { checkLoaded(t, "r.md", text) })
}

func FuzzLoadAlloy(f *testing.F) {
	inventoryFiles(f, func(text []byte) { f.Add(text) }, ".alloy")
	f.Add([]byte("loki.process \"a\" { stage.metrics { metric.counter { name = \"\\u00e9\\x41\" match_all = true action = \"inc\" } } }"))
	f.Add([]byte("declare \"x\" { loki.process \"a\" { stage.match { selector = f(\"}\") + [1, {a = 2}] } } }"))
	f.Fuzz(func(t *testing.T, text []byte) { checkLoaded(t, "c.alloy", text) })
}

func FuzzLoadObjects(f *testing.F) {
	inventoryFiles(f, func(text []byte) { f.Add(text) }, ".yaml", ".json")
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, tag := range []string{"binary", "!!"} { // whose bytes the file does not spell
			if bytes.Contains(text, []byte(tag)) {
				return
			}
		}
		checkLoaded(t, "o.yaml", text)
	})
}

// A pattern is LogQL, or there is a reason.
func FuzzPatterns(f *testing.F) {
	for _, s := range []string{`a\(b\|c\)*[[:alpha:]]`, `-iE 'a|b'`, `select(.a=="b" and (.c|not))`, `select(.a["b"][0] | test("x")) | .y`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<10 {
			return
		}
		for tool, translate := range patternTools() {
			got := translate(text)
			if got.why != "" || got.fault != nil || len(got.stages) == 0 {
				if got.why == "" && got.fault == nil {
					t.Errorf("%s %q gives nothing and says not why", tool, text)
				}
				continue
			}
			expr := `{a="b"}`
			for _, s := range got.stages {
				expr += " " + s
			}
			if _, err := syntax.Parse(expr); err != nil && syntaxPhase(err) {
				t.Errorf("%s %q is %s: %v", tool, text, expr, err)
			}
		}
	})
}

// syntaxPhase reports whether an error is not just one of size.
func syntaxPhase(err error) bool {
	bad, ok := errors.AsType[*syntax.Error](err)
	return ok && bad.Phase == syntax.PhaseParse
}
