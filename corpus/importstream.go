package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/logs/recordtime"
)

// A streamJob is one stream under import.
type streamJob struct {
	run    *runJob
	plan   *streamPlan
	out    *StreamWriter
	builds map[string]int // file to index in Builds
	heads  []head         // of plan.files
}

// A head is what the beginning of a file tells.
type head struct {
	choice recordtime.Choice
	first  *recordtime.Stamp // of the first dated record
	whole  *recordtime.Stamp // of the first record with year and zone that was read
	empty  bool
}

// sampleLines are looked at to choose a format; more only while none has a
// time.
const sampleLines = 500

func (s *streamJob) time() *TimeSpec {
	if s.plan.spec.Time != nil {
		return s.plan.spec.Time
	}
	return &s.run.im.desc.Time
}

// path returns a file's path for messages.
func (s *streamJob) path(file string) string {
	if s.run.im.root == "" {
		return file
	}
	return path.Join(filepath.ToSlash(s.run.im.root), file)
}

// open opens a file of the stream.
func (s *streamJob) open(file string) (*lineReader, error) {
	l, err := openLines(s.run.im.fsys, file, s.run.im.opts.Limits)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path(file), err)
	}
	return l, nil
}

// lines calls f with each line of a file until f returns false.
func (s *streamJob) lines(file string, f func(line []byte) (bool, error)) error {
	l, err := s.open(file)
	if err != nil {
		return err
	}
	for {
		if l.n%4096 == 0 && s.run.im.ctx.Err() != nil {
			return errors.Join(s.run.im.ctx.Err(), l.close())
		}
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			return l.close()
		}
		more := false
		if err == nil {
			if more, err = f(line); err != nil {
				err = fmt.Errorf("line %d: %w", l.n, err)
			}
		}
		if err != nil {
			return errors.Join(fmt.Errorf("%s: %w", s.path(file), err), l.close())
		}
		if !more {
			return l.close()
		}
	}
}

// readHeads chooses the format of each file and finds its first time.
func (s *streamJob) readHeads() error {
	s.heads = make([]head, len(s.plan.files))
	var errs []error
	for i := range s.plan.files {
		if err := s.readHead(i); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s *streamJob) readHead(i int) error {
	h, file := &s.heads[i], s.plan.files[i].name
	sampler, err := recordtime.NewSampler(s.time().Format...)
	if err != nil {
		return err
	}
	none := slices.Contains(s.time().Format, recordtime.None)
	err = s.lines(file, func(line []byte) (bool, error) {
		sampler.Add(line)
		return sampler.Lines() < sampleLines || !sampler.Dated() && !none, nil
	})
	if errors.Is(err, errEmpty) && s.plan.spec.AllowEmpty {
		h.empty = true
		err = nil
	}
	if err != nil {
		return err
	}
	h.choice = sampler.Choice()
	if none || h.empty {
		return nil
	}
	return s.records(i, func(r recordtime.Record) (bool, error) {
		if r.Dated && h.first == nil {
			first := r.Stamp
			h.first = &first
			if first.Whole() {
				h.whole = &first
			}
		}
		return h.first == nil, nil
	})
}

// records calls f with each record of a file until f returns false.
func (s *streamJob) records(i int, f func(recordtime.Record) (bool, error)) error {
	d := recordtime.NewDecoder(s.heads[i].choice, MaxRecord)
	stopped := false
	err := s.lines(s.plan.files[i].name, func(line []byte) (bool, error) {
		r, ok, err := d.Add(line)
		if err != nil || !ok {
			return true, err
		}
		more, err := f(r)
		stopped = !more
		return more, err
	})
	if err != nil || stopped {
		return err
	}
	for r, ok := d.Flush(); ok; r, ok = d.Flush() {
		if _, err := f(r); err != nil {
			return fmt.Errorf("%s: at its end: %w", s.path(s.plan.files[i].name), err)
		}
	}
	return nil
}

// scanFor reads a whole file for a record that completes ref.
func (s *streamJob) scanFor(i int, ref *reference) error {
	if s.heads[i].empty {
		return nil
	}
	return s.records(i, func(r recordtime.Record) (bool, error) {
		if r.Dated {
			ref.add(r.Stamp, s.plan.files[i].name)
		}
		return !ref.whole(), nil
	})
}

// newClock returns a clock that knows what was given of year and zone.
func (s *streamJob) newClock() (*clock, error) {
	spec, opts := s.time(), s.run.im.opts
	zone, err := parseZone(cmp.Or(spec.Timezone, opts.Timezone))
	return &clock{year: cmp.Or(spec.Year, opts.Year), zone: zone, ref: s.run.ref}, err
}

// clock returns the stream's clock, set to its first time.
func (s *streamJob) clock() (*clock, error) {
	c, err := s.newClock()
	if err != nil {
		return nil, err
	}
	spec := s.time()
	if spec.Start != nil {
		c.ahead, c.given = spec.Start.UnixNano(), true
		return c, nil
	}
	for i := range s.heads {
		if first := s.heads[i].first; first != nil {
			if c.ahead, err = c.resolve(*first); err != nil {
				return nil, fmt.Errorf("%s: %w", s.path(s.plan.files[i].name), err)
			}
			return c, nil
		}
	}
	if s.allEmpty() {
		return c, nil
	}
	return nil, fmt.Errorf("%s: no record has a time in a form that is known (looked for: %s); give the time of the first record (--start for a raw log, time: {format: none, start: …} in an import description), after which each record follows by a microsecond, or name the format there (time: {format: …})",
		s.path(s.plan.files[0].name), formatsTried(spec.Format))
}

func formatsTried(names []string) string {
	if len(names) == 0 {
		return "all formats"
	}
	return fmt.Sprint([]string(names))
}

func (s *streamJob) allEmpty() bool {
	return !slices.ContainsFunc(s.heads, func(h head) bool { return !h.empty })
}

// orderByTime sorts files by their first times where their epochs say so.
func (s *streamJob) orderByTime() error {
	type timed struct {
		file logFile
		head head
		at   int64
	}
	all := make([]timed, len(s.heads))
	sorted := false
	for i := range all {
		all[i] = timed{s.plan.files[i], s.heads[i], 0}
		if all[i].file.spec.Order != orderTime {
			continue
		}
		sorted = true
		if s.heads[i].first == nil {
			return fmt.Errorf("%s: cannot be ordered by time, as no record has one", s.path(all[i].file.name))
		}
		c, err := s.newClock()
		if err != nil {
			return err
		}
		if all[i].at, err = c.resolve(*s.heads[i].first); err != nil {
			return fmt.Errorf("%s: %w", s.path(all[i].file.name), err)
		}
	}
	if !sorted {
		return nil
	}
	slices.SortStableFunc(all, func(a, b timed) int {
		return cmp.Or(cmp.Compare(a.file.spec.group, b.file.spec.group), cmp.Compare(a.at, b.at))
	})
	for i := range all {
		s.plan.files[i], s.heads[i] = all[i].file, all[i].head
	}
	return nil
}

// write imports the stream.
func (s *streamJob) write() error {
	c, err := s.clock()
	if err != nil {
		return err
	}
	info := &s.out.Info
	for i := range s.plan.files {
		file := s.plan.files[i].name
		start := info.Records
		if !s.heads[i].empty {
			if err := s.writeFile(i, c); err != nil {
				return err
			}
		}
		info.Epochs = append(info.Epochs, Epoch{Build: s.builds[file], Source: file, Start: start, Records: info.Records - start})
	}
	info.Time = Timing{Source: s.timeSource(c), Year: c.usedYear, Zone: c.usedZone, From: c.usedFrom, Undated: c.undated, Moved: c.moved}
	return s.out.Close()
}

func (s *streamJob) timeSource(c *clock) string {
	switch {
	case c.given:
		return "given"
	case slices.ContainsFunc(s.heads, func(h head) bool { return h.choice.Transported() }):
		return "prefix"
	}
	return "record"
}

func (s *streamJob) writeFile(i int, c *clock) error {
	file := s.plan.files[i].name
	info := &s.out.Info
	d := recordtime.NewDecoder(s.heads[i].choice, MaxRecord)
	add := func(r recordtime.Record) error {
		at, err := c.next(&r)
		if err != nil {
			return err
		}
		if r.Foreign || r.Body == "zap-json" && !gjson.ValidBytes(r.Line) {
			info.Unparseable++
		}
		return s.out.Append(&logs.Entry{Time: at, Line: r.Line})
	}
	l, err := s.open(file)
	if err != nil {
		return err
	}
	err = s.copyLines(l, d, add)
	for r, ok := d.Flush(); ok && err == nil; r, ok = d.Flush() {
		err = add(r)
	}
	info.Sources = append(info.Sources, Source{Path: file, Bytes: l.raw.stored.n, SHA256: l.raw.hexSum(), Format: s.heads[i].choice.Name()})
	if err != nil {
		err = fmt.Errorf("%s: line %d: %w", s.path(file), l.n, err)
	}
	return errors.Join(err, l.close())
}

func (s *streamJob) copyLines(l *lineReader, d *recordtime.Decoder, add func(recordtime.Record) error) error {
	for {
		if l.n%4096 == 0 && s.run.im.ctx.Err() != nil {
			return s.run.im.ctx.Err()
		}
		line, err := l.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r, ok, err := d.Add(line)
		if err == nil && ok {
			err = add(r)
		}
		if err != nil {
			return err
		}
	}
}
