package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

func TestNamesOf(t *testing.T) {
	many := make([]string, 0, 2*maxNames)
	for i := range 2 * maxNames {
		many = append(many, "a/"+strings.Repeat("x", i+1))
	}
	tests := []struct {
		files []string
		want  string
	}{
		{nil, ""},
		{[]string{"README.md", "a/b.yaml", "c/b.yaml", "c/\x1b[2J"}, ":  [2J, README.md, b.yaml (2)"},
		{many, "and 30 other names"},
	}
	for _, tt := range tests {
		if got := namesOf(tt.files); got != tt.want && (len(tt.files) < maxNames || !strings.HasSuffix(got, tt.want)) {
			t.Errorf("namesOf(%q) = %q; want %q", tt.files, got, tt.want)
		}
	}
}

func TestWriteRun_Files(t *testing.T) {
	at := time.Date(2026, 11, 30, 17, 0, 0, 0, time.UTC)
	var b strings.Builder
	err := writeRun(&b, &corpus.Manifest{
		Build: "b", Scenario: corpus.Scenario{Name: "s", Parameters: map[string]string{"jobs": "6", "cut": "25s"}}, Repetition: 1,
		Completeness: corpus.Completeness{State: corpus.Complete},
		Files: []corpus.File{
			{Path: "events.a.ndjson.zst", Bytes: 7, FileKey: corpus.FileKey{Cluster: "a"}},
			{Path: "objects/end.b.ndjson.zst", Bytes: 8, Source: "state/end/b/*", FileKey: corpus.FileKey{Moment: "end", Cluster: "b"}},
			{Path: "objects/old.ndjson.zst", Bytes: 9},
		},
		Moments: []corpus.Moment{{Name: "end", Time: &at}, {Name: "old"}},
		Notes:   []string{"a\nnote"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"parameter   cut=25s\nparameter   jobs=6\n",
		"  events.a.ndjson.zst, 7 bytes, of cluster a\n",
		"  objects/end.b.ndjson.zst, 8 bytes, at end, of cluster b, from state/end/b/*\n",
		"  objects/old.ndjson.zst, 9 bytes, at old\n",
		"  moment end: 2026-11-30T17:00:00Z\n  moment old: time not known\n  note: a note\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}
