package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

func TestLoad_Corpora(t *testing.T) {
	dir := shared.Folder(t, "corpora")
	set, err := Load([]string{filepath.Join(dir, "*", "rules")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range set.Problems {
		t.Errorf("%v\n%s", p, p.Show)
	}
	count := map[string]map[Kind]int{}
	for _, r := range set.Rules {
		file := filepath.Base(r.Pos.File)
		corpus := filepath.Base(filepath.Dir(filepath.Dir(r.Pos.File)))
		key := corpus + "/" + file
		if count[key] == nil {
			count[key] = map[Kind]int{}
		}
		count[key][r.Kind]++
		want := LogQL
		if strings.Contains(file, "metrics") {
			want = PromQL
		}
		if r.Language != want {
			t.Errorf("%v: %s is %v (%s); want %v", r.Pos, r.Name, r.Language, r.LanguageReason, want)
		}
		checkPositions(t, &r)
	}
	for key, kinds := range count {
		text, err := os.ReadFile(filepath.Join(dir, strings.Replace(key, "/", "/rules/", 1)))
		if err != nil {
			t.Fatal(err)
		}
		for kind, word := range map[Kind]string{Alert: "- alert:", Recording: "- record:", Query: "- name:"} {
			want := strings.Count(string(text), word)
			if kind == Query && strings.Contains(string(text), "groups:") {
				want = 0 // the names of groups
			}
			if kinds[kind] != want {
				t.Errorf("%s: %d rules of kind %v; want %d", key, kinds[kind], kind, want)
			}
		}
	}
	if len(count) != 5 {
		t.Errorf("%d files hold rules; want 5: %v", len(count), set.Files)
	}
}
