// Package review reads the review file, stillfires.yaml: what to compare, and
// what every rule must do in every scenario.
//
//	file, err := review.Load("stillfires.yaml")
//	resolved := file.Resolve(set, scenarios, declared)
//	expect := resolved.Expect(rule, scenario)
//
// [Load] checks the file by itself; [File.Resolve] checks it against the rules
// and scenarios that there are, and gives the problems of both. The format is described in
// docs/review-file.md and by docs/review-file.schema.json.
package review

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
)

// maxBytes is the size up to which a review file is read.
const maxBytes = 1 << 20

// A File is a review file. Paths are relative to the working directory, not
// to the file.
type File struct {
	Path   string
	Corpus string // of builds that are named without one; may be empty
	// Deployed and Candidate name builds as [DIR:]BUILD.
	Deployed, Candidate string
	// Corpora are those that corpus, deployed and candidate name, each once, in
	// the order of the file.
	Corpora []NamedCorpus
	Digests []Digest // of corpora, in the order of the file
	Rules   []string // files, folders and globs
	// Patterns says that the file lists patterns. Package rules loads them
	// from the file itself.
	Patterns bool
	Interval time.Duration // of groups without one; 0: not given
	// Default is the expectation of alerts of which nothing else is said.
	Default    analyzer.Expect
	Scenarios  []Scenario // in the order of the file
	Severities map[string]analyzer.Severity
	// Suppressions are the findings that the file accepts, in its order, or
	// SuppressionFile is the file that lists them; see [LoadSuppressions].
	Suppressions    []analyzer.Suppression
	SuppressionFile string
	// Profile is the name or the path of a profile; empty: not given.
	Profile       string
	Notifications *Notifications // nil: not given
	// Capacity, Acceptance and Manual stand above what the profile says.
	Capacity   *profile.Capacity // nil: not given
	Acceptance []profile.Acceptance
	Manual     *profile.Manual // nil: not given
	// Problems are what is wrong under defaults, scenarios, severities and
	// suppressions, in the order of the file. They stand beside what was read, so that they
	// can be shown together with what Resolve finds.
	Problems []*source.Error
}

// A Scenario is what a review file says of one scenario.
type Scenario struct {
	Name string
	Pos  source.Position
	// Default is the expectation of alerts of which nothing else is said in
	// this scenario; it holds if HasDefault.
	Default    analyzer.Expect
	HasDefault bool
	Rules      []Expectation // in the order of the file
	// LoadOf names the scenario that this one repeats under load; empty: none.
	LoadOf     string
	Assertions []profile.Assertion // in the order of the file
}

// An Expectation is one entry of the lists of a scenario.
type Expectation struct {
	Pattern string // see rules.Set.Find
	Expect  analyzer.Expect
	Pos     source.Position
}

// An ErrorList is all that is wrong in a review file, in the order of the
// file.
type ErrorList []*source.Error

// Error returns all errors, one a line.
func (l ErrorList) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors.
func (l ErrorList) Unwrap() []error {
	errs := make([]error, len(l))
	for i, e := range l {
		errs[i] = e
	}
	return errs
}

// Load reads a review file. What leaves open what is to be compared is an
// [ErrorList], which then holds all that is wrong in the file. If only what is
// expected is wrong, it is in the file's Problems.
func Load(path string) (*File, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	return parse(path, text, analyzer.FindingIDs())
}

// read returns what is in a file, unless that is too much.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: the file is larger than %d bytes", path, maxBytes)
	}
	return text, nil
}

// relative makes a path of the file one of the working directory.
func (f *File) relative(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.Path), path)
}

// build makes the folder of [DIR:]BUILD one of the working directory.
func (f *File) build(spec string) string {
	i := strings.LastIndexByte(spec, ':')
	if i <= 0 {
		return spec
	}
	return f.relative(spec[:i]) + spec[i:]
}

// sortErrors orders errors by place.
func sortErrors(errs []*source.Error) {
	slices.SortStableFunc(errs, func(a, b *source.Error) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
}
