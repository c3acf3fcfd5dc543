package local

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// Progress follows files of one JSON value a line: what work says of itself, or
// a script of what it does. They are followed as log files are.
type Progress struct {
	Paths Texts  `yaml:"paths"`
	From  string `yaml:"from"` // end or start, as of Files
	// As is "progress" (the default), "actions" or "probes".
	As      string            `yaml:"as"`
	Name    string            `yaml:"name"`    // tells files of one kind apart that have other fields
	Cluster string            `yaml:"cluster"` // of all values
	Fields  map[string]Texts  `yaml:"fields"`  // where fields stand in the values; see docs/corpus-format.md
	Values  map[string]string `yaml:"values"`  // of fields that the values do not have

	poll time.Duration // of tests
}

// Sources returns what follows the files.
func (p *Progress) Sources() ([]capture.Source, error) {
	own := *p
	own.As = cmp.Or(p.As, "progress")
	own.poll = cmp.Or(p.poll, 200*time.Millisecond)
	key := corpus.FileKey{Name: p.Name, Cluster: p.Cluster, Values: p.Values}
	for name, paths := range p.Fields {
		if key.Fields == nil {
			key.Fields = map[string][]string{}
		}
		key.Fields[name] = paths
	}
	switch {
	case len(p.Paths) == 0:
		return nil, errors.New("names no paths")
	case p.From != "" && p.From != "end" && p.From != "start":
		return nil, fmt.Errorf("from %q: want end or start", p.From)
	case !slices.Contains([]string{"progress", "actions", "probes"}, own.As):
		return nil, fmt.Errorf("as %q: want progress, actions or probes", p.As)
	}
	if err := corpus.CheckFile(own.As, key); err != nil {
		return nil, err
	}
	var out []capture.Source
	for _, path := range p.Paths {
		if _, err := filepath.Match(path, ""); err != nil || path == "" {
			return nil, fmt.Errorf("path %q: is no pattern: want a path, perhaps with * and ?", path)
		}
		out = append(out, &progressSource{&own, key, path})
	}
	return out, nil
}

type progressSource struct {
	spec    *Progress
	key     corpus.FileKey
	pattern string
}

// String names the source in messages.
func (s *progressSource) String() string { return s.spec.As + " file " + s.pattern }

// Record follows the files until ctx is done.
func (s *progressSource) Record(ctx context.Context, to capture.Sink) error {
	var g errgroup.Group
	err := eachFile(ctx, to, s, s.pattern, func(path string, appeared bool) {
		g.Go(func() error {
			values := &valueLines{to: to, kind: s.spec.As, key: s.key, path: path}
			return errors.Join(followInto(ctx, to, values, path, s.spec.poll, appeared || s.spec.From == "start"), values.end())
		})
	})
	return errors.Join(g.Wait(), err)
}

// eachFile calls begin with each file of a pattern, also those that appear
// later, until ctx is done. A plain path is begun at once, there or not.
func eachFile(ctx context.Context, to capture.Sink, who fmt.Stringer, pattern string, begin func(path string, appeared bool)) error {
	known := map[string]bool{}
	for first := true; ; first = false {
		paths := []string{pattern}
		if isPattern(pattern) {
			paths, _ = filepath.Glob(pattern) // it was tried before
		}
		for _, p := range paths {
			if known[p] || rotatedName(p, known) {
				continue
			}
			if info, err := os.Stat(p); err == nil && info.IsDir() {
				continue
			}
			known[p] = true
			begin(p, !first)
		}
		select {
		case <-ctx.Done():
			if len(known) == 0 {
				to.Incomplete(fmt.Sprintf("%s: no file had such a name", who))
			}
			return nil
		case <-time.After(rescanEvery):
		}
	}
}

// valueLines takes the lines of a file as JSON values.
type valueLines struct {
	to   capture.Sink
	kind string
	key  corpus.FileKey
	path string
	bad  int
	why  error
}

// Append keeps a line that is JSON; others are counted.
func (v *valueLines) Append(_ time.Time, line []byte) error {
	if len(line) == 0 {
		return nil
	}
	if !json.Valid(line) {
		if v.bad++; v.bad == 1 {
			v.why = fmt.Errorf("%s: a line is no JSON: %.60q", v.path, line)
		}
		return nil
	}
	return v.to.Value(v.kind, v.key, line)
}

// end tells of the lines that were left out.
func (v *valueLines) end() error {
	if v.bad > 1 {
		return fmt.Errorf("%w, and %d more", v.why, v.bad-1)
	}
	return v.why
}

// Gap says that values are missing.
func (v *valueLines) Gap(from, to time.Time, reason string) error {
	v.to.Incomplete(fmt.Sprintf("%s: from %s to %s: %s", v.path, from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339), reason))
	return nil
}

// Epoch, Mark, Place, Interrupted and Bridged are for streams: a file of
// values keeps no place, and what was written to it in an interruption is
// missing.

func (v *valueLines) Epoch(string, string) error { return nil }

func (v *valueLines) Mark(string) error { return nil }

func (v *valueLines) Place() (string, []capture.Record, error) { return "", nil, nil }

func (v *valueLines) Interrupted() (time.Time, bool) { return time.Time{}, false }

func (v *valueLines) Bridged() error { return nil }
