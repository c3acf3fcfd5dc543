package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/suggest"
)

// A Corpus is a directory of runs, or a file into which one was packed, open
// for reading.
type Corpus struct {
	Dir     string // or the file
	Creator string // the program that made it
	files   store
	runs    []*Run // ordered by build, scenario, repetition
}

// A RunInfo names one run.
type RunInfo struct {
	Build      string
	Scenario   string
	Repetition int
}

// String returns build/scenario/n, the run's path below runs/.
func (i RunInfo) String() string {
	return i.Build + "/" + i.Scenario + "/" + strconv.Itoa(i.Repetition)
}

func (i RunInfo) compare(j RunInfo) int {
	return cmp.Or(cmp.Compare(i.Build, j.Build), cmp.Compare(i.Scenario, j.Scenario), cmp.Compare(i.Repetition, j.Repetition))
}

// A Run is one run of a corpus.
type Run struct {
	RunInfo
	Manifest *Manifest
	checksum string // of the manifest, hex
	files    store  // of the run
}

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Creator string `json:"creator"`
}

// Open opens the corpus in dir, which can be a file that [Pack] wrote. It reads every manifest and looks at the name,
// kind and size of every file; what the files hold is checked as they are read,
// or by [Corpus.Verify]. A run that is damaged, unfinished or incomplete in its
// files, and any file that does not belong, is an error that names it.
func Open(dir string) (*Corpus, error) {
	c, errs := open(dir)
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

// open opens what can be opened and returns all faults. The corpus is nil if
// there is none.
func open(dir string) (*Corpus, []error) {
	files, err := openStore(dir)
	if err != nil {
		return nil, []error{err}
	}
	return openIn(dir, files)
}

// openIn is open for files that lie in a store.
func openIn(dir string, files store) (*Corpus, []error) {
	c, err := openHeader(dir, files)
	if err != nil {
		return nil, []error{err}
	}
	var errs []error
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, []error{fmt.Errorf("open corpus: %w", err)}
	}
	for _, e := range entries {
		switch {
		case e.Name() == corpusFile || e.Name() == runsDir && e.IsDir():
		case IsSpool(e.Name()):
			errs = append(errs, fmt.Errorf("%s: a capture that is unfinished: it still runs, or was interrupted; wait for it, or %s", files.where(e.Name()), howToRepair(dir)))
		case strings.HasPrefix(e.Name(), stagingPrefix):
			errs = append(errs, fmt.Errorf("%s: an import or capture that is unfinished: it still runs, or was interrupted; wait for it, run it again, or delete the directory", files.where(e.Name())))
		default:
			errs = append(errs, foreign(files.where(e.Name())))
		}
	}
	infos, err := c.list()
	if err != nil {
		errs = append(errs, err)
	}
	for _, info := range infos {
		r, err := c.load(info)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c.runs = append(c.runs, r)
	}
	slices.SortFunc(c.runs, func(a, b *Run) int { return a.RunInfo.compare(b.RunInfo) })
	return c, errs
}

func foreign(name string) error {
	return fmt.Errorf("%s: does not belong to the corpus; no manifest names it", name)
}

func openHeader(dir string, files store) (*Corpus, error) {
	name := files.where(corpusFile)
	text, err := readBounded(files, corpusFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: %s is not a corpus, or its import was interrupted", name, fs.ErrNotExist, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := checkFormat(text, corpusFormat); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var h header
	if err := strictJSON(text, &h); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Corpus{Dir: dir, Creator: h.Creator, files: files}, nil
}

// readBounded reads a plain file of at most maxManifest bytes.
func readBounded(fsys store, name string) ([]byte, error) {
	info, err := fsys.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a plain file")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(text) > maxManifest {
		err = fmt.Errorf("is longer than %d bytes", maxManifest)
	}
	return text, err
}

// list finds the directories of runs: runs/<build>/<scenario>/<n>.
func (c *Corpus) list() ([]RunInfo, error) {
	var infos []RunInfo
	var errs []error
	sub := func(dir, kind string) []string {
		entries, err := c.files.ReadDir(dir)
		if err != nil {
			if dir != runsDir || !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, fmt.Errorf("%s: %w", c.files.where(dir), err))
			}
			return nil
		}
		var names []string
		for _, e := range entries {
			err := checkName(kind, e.Name())
			if kind == "repetition" && err == nil {
				_, err = repetition(e.Name())
			}
			switch {
			case !e.IsDir():
				errs = append(errs, foreign(c.files.where(path.Join(dir, e.Name()))))
			case err != nil:
				errs = append(errs, fmt.Errorf("%s: %w", c.files.where(path.Join(dir, e.Name())), err))
			default:
				names = append(names, e.Name())
			}
		}
		return names
	}
	for _, build := range sub(runsDir, "build") {
		for _, scenario := range sub(path.Join(runsDir, build), "scenario") {
			for _, n := range sub(path.Join(runsDir, build, scenario), "repetition") {
				rep, _ := repetition(n) // checked above
				infos = append(infos, RunInfo{build, scenario, rep})
			}
		}
	}
	return infos, errors.Join(errs...)
}

// repetition reads the number of a repetition in its only form.
func repetition(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("repetition %q is not a number from 1 up", s)
	}
	return n, nil
}

// Runs returns the runs, ordered by build, scenario and repetition.
func (c *Corpus) Runs() []RunInfo {
	infos := make([]RunInfo, len(c.runs))
	for i, r := range c.runs {
		infos[i] = r.RunInfo
	}
	return infos
}

// Builds returns the names of the builds, ordered.
func (c *Corpus) Builds() []string {
	var names []string
	for _, r := range c.runs {
		names = append(names, r.Build)
	}
	return slices.Compact(names)
}

// OpenRun returns one run.
func (c *Corpus) OpenRun(build, scenario string, n int) (*Run, error) {
	want := RunInfo{build, scenario, n}
	i, found := slices.BinarySearchFunc(c.runs, want, func(r *Run, want RunInfo) int { return r.RunInfo.compare(want) })
	if !found {
		return nil, c.noRun(want)
	}
	return c.runs[i], nil
}

// noRun says which of build, scenario and repetition the corpus does not have.
func (c *Corpus) noRun(want RunInfo) error {
	var builds, scenarios, repetitions []string
	for _, r := range c.runs {
		builds = append(builds, r.Build)
		if r.Build == want.Build {
			scenarios = append(scenarios, r.Scenario)
			if r.Scenario == want.Scenario {
				repetitions = append(repetitions, strconv.Itoa(r.Repetition))
			}
		}
	}
	kind, name, known := "repetition", strconv.Itoa(want.Repetition), repetitions
	switch {
	case scenarios == nil:
		kind, name, known = "build", want.Build, builds
	case repetitions == nil:
		kind, name, known = "scenario", want.Scenario, scenarios
	}
	known = slices.Compact(known)
	hint := suggest.Hint(name, known)
	if hint == "" || kind == "repetition" {
		hint = "it has: " + strings.Join(known, ", ")
	}
	return fmt.Errorf("%s: has no run %s: no %s %q; %s", c.Dir, want, kind, name, hint)
}

// Path returns where a file of the run lies, for messages.
func (r *Run) Path(name string) string { return r.files.where(name) }

func (r *Run) open(name string) (fs.File, error) {
	if err := checkPath(name); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Path(runFile), err)
	}
	f, err := r.files.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Path(name), err)
	}
	return f, nil
}
