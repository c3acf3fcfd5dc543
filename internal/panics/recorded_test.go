package panics

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/shared"
)

// read returns a file, decompressed.
func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if text, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return text
}

// findIn returns the panics of log files, each the life of one process.
func findIn(t *testing.T, files ...string) Result {
	t.Helper()
	f := NewFinder(1)
	now := int64(0)
	for i, file := range files {
		text := read(t, file)
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
	const own = "github.com/kai-scheduler/KAI-scheduler/pkg/binder/controllers.(*BindRequestReconciler).Reconcile"
	type panic struct {
		Form, Handling, By string
		Count, Restarts    int64
	}
	want := map[string]panic{
		"reported-edge/deployed":           {FormError, Recovered, own, 5, 0},
		"reported-edge/deployed-console":   {FormError, Recovered, own, 5, 0},
		"reported-edge/deployed-crrecover": {FormObserved, Recovered, "sigs.k8s.io/controller-runtime", 5, 0},
		"reported-edge/deployed-crash":     {FormDump, Crashed, "", 5, 4},
		"repeat/deployed":                  {FormError, Recovered, own, 13, 0},
		"recovery/deployed":                {FormError, Recovered, own, 5, 0},
	}
	dir := filepath.Join(shared.Folder(t, "corpora"), "kai-binder")
	runs, err := filepath.Glob(filepath.Join(dir, "*", "*", "binder.log"))
	if err != nil || len(runs) == 0 {
		t.Fatal(len(runs), err)
	}
	signatures := map[string]bool{}
	for _, run := range runs {
		folder := filepath.Dir(run)
		files, _ := filepath.Glob(filepath.Join(folder, "binder.log.previous-*"))
		files = append(files, run)
		later, _ := filepath.Glob(filepath.Join(folder, "binder.*.log"))
		res := findIn(t, append(files, later...)...)
		name, _ := filepath.Rel(dir, folder)
		w, panics := want[name]
		delete(want, name)
		if !panics {
			if len(res.Panics) > 0 {
				t.Errorf("%s: %d panics, such as %q", name, len(res.Panics), res.Panics[0].First.Text)
			}
			continue
		}
		if len(res.Panics) != 1 {
			t.Errorf("%s: %d panics", name, len(res.Panics))
			continue
		}
		p := &res.Panics[0]
		signatures[p.Signature] = true
		if diff := cmp.Diff(w, panic{p.Form, p.Handling, p.By, p.Count, p.Restarts}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if p.Operation != "controller bindrequest" || p.Fields["BindRequest.name"] != "train-a" || p.Fields["reconcileID"] == "" {
			t.Errorf("%s: operation %q, fields %v", name, p.Operation, p.Fields)
		}
	}
	if len(signatures) != 1 {
		t.Errorf("signatures %v; want one", signatures)
	}
	for name := range want {
		t.Errorf("%s was not found", name)
	}
}

// TestRecorded_Kueue: Kueue did not panic, nor did what runs beside it.
func TestRecorded_Kueue(t *testing.T) {
	dir := filepath.Join(shared.Folder(t, "corpora"), "kueue-multikueue")
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".log") {
			return err
		}
		files++
		if res := findIn(t, path); len(res.Panics) > 0 {
			t.Errorf("%s: %d panics, such as %q", path, len(res.Panics), res.Panics[0].First.Text)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
}
