package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stillfires/stillfires/internal/logs"
)

// RawOptions say what a single log is.
type RawOptions struct {
	Creator string // the program, for corpus.json
	Limits  Limits

	Build    string // name of the build; needed
	Scenario string // empty: DefaultScenario
	// Labels of the stream; may be empty where they are not known.
	Labels logs.Labels
	// Time says where times come from; the zero value looks at the log.
	Time TimeSpec
	// Stdin is read for the file "-".
	Stdin io.Reader
}

// DefaultScenario is the scenario of logs that nobody gave one.
const DefaultScenario = "default"

// ImportRaw adds one run to the corpus in dir: one stream, made of the files
// in the order given. A file can be "-" for standard input, or a pipe.
func ImportRaw(ctx context.Context, files []string, dir string, opts RawOptions) (report *ImportReport, err error) {
	if len(files) == 0 {
		return nil, errors.New("import: no log was named")
	}
	if err := opts.Time.check(); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "stillfires-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	fsys := rawFS{}
	info := RunInfo{opts.Build, cmp.Or(opts.Scenario, DefaultScenario), 1}
	spec := &LogSpec{Time: &opts.Time}
	epoch := &EpochSpec{}
	s := &streamPlan{spec: spec, labels: opts.Labels, name: info.Build}
	for i, name := range files {
		shown := filepath.ToSlash(name)
		if name == "-" {
			shown = "stdin"
		}
		if _, ok := fsys[shown]; ok {
			return nil, fmt.Errorf("%s: named twice", name)
		}
		fsys[shown], err = spool(name, opts.Stdin, filepath.Join(tmp, fmt.Sprint(i)), opts.Limits.orDefault().Bytes)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, logFile{name: shown, spec: epoch})
	}
	p := &plan{runs: []*runPlan{{info: info, streams: []*streamPlan{s}}}}
	im := &importer{ctx: ctx, fsys: fsys, desc: &Description{}, opts: &ImportOptions{Creator: opts.Creator, Limits: opts.Limits}}
	return im.run(p, dir)
}

// spool returns the path of a plain file that holds what name names: itself,
// or a copy at temp of standard input or a pipe, which are read but once.
func spool(name string, stdin io.Reader, temp string, limit int64) (string, error) {
	from := stdin
	if name != "-" {
		info, err := os.Stat(name)
		if err != nil {
			return "", err
		}
		if info.IsDir() {
			return "", fmt.Errorf("%s: is a directory; name a log file", name)
		}
		if info.Mode().IsRegular() {
			return name, nil
		}
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }() // opened for reading
		from = f
	}
	if from == nil {
		return "", errors.New("standard input is not there to be read")
	}
	f, err := os.Create(temp)
	if err != nil {
		return "", err
	}
	n, err := io.Copy(f, io.LimitReader(from, limit+1))
	if err == nil && n > limit {
		err = fmt.Errorf("holds more than %d bytes, the limit of one file", limit)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return temp, nil
}

// rawFS maps the names of files, as shown, to where they are.
type rawFS map[string]string

// Open opens a file by the name it is shown as.
func (f rawFS) Open(name string) (fs.File, error) { return os.Open(f[name]) }
