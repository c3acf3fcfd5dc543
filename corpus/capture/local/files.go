package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/corpus/capture"
)

// Files follows log files: each is a stream. A file that is rotated is read to
// its end, and what was rotated away meanwhile, also compressed, is read too.
type Files struct {
	Paths  Texts             `yaml:"paths"`  // or patterns with * and ?
	Labels map[string]string `yaml:"labels"` // {path} and {name} stand for the file
	Stream string            `yaml:"stream"` // names the stream; {name} by default
	// From is "end", for what is written from now on, or "start". A file that
	// is made later is read from its start either way.
	From string `yaml:"from"`
	Time Time   `yaml:"time"`

	poll time.Duration // of tests
}

// Sources returns what follows the files.
func (f *Files) Sources() ([]capture.Source, error) {
	switch {
	case len(f.Paths) == 0:
		return nil, errors.New("names no paths")
	case f.From != "" && f.From != "end" && f.From != "start":
		return nil, fmt.Errorf("from %q: want end or start", f.From)
	}
	if err := errors.Join(checkLabels(f.Labels), f.Time.check()); err != nil {
		return nil, err
	}
	several := len(f.Paths) > 1
	for _, p := range f.Paths {
		if _, err := filepath.Match(p, ""); err != nil || p == "" {
			return nil, fmt.Errorf("path %q: is no pattern: want a path, perhaps with * and ?", p)
		}
		several = several || isPattern(p)
	}
	own := *f
	if several && !toldApart(f.Labels) {
		own.Labels = expand(f.Labels, nil)
		own.Labels["filename"] = "{path}"
	}
	if own.poll == 0 {
		own.poll = 200 * time.Millisecond
	}
	var out []capture.Source
	for _, p := range f.Paths {
		out = append(out, &filesSource{spec: &own, pattern: p})
	}
	return out, nil
}

func isPattern(p string) bool { return strings.ContainsAny(p, "*?[") }

func toldApart(ls map[string]string) bool {
	for _, v := range ls {
		if strings.Contains(v, "{path}") || strings.Contains(v, "{name}") {
			return true
		}
	}
	return false
}

// A filesSource follows the files of one pattern.
type filesSource struct {
	spec    *Files
	pattern string
}

// String names the source in messages.
func (s *filesSource) String() string { return "file " + s.pattern }

// rescanEvery is how often new files of a pattern are looked for.
const rescanEvery = time.Second

// Record follows the files until ctx is done.
func (s *filesSource) Record(ctx context.Context, to capture.Sink) error {
	var g errgroup.Group
	err := eachFile(ctx, to, s, s.pattern, func(path string, appeared bool) {
		g.Go(func() error { return follow(ctx, to, s.spec, path, appeared || s.spec.From == "start") })
	})
	return errors.Join(g.Wait(), err)
}

// rotatedName reports whether a path is that of an earlier part of a file that
// is known, such as app.log.1 of app.log.
func rotatedName(p string, known map[string]bool) bool {
	for k := range known {
		if rest, ok := strings.CutPrefix(p, k); ok && rest != "" && strings.ContainsAny(rest[:1], ".-_") {
			return true
		}
	}
	return false
}
