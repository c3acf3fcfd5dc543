package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/lockfile"
)

// A Writer adds runs to a corpus. Runs are written in a staging directory and
// moved into place when they are committed, so that a reader sees a run whole
// or not at all. A corpus with a staging directory does not open.
type Writer struct {
	dir     string
	stage   string // the staging directory
	lock    *os.File
	created bool // corpus.json is ours
	moved   int  // runs committed

	redactor Redactor // of the runs, nil: none
}

// OpenForWrite opens the corpus in dir for adding runs, and makes it where
// there is none. Creator names the program, for corpus.json. What interrupted
// writers left is deleted. The caller calls Close.
func OpenForWrite(dir, creator string) (*Writer, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file, and runs are added to a directory; unpack it first if it is a packed corpus: stillfires corpus unpack", dir)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("open corpus for writing: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("open corpus for writing: %w", err)
	}
	w := &Writer{dir: dir}
	_, err = os.Lstat(filepath.Join(dir, corpusFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), stagingPrefix) && !IsSpool(e.Name()) {
				return nil, fmt.Errorf("%s: is no corpus and not empty (it holds %s); name a new directory or a corpus", dir, e.Name())
			}
		}
		w.created = true
	case err != nil:
		return nil, fmt.Errorf("open corpus for writing: %w", err)
	default:
		if _, err := openHeader(dir, newDirStore(dir)); err != nil {
			return nil, err
		}
	}
	if err := w.begin(); err != nil {
		return nil, fmt.Errorf("open corpus for writing: %w", err)
	}
	if w.created {
		text := fmt.Sprintf("{\n  \"format\": %q,\n  \"version\": %d,\n  \"creator\": %s\n}\n", corpusFormat, Version, quoteJSON(creator))
		if err := writeFile(filepath.Join(dir, corpusFile), []byte(text)); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), stagingPrefix) {
			if err := removeStale(filepath.Join(dir, e.Name())); err != nil {
				return nil, errors.Join(err, w.Close())
			}
		}
	}
	return w, nil
}

// begin makes the staging directory and takes its lock.
func (w *Writer) begin() error {
	stage, err := os.MkdirTemp(w.dir, stagingPrefix)
	if err != nil {
		return err
	}
	w.stage = stage
	if w.lock, err = os.Create(filepath.Join(stage, lockFile)); err == nil {
		err = lockfile.Lock(w.lock)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(stage))
	}
	return nil
}

// Commit seals the runs as far as they are not, and moves them into the corpus:
// all, or none. Should the program end while it moves them, the next writer
// moves the rest.
func (w *Writer) Commit(runs ...*RunWriter) error {
	for _, r := range runs {
		if err := r.Seal(); err != nil {
			return err
		}
		if _, err := os.Lstat(r.final); !errors.Is(err, fs.ErrNotExist) {
			return &RunExistsError{Run: r.info, Dir: r.final}
		}
	}
	var moves []string
	for _, r := range runs {
		moves = append(moves, r.info.String())
	}
	mark := filepath.Join(w.stage, commitFile)
	if err := writeFile(mark, []byte(strings.Join(moves, "\n"))); err != nil {
		return err
	}
	w.moved += len(moves)
	if err := moveRuns(w.dir, w.stage, moves); err != nil {
		return err
	}
	return os.Remove(mark)
}

// moveRuns moves runs, named build/scenario/n, from a staging directory into
// the corpus. One that was moved before is left alone.
func moveRuns(dir, stage string, moves []string) error {
	for _, name := range moves {
		if err := checkPath(name); err != nil {
			return err
		}
		from, to := filepath.Join(stage, filepath.FromSlash(name)), filepath.Join(dir, runsDir, filepath.FromSlash(name))
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		if err := os.Rename(from, to); err != nil {
			return err
		}
		if err := syncDir(filepath.Dir(to)); err != nil {
			return err
		}
	}
	return nil
}

// removeStale deletes the staging directory of a writer that is gone, after
// ending a commit that it had begun. That of a live writer stays.
func removeStale(stage string) error {
	f, err := os.OpenFile(filepath.Join(stage, lockFile), os.O_RDWR, 0)
	if err != nil {
		return nil // just made, or just removed: not ours to judge
	}
	defer func() { _ = f.Close() }() // only locked
	if lockfile.Lock(f) != nil {
		return nil
	}
	moves, err := os.ReadFile(filepath.Join(stage, commitFile))
	switch {
	case err == nil:
		if err := moveRuns(filepath.Dir(stage), stage, strings.Split(string(moves), "\n")); err != nil {
			return fmt.Errorf("%s: end the commit of an interrupted writer: %w", stage, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.RemoveAll(stage)
}

// BeginRun starts a run. The manifest is the caller's until Seal; its format,
// version, streams and files are filled in here. Nothing of the run is seen
// before Commit. A run that the corpus has, or that is being captured, is
// refused.
func (w *Writer) BeginRun(m *Manifest) (*RunWriter, error) {
	info := RunInfo{m.Build, m.Scenario.Name, m.Repetition}
	if err := m.checkNames(); err != nil {
		return nil, err
	}
	if spool := SpoolPath(w.dir, info); m.Capture == nil {
		if _, err := os.Lstat(spool); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: run %s is being captured, or its capture was interrupted; end it, or %s", spool, info, howToRepair(w.dir))
		}
	}
	final := filepath.Join(w.dir, runsDir, info.Build, info.Scenario, strconv.Itoa(info.Repetition))
	if _, err := os.Lstat(final); !errors.Is(err, fs.ErrNotExist) {
		return nil, &RunExistsError{Run: info, Dir: final}
	}
	dir := filepath.Join(w.stage, info.Build, info.Scenario, strconv.Itoa(info.Repetition))
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, &RunExistsError{Run: info, Dir: dir}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &RunWriter{w: w, info: info, dir: dir, final: final, manifest: m, names: map[string]bool{}, labels: map[string]string{}}, nil
}

// A RunExistsError says that a run cannot be written as there is one of its
// name.
type RunExistsError struct {
	Run RunInfo
	Dir string
}

// Error names the run and says what to do.
func (e *RunExistsError) Error() string {
	return fmt.Sprintf("%s: run %s is there already; delete its directory first, or give another repetition, build name or corpus", e.Dir, e.Run)
}

// Close deletes what was not committed. Where nothing was committed to a new
// corpus, nothing of it stays but its directory.
func (w *Writer) Close() error {
	errs := []error{os.RemoveAll(w.stage)}
	if w.created && w.moved == 0 {
		if err := os.Remove(filepath.Join(w.dir, corpusFile)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if w.lock != nil {
		errs = append(errs, w.lock.Close())
	}
	return errors.Join(errs...)
}

// writeFile writes a file so that it is there whole or not at all.
func writeFile(name string, text []byte) error {
	temp := name + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := os.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// syncDir makes renames in a directory last. Not all systems can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // best effort: Windows and some network file systems refuse
	return d.Close()
}
