// Package demo holds the embedded example: logs of two real builds of Kueue,
// the rules of an operator, an import description and a review file. Where the
// logs come from stands in data/SOURCE.
package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:data
var data embed.FS

// Files of the example, relative to the folder it was written to.
const (
	LogsDir    = "logs"
	ImportFile = "import.yaml"
	ReviewFile = "stillfires.yaml"
	CorpusDir  = "corpus" // what an import is to write
)

// Write puts the example's files below dir, which must exist.
func Write(dir string) error {
	return fs.WalkDir(data, "data", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("data", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		target := filepath.Join(dir, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		content, err := data.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return fmt.Errorf("write the example: %w", err)
		}
		return nil
	})
}
