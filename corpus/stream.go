package corpus

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/internal/logs"
)

// A streamReader reads the records of one stream in file order and holds them
// to the manifest: times that never go back, and at the end the number of
// records, their bytes, the first and last time and the checksum.
type streamReader struct {
	path   string // for errors
	want   *Stream
	frames *frameReader
	ndjson bool
	prefix prefixParser

	rest  []byte // of the frame at hand
	entry logs.Entry

	scanned        int64 // records that were parsed
	records, bytes int64 // all there are; bytes only without a filter
	first          int64
	err            error
}

func (r *Run) openStream(i int, dec *zstd.Decoder, depth int) (*streamReader, error) {
	s := &r.Manifest.Streams[i]
	file, err := r.open(s.File)
	if err != nil {
		return nil, err
	}
	return &streamReader{
		path:   r.Path(s.File),
		want:   s,
		frames: newFrameReader(file, dec, depth),
		ndjson: strings.HasSuffix(s.File, ndjsonSuffix),
	}, nil
}

// scan steps to the next record and reports whether there is one; if not, err
// says whether that is the end or a fault.
func (s *streamReader) scan() bool {
	if s.err != nil {
		return false
	}
	for len(s.rest) == 0 {
		text, lines, err := s.frames.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = s.checkEnd()
			}
			s.fail(err)
			return false
		}
		s.rest = text
		s.records += lines
	}
	end := bytes.IndexByte(s.rest, '\n') // frames end in one
	record := s.rest[:end]
	s.rest = s.rest[end+1:]
	before := s.entry.Time
	if err := s.parse(record); err != nil {
		s.fail(err)
		return false
	}
	if s.scanned == 0 {
		s.first = s.entry.Time
	} else if s.entry.Time < before {
		s.fail(fmt.Errorf("is older (%s) than the record before it (%s)", formatTime(s.entry.Time), formatTime(before)))
		return false
	}
	s.scanned++
	if s.frames.keep == nil {
		s.records++
	}
	s.bytes += int64(len(s.entry.Line))
	return true
}

func (s *streamReader) parse(record []byte) error {
	if s.ndjson {
		return parseNDJSON(record, &s.entry)
	}
	ns, line, ok := s.prefix.parse(record)
	if !ok {
		return fmt.Errorf("does not begin with a UTC time and a space: %q", clip(record, 40))
	}
	s.entry.Time, s.entry.Line = ns, line
	return nil
}

// errEnd marks a stream that was read to its end without fault.
var errEnd = errors.New("end of stream")

func (s *streamReader) checkEnd() error {
	w := s.want
	switch {
	case s.frames.hexSum() != w.SHA256:
		return errors.New("checksum does not agree with run.json; the file was changed or damaged")
	case s.records != w.Records:
		return fmt.Errorf("holds %d records; run.json says %d", s.records, w.Records)
	case s.frames.keep != nil:
		// Of lines that were left out no more is known; the checksum says
		// that they are as they were written.
	case s.bytes != w.Bytes:
		return fmt.Errorf("holds %d bytes of lines; run.json says %d", s.bytes, w.Bytes)
	case s.records > 0 && (s.first != w.First.UnixNano() || s.entry.Time != w.Last.UnixNano()):
		return fmt.Errorf("first and last time are %s and %s; run.json says otherwise", formatTime(s.first), formatTime(s.entry.Time))
	}
	return errEnd
}

// fail keeps err, with the file and record it is about.
func (s *streamReader) fail(err error) {
	switch {
	case errors.Is(err, errEnd):
		s.err = err
	case s.frames.done:
		s.err = fmt.Errorf("%s: %w", s.path, err)
	default:
		s.err = fmt.Errorf("%s:%d: record %w", s.path, s.scanned+1, err)
	}
}

// fault returns what ended the stream early, or nil.
func (s *streamReader) fault() error {
	if errors.Is(s.err, errEnd) {
		return nil
	}
	return s.err
}

// An ndjsonRecord is one line of a .ndjson.zst file. Base64 stands in place of
// Line where the line is not valid UTF-8.
type ndjsonRecord struct {
	TS       string            `json:"ts"`
	Line     *string           `json:"line,omitempty"`
	Base64   *string           `json:"base64,omitempty"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

func parseNDJSON(record []byte, e *logs.Entry) error {
	var rec ndjsonRecord
	if err := strictJSON(record, &rec); err != nil {
		return fmt.Errorf("is not {\"ts\",\"line\",\"metadata\"}: %w", err)
	}
	var p prefixParser
	ns, _, ok := p.parse([]byte(rec.TS + " "))
	if !ok {
		return fmt.Errorf("has a \"ts\" that is no UTC time: %q", clip([]byte(rec.TS), 40))
	}
	switch {
	case (rec.Line == nil) == (rec.Base64 == nil):
		return errors.New(`must have either "line" or "base64"`)
	case rec.Line != nil:
		e.Line = []byte(*rec.Line)
	default:
		line, err := base64.StdEncoding.DecodeString(*rec.Base64)
		if err != nil {
			return fmt.Errorf("\"base64\": %w", err)
		}
		e.Line = line
	}
	e.Time = ns
	e.Metadata = nil
	if len(rec.Metadata) > 0 {
		e.Metadata = logs.FromMap(rec.Metadata)
	}
	return nil
}

func appendNDJSON(b []byte, e *logs.Entry, validUTF8 bool) ([]byte, error) {
	rec := ndjsonRecord{TS: formatTime(e.Time)}
	if validUTF8 {
		line := string(e.Line)
		rec.Line = &line
	} else {
		line := base64.StdEncoding.EncodeToString(e.Line)
		rec.Base64 = &line
	}
	if len(e.Metadata) > 0 {
		rec.Metadata = e.Metadata.Map()
	}
	buf := bytes.NewBuffer(b)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(rec)
	return buf.Bytes(), err
}

func formatTime(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// clip returns at most n bytes of b, as its own text.
func clip(b []byte, n int) string { return string(b[:min(len(b), n)]) }

// An Entries reads the records of all streams of a run in time order; ties are
// ordered by stream labels, then by file order. It holds a few frames of
// each stream in memory. Use it from one goroutine.
type Entries struct {
	streams []*streamReader
	heap    []int // streams that have a record, the earliest first
	begun   bool
	err     error
	dec     *zstd.Decoder
}

// maxAhead bounds the frames that an Entries decodes ahead, over all streams.
const maxAhead = 64

// Entries opens all streams of the run. The caller closes what it returns.
func (r *Run) Entries() (*Entries, error) { return r.EntriesWhere(nil, r.all()...) }

// EntriesOf is as [Run.Entries], for some streams: indexes in
// Manifest.Streams.
func (r *Run) EntriesOf(streams ...int) (*Entries, error) { return r.EntriesWhere(nil, streams...) }

func (r *Run) all() []int {
	all := make([]int, len(r.Manifest.Streams))
	for i := range all {
		all[i] = i
	}
	return all
}

// EntriesWhere is as [Run.EntriesOf], but leaves out records that keep cuts
// away. It gets the text of a frame, records with their time before the line,
// each ended by a newline; it moves those worth reading to the front and
// returns them. It is called from several goroutines at once, and not for
// records that are stored as JSON: these are all read.
func (r *Run) EntriesWhere(keep func(text []byte) []byte, streams ...int) (*Entries, error) {
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	e := &Entries{streams: make([]*streamReader, len(r.Manifest.Streams)), dec: dec}
	depth := 0
	if len(streams) <= maxAhead {
		depth = min(max(1, runtime.GOMAXPROCS(0)/max(1, len(streams))), maxAhead)
	}
	for _, i := range streams {
		s, err := r.openStream(i, dec, depth)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		if !s.ndjson {
			s.frames.keep = keep
		}
		e.streams[i] = s
	}
	return e, nil
}

// Scan steps to the next record and reports whether there is one. After false
// Err tells an end from a fault.
func (e *Entries) Scan() bool {
	if e.err != nil {
		return false
	}
	if !e.begun {
		e.begun = true
		return e.begin()
	}
	if len(e.heap) == 0 {
		return false
	}
	top := e.streams[e.heap[0]]
	if !top.scan() {
		if e.err = top.fault(); e.err != nil {
			return false
		}
		last := len(e.heap) - 1
		e.heap[0] = e.heap[last]
		e.heap = e.heap[:last]
	}
	e.down(0)
	return len(e.heap) > 0
}

func (e *Entries) begin() bool {
	for i, s := range e.streams {
		switch {
		case s == nil:
		case s.scan():
			e.heap = append(e.heap, i)
		case s.fault() != nil:
			e.err = s.fault()
			return false
		}
	}
	// A sorted list is a heap.
	slices.SortFunc(e.heap, func(a, b int) int {
		if e.before(a, b) {
			return -1
		}
		return 1
	})
	return len(e.heap) > 0
}

func (e *Entries) before(a, b int) bool {
	ta, tb := e.streams[a].entry.Time, e.streams[b].entry.Time
	return ta < tb || ta == tb && a < b
}

func (e *Entries) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(e.heap) {
			return
		}
		if child+1 < len(e.heap) && e.before(e.heap[child+1], e.heap[child]) {
			child++
		}
		if !e.before(e.heap[child], e.heap[i]) {
			return
		}
		e.heap[i], e.heap[child] = e.heap[child], e.heap[i]
		i = child
	}
}

// Stream returns the index in Manifest.Streams of the record's stream.
func (e *Entries) Stream() int { return e.heap[0] }

// Entry returns the record. It is valid until the next Scan.
func (e *Entries) Entry() *logs.Entry { return &e.streams[e.heap[0]].entry }

// Err returns the first fault: a damaged, truncated or foreign file, records
// out of order, or records that do not agree with run.json. It is nil at the
// end of a good run. An answer drawn from a run with a fault is worth nothing.
func (e *Entries) Err() error { return e.err }

// Close closes all files and waits for what still decodes.
func (e *Entries) Close() error {
	var errs []error
	for _, s := range e.streams {
		if s != nil {
			errs = append(errs, s.frames.close())
		}
	}
	e.dec.Close()
	return errors.Join(errs...)
}
