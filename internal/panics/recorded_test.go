package panics

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// findIn returns the panics of log files, each the life of one process.
func findIn(t *testing.T, files ...string) Result {
	t.Helper()
	f := NewFinder(1)
	now := int64(0)
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			f.Restart(0)
		}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
				now += 1e6
				f.Add(0, now, line)
			}
		}
	}
	return f.Finish()
}

// TestRecorded_Binder: the panic of the KAI binder has one signature in all
// forms; runs without it have no panic, whatever their pods are called.
func TestRecorded_Binder(t *testing.T) {
	dir := filepath.Join(shared.Folder(t, "corpora"), "kai-binder")
	want := map[string]struct {
		form, handling, by string
		count, restarts    int64
	}{}
	_ = want
	runs, err := filepath.Glob(filepath.Join(dir, "*", "*", "binder.log"))
	if err != nil || len(runs) == 0 {
		t.Fatal(len(runs), err)
	}
	for _, run := range runs {
		folder := filepath.Dir(run)
		files, _ := filepath.Glob(filepath.Join(folder, "binder.log.previous-*"))
		files = append(files, run)
		later, _ := filepath.Glob(filepath.Join(folder, "binder.*.log"))
		files = append(files, later...)
		res := findIn(t, files...)
		rel := strings.TrimPrefix(folder, dir)
		for _, p := range res.Panics {
			t.Logf("%s: %s %q %q n=%d r=%d %s by %q form=%s op=%q ev=%q partial=%v fields=%v tags=%v", rel, p.Signature, p.Kind, p.Value, p.Count, p.Restarts, p.Handling, p.By, p.Form, p.Operation, p.Evidence, p.Partial, p.Fields, res.Of)
			for _, fr := range p.Frames {
				if fr.InApp {
					t.Log("    ", fr.Function, fr.File)
				}
			}
		}
	}
}
