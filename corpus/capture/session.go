package capture

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stillfires/stillfires/corpus"
)

// ErrEnded is what a sink returns once its session has ended.
var ErrEnded = errors.New("the capture has ended")

// Options say what a session records into.
type Options struct {
	Dir     string // of the corpus; it is made if need be
	Creator string // the program, for corpus.json

	// Build and Scenario name the run; needed. Repetition 0 is the first that
	// the corpus does not have, and, to resume, the one that is unfinished.
	Build, Scenario string
	Repetition      int
	// Resume goes on with a capture that was interrupted.
	Resume bool

	// Manifest is what is known of the run beforehand. Expectations, assertions
	// and the expected result that have no DeclaredAt get the time at which the
	// session begins.
	Manifest corpus.Manifest

	MaxLine int           // most bytes of a line that are kept; 0: DefaultMaxLine
	Grace   time.Duration // for sources to end; 0: DefaultGrace
	Now     func() time.Time

	create func(name string) (file, error) // of tests; nil: createFile
}

// DefaultGrace is how long sources may take to end.
const DefaultGrace = 10 * time.Second

// A Session is one run under capture.
type Session struct {
	opts  Options
	spool *spool
	sit   string // directory of this sitting
	start time.Time
	grace time.Duration

	mu       sync.Mutex
	journal  *spoolFile
	ids      int // files of this sitting
	streams  map[string]*stream
	values   map[string]*spoolFile
	keys     map[string]corpus.FileKey // of values
	scrapes  map[string]*scrapes
	moments  map[string]time.Time
	kept     map[string]string // what sources keep
	watchers []*moments
	manifest corpus.Manifest
	fault    error // the spool cannot be written
	ended    bool
	failed   context.CancelFunc // of Record

	stats stats
	stop  chan struct{} // ends the flusher
	done  chan struct{} // it has
}

// Begin begins a session: it takes the run, so that no other can, and begins a
// sitting in its spool. A run that is there or is being captured is an error; so
// is, unless it is to be resumed, one whose capture was interrupted.
func Begin(opts Options) (*Session, error) {
	opts.Now = orNow(opts.Now)
	opts.MaxLine = cmp.Or(opts.MaxLine, DefaultMaxLine)
	opts.Grace = cmp.Or(opts.Grace, DefaultGrace)
	if opts.create == nil {
		opts.create = createFile
	}
	if opts.MaxLine < LeastMaxLine || opts.MaxLine > MostMaxLine {
		return nil, fmt.Errorf("a longest line of %d bytes; want %d to %d", opts.MaxLine, LeastMaxLine, MostMaxLine)
	}
	if err := corpus.CheckRunInfo(corpus.RunInfo{Build: opts.Build, Scenario: opts.Scenario, Repetition: cmp.Or(opts.Repetition, 1)}); err != nil {
		return nil, err
	}
	if err := corpus.Create(opts.Dir, opts.Creator); err != nil {
		return nil, err
	}
	sp, err := takeSpool(&opts)
	if err != nil {
		return nil, err
	}
	s := &Session{
		opts: opts, spool: sp, start: opts.Now().UTC(), grace: opts.Grace,
		streams: map[string]*stream{}, values: map[string]*spoolFile{}, keys: map[string]corpus.FileKey{}, scrapes: map[string]*scrapes{}, moments: map[string]time.Time{}, kept: map[string]string{},
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := s.beginSitting(); err != nil {
		err = fmt.Errorf("%s: %w", sp.dir, err)
		if sp.empty() {
			return nil, errors.Join(err, sp.remove())
		}
		return nil, errors.Join(err, sp.lock.Close())
	}
	go s.keep()
	return s, nil
}

func orNow(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

// takeSpool finds the run to record and locks its spool.
func takeSpool(opts *Options) (*spool, error) {
	if opts.Repetition == 0 {
		n, err := chooseRepetition(opts)
		if err != nil {
			return nil, err
		}
		opts.Repetition = n
	}
	info := corpus.RunInfo{Build: opts.Build, Scenario: opts.Scenario, Repetition: opts.Repetition}
	dir := corpus.SpoolPath(opts.Dir, info)
	if have, err := corpus.HasRun(opts.Dir, info); err != nil || have {
		return nil, errors.Join(err, runExists(have, info))
	}
	if _, err := os.Lstat(dir); opts.Resume && errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: no capture of %s was interrupted; leave out --resume", opts.Dir, info)
	}
	lock, err := lockSpool(dir, true)
	if err != nil {
		return nil, err
	}
	sp, err := readSpool(dir, lock)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	switch {
	case sp.begin == nil:
		// One that ended before it had begun.
		for _, sit := range sp.sittings {
			err = errors.Join(err, os.RemoveAll(sit.dir))
		}
		sp.sittings = nil
	case sp.info() != info:
		err = fmt.Errorf("%s: holds the capture of %s, not of %s", dir, sp.info(), info)
	case !opts.Resume:
		err = fmt.Errorf("%s: a capture of %s was interrupted; go on with it by --resume, or close it as an incomplete run: stillfires corpus repair %s", dir, info, opts.Dir)
	}
	// Another may have finished the run between the look and the lock.
	if have, err2 := corpus.HasRun(opts.Dir, info); err == nil && (err2 != nil || have) {
		err = errors.Join(err2, runExists(have, info))
		if sp.begin == nil {
			return nil, errors.Join(err, sp.remove())
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return sp, nil
}

func runExists(have bool, info corpus.RunInfo) error {
	if !have {
		return nil
	}
	return fmt.Errorf("the corpus has run %s already, and a finished run is never changed; give another repetition, or leave it out", info)
}

// chooseRepetition returns the first repetition that nobody has, or the one
// that can be resumed.
func chooseRepetition(opts *Options) (int, error) {
	var open []int
	for n := 1; ; n++ {
		info := corpus.RunInfo{Build: opts.Build, Scenario: opts.Scenario, Repetition: n}
		have, err := corpus.HasRun(opts.Dir, info)
		if err != nil {
			return 0, err
		}
		_, err = os.Lstat(corpus.SpoolPath(opts.Dir, info))
		spooled := err == nil
		switch {
		case spooled:
			open = append(open, n)
		case have:
		case !opts.Resume:
			return n, nil
		case len(open) == 1:
			return open[0], nil
		case len(open) > 1:
			return 0, fmt.Errorf("%s: captures of several repetitions of %s/%s were interrupted: %v; say by --repetition which to go on with", opts.Dir, opts.Build, opts.Scenario, open)
		default:
			return 0, fmt.Errorf("%s: no capture of %s/%s was interrupted; leave out --resume", opts.Dir, opts.Build, opts.Scenario)
		}
	}
}

// beginSitting makes the directory and journal of this sitting.
func (s *Session) beginSitting() error {
	s.sit = filepath.Join(s.spool.dir, sittingName(len(s.spool.sittings)))
	if err := os.Mkdir(s.sit, 0o777); err != nil {
		return err
	}
	f, err := s.opts.create(filepath.Join(s.sit, journalName))
	if err != nil {
		return err
	}
	s.journal = &spoolFile{file: f}
	begin := s.spool.begin
	if begin == nil {
		var id [16]byte
		if _, err := rand.Read(id[:]); err != nil {
			return err
		}
		begin = &beginning{
			Version: spoolVersion, ID: hex.EncodeToString(id[:]), Creator: s.opts.Creator,
			Build: s.opts.Build, Scenario: s.opts.Scenario, Repetition: s.opts.Repetition, MaxLine: s.opts.MaxLine,
		}
	}
	s.opts.MaxLine = begin.MaxLine // of the whole run
	if err := s.say(&entry{Do: doBegin, Begin: begin}); err != nil {
		return err
	}
	if s.spool.begin == nil {
		s.manifest = s.opts.Manifest
		stampDeclarations(&s.manifest.Scenario, s.start)
	} else {
		s.manifest = *s.spool.manifest()
		if err := s.restore(); err != nil {
			return err
		}
	}
	s.manifest.Build, s.manifest.Scenario.Name, s.manifest.Repetition = begin.Build, begin.Scenario, begin.Repetition
	if len(s.manifest.Builds) == 0 {
		s.manifest.Builds = []corpus.Build{{Name: begin.Build}}
	}
	s.spool.begin = begin
	if err := s.say(&entry{Do: doDescribe, Manifest: &s.manifest}); err != nil {
		return err
	}
	return errors.Join(s.journal.sync(), syncDir(s.sit), syncDir(s.spool.dir), syncDir(s.opts.Dir))
}

// syncDir makes what is new in a directory last. Not all systems can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // best effort: Windows and some network file systems refuse
	return d.Close()
}

// stampDeclarations gives what was declared before the run its time.
func stampDeclarations(s *corpus.Scenario, at time.Time) {
	if s.Expected != "" && s.DeclaredAt == nil {
		s.DeclaredAt = &at
	}
	s.Expectations = slices.Clone(s.Expectations)
	for i := range s.Expectations {
		if s.Expectations[i].DeclaredAt.IsZero() {
			s.Expectations[i].DeclaredAt = at
		}
	}
	s.Assertions = slices.Clone(s.Assertions)
	for i := range s.Assertions {
		if s.Assertions[i].DeclaredAt.IsZero() {
			s.Assertions[i].DeclaredAt = at
		}
	}
}

// Info returns the run that is recorded.
func (s *Session) Info() corpus.RunInfo { return s.spool.info() }

// Spool returns the directory of what is recorded.
func (s *Session) Spool() string { return s.spool.dir }

// say writes an entry into the journal, at once.
func (s *Session) say(e *entry) error {
	e.At = s.opts.Now().UTC()
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := s.journal.write(append(text, '\n')); err != nil {
		return err
	}
	return s.journal.flush()
}

// tell is say for a session that others use at the same time.
func (s *Session) tell(e *entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tellLocked(e)
}

func (s *Session) tellLocked(e *entry) error {
	if err := s.usable(); err != nil {
		return err
	}
	return s.check(s.say(e))
}

// usable returns why nothing can be recorded any more. The lock is held.
func (s *Session) usable() error {
	if s.ended {
		return ErrEnded
	}
	return s.fault
}

// check keeps the first error of the spool, which ends the recording. The lock
// is held.
func (s *Session) check(err error) error {
	if err != nil && s.fault == nil && !errors.Is(err, ErrEnded) {
		s.fault = fmt.Errorf("the capture cannot be written: %w", err)
		if s.failed != nil {
			s.failed()
		}
	}
	if err != nil && s.fault != nil {
		return s.fault
	}
	return err
}

// keep flushes what was recorded several times a second and makes it last once
// a second, until the session ends.
func (s *Session) keep() {
	defer close(s.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		files := s.files()
		var err error
		if n%syncEvery != 0 {
			for _, f := range files {
				err = errors.Join(err, f.flush())
			}
		} else {
			err = s.tell(&entry{Do: doAlive})
			for _, f := range files {
				err = errors.Join(err, f.sync())
			}
		}
		s.mu.Lock()
		_ = s.check(err) // it is kept
		s.mu.Unlock()
	}
}

const (
	flushEvery = 200 * time.Millisecond
	syncEvery  = 5 // flushes
)

// files returns all files that are written.
func (s *Session) files() []*spoolFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := []*spoolFile{s.journal}
	for _, st := range s.streams {
		if st.out != nil {
			files = append(files, st.out)
		}
	}
	files = slices.AppendSeq(files, maps.Values(s.values))
	for _, sc := range s.scrapes {
		files = append(files, sc.out)
	}
	return files
}

// Record runs the sources until ctx is done, and then until each has ended or
// the grace is over; or until all have ended by themselves. It may be called
// several times, also at the same time. What goes wrong with a source is kept
// as a reason for incompleteness; the error is one of the spool, or ErrEnded.
func (s *Session) Record(ctx context.Context, sources ...Source) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	outer := s.failed
	s.failed = func() {
		cancel()
		if outer != nil {
			outer()
		}
	}
	err := s.usable()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	ends := make(chan string, len(sources))
	running := map[string]int{}
	for _, src := range sources {
		name := src.String()
		running[name]++
		s.sourceBegins(name)
		go func() {
			s.sourceEnded(name, recovered(func() error { return src.Record(ctx, s) }))
			ends <- name
		}()
	}
	s.await(ctx, running, ends)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// await waits for the sources, and after ctx is done not longer than the grace.
func (s *Session) await(ctx context.Context, running map[string]int, ends <-chan string) {
	var over <-chan time.Time
	done := ctx.Done()
	for len(running) > 0 {
		select {
		case name := <-ends:
			if running[name]--; running[name] == 0 {
				delete(running, name)
			}
		case <-done:
			done = nil
			timer := time.NewTimer(s.grace)
			defer timer.Stop()
			over = timer.C
		case <-over:
			for _, name := range slices.Sorted(maps.Keys(running)) {
				s.Incomplete(fmt.Sprintf("%s did not end within %s; what it had not recorded yet is missing", name, s.grace))
			}
			return
		}
	}
}

// recovered turns a panic of a source into an error: the others go on.
func recovered(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panicked: %v", p)
		}
	}()
	return f()
}

func (s *Session) sourceBegins(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.sources++
	_ = s.tellLocked(&entry{Do: doSource, Source: name}) // an error of the spool is kept
}

func (s *Session) sourceEnded(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.sources--
	if err == nil || errors.Is(err, ErrEnded) || errors.Is(err, context.Canceled) || s.fault != nil {
		return
	}
	s.stats.problem(fmt.Sprintf("%s: %v", name, err))
	_ = s.tellLocked(&entry{Do: doSource, Source: name, Reason: err.Error()}) // an error of the spool is kept
}

// end ends the recording: nothing can be added after it.
func (s *Session) end() error {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return nil
	}
	s.ended = true
	fault := s.fault
	s.mu.Unlock()
	close(s.stop)
	<-s.done
	// What was recorded lasts before the journal says that it is all.
	var err error
	for _, f := range s.files() {
		if f != s.journal {
			err = errors.Join(err, f.close())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && fault == nil {
		err = s.say(&entry{Do: doEnd})
	}
	return errors.Join(s.check(errors.Join(err, s.journal.close())), s.fault)
}

// Leave ends the session and leaves its spool, to be resumed or repaired.
func (s *Session) Leave() error { return errors.Join(s.end(), s.spool.lock.Close()) }

// Discard ends the session and deletes what it recorded.
func (s *Session) Discard() error {
	_ = s.end() // nothing of it stays
	return s.spool.remove()
}

// Empty reports whether nothing was recorded.
func (s *Session) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spool.empty() && len(s.streams)+len(s.values)+len(s.scrapes) == 0
}

// Finish ends the session and makes its spool a run of the corpus. On an error
// the spool stays.
func (s *Session) Finish(ctx context.Context) (*Result, error) {
	if err := s.end(); err != nil {
		return nil, errors.Join(err, s.spool.lock.Close())
	}
	sp, err := readSpool(s.spool.dir, s.spool.lock)
	if err != nil {
		return nil, errors.Join(err, s.spool.lock.Close())
	}
	return finish(ctx, sp, s.opts.Dir, s.opts.Creator, nil)
}

// number makes the next number of a file of the sitting. The lock is held.
func (s *Session) number() int {
	s.ids++
	return s.ids
}

// open makes a file of the sitting. The lock is held.
func (s *Session) open(name string) (*spoolFile, error) {
	f, err := s.opts.create(filepath.Join(s.sit, name))
	if err != nil {
		return nil, err
	}
	return &spoolFile{file: f}, nil
}
