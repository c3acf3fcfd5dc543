package capture

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// A spooledLog is a stream of the run, in all its sittings.
type spooledLog struct {
	info   StreamInfo
	epochs []*spooledEpoch
	gaps   []corpus.Gap
	from   time.Time // when it began to be looked at
	to     time.Time // when it ceased to be
	open   bool      // when that was
	left   time.Time // when the sitting before ceased to look at it
	torn   bool
}

// A spooledEpoch is the records of one process.
type spooledEpoch struct {
	source, build string
	pieces        []piece
}

// A piece is records of one file of a sitting.
type piece struct {
	file   string
	start  int64 // number of the first, from 0
	offset int64 // where it stands
	end    int64 // after the last; -1: the file's end
}

// logs returns the streams of the spool in the order in which they began.
func (f *finisher) logs() []*spooledLog {
	byLabels := map[string]*spooledLog{}
	var list []*spooledLog
	for _, sit := range f.spool.sittings {
		if sit.started.IsZero() {
			continue
		}
		byID := map[int]*spooledLog{}
		bridged := map[*spooledLog]bool{}
		for i := range sit.entries {
			e := &sit.entries[i]
			if e.Do == doStream && e.Stream != nil {
				ls := labelsOf(e.Stream.Labels)
				l := byLabels[ls.String()]
				if l == nil {
					l = &spooledLog{from: e.At, info: StreamInfo{Name: e.Stream.Name, Labels: ls, Times: e.Stream.Times, Format: e.Stream.Format, Year: e.Stream.Year, Timezone: e.Stream.Timezone}}
					byLabels[ls.String()] = l
					list = append(list, l)
				}
				if byID[e.ID] == nil {
					l.left = l.to // zero: it is new
					l.begin(filepath.Join(sit.dir, streamName(e.ID)))
				}
				byID[e.ID] = l
				l.to, l.open = sit.alive, true
				continue
			}
			if l := byID[e.ID]; l != nil {
				l.take(e, filepath.Join(sit.dir, streamName(e.ID)), bridged)
			}
		}
		for _, l := range byID {
			if !l.left.IsZero() && !bridged[l] {
				l.gaps = append(l.gaps, span(l.left, sit.started, wasInterrupted))
			}
		}
	}
	for _, l := range list {
		if l.open && l.to.Before(f.ended) { // nobody has gone on with it
			l.gaps = append(l.gaps, span(l.to, f.ended, wasInterrupted))
		}
	}
	return list
}

const wasInterrupted = "the capture was interrupted"

// begin adds a file of another sitting.
func (l *spooledLog) begin(file string) {
	if len(l.epochs) == 0 {
		l.epochs = []*spooledEpoch{{}}
	}
	last := l.epochs[len(l.epochs)-1]
	last.pieces = append(last.pieces, piece{file: file, end: -1})
}

// take takes in what a journal says of the stream.
func (l *spooledLog) take(e *entry, file string, bridged map[*spooledLog]bool) {
	switch e.Do {
	case doEpoch:
		last := l.epochs[len(l.epochs)-1]
		p := &last.pieces[len(last.pieces)-1]
		p.end = e.Record
		l.epochs = append(l.epochs, &spooledEpoch{source: e.Source, build: e.Build, pieces: []piece{{file: file, start: e.Record, offset: e.Offset, end: -1}}})
	case doGap:
		if e.From != nil && e.To != nil {
			l.gaps = append(l.gaps, span(*e.From, *e.To, e.Reason))
		}
	case doBridged:
		bridged[l] = true
	case doClose:
		l.to, l.open = e.At, false
	}
}

// writeLog writes a stream of the run.
func (f *finisher) writeLog(l *spooledLog) error {
	out, err := f.out.Stream(l.info.Name, l.info.Labels)
	if err != nil {
		return err
	}
	w := &logWriter{f: f, log: l, out: out}
	if err := w.write(); err != nil {
		return fmt.Errorf("stream %s: %w", l.info.Labels, err)
	}
	info := &out.Info
	if err := out.Close(); err != nil {
		return err
	}
	slices.SortStableFunc(l.gaps, func(a, b corpus.Gap) int { return a.From.Compare(b.From) })
	info.Gaps = l.gaps
	info.Coverage = Cover(l.from, l.to, l.gaps)
	f.reasonsOf(l)
	return nil
}

// reasonsOf says why a stream is not whole.
func (f *finisher) reasonsOf(l *spooledLog) {
	if l.torn {
		f.reasons = append(f.reasons, fmt.Sprintf("stream %s: the last record before the capture was interrupted is not whole, and was left out", l.info.Labels))
	}
	if len(l.gaps) == 0 {
		return
	}
	text := fmt.Sprintf("stream %s: a gap from %s to %s: %s", l.info.Labels, l.gaps[0].From.Format(time.RFC3339Nano), l.gaps[0].To.Format(time.RFC3339Nano), l.gaps[0].Reason)
	if n := len(l.gaps) - 1; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	f.reasons = append(f.reasons, text)
}

// Cover returns how much of a stretch of time lies in no gap.
func Cover(from, to time.Time, gaps []corpus.Gap) *corpus.Coverage {
	if to.Before(from) {
		to = from
	}
	sorted := slices.SortedStableFunc(slices.Values(gaps), func(a, b corpus.Gap) int { return a.From.Compare(b.From) })
	lost, at := time.Duration(0), from
	for _, g := range sorted {
		begin, end := later(g.From, at), earlier(g.To, to)
		if end.After(begin) {
			lost += end.Sub(begin)
			at = end
		}
	}
	c := &corpus.Coverage{From: from.UTC(), To: to.UTC(), Share: 1}
	if len(gaps) > 0 {
		c.Share = 0
		if whole := to.Sub(from); whole > 0 {
			// Six digits, and never 1: a gap may be too short to be seen.
			c.Share = min(math.Floor(float64(whole-lost)/float64(whole)*1e6)/1e6, 0.999999)
		}
	}
	return c
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// A logWriter writes one stream.
type logWriter struct {
	f   *finisher
	log *spooledLog
	out *corpus.StreamWriter

	choices []recordtime.Choice // of the epochs
	clock   *corpus.Clock       // nil: times are those that records came with
	prev    int64               // time of the last record
	moved   int64
	ahead   time.Duration // most that a record's time was after it was read
}

func (w *logWriter) write() error {
	first, err := w.look()
	if err != nil {
		return err
	}
	w.startClock(first)
	start := int64(0)
	for i, e := range w.log.epochs {
		if err := w.epoch(e, w.choices[i]); err != nil {
			return err
		}
		info := &w.out.Info
		if n := info.Records - start; n > 0 || e.source != "" {
			info.Epochs = append(info.Epochs, corpus.Epoch{Build: w.build(e.build), Source: e.source, Start: start, Records: n})
			info.Sources = addSource(info.Sources, corpus.Source{Path: e.source, Format: w.choices[i].Name()})
		}
		start = info.Records
	}
	w.timing()
	return nil
}

// addSource adds a source that is not there yet.
func addSource(list []corpus.Source, s corpus.Source) []corpus.Source {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (w *logWriter) timing() {
	info := &w.out.Info
	if w.clock != nil {
		info.Time = w.clock.Timing()
	} else {
		info.Time = corpus.Timing{Source: "capture"}
		if w.log.info.Times == Given {
			info.Time.Source = "prefix"
		}
	}
	info.Time.Moved += w.moved
	if slices.ContainsFunc(w.choices, recordtime.Choice.Transported) && w.clock != nil {
		info.Time.Source = "prefix"
	}
	if w.ahead > maxAhead {
		w.f.manifest.Notes = append(w.f.manifest.Notes, fmt.Sprintf("the clock of %s is ahead of that of the machine that captured by %s or more", w.log.info.Labels, w.ahead.Round(time.Millisecond)))
	}
}

// maxAhead is how much later than it was read a record may say it was written.
const maxAhead = 50 * time.Millisecond

// build returns the number of a build in the manifest. One that the manifest
// does not have is added.
func (w *logWriter) build(name string) int {
	m := w.f.manifest
	if name == "" {
		return 0
	}
	i := slices.IndexFunc(m.Builds, func(b corpus.Build) bool { return b.Name == name })
	if i < 0 {
		i = len(m.Builds)
		m.Builds = append(m.Builds, corpus.Build{Name: name})
	}
	return i
}

// A firstDated is the first record of a stream that holds a time.
type firstDated struct {
	stamp recordtime.Stamp
	read  time.Time
}

// sampleLines are looked at to choose the format of an epoch.
const sampleLines = 500

// look chooses the format of each epoch, and finds the first record that holds
// a time.
func (w *logWriter) look() (first *firstDated, err error) {
	for _, e := range w.log.epochs {
		sampler := recordtime.NewBodySampler()
		if w.log.info.Times == OfRecords {
			if sampler, err = recordtime.NewSampler(w.log.info.Format...); err != nil {
				return nil, err
			}
		}
		err := w.each(e, func(r *Record) bool {
			sampler.Add(r.Line)
			return sampler.Lines() < sampleLines
		})
		if err != nil {
			return nil, err
		}
		choice := sampler.Choice()
		w.choices = append(w.choices, choice)
		if first != nil || w.log.info.Times != OfRecords {
			continue
		}
		d := recordtime.NewDecoder(choice, w.f.spool.begin.MaxLine)
		err = w.each(e, func(r *Record) bool {
			if rec, ok, err := d.Add(r.Line); err == nil && ok && rec.Dated {
				first = &firstDated{rec.Stamp, r.Time}
			}
			return first == nil
		})
		if err != nil {
			return nil, err
		}
	}
	return first, nil
}

// startClock chooses where the times of the records come from.
func (w *logWriter) startClock(first *firstDated) {
	if first == nil {
		return
	}
	year := w.log.info.Year
	if year == 0 {
		year = yearOf(first)
	}
	clock, err := corpus.NewClock(first.stamp, year, w.log.info.Timezone)
	if err != nil {
		w.f.manifest.Notes = append(w.f.manifest.Notes, fmt.Sprintf("stream %s: the times at which its records were read stand in for their own: %v (give time: {timezone: …} in the capture file)", w.log.info.Labels, err))
		return
	}
	w.clock = clock
}

// yearOf returns the year that brings a stamp without one closest to when its
// record was read.
func yearOf(first *firstDated) int {
	read := first.read.UTC()
	best, found := read.Year(), time.Duration(0)
	for i, y := range []int{read.Year(), read.Year() - 1, read.Year() + 1} {
		s, ok := first.stamp.WithYear(y)
		if !ok {
			continue
		}
		if d := read.Sub(time.Unix(0, s.Wall)).Abs(); i == 0 || d < found || found == 0 {
			best, found = y, d
		}
	}
	return best
}

// each calls do with each record of an epoch, until do returns false.
func (w *logWriter) each(e *spooledEpoch, do func(*Record) bool) error {
	for _, p := range e.pieces {
		more, err := w.eachOf(p, do)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (w *logWriter) eachOf(p piece, do func(*Record) bool) (more bool, err error) {
	r, err := openRecords(p.file, p.offset)
	if err != nil {
		return false, err
	}
	r.n = p.start
	defer func() { err = errors.Join(err, r.close()) }()
	for p.end < 0 || r.n < p.end {
		if r.n%4096 == 0 && w.f.ctx.Err() != nil {
			return false, w.f.ctx.Err()
		}
		rec, err := r.next()
		if errors.Is(err, io.EOF) {
			w.log.torn = w.log.torn || r.torn
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if !do(&rec) {
			return false, nil
		}
	}
	return true, nil
}

// epoch writes the records of one process.
func (w *logWriter) epoch(e *spooledEpoch, choice recordtime.Choice) error {
	limit := w.f.spool.begin.MaxLine
	d := recordtime.NewDecoder(choice, limit)
	var last time.Time
	var failed error
	err := w.each(e, func(r *Record) bool {
		last = r.Time
		rec, ok, err := d.Add(r.Line)
		if err != nil {
			// Pieces that make a line longer than the limit stay apart.
			if failed = w.flush(d, last); failed == nil {
				rec, ok = recordtime.Record{Line: r.Line, Foreign: true}, true
			}
		}
		if failed == nil && ok {
			failed = w.record(&rec, r.Time, r.Metadata)
		}
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	return w.flush(d, last)
}

// flush writes lines whose last piece is missing.
func (w *logWriter) flush(d *recordtime.Decoder, read time.Time) error {
	for rec, ok := d.Flush(); ok; rec, ok = d.Flush() {
		if err := w.record(&rec, read, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *logWriter) record(r *recordtime.Record, read time.Time, metadata logs.Labels) error {
	at := read.UnixNano()
	if w.clock != nil {
		var err error
		if at, err = w.clock.Next(r); err != nil {
			// A time that cannot be is no reason to lose the record.
			r.Dated = false
			if at, err = w.clock.Next(r); err != nil {
				return err
			}
		}
		if r.Dated {
			w.ahead = max(w.ahead, time.Unix(0, at).Sub(read))
		}
	}
	if w.out.Info.Records > 0 && at < w.prev {
		at = w.prev
		w.moved++
	}
	w.prev = at
	info := &w.out.Info
	if r.Foreign || r.Body == "zap-json" && !gjson.ValidBytes(r.Line) {
		info.Unparseable++
	}
	if _, cut := CutSize(r.Line, w.f.spool.begin.MaxLine); cut {
		info.Cut++
	}
	return w.out.Append(&logs.Entry{Time: at, Line: r.Line, Metadata: metadata})
}
