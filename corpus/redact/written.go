package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/corpus"
)

// testWritten writes a corpus in which planted secrets stand everywhere that a
// corpus has text, and looks for them in every file of it.
func (r *Redactor) testWritten() (err error) {
	top, err := os.MkdirTemp("", "stillfires-self-test-")
	if err != nil {
		return fmt.Errorf("self-test: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	dir := filepath.Join(top, "corpus")
	plants := r.canaries()
	if err := r.writePlanted(dir, plants); err != nil {
		return fmt.Errorf("self-test: %w", err)
	}
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := readStored(name)
		if err != nil {
			return fmt.Errorf("self-test: %w", err)
		}
		for i := range plants {
			if bytes.Contains(text, []byte(plants[i].secret)) {
				return &SelfTestError{plants[i].what, "in a corpus", "survives in " + filepath.Base(name)}
			}
		}
		return nil
	})
}

// readStored reads a file of a corpus, unpacked.
func readStored(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil || filepath.Ext(name) != ".zst" {
		return text, err
	}
	dec, err := zstd.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return io.ReadAll(dec)
}

// plantedText holds a secret that every policy takes out.
var plantedText = "with ghp_" + sample(isAlnum, 36) + " it works"

// writePlanted writes the corpus.
func (r *Redactor) writePlanted(dir string, plants []canary) (err error) {
	w, err := corpus.OpenForWrite(dir, "self-test")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.Redact(r)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	m := &corpus.Manifest{
		Build: "b", Repetition: 1, Notes: []string{plantedText},
		Scenario: corpus.Scenario{Name: "s", Description: plantedText, Parameters: map[string]string{"x": plantedText}},
		Builds:   []corpus.Build{{Name: "b", Image: plantedText, Flags: []string{plantedText}}},
		Drill:    &corpus.Drill{Owner: plantedText},
	}
	run, err := w.BeginRun(m)
	if err != nil {
		return err
	}
	out, err := run.Stream(plantedText, corpus.NewLabels(corpus.Label{Name: "app", Value: plantedText}))
	if err != nil {
		return err
	}
	values, err := run.Values("objects", corpus.FileKey{Moment: "end"}, plantedText)
	if err != nil {
		return err
	}
	for i := range plants {
		for k, e := range encodings {
			if plants[i].alone && k > 1 {
				break
			}
			entry := &corpus.Entry{Time: at.UnixNano(), Line: []byte(e.wrap(plants[i].text))}
			if k == 0 {
				entry.Metadata = corpus.NewLabels(corpus.Label{Name: "detail", Value: plants[i].text})
			}
			if err := out.Append(entry); err != nil {
				return err
			}
		}
		if err := values.Add([]byte(`{"kind":"Pod","note":` + jsonText(plants[i].text) + `}`)); err != nil {
			return err
		}
	}
	if err := values.Close(); err != nil {
		return err
	}
	scrape := fmt.Sprintf("# scrape ts=%s up=1\n# HELP x %s\nx{a=%q} 1\n", at.Format(time.RFC3339), plantedText, plantedText)
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "scrapes"), []byte(scrape), 0o600); err != nil {
		return err
	}
	file := corpus.ScrapeFile{Name: "scrapes", Target: corpus.NewLabels(corpus.Label{Name: "job", Value: plantedText})}
	if err := run.Scrapes(context.Background(), os.DirFS(filepath.Dir(dir)), []corpus.ScrapeFile{file}); err != nil {
		return err
	}
	return run.Commit()
}
