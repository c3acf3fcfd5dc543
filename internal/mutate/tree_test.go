// Package mutate holds tests only: what a review says of altered copies of
// recorded runs. A copy that differs in nothing that matters must give no
// difference, and a single mutation its findings and no others.
package mutate

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/compare"
)

// A tree is the files of one recorded run, uncompressed, by name. An import
// takes a file with or without .gz.
type tree map[string]string

// readTree reads all files below dir.
func readTree(t testing.TB, dir string) tree {
	t.Helper()
	tr := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := readFile(path)
		tr[strings.TrimSuffix(filepath.ToSlash(name), ".gz")] = text
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func readFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return "", err
		}
	}
	text, err := io.ReadAll(r)
	return string(text), err
}

// write writes the files below dir.
func (tr tree) write(t testing.TB, dir string) {
	t.Helper()
	for name, text := range tr {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// all returns the tree with every file changed by f.
func (tr tree) all(f func(text string) string) tree {
	out := tree{}
	for name, text := range tr {
		out[name] = f(text)
	}
	return out
}

// importRuns imports the runs below root, laid out as <scenario>/<build>, into
// a new corpus and returns its folder.
func importRuns(t testing.TB, description, root string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := compare.Import(t.Context(), description, root, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
