package rules

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func FuzzLoad(f *testing.F) {
	for _, s := range spellings {
		f.Add([]byte("groups:\n- name: g\n  rules:\n  - alert: A\n    " + s + "\n"))
	}
	f.Add([]byte("queries:\n- {name: a, expr: '{a=\"b\"} |= \"c\"', language: logql}\n---\ngroups: []\n"))
	f.Add([]byte("a: &a {name: g, rules: [&r {alert: A, expr: x}, {<<: *r, for: 5m}]}\ngroups: [*a, *a]\n"))
	f.Add([]byte("groups: &g [*g]\n"))
	f.Add([]byte(`{"groups":[{"name":"g","rules":[{"alert":"A","expr":"rate({a=\"\/\ud83d\ude00\"}[1m]) > 0"}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<13 {
			return
		}
		path := filepath.Join(t.TempDir(), "r.yaml")
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
			if r.Name == "" || r.Expr == "" || r.Language == 0 || r.Kind == 0 {
				t.Errorf("incomplete rule %+v", r)
			}
			if !bytes.Contains(text, []byte("binary")) { // whose bytes the file does not spell
				checkPositions(t, r)
			}
			if r.Position(len(r.Expr)).Line < 1 {
				t.Errorf("no place for the end of %q", r.Expr)
			}
		}
	})
}
