// Package shared finds the recorded runs and the recorded answers that tests
// are held to. They are not part of the repository.
package shared

import (
	"os"
	"path/filepath"
	"testing"
)

// Folder returns the path of a folder below the one that STILLFIRES_SHARED
// names, by default "shared" beside the repository. A test that needs it is
// skipped where it is absent, and says so; with CI set it fails.
func Folder(tb testing.TB, elem ...string) string {
	tb.Helper()
	dir := Path(tb, elem...)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatalf("recorded data is needed here: %v; set STILLFIRES_SHARED", err)
		}
		tb.Skipf("no recorded data: %v; set STILLFIRES_SHARED to the folder that holds it", err)
	}
	return dir
}

// Long skips a test that takes minutes under the race detector, where -short is
// given: the same code runs there in other tests of its package.
func Long(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("long: runs without -short; other tests of this package run the same code")
	}
}

// Path is as [Folder], for a test that can do without: what it names may be
// absent.
func Path(tb testing.TB, elem ...string) string {
	tb.Helper()
	root, err := moduleRoot()
	if err != nil {
		tb.Fatal(err)
	}
	top := os.Getenv("STILLFIRES_SHARED")
	if top == "" {
		top = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(top) {
		top = filepath.Join(root, top)
	}
	return filepath.Join(append([]string{top}, elem...)...)
}

// moduleRoot returns the folder of go.mod, from a package's folder upward.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}
