package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// A Result is a run that a capture became.
type Result struct {
	Run      corpus.RunInfo
	Manifest *corpus.Manifest // as it is stored
}

// Complete reports whether nothing is known to be missing.
func (r *Result) Complete() bool { return r.Manifest.Completeness.State == corpus.Complete }

// A finisher makes a spool a run.
type finisher struct {
	ctx      context.Context
	spool    *spool
	manifest *corpus.Manifest
	out      *corpus.RunWriter
	reasons  []string
	ended    time.Time // when the last sitting was last alive
}

// finish makes the spool a run of the corpus in dir and deletes it. Reasons are
// why the run is incomplete, beside those that the spool tells. On an error the
// spool stays; its lock is given up either way.
func finish(ctx context.Context, sp *spool, dir, creator string, reasons []string) (*Result, error) {
	res, err := commit(ctx, sp, dir, creator, reasons)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: the capture could not be made a run, and stays as it is: %w", sp.dir, err), sp.lock.Close())
	}
	return res, sp.remove()
}

func commit(ctx context.Context, sp *spool, dir, creator string, reasons []string) (_ *Result, err error) {
	w, err := corpus.OpenForWrite(dir, creator)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	f := &finisher{ctx: ctx, spool: sp, manifest: sp.manifest(), reasons: reasons}
	f.readSittings()
	if f.out, err = w.BeginRun(f.manifest); err != nil {
		return nil, err
	}
	if err := f.fill(); err != nil {
		return nil, err
	}
	m := f.manifest
	m.Completeness = corpus.Completeness{State: corpus.Complete}
	if f.reasons = unique(f.reasons); len(f.reasons) > 0 {
		m.Completeness = corpus.Completeness{State: corpus.Incomplete, Reasons: f.reasons}
	}
	m.Notes = unique(m.Notes)
	if err := f.out.Commit(); err != nil {
		return nil, err
	}
	return &Result{Run: sp.info(), Manifest: m}, nil
}

// unique leaves out texts that stand before, and what is more than a reader
// takes in.
func unique(list []string) []string {
	seen := map[string]bool{}
	out := slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		had := seen[s]
		seen[s] = true
		return had
	})
	if n := len(out) - maxReasons; n > 0 {
		out = append(out[:maxReasons], fmt.Sprintf("and %d more", n))
	}
	return out
}

// maxReasons bounds the reasons and the notes of a run.
const maxReasons = 200

// readSittings takes over what the journals say of the whole run.
func (f *finisher) readSittings() {
	sp, m := f.spool, f.manifest
	m.Capture = &corpus.Capture{ID: sp.begin.ID, MaxLine: sp.begin.MaxLine}
	var alive time.Time
	for _, sit := range sp.sittings {
		if sit.started.IsZero() {
			continue
		}
		if m.Capture.Started.IsZero() {
			m.Capture.Started = sit.started
		} else {
			m.Capture.Interruptions = append(m.Capture.Interruptions, span(alive, sit.started, wasInterrupted))
		}
		alive = sit.alive
		if sit.torn != "" {
			m.Notes = append(m.Notes, "capture: "+sit.torn)
		}
		for i := range sit.entries {
			f.take(&sit.entries[i])
		}
	}
	f.ended = alive
	m.Capture.Ended = alive
	m.Moments = orderMoments(m.Moments)
}

func (f *finisher) take(e *entry) {
	m := f.manifest
	switch e.Do {
	case doSource:
		if e.Reason != "" {
			f.reasons = append(f.reasons, fmt.Sprintf("%s: %s", e.Source, e.Reason))
		} else if !slices.Contains(m.Capture.Sources, e.Source) {
			m.Capture.Sources = append(m.Capture.Sources, e.Source)
		}
	case doNote:
		m.Notes = append(m.Notes, e.Reason)
	case doIncomplete:
		f.reasons = append(f.reasons, e.Reason)
	case doMoment:
		had := slices.ContainsFunc(m.Moments, func(x corpus.Moment) bool { return x.Name == e.Name })
		if !had && e.From != nil {
			m.Moments = append(m.Moments, corpus.Moment{Name: e.Name, Time: e.From})
		}
	}
}

// orderMoments sorts moments by their times.
func orderMoments(list []corpus.Moment) []corpus.Moment {
	slices.SortStableFunc(list, func(a, b corpus.Moment) int {
		return cmp.Or(a.Time.Compare(*b.Time), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// span is a gap whose ends are in order.
func span(from, to time.Time, reason string) corpus.Gap {
	if to.Before(from) { // a clock that was set back
		to = from
	}
	return corpus.Gap{From: from.UTC(), To: to.UTC(), Reason: reason}
}

// fill writes the streams and files of the run.
func (f *finisher) fill() error {
	for _, l := range f.logs() {
		if err := f.writeLog(l); err != nil {
			return err
		}
	}
	if err := f.writeValues(); err != nil {
		return err
	}
	return f.writeScrapes()
}

// Repair closes the captures of the corpus in dir whose writers are gone, as
// incomplete runs; one that recorded nothing is deleted. Runs that are finished
// are never touched. It goes on past what it cannot repair.
func Repair(ctx context.Context, dir, creator string) ([]Repaired, error) {
	if err := corpus.CheckCorpus(dir); err != nil {
		return nil, err
	}
	// A writer that was killed while it moved runs into place had finished them:
	// the next one moves the rest.
	if err := corpus.Create(dir, creator); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []Repaired
	var errs []error
	for _, e := range entries {
		if !corpus.IsSpool(e.Name()) {
			continue
		}
		r, err := repairSpool(ctx, dir, e.Name(), creator)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

// A Repaired is what became of one spool.
type Repaired struct {
	Spool  string
	Run    corpus.RunInfo // zero: the spool did not say
	Result *Result        // nil: there was nothing to make a run of
	// Finished says that the capture had become a run already; only its spool
	// was left.
	Finished bool
}

func repairSpool(ctx context.Context, dir, name, creator string) (Repaired, error) {
	path := dir + string(os.PathSeparator) + name
	r := Repaired{Spool: path}
	lock, err := lockSpool(path, false)
	if err != nil {
		return r, err
	}
	sp, err := readSpool(path, lock)
	if err != nil {
		return r, errors.Join(err, lock.Close())
	}
	if sp.begin == nil {
		return r, sp.remove()
	}
	r.Run = sp.info()
	if path != corpus.SpoolPath(dir, r.Run) {
		return r, errors.Join(fmt.Errorf("%s: holds the capture of %s, whose place is %s", path, r.Run, corpus.SpoolPath(dir, r.Run)), lock.Close())
	}
	have, err := corpus.HasRun(dir, r.Run)
	switch {
	case err != nil:
		return r, errors.Join(err, lock.Close())
	case have:
		m, err := corpus.ManifestOf(dir, r.Run)
		if err == nil && (m.Capture == nil || m.Capture.ID != sp.begin.ID) {
			err = fmt.Errorf("%s: the corpus has another run %s, which is never changed; delete or move away one of the two", path, r.Run)
		}
		if err != nil {
			return r, errors.Join(err, lock.Close())
		}
		r.Finished = true
		return r, sp.remove()
	case sp.empty():
		return r, sp.remove()
	}
	r.Result, err = finish(ctx, sp, dir, creator, sp.whyRepaired())
	return r, err
}

// whyRepaired says why a run that is repaired is incomplete: nothing, if its
// capture had ended and only its last step was missing.
func (s *spool) whyRepaired() []string {
	last := s.sittings[len(s.sittings)-1]
	if n := len(last.entries); n > 0 && last.entries[n-1].Do == doEnd && last.torn == "" {
		return nil
	}
	var alive time.Time
	for _, sit := range s.sittings {
		if sit.alive.After(alive) {
			alive = sit.alive
		}
	}
	return []string{fmt.Sprintf("the capture did not end by itself; it was last alive at %s, and what happened later is not recorded", alive.UTC().Format(time.RFC3339))}
}

// labelsOf returns labels as a set.
func labelsOf(m map[string]string) logs.Labels { return logs.FromMap(m) }
