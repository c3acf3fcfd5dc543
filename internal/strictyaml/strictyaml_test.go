package strictyaml

import (
	"testing"
	"time"
)

type inner struct {
	File string    `yaml:"file"`
	At   time.Time `yaml:"at"`
}

type outer struct {
	Version int               `yaml:"version"`
	Labels  map[string]string `yaml:"labels"`
	Items   []inner           `yaml:"items"`
	More    *inner            `yaml:"more"`
}

func TestDecode(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		var v outer
		got := ""
		if err := Decode("d.yaml", []byte(text), &v); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("Decode(%q) gave error %q; want %q", text, got, want)
		}
	}
	f("version: 1\nlabels: {a: b}\nitems: [{file: x, at: 2026-11-30T17:00:00Z}]\nmore: {file: y}", "")
	f("version: 1\nmore:\n", "")
	f("versionx: 1", `d.yaml:1:1: unknown key "versionx"; did you mean version?`)
	f("version: 1\nitems:\n- fil: x", `d.yaml:3:3: unknown key "fil" in items[0]; did you mean file?`)
	f("zzzzzzz: 1", `d.yaml:1:1: unknown key "zzzzzzz"; the keys are version, labels, items, more`)
	f("version: x", "d.yaml:1:10: version: cannot unmarshal !!str `x` into int")
	f("version: 1\nversion: 2", `d.yaml:2:1: key "version" is given twice, first in line 1`)
	f("labels: [a]", "d.yaml:1:9: labels: want keys and values")
	f("items: {a: b}", "d.yaml:1:8: items: want a list")
	f("a: [", "d.yaml:1:4: invalid YAML: did not find expected node content")
	f("", "d.yaml: is empty")
	f("# nothing\n", "d.yaml: is empty")
	f("a", "d.yaml:1:1: the document: want keys and values")
	f("labels: {é: é, b: [c]}", "d.yaml:1:21: labels.b: cannot unmarshal !!seq into string") // columns count bytes
	f("more: &m {file: x}\nitems: [{<<: *m, at: 2026-11-30T17:00:00Z}]", "")
	f("more: &m {fil: x}\nitems: [{<<: *m}]", "d.yaml:1:11: unknown key \"fil\" in more; did you mean file?\nd.yaml:1:11: unknown key \"fil\" in items[0]; did you mean file?")
	f(`{"version": 1, "labels": {"a": "\/\ud83d\ude00"}}`, "")
	f("version: 1\n---\nversion: 2", "d.yaml:2:1: a second document; one is read")
}

func FuzzDecode(f *testing.F) {
	f.Add("version: 1\nlabels: {a: &a b, c: *a}\nitems: [{file: x, at: 2026-11-30T17:00:00Z}]")
	f.Fuzz(func(t *testing.T, text string) {
		var v outer
		_ = Decode("f", []byte(text), &v)
	})
}
