package compare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/rules"
)

// A side is one build of the comparison.
type side struct {
	role    string
	spec    string // as the user named it
	build   string
	corpus  *corpus.Corpus
	meta    corpus.Build
	runs    []corpus.RunInfo
	results []outcome.Run // of runs
	assumed bool          // raw log without labels
	note    string        // for the report; may be empty
	digest  string        // of the corpus; empty for raw logs
}

// RawOptions are settings of raw logs that only their reader needs.
type RawOptions struct {
	Stdin io.Reader // for the path "-"
	Year  int       // of formats that lack it; 0: unknown
	Zone  string    // likewise, UTC or an IANA name; empty: unknown
	// Start is the time of the first record of logs that have no times.
	Start *time.Time
}

// sides opens both builds. cleanup deletes what was made on the way.
func (o *Options) sides(ctx context.Context) (deployed, candidate *side, cleanup func(), err error) {
	rawD, rawC := isRaw(o.Deployed), isRaw(o.Candidate)
	if rawD != rawC {
		return nil, nil, nil, fmt.Errorf("%s: there is no such log file, but %s is one; give two log files, or two builds of a corpus",
			pick(rawC, o.Deployed, o.Candidate), pick(rawD, o.Deployed, o.Candidate))
	}
	if rawD {
		if o.Corpus != "" && o.Review == nil {
			return nil, nil, nil, errors.New("--corpus is for builds by name; the two log files are compared without one")
		}
		return o.rawSides(ctx)
	}
	switch {
	case len(o.Labels) > 0:
		return nil, nil, nil, errors.New("--labels is for raw logs: the streams of a corpus have their labels")
	case o.Raw.Year != 0 || o.Raw.Zone != "" || o.Raw.Start != nil:
		return nil, nil, nil, errors.New("--year, --timezone and --start are for raw logs: the records of a corpus have their times")
	}
	if deployed, err = o.open("deployed", o.Deployed); err != nil {
		return nil, nil, nil, err
	}
	if candidate, err = o.open("candidate", o.Candidate); err != nil {
		return nil, nil, nil, err
	}
	for _, s := range []*side{deployed, candidate} {
		s.digest = s.corpus.Digest()
		if err := o.pinned(s); err != nil {
			return nil, nil, nil, err
		}
	}
	return deployed, candidate, func() {}, nil
}

// Inputs returns the files that the comparison reads and that are named one
// by one: what a report must not be written over.
func (o *Options) Inputs() []string {
	full := o.withReview()
	inputs := []string{full.Deployed, full.Candidate, full.Corpus} // a corpus can be one file
	for _, spec := range inputs[:2] {
		if i := strings.LastIndexByte(spec, ':'); i > 0 {
			inputs = append(inputs, spec[:i])
		}
	}
	if o.Review != nil {
		inputs = append(inputs, o.Review.Path, o.Review.SuppressionFile)
	}
	inputs = append(inputs, o.Suppressions...)
	if profile.IsPath(full.Profile) {
		inputs = append(inputs, full.Profile)
	}
	if set, err := rules.Load(full.Rules, rules.Options{}); err == nil {
		inputs = append(inputs, set.Files...)
	}
	return inputs
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

// isRaw reports whether spec is a log file rather than a build of a corpus.
func isRaw(spec string) bool {
	if spec == "-" {
		return true
	}
	info, err := os.Stat(spec)
	return err == nil && !info.IsDir() && !corpus.IsCorpus(spec)
}

// open finds the build that spec names: [DIR:]BUILD, or a corpus that has
// only one build.
func (o *Options) open(role, spec string) (*side, error) {
	dir, build := o.Corpus, spec
	if i := strings.LastIndexByte(spec, ':'); i > 0 {
		dir, build = spec[:i], spec[i+1:]
	} else if corpus.IsCorpus(spec) {
		dir, build = spec, ""
	}
	if info, err := os.Stat(spec); dir == "" && err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s build: %s is a folder, but no corpus; make one of its logs with: stillfires corpus import -f import.yaml %s -o corpus", role, spec, spec)
	}
	if dir == "" {
		return nil, fmt.Errorf("%s build %q: there is no such log file, and no corpus was given; name a log file, or a corpus with --corpus DIR or as DIR:BUILD", role, spec)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		return nil, err
	}
	builds := c.Builds()
	if build == "" {
		if len(builds) != 1 {
			return nil, fmt.Errorf("%s: the corpus has %d builds (%s); say which as %s:BUILD", dir, len(builds), strings.Join(builds, ", "), dir)
		}
		build = builds[0]
	}
	s := &side{role: role, spec: spec, build: build, corpus: c}
	for _, r := range c.Runs() {
		if r.Build == build {
			s.runs = append(s.runs, r)
		}
	}
	if len(s.runs) == 0 {
		return nil, fmt.Errorf("%s: the corpus has no build %q for %s%s; it has: %s", dir, build, role,
			hint(build, builds), strings.Join(builds, ", "))
	}
	return s, s.describe()
}

// describe takes version and component from the first run.
func (s *side) describe() error {
	r := s.runs[0]
	run, err := s.corpus.OpenRun(r.Build, r.Scenario, r.Repetition)
	if err != nil {
		return err
	}
	if len(run.Manifest.Builds) > 0 {
		s.meta = run.Manifest.Builds[0]
	}
	return nil
}

// rawSides imports two raw logs into a temporary corpus.
func (o *Options) rawSides(ctx context.Context) (deployed, candidate *side, cleanup func(), err error) {
	if o.Deployed == "-" && o.Candidate == "-" {
		return nil, nil, nil, errors.New("standard input can be one of the two logs, not both")
	}
	tmp, err := os.MkdirTemp("", "stillfires-")
	if err != nil {
		return nil, nil, nil, err
	}
	remove := func() { _ = os.RemoveAll(tmp) } // best effort: it is below the system's temporary folder
	defer func() {
		if err != nil {
			remove()
		}
	}()
	for _, raw := range []struct {
		role, path string
		to         **side
	}{{"deployed", o.Deployed, &deployed}, {"candidate", o.Candidate, &candidate}} {
		dir := filepath.Join(tmp, raw.role)
		if err := o.importRaw(ctx, dir, raw.role, raw.path); err != nil {
			return nil, nil, nil, err
		}
		s, err := o.open(raw.role, dir)
		if err != nil {
			return nil, nil, nil, err
		}
		s.spec, s.assumed = raw.path, len(o.Labels) == 0
		if o.Review != nil && len(o.Review.Digests) > 0 {
			s.note = "log files were compared; the review file pins corpora, of which none was read"
		}
		*raw.to = s
	}
	return deployed, candidate, remove, nil
}

// scenarios returns the names of the scenarios that the build ran, ordered.
func (s *side) scenarios() []string {
	var out []string
	for _, r := range s.runs {
		out = append(out, r.Scenario)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keep drops the runs of other scenarios.
func (s *side) keep(scenarios []string) {
	s.runs = slices.DeleteFunc(slices.Clone(s.runs), func(r corpus.RunInfo) bool {
		return !slices.Contains(scenarios, r.Scenario)
	})
}

func (s *side) input() analyzer.Side {
	return analyzer.Side{
		Build: s.build, Version: s.meta.Version, Commit: s.meta.Commit, Component: s.meta.Component, Corpus: s.digest,
		Runs: s.results,
	}
}

// sameComponent refuses to compare builds of different components.
func sameComponent(deployed, candidate *side) error {
	d, c := deployed.meta.Component, candidate.meta.Component
	if d != "" && c != "" && d != c {
		return fmt.Errorf("deployed %s is a build of %q and candidate %s is one of %q; compare two builds of one component",
			deployed.spec, d, candidate.spec, c)
	}
	return nil
}

// hint returns "; did you mean x?" for a slip of the fingers, else "".
func hint(word string, known []string) string {
	if h := suggest.Hint(word, known); h != "" {
		return "; " + h
	}
	return ""
}
