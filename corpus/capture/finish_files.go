package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/stillfires/stillfires/corpus"
)

// A valuesFile is a file of values of the run, in all its sittings.
type valuesFile struct {
	kind  string
	key   corpus.FileKey
	parts []string // paths
}

// valuesFiles returns the files of values, ordered by their paths in the run.
func (f *finisher) valuesFiles() ([]*valuesFile, error) {
	byPath := map[string]*valuesFile{}
	for _, sit := range f.spool.sittings {
		for i := range sit.entries {
			e := &sit.entries[i]
			if e.Do != doValues || e.Key == nil {
				continue
			}
			path := corpus.FilePath(e.Kind, *e.Key)
			v := byPath[path]
			if v == nil {
				v = &valuesFile{kind: e.Kind, key: *e.Key}
				byPath[path] = v
			}
			if !reflect.DeepEqual(v.key, *e.Key) {
				return nil, fmt.Errorf("%s: %s was recorded with other fields or values before the interruption", sit.dir, path)
			}
			v.parts = append(v.parts, filepath.Join(sit.dir, valuesName(e.ID)))
		}
	}
	var list []*valuesFile
	for _, path := range sorted(byPath) {
		list = append(list, byPath[path])
	}
	return list, nil
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f *finisher) writeValues() error {
	list, err := f.valuesFiles()
	if err != nil {
		return err
	}
	for _, v := range list {
		if err := f.writeValuesFile(v); err != nil {
			return err
		}
		if len(f.manifest.Capture.Interruptions) > 0 && slices.Contains([]string{"probes", "progress", "actions"}, v.kind) {
			f.reasons = append(f.reasons, fmt.Sprintf("%s: nothing was recorded while the capture was interrupted", corpus.FilePath(v.kind, v.key)))
		}
		// A moment whose time nobody said still has its place among the moments.
		named := slices.ContainsFunc(f.manifest.Moments, func(x corpus.Moment) bool { return x.Name == v.key.Moment })
		if v.kind == "objects" && len(f.manifest.Moments) > 0 && !named {
			f.manifest.Moments = append(f.manifest.Moments, corpus.Moment{Name: v.key.Moment})
		}
	}
	return nil
}

func (f *finisher) writeValuesFile(v *valuesFile) (err error) {
	w, err := f.out.Values(v.kind, v.key, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, part := range v.parts {
		torn, err := eachLine(f.ctx, part, maxValue+1, func(line []byte) error {
			if !json.Valid(line) {
				return errTorn
			}
			return w.Add(line)
		})
		if err != nil {
			return err
		}
		if torn {
			f.reasons = append(f.reasons, fmt.Sprintf("%s: the last value before the capture was interrupted is not whole, and was left out", corpus.FilePath(v.kind, v.key)))
		}
	}
	return nil
}

// eachLine calls do with each whole line of a file. It stops at a line that is
// not, or that do finds not to be, and says so.
func eachLine(ctx context.Context, name string, limit int, do func([]byte) error) (torn bool, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // opened for reading
	lines := newLineScanner(file, limit)
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		line, err := lines.next()
		if err == nil {
			err = do(line)
		}
		switch {
		case errors.Is(err, io.EOF):
			return false, nil
		case errors.Is(err, errTorn):
			return true, nil
		case err != nil:
			return false, fmt.Errorf("%s: line %d: %w", name, n+1, err)
		}
	}
}

// writeScrapes writes the metrics of the run. Metrics that cannot be written
// make it incomplete, no more: the logs are whole.
func (f *finisher) writeScrapes() error {
	whole := wholeScrapes{}
	var files []corpus.ScrapeFile
	for _, sit := range f.spool.sittings {
		for i := range sit.entries {
			e := &sit.entries[i]
			if e.Do != doScrapes {
				continue
			}
			path := filepath.Join(sit.dir, scrapesName(e.ID))
			n, torn, err := wholeLength(f.ctx, path)
			if err != nil {
				return err
			}
			if torn {
				f.reasons = append(f.reasons, fmt.Sprintf("metrics of %s: the last scrape before the capture was interrupted is not whole, and was left out", labelsOf(e.Target)))
			}
			if n == 0 {
				continue
			}
			name := fmt.Sprintf("%s/%s", filepath.Base(sit.dir), filepath.Base(path))
			whole[name] = wholeFile{path, n}
			files = append(files, corpus.ScrapeFile{Name: name, Target: labelsOf(e.Target)})
		}
	}
	if len(files) == 0 {
		return nil
	}
	if len(f.manifest.Capture.Interruptions) > 0 {
		f.reasons = append(f.reasons, "metrics: nothing was scraped while the capture was interrupted")
	}
	err := f.out.Scrapes(f.ctx, whole, files)
	if err != nil && f.ctx.Err() == nil {
		f.reasons = append(f.reasons, fmt.Sprintf("metrics are left out, as they cannot be kept: %v", err))
		err = nil
	}
	return err
}

// wholeLength returns how many bytes of a file of scrapes are whole scrapes.
func wholeLength(ctx context.Context, name string) (n int64, torn bool, err error) {
	at, lines := int64(0), int64(0)
	torn, err = eachLine(ctx, name, maxScrapeLine, func(line []byte) error {
		at += int64(len(line)) + 1
		lines++
		if bytes.Equal(line, []byte(wholeScrape)) {
			n, lines = at, 0
		}
		return nil
	})
	return n, torn || lines > 0, err
}

const maxScrapeLine = 1 << 30

// wholeScrapes is a file system of files of scrapes up to their last whole one.
type wholeScrapes map[string]wholeFile

type wholeFile struct {
	path string
	size int64
}

// Open opens a file of scrapes.
func (w wholeScrapes) Open(name string) (fs.File, error) {
	f, err := os.Open(w[name].path)
	if err != nil {
		return nil, err
	}
	return &limitedFile{File: f, in: io.LimitReader(f, w[name].size)}, nil
}

type limitedFile struct {
	*os.File
	in io.Reader
}

// Read reads up to the limit.
func (f *limitedFile) Read(b []byte) (int, error) { return f.in.Read(b) }
