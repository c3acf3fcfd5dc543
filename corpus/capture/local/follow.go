package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// A follower reads one log file as it grows, through its rotations.
//
// What tells a file from the one that took its place is its identity in the
// file system and its first bytes: a file that is copied and truncated keeps
// its identity, and one that is compressed keeps neither, but what it says.
type follower struct {
	ctx    context.Context
	to     capture.Sink
	path   string // absolute
	shown  string // as it was given
	stream lineSink
	poll   time.Duration

	file  *os.File // nil: there is none at the moment
	info  os.FileInfo
	in    *headReader
	lines *capture.LineReader
	base  int64  // offset in the file at which lines began
	left  []head // of files that were read before
	// fresh is set while nothing was read of a file that took the place of
	// another: parts that are not older than it may have come and gone since.
	fresh time.Time
	seen  time.Time // when the file was last written, as of the last look

	marked   time.Time
	unmarked int64 // bytes since the last mark
	alive    time.Time
}

// A lineSink is the part of a stream that a follower uses.
type lineSink interface {
	Append(at time.Time, line []byte) error
	Epoch(source, build string) error
	Gap(from, to time.Time, reason string) error
	Mark(place string) error
	Place() (mark string, after []capture.Record, err error)
	Interrupted() (since time.Time, ok bool)
	Bridged() error
}

// A place is where a follower was, as its stream keeps it.
type place struct {
	Path   string `json:"path"`
	Head   head   `json:"head"`
	Offset int64  `json:"offset"`
}

// follow records one file as a stream until ctx is done.
func follow(ctx context.Context, to capture.Sink, spec *Files, path string, fromStart bool) (err error) {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	with := map[string]string{"path": path, "name": name}
	streamName := name
	if spec.Stream != "" {
		streamName = expand(map[string]string{"": spec.Stream}, with)[""]
	}
	st, err := to.Stream(capture.StreamInfo{
		Name: streamName, Labels: labelsOf(expand(spec.Labels, with)),
		Times: capture.OfRecords, Format: spec.Time.Format, Year: spec.Time.Year, Timezone: spec.Time.Timezone,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return followInto(ctx, to, st, path, spec.poll, fromStart)
}

// followInto records the lines of one file until ctx is done.
func followInto(ctx context.Context, to capture.Sink, into lineSink, path string, poll time.Duration, fromStart bool) (err error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f := &follower{ctx: ctx, to: to, path: abs, shown: path, stream: into, poll: poll, alive: to.Now()}
	defer func() { err = errors.Join(err, f.close()) }()
	if err = f.begin(fromStart); err == nil {
		err = f.run()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// begin finds where to read from.
func (f *follower) begin(fromStart bool) error {
	if _, again := f.stream.Interrupted(); again {
		mark, after, err := f.stream.Place()
		if err != nil {
			return err
		}
		var p place
		if mark != "" && json.Unmarshal([]byte(mark), &p) == nil {
			return f.goOn(p, after)
		}
	}
	if err := f.stream.Epoch(f.shown, ""); err != nil {
		return err
	}
	err := f.open(0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be read from its start when it is there
	}
	if err != nil {
		return err
	}
	if fromStart {
		return f.mark(true)
	}
	end, err := lastLineEnd(f.file)
	if err != nil {
		return err
	}
	return errors.Join(f.seek(end), f.mark(true))
}

// goOn finds the place where the capture was interrupted. If it cannot be
// found, the interruption stays a gap.
func (f *follower) goOn(p place, after []capture.Record) error {
	at := p.Offset
	for i := range after {
		at += consumed(after[i].Line, f.to.MaxLine())
	}
	found, err := f.catchUp(p.Head, at)
	if err != nil {
		return err
	}
	if found {
		return f.stream.Bridged()
	}
	if err := f.stream.Epoch(f.shown, ""); err != nil {
		return err
	}
	_, err = f.openNew()
	return err
}

// consumed returns how many bytes of a file a record was.
func consumed(line []byte, limit int) int64 {
	if n, cut := capture.CutSize(line, limit); cut {
		return n + 1
	}
	return int64(len(line)) + 1
}

// run reads until ctx is done and what is there is read.
func (f *follower) run() error {
	for {
		last := f.ctx.Err() != nil
		more, err := f.step()
		if err != nil {
			return err
		}
		if last && !more {
			return f.finish()
		}
		if more {
			continue
		}
		select {
		case <-f.ctx.Done():
		case <-time.After(f.poll):
		}
	}
}

// finish keeps the beginning of a line whose end was not written.
func (f *follower) finish() error {
	if f.info == nil {
		f.to.Incomplete(f.shown + ": there was no such file")
		return nil
	}
	if err := f.freshened(); err != nil {
		return err
	}
	if rest := f.lines.Rest(); rest != nil {
		f.to.Note(fmt.Sprintf("%s: its last record has no line end: it may be cut short", f.shown))
		return f.stream.Append(f.to.Now(), rest)
	}
	return nil
}

// step reads what is there, then looks for a rotation. It reports whether there
// may be more to read at once.
func (f *follower) step() (more bool, err error) {
	if f.file == nil {
		return f.openNew()
	}
	info, err := f.file.Stat() // first: what is written later is younger
	if err != nil {
		return false, err
	}
	n, err := f.drain()
	if errors.Is(err, errRewritten) {
		return true, f.truncated()
	}
	if err != nil {
		return false, err
	}
	f.alive, f.seen = f.to.Now(), info.ModTime()
	if n > 0 {
		return f.ctx.Err() != nil, nil // the next look is soon enough, if there is one
	}
	return f.rotated()
}

// drain appends the lines up to the end of the file.
func (f *follower) drain() (n int64, err error) {
	for {
		line, err := f.lines.Next()
		if errors.Is(err, io.EOF) {
			return n, f.mark(false)
		}
		if err != nil {
			return n, err
		}
		size := consumed(line, f.to.MaxLine())
		if f.base == 0 && f.offset() == size { // nothing told the file from others until now
			if err := errors.Join(f.freshened(), f.markAt(0)); err != nil {
				return n, err
			}
		}
		n += size
		f.unmarked += size
		if err := f.stream.Append(f.to.Now(), line); err != nil {
			return n, err
		}
		if f.unmarked >= markBytes {
			if err := f.mark(true); err != nil {
				return n, err
			}
		}
	}
}

// How often the place is kept.
const (
	markBytes = 4 << 20
	markEvery = time.Second
)

// mark keeps the place, now or if the last time is long ago.
func (f *follower) mark(now bool) error {
	if !now && (f.unmarked == 0 || f.to.Now().Sub(f.marked) < markEvery) {
		return nil
	}
	return f.markAt(f.offset())
}

func (f *follower) markAt(offset int64) error {
	text, err := json.Marshal(place{Path: f.path, Head: f.headNow(), Offset: offset})
	if err != nil {
		return err
	}
	f.marked, f.unmarked = f.to.Now(), 0
	return f.stream.Mark(string(text))
}

// offset is the place of the first byte of the file that no record has.
func (f *follower) offset() int64 { return f.base + f.lines.Taken() - f.lines.Begun() }

// openNew opens the file at the path, to be read from its start. It reports
// whether there is one.
func (f *follower) openNew() (bool, error) {
	err := f.open(0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.mark(true)
}

// open opens the file at the path, to be read from an offset.
func (f *follower) open(offset int64) error {
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("is not a plain file; a pipe can be given as standard input")
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if err := f.close(); err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.info, f.fresh, f.seen = file, info, time.Time{}, info.ModTime()
	return f.seek(offset)
}

func (f *follower) seek(offset int64) error {
	f.in = &headReader{file: f.file, at: offset}
	f.base, f.lines = offset, capture.NewLineReader(f.in, f.to.MaxLine())
	return f.in.look()
}

// headNow returns what is known of the beginning of the file.
func (f *follower) headNow() head {
	if f.in == nil {
		return head{}
	}
	return headOf(f.in.head)
}

// freshened reads what came and went before the first line of a file.
func (f *follower) freshened() error {
	since := f.fresh
	if since.IsZero() {
		return nil
	}
	f.fresh = time.Time{}
	return f.missed(since, f.info)
}

func (f *follower) close() error {
	if f.file == nil {
		return nil
	}
	file := f.file
	f.file = nil
	return file.Close()
}

// lastLineEnd returns where the last line begins that has no end yet.
func lastLineEnd(file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	const step = 64 << 10
	buf := make([]byte, step)
	for end := info.Size(); end > 0; {
		n := min(end, step)
		if _, err := file.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		for i := n - 1; i >= 0; i-- {
			if buf[i] == '\n' {
				return end - n + i + 1, nil
			}
		}
		end -= n
	}
	return 0, nil
}
