package corpus

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/internal/logs"
)

// A RunWriter writes one run. Its streams may be written at the same time, each
// from one goroutine; the other methods are not for concurrent use.
type RunWriter struct {
	w        *Writer
	info     RunInfo
	dir      string
	final    string
	manifest *Manifest
	streams  []*StreamWriter
	names    map[string]bool
	labels   map[string]string // text of labels to stream name
	sealed   bool
	cleaners []Cleaner // whose counts are those of the run
}

// A StreamWriter writes the records of one stream.
type StreamWriter struct {
	// Info is the stream's entry in the manifest. The caller may fill Sources,
	// Time, Unparseable, Gaps and Epochs until the run is sealed; the rest is
	// kept up to date here.
	Info Stream

	run    *RunWriter
	file   *os.File
	out    *bufio.Writer
	frames *frameWriter
	ndjson bool
	last   int64
	day    dayFormat
	clean  Cleaner // nil: nothing is redacted
	closed bool
}

// Stream adds a stream. The name names its file; where it is taken already a
// number is added. The labels must differ from those of every other stream of
// the run; there are none only where nobody knows them, as of a raw log.
func (r *RunWriter) Stream(name string, labels logs.Labels) (*StreamWriter, error) {
	for _, l := range labels {
		if err := CheckLabelName(l.Name); err != nil {
			return nil, fmt.Errorf("stream %q: %w", name, err)
		}
		if !utf8.ValidString(l.Value) {
			return nil, fmt.Errorf("stream %q: label %s=%q is not valid UTF-8", name, l.Name, l.Value)
		}
	}
	clean := r.cleaner()
	if clean != nil {
		name, labels = clean.Text(name), cleanLabels(clean, labels)
	}
	key := labels.String()
	if other, ok := r.labels[key]; ok {
		return nil, fmt.Errorf("streams %q and %q have the same labels %s; add a label, such as pod, that tells them apart", other, name, labels)
	}
	base := safeName(name)
	name = base
	for n := 2; r.names[strings.ToLower(name)]; n++ { // some file systems do not tell case
		name = fmt.Sprintf("%s-%d", base, n)
	}
	r.names[strings.ToLower(name)], r.labels[key] = true, name
	s := &StreamWriter{run: r, clean: clean}
	s.Info = Stream{Name: name, Labels: labels.Map(), File: logsDir + "/" + name + logSuffix}
	r.streams = append(r.streams, s)
	return s, nil
}

// create opens the stream's file.
func (s *StreamWriter) create() error {
	if err := os.MkdirAll(filepath.Join(s.run.dir, logsDir), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(s.run.dir, filepath.FromSlash(s.Info.File)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	s.file = f
	s.out = bufio.NewWriterSize(f, 256<<10)
	s.frames, err = newFrameWriter(s.out)
	return err
}

// Append adds a record. Its time must not be before that of the record before
// it. The line is kept byte for byte; the first record that has metadata, or a
// newline in its line, turns the stream's file into NDJSON.
func (s *StreamWriter) Append(e *logs.Entry) error {
	switch {
	case s.closed:
		return errors.New("the stream is closed")
	case len(e.Line) > MaxRecord:
		return fmt.Errorf("record of %d bytes; at most %d are allowed", len(e.Line), MaxRecord)
	case s.Info.Records > 0 && e.Time < s.last:
		return fmt.Errorf("record of %s after one of %s", formatTime(e.Time), formatTime(s.last))
	case e.Time < minTime || e.Time > maxTime:
		return fmt.Errorf("record of %s: the year is outside %d to %d", formatTime(e.Time), minYear, maxYear)
	}
	if s.clean != nil {
		e = &logs.Entry{Time: e.Time, Line: s.clean.Line(e.Line), Metadata: cleanLabels(s.clean, e.Metadata)}
	}
	for _, l := range e.Metadata {
		if !utf8.ValidString(l.Name) || !utf8.ValidString(l.Value) {
			return fmt.Errorf("metadata %q=%q is not valid UTF-8", l.Name, l.Value)
		}
	}
	if s.frames == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	if !s.ndjson && (len(e.Metadata) > 0 || bytes.IndexByte(e.Line, '\n') >= 0) {
		if err := s.toNDJSON(); err != nil {
			return err
		}
	}
	if err := s.write(e); err != nil {
		return err
	}
	if s.Info.Records == 0 {
		first := time.Unix(0, e.Time).UTC()
		s.Info.First = &first
	}
	s.last = e.Time
	s.Info.Records++
	s.Info.Bytes += int64(len(e.Line))
	return nil
}

var (
	minTime = time.Date(minYear, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	maxTime = time.Date(maxYear, 12, 31, 0, 0, 0, 0, time.UTC).UnixNano()
)

func (s *StreamWriter) write(e *logs.Entry) error {
	w := s.frames
	if err := w.room(len(e.Line) + 64); err != nil {
		return err
	}
	if s.ndjson {
		before := len(w.text)
		text, err := appendNDJSON(w.text, e, utf8.Valid(e.Line))
		if err != nil {
			return err
		}
		w.text = text
		return s.fit(before)
	}
	w.text = s.day.appendPrefix(w.text, e.Time)
	w.text = append(w.text, e.Line...)
	w.text = append(w.text, '\n')
	return nil
}

// fit moves a record that grew when it was escaped into a frame of its own
// where it would overfill the frame.
func (s *StreamWriter) fit(before int) error {
	w := s.frames
	if len(w.text) <= frameText || before == 0 {
		if len(w.text) > maxFrame {
			return fmt.Errorf("record of %d bytes as JSON; at most %d are allowed", len(w.text), maxFrame)
		}
		return nil
	}
	record := bytes.Clone(w.text[before:])
	w.text = w.text[:before]
	if err := w.flush(); err != nil {
		return err
	}
	w.text = append(w.text, record...)
	return s.fit(0)
}

// toNDJSON writes the records so far anew as NDJSON.
func (s *StreamWriter) toNDJSON() error {
	if err := s.close(); err != nil {
		return err
	}
	s.closed = false
	old := s.Info
	name := filepath.Join(s.run.dir, filepath.FromSlash(old.File))
	s.Info.File = logsDir + "/" + s.Info.Name + ndjsonSuffix
	if err := s.create(); err != nil {
		return err
	}
	s.ndjson = true
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer dec.Close()
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	from := &streamReader{path: name, want: &old, frames: newFrameReader(f, dec, 0)}
	for from.scan() {
		if err := s.write(&from.entry); err != nil {
			return errors.Join(err, from.frames.close())
		}
	}
	return errors.Join(from.fault(), from.frames.close(), os.Remove(name))
}

// close ends the file and fills in what is known of it.
func (s *StreamWriter) close() error {
	if s.closed {
		return nil
	}
	if s.frames == nil {
		if err := s.create(); err != nil {
			return err
		}
	}
	s.closed = true
	err := errors.Join(s.frames.flush(), s.out.Flush(), s.file.Sync(), s.file.Close())
	s.Info.FileBytes = s.frames.size
	s.Info.SHA256 = hex.EncodeToString(s.frames.sum.Sum(nil))
	s.frames.enc.Close()
	s.frames, s.out = &frameWriter{}, nil // free the buffers; closed all the same
	if s.Info.Records > 0 {
		last := time.Unix(0, s.last).UTC()
		s.Info.Last = &last
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", s.Info.File, err)
	}
	return nil
}

// Close ends the stream early, to free its memory. Seal closes all streams.
func (s *StreamWriter) Close() error { return s.close() }

// Seal ends all streams and writes the manifest. The run is then complete, but
// in the staging directory. An empty completeness counts as complete.
func (r *RunWriter) Seal() error {
	if r.sealed {
		return nil
	}
	m := r.manifest
	m.Format, m.Version = runFormat, Version
	m.Streams = nil
	for _, s := range r.streams {
		if err := s.close(); err != nil {
			return err
		}
		m.Streams = append(m.Streams, s.Info)
	}
	slices.SortFunc(m.Streams, func(a, b Stream) int { return a.LabelSet().Compare(b.LabelSet()) })
	if m.Completeness.State == "" {
		m.Completeness.State = Complete
	}
	if len(m.Builds) == 0 {
		m.Builds = []Build{{Name: m.Build}}
	}
	if r.w.redactor != nil {
		c := r.cleaner()
		if err := m.clean(c, r.w.redactor.Record(), r.cleaners); err != nil {
			return fmt.Errorf("run %s: %w", r.info, err)
		}
		if err := r.proveClean(); err != nil {
			return fmt.Errorf("run %s: %w", r.info, err)
		}
	}
	if err := m.check(r.info); err != nil {
		return fmt.Errorf("run %s: %w", r.info, err)
	}
	text, err := encodeManifest(m)
	if err != nil {
		return err
	}
	if err := writeFile(filepath.Join(r.dir, runFile), text); err != nil {
		return err
	}
	r.sealed = true
	return nil
}

// Commit seals the run if need be and moves it into the corpus, in one step.
func (r *RunWriter) Commit() error { return r.w.Commit(r) }

// Abort deletes what was written of the run.
func (r *RunWriter) Abort() error {
	var errs []error
	for _, s := range r.streams {
		if !s.closed && s.file != nil {
			s.closed = true
			s.frames.enc.Close()
			errs = append(errs, s.file.Close())
		}
	}
	return errors.Join(append(errs, os.RemoveAll(r.dir))...)
}

// quoteJSON returns s as a JSON string.
func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(b)
}
