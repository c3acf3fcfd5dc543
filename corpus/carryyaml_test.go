package corpus

import (
	"strings"
	"testing"
)

func TestYAMLAsJSON(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, err := yamlAsJSON([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if string(got) != want {
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
	f("kind: Boat\nsize: 4\nsince: 2026-01-02\nold: true\nnames: [a, 'b']\n", `{"kind":"Boat","names":["a","b"],"old":true,"since":"2026-01-02","size":4}`+"\n")
	f("kind: A\n---\n---\nkind: B\n", "{\"kind\":\"A\"}\n{\"kind\":\"B\"}\n")
	f("# nothing\n", "")
	f("a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`+"\n")
	for text, want := range map[string]string{
		"a: [":         "did not find expected",
		"1: a":         "cannot be written as JSON",
		"a: .nan":      "cannot be written as JSON",
		"a: b\n  c: d": "mapping values are not allowed",
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]\n": "excessive aliasing",
		strings.Repeat("x", maxYAML+1): "more than",
	} {
		if got, err := yamlAsJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %s, %v; want an error with %q", text, got, err, want)
		}
	}
	for name, want := range map[string]bool{"a/config.yaml": true, "b.yml.gz": true, "c.yaml.zst": true, "d.json": false, "yaml": false, "e.yaml.txt": false} {
		if isYAML(name) != want {
			t.Errorf("isYAML(%q) = %t", name, !want)
		}
	}
}

func FuzzYAMLAsJSON(f *testing.F) {
	f.Add([]byte("kind: Boat\nsize: 4\n---\na: &x [1]\nb: *x\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if out, err := yamlAsJSON(text); err == nil {
			if err := eachValue(out, func([]byte) error { return nil }); err != nil {
				t.Errorf("%q becomes %q: %v", text, out, err)
			}
		}
	})
}
