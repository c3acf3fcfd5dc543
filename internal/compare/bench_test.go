package compare

import (
	"path/filepath"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// BenchmarkCompare compares the largest recorded pair on an imported corpus.
func BenchmarkCompare(b *testing.B) {
	folder := shared.Folder(b, "corpora", "kueue-multikueue")
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
