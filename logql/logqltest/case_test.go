package logqltest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadCorpus(t *testing.T) {
	path := write(t, "c.jsonl", `{"labels":{"a":"1"},"ts":"5","line":"x","metadata":{"k":"v"}}
{"labels":{"a":"1"},"ts":"5","line":"x","metadata":{"k":"v"}}
{"labels":{"a":"1"},"ts":"5","line":"x"}
{"labels":{"a":"2"},"ts":"6","line_b64":"/w=="}
`)
	c, err := ReadCorpus(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Streams) != 2 || len(c.Entries) != 3 {
		t.Fatalf("%d streams and %d entries; want 2 and 3, the repeat left out", len(c.Streams), len(c.Entries))
	}
	if got := c.Entries[2].Entry.Line; string(got) != "\xff" {
		t.Errorf("base64 line is %q; want \\xff", got)
	}
	if got := c.Entries[0].Entry.Metadata.Get("k"); got != "v" {
		t.Errorf("metadata k is %q; want v", got)
	}
}

func TestReadCorpus_NamesLine(t *testing.T) {
	path := write(t, "c.jsonl", "{\"labels\":{},\"ts\":\"5\"}\n{\"ts\":\"x\"}\n")
	_, err := ReadCorpus(path)
	if err == nil || !strings.Contains(err.Error(), "c.jsonl:2: ") {
		t.Errorf("error %v; want one at c.jsonl:2", err)
	}
}

func TestArtefacts(t *testing.T) {
	for id, reason := range Artefacts() {
		if reason == "" {
			t.Errorf("artefact %s has no reason", id)
		}
	}
}
