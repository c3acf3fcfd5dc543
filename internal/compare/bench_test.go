package compare

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkCompare compares the largest recorded pair on an imported corpus.
func BenchmarkCompare(b *testing.B) {
	shared := os.Getenv("STILLFIRES_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	folder := filepath.Join(shared, "corpora", "kueue-multikueue")
	if _, err := os.Stat(folder); err != nil {
		b.Skipf("no recorded runs: %v; set STILLFIRES_SHARED", err)
	}
	dir := filepath.Join(b.TempDir(), "corpus")
	if err := Import(b.Context(), "../../corpus/testdata/import/kueue-multikueue.yaml", folder, dir); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		rep, err := Run(b.Context(), Options{
			Corpus: dir, Rules: []string{filepath.Join(folder, "rules")}, Scenarios: []string{"finished-history"},
		})
		if err != nil {
			b.Fatal(err)
		}
		if len(rep.Results) == 0 {
			b.Fatal("no results")
		}
	}
}
