package capture

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
)

// A stream is one of a session. Its fields but counted, out, used and id
// belong to the goroutine that uses it.
type stream struct {
	session *Session
	info    StreamInfo

	id   int // of its file of this sitting; 0: none yet
	out  *spoolFile
	used bool

	counted struct{ lines, bytes atomic.Int64 }

	records int64     // of this sitting
	last    time.Time // the latest appended, also in sittings before
	line    []byte

	// marks are places in the stream's files of all sittings, in order, from
	// which records can be read: at least one a file.
	marks []indexed

	place placed // the last mark of the source

	before time.Time // when the last sitting that had the stream was alive; zero: none had
}

// An indexed is a place in a file of a spool where a record begins.
type indexed struct {
	file   string
	offset int64
	latest time.Time // of all records before it
}

// A placed is a source's mark of its place.
type placed struct {
	text   string
	set    bool
	file   string
	offset int64 // of what was appended after it
}

// indexEvery is how many bytes lie between places of the index.
const indexEvery = 1 << 20

func (s *Session) path(name string) string { return filepath.Join(s.sit, name) }

// Append adds a record; see [Stream].
func (t *stream) Append(at time.Time, line []byte) error { return t.AppendMeta(at, line, nil) }

// AppendMeta adds a record with metadata; see [Stream].
func (t *stream) AppendMeta(at time.Time, line []byte, metadata logs.Labels) error {
	if y := at.UTC().Year(); y < minYear || y > maxYear {
		return errors.New("a record of a year that a corpus cannot hold")
	}
	line = cutLine(line, t.session.opts.MaxLine)
	text, err := appendRecord(t.line[:0], at, line, metadata)
	if err != nil {
		return err
	}
	if t.line = text; cap(text) > 1<<20 {
		t.line = nil
	}
	if cur := &t.marks[len(t.marks)-1]; t.out.size-cur.offset >= indexEvery {
		t.marks = append(t.marks, indexed{file: cur.file, offset: t.out.size, latest: t.last})
	}
	if err := t.out.write(text); err != nil {
		t.session.mu.Lock()
		defer t.session.mu.Unlock()
		return t.session.check(err)
	}
	t.records++
	if at.After(t.last) {
		t.last = at
	}
	t.counted.lines.Add(1)
	t.counted.bytes.Add(int64(len(line)))
	return nil
}

// The years that a corpus holds.
const (
	minYear = 1678
	maxYear = 2261
)

// Epoch begins a new process; see [Stream].
func (t *stream) Epoch(source, build string) error {
	return t.session.tell(&entry{Do: doEpoch, ID: t.id, Record: t.records, Offset: t.out.size, Source: source, Build: build})
}

// Gap says that records are missing; see [Stream].
func (t *stream) Gap(from, to time.Time, reason string) error {
	from, to = from.UTC(), to.UTC()
	if to.Before(from) {
		from, to = to, from
	}
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.gaps++
	return s.tellLocked(&entry{Do: doGap, ID: t.id, From: &from, To: &to, Reason: reason})
}

// Last returns the latest time; see [Stream].
func (t *stream) Last() time.Time { return t.last }

// Since returns the records that are not older; see [Stream].
func (t *stream) Since(at time.Time) ([]Record, error) {
	if err := t.out.flush(); err != nil {
		return nil, err
	}
	from := 0
	for i := range t.marks {
		if t.marks[i].latest.Before(at) {
			from = i
		}
	}
	var out []Record
	err := t.read(from, t.marks[from].offset, func(r *Record) {
		if !r.Time.Before(at) {
			out = append(out, Record{Time: r.Time, Line: slices.Clone(r.Line), Metadata: r.Metadata})
		}
	})
	return out, err
}

// read calls f with each record from an offset in the file of a place of the
// index on.
func (t *stream) read(from int, offset int64, f func(*Record)) error {
	file := t.marks[from].file
	for {
		r, err := openRecords(file, offset)
		if err != nil {
			return err
		}
		rec, err := r.next()
		for ; err == nil; rec, err = r.next() {
			f(&rec)
		}
		if !errors.Is(err, io.EOF) {
			return errors.Join(err, r.close())
		}
		if err := r.close(); err != nil {
			return err
		}
		next := slices.IndexFunc(t.marks[from:], func(m indexed) bool { return m.file != file })
		if next < 0 {
			return nil
		}
		from += next
		file, offset = t.marks[from].file, 0
	}
}

// Mark keeps a source's place; see [Stream].
func (t *stream) Mark(place string) error {
	t.place = placed{text: place, set: true, file: t.marks[len(t.marks)-1].file, offset: t.out.size}
	return t.session.tell(&entry{Do: doMark, ID: t.id, Record: t.records, Place: place})
}

// Place returns the last mark and what came after it; see [Stream].
func (t *stream) Place() (string, []Record, error) {
	if !t.place.set {
		return "", nil, nil
	}
	if err := t.out.flush(); err != nil {
		return "", nil, err
	}
	from := slices.IndexFunc(t.marks, func(m indexed) bool { return m.file == t.place.file })
	var after []Record
	err := t.read(from, t.place.offset, func(r *Record) {
		after = append(after, Record{Time: r.Time, Line: slices.Clone(r.Line), Metadata: r.Metadata})
	})
	return t.place.text, after, err
}

// Interrupted tells of an interruption; see [Stream].
func (t *stream) Interrupted() (time.Time, bool) { return t.before, !t.before.IsZero() }

// Bridged says that nothing was lost in it; see [Stream].
func (t *stream) Bridged() error {
	if t.before.IsZero() {
		return nil
	}
	return t.session.tell(&entry{Do: doBridged, ID: t.id})
}

// Close ends the use of the stream; see [Stream].
func (t *stream) Close() error {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || !t.used {
		return nil
	}
	t.used = false
	return s.tellLocked(&entry{Do: doClose, ID: t.id})
}
