package panics

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// BenchmarkFinder_NoPanic reads a log in which nothing panics: what every log
// pays.
func BenchmarkFinder_NoPanic(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(shared.Folder(b, "corpora"), "kai-binder", "negative", "*", "binder.log"))
	var lines [][]byte
	size := int64(0)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			lines = append(lines, bytes.TrimSuffix(line, []byte("\n")))
		}
		size += int64(len(text))
	}
	if len(lines) == 0 {
		b.Skip("no recorded logs")
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		f := NewFinder(1)
		for i, line := range lines {
			f.Add(0, int64(i)*1e6, line)
		}
	}
}
