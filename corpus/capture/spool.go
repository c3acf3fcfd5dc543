package capture

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/lockfile"
)

// A spool is a directory: a lock, which its writer holds, and a directory for
// each sitting, that is each program that recorded into it, numbered from 0.
// Files of a sitting are written by that sitting alone and only added to.
const (
	lockName    = "lock"
	journalName = "journal.ndjson"
)

func sittingName(n int) string { return fmt.Sprintf("%04d", n) }

func streamName(id int) string  { return fmt.Sprintf("stream-%04d", id) }
func valuesName(id int) string  { return fmt.Sprintf("values-%04d.ndjson", id) }
func scrapesName(id int) string { return fmt.Sprintf("scrapes-%04d.prom", id) }

// A spool is one that was locked and read.
type spool struct {
	dir      string
	lock     *os.File
	begin    *beginning // nil: nothing was begun
	sittings []*sitting
}

// A sitting is what one program wrote.
type sitting struct {
	dir     string
	entries []entry
	torn    string // what is wrong with the journal; empty: nothing
	started time.Time
	alive   time.Time // of the last entry
}

func (s *spool) info() corpus.RunInfo {
	return corpus.RunInfo{Build: s.begin.Build, Scenario: s.begin.Scenario, Repetition: s.begin.Repetition}
}

// A BusyError says that a run is being captured by a program that lives.
type BusyError struct{ Dir string }

// Error names the spool.
func (e *BusyError) Error() string {
	return fmt.Sprintf("%s: the run is being captured right now; wait for that capture to end", e.Dir)
}

// lockSpool takes the lock of the spool in dir, which it makes if create is
// set.
func lockSpool(dir string, create bool) (*os.File, error) {
	name := filepath.Join(dir, lockName)
	flags := os.O_RDWR | os.O_CREATE
	if create {
		if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	f, err := os.OpenFile(name, flags, 0o666)
	if err != nil {
		return nil, err
	}
	if lockfile.Lock(f) != nil {
		return nil, errors.Join(&BusyError{Dir: dir}, f.Close())
	}
	// Its last owner may have deleted the spool between open and lock.
	have, err1 := f.Stat()
	want, err2 := os.Stat(name)
	if err1 != nil || err2 != nil || !os.SameFile(have, want) {
		return nil, errors.Join(&BusyError{Dir: dir}, f.Close())
	}
	return f, nil
}

// readSpool reads the journals of a spool whose lock is held.
func readSpool(dir string, lock *os.File) (*spool, error) {
	s := &spool{dir: dir, lock: lock}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if n, err := strconv.Atoi(e.Name()); !e.IsDir() || err != nil || sittingName(n) != e.Name() {
			return nil, fmt.Errorf("%s: does not belong to the spool of a capture; move it away", filepath.Join(dir, e.Name()))
		}
		sit := &sitting{dir: filepath.Join(dir, e.Name())}
		if sit.entries, sit.torn, err = readJournal(filepath.Join(sit.dir, journalName)); err != nil {
			return nil, err
		}
		if len(sit.entries) == 0 || sit.entries[0].Begin == nil {
			if len(sit.entries) > 0 {
				return nil, fmt.Errorf("%s: its journal does not begin as one", sit.dir)
			}
			s.sittings = append(s.sittings, sit) // ended before it began: keeps its number
			continue
		}
		begin := sit.entries[0].Begin
		if s.begin == nil {
			s.begin = begin
		} else if s.begin.ID != begin.ID {
			return nil, fmt.Errorf("%s: is of another capture than the sittings before it", sit.dir)
		}
		sit.started = sit.entries[0].At
		sit.alive = sit.entries[len(sit.entries)-1].At
		s.sittings = append(s.sittings, sit)
	}
	if s.begin != nil {
		if err := corpus.CheckRunInfo(s.info()); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if limit := s.begin.MaxLine; limit < LeastMaxLine || limit > MostMaxLine {
			return nil, fmt.Errorf("%s: its journal allows lines of %d bytes; want %d to %d", dir, limit, LeastMaxLine, MostMaxLine)
		}
	}
	return s, nil
}

// remove deletes the spool and gives up its lock.
func (s *spool) remove() error {
	return errors.Join(os.RemoveAll(s.dir), s.lock.Close())
}

// empty reports whether the spool holds nothing that was recorded. A journal
// alone, without a stream, a value, a scrape or a moment, is nothing.
func (s *spool) empty() bool {
	for _, sit := range s.sittings {
		for i := range sit.entries {
			switch sit.entries[i].Do {
			case doStream, doValues, doScrapes:
				return false
			}
		}
	}
	return true
}
