package local

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
)

// truncated goes on with a file that was truncated, after what a copy of it has
// that was not read.
func (f *follower) truncated() error {
	was, from, since := f.headNow(), f.offset(), f.seen
	copied, err := f.readCopy(was, from)
	switch {
	case err != nil:
		return err
	case copied != nil:
		since = copied.info.ModTime()
	case f.fresh.IsZero() || was.Bytes > 0:
		err = f.stream.Gap(f.alive, f.to.Now(), "the file was truncated, and no copy of it was found: what was written to it just before is missing")
		if rest := f.lines.Rest(); rest != nil && err == nil {
			err = f.stream.Append(f.to.Now(), rest)
		}
		f.leave(was) // a copy that comes later is not read from its start
	}
	if err != nil {
		return err
	}
	f.fresh = since
	return errors.Join(f.seek(0), f.mark(true))
}

// rotated looks whether another file has taken the place of the one that is
// read, and changes over to it.
func (f *follower) rotated() (bool, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // its successor is not there yet; who writes may still do so
	}
	if err != nil {
		return false, err
	}
	if os.SameFile(info, f.info) {
		return false, nil
	}
	// Who writes may add to the old file until it opens the new one.
	if info.Size() == 0 && f.ctx.Err() == nil {
		return false, nil
	}
	if _, err := f.drain(); err != nil {
		return errors.Is(err, errRewritten), ignoring(err, errRewritten)
	}
	if rest := f.lines.Rest(); rest != nil {
		if err := f.stream.Append(f.to.Now(), rest); err != nil {
			return false, err
		}
	}
	since := f.fresh
	if since.IsZero() {
		since = f.seen
	}
	f.leave(f.headNow())
	if err := f.missed(since, f.info, info); err != nil {
		return false, err
	}
	more, err := f.openNew()
	if more {
		f.fresh = info.ModTime()
	}
	return more, err
}

// ignoring returns err unless it is one that is dealt with elsewhere.
func ignoring(err, known error) error {
	if errors.Is(err, known) {
		return nil
	}
	return err
}

// A part is an older part of the file, beside it.
type part struct {
	path string
	info os.FileInfo
}

// parts returns the older parts of the file, the oldest first. The directory is
// read until it stays the same, as a part may be moved or compressed just now.
func (f *follower) parts() ([]part, error) {
	before, err := f.list()
	for try := 1; err == nil && try < partTries; try++ {
		var now []part
		if now, err = f.list(); err != nil {
			break
		}
		if slices.EqualFunc(before, now, func(a, b part) bool { return a.path == b.path && os.SameFile(a.info, b.info) }) {
			break
		}
		before = now
	}
	slices.SortStableFunc(before, func(a, b part) int {
		return cmp.Or(a.info.ModTime().Compare(b.info.ModTime()), f.byName(a.path, b.path))
	})
	return before, err
}

func (f *follower) list() ([]part, error) {
	dir, base := filepath.Split(f.path)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	var out []part
	for _, e := range entries {
		if !isPart(e.Name(), base) {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // deleted just now, or no log
		}
		out = append(out, part{filepath.Join(dir, e.Name()), info})
	}
	return out, nil
}

// byName orders parts of one time: a higher number is older, a later date is
// younger.
func (f *follower) byName(a, b string) int {
	c := cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	stem := strings.TrimSuffix(f.path, filepath.Ext(f.path))
	if dateAhead.MatchString(strings.TrimPrefix(strings.TrimPrefix(a, stem), filepath.Ext(f.path))) {
		return c
	}
	return -c
}

// partSuffix is what the name of an older part has behind that of the file: a
// number, a date or a word, and perhaps the ending of a compressed file.
var partSuffix = regexp.MustCompile(`^[._-](\d[\d._:TZ-]*|old|bak|prev|previous)(\.(gz|zst))?$`)

// dateAhead is a date that stands before the ending, as in app-20261130.log of
// app.log. A short number there names another file.
var dateAhead = regexp.MustCompile(`^[._-]\d{4}[\d_:TZ-]{4,}`)

// isPart reports whether a file is by its name an older part of the file base.
func isPart(name, base string) bool {
	if rest, ok := strings.CutPrefix(name, base); ok {
		return partSuffix.MatchString(rest)
	}
	ext := filepath.Ext(base)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(base, ext))
	if !ok {
		return false
	}
	date := dateAhead.FindString(rest)
	end := rest[len(date):]
	return date != "" && (end == ext || end == ext+".gz" || end == ext+".zst")
}

// begin returns the first bytes of the text of a part. One that is compressed
// is read to its end: it may be at work still.
func (p *part) begin() ([]byte, error) {
	in, err := corpus.OpenText(p.path, corpus.Limits{})
	if err != nil {
		return nil, err
	}
	begin := make([]byte, headBytes)
	n, err := io.ReadFull(in, begin)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	if ext := filepath.Ext(p.path); err == nil && (ext == ".gz" || ext == ".zst") {
		_, err = io.Copy(io.Discard, in)
	}
	return begin[:n], errors.Join(err, in.Close())
}

// How often and how fast parts that are just being moved or compressed are
// looked at again.
const (
	partTries = 25
	partWait  = 100 * time.Millisecond
)

// older returns the part that begins as the file did; nil if there is none.
func (f *follower) older(was head) (*part, error) {
	for try := 1; ; try++ {
		list, err := f.parts()
		if err != nil {
			return nil, err
		}
		moving := false
		for i := range slices.Backward(list) {
			begin, err := list[i].begin()
			if err == nil && was.fits(begin) {
				return &list[i], nil
			}
			moving = moving || err != nil && !list[i].info.ModTime().Before(f.seen)
		}
		if !moving || try == partTries {
			return nil, nil
		}
		time.Sleep(partWait)
	}
}

// readCopy reads the part that begins as the file did, from an offset on; nil
// if there is none.
func (f *follower) readCopy(was head, from int64) (*part, error) {
	for {
		p, err := f.older(was)
		if err != nil || p == nil {
			return nil, err
		}
		err = f.readOlder(p, from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was moved on since
		}
		f.leave(was)
		return p, err
	}
}

// readOlder appends the lines of an older part from an offset on. One that is
// not there any more is fs.ErrNotExist, and nothing was appended.
func (f *follower) readOlder(p *part, from int64) error {
	if err := f.markOlder(p, from); err != nil {
		return err
	}
	in, err := corpus.OpenText(p.path, corpus.Limits{})
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading
	if n, err := io.CopyN(io.Discard, in, from); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: at byte %d: %w", p.path, n, err)
	}
	lines := capture.NewLineReader(in, f.to.MaxLine())
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		if err := f.stream.Append(f.to.Now(), line); err != nil {
			return err
		}
	}
	if rest := lines.Rest(); len(bytes.TrimSpace(rest)) > 0 {
		return f.stream.Append(f.to.Now(), rest)
	}
	return nil
}

// markOlder keeps the place in an older part.
func (f *follower) markOlder(p *part, offset int64) error {
	begin, err := p.begin()
	if err != nil {
		return err
	}
	text, err := json.Marshal(place{Path: p.path, Head: headOf(begin), Offset: offset})
	if err != nil {
		return err
	}
	f.unmarked = 0
	return f.stream.Mark(string(text))
}

// missed reads the parts that came and went since a time without being seen:
// those that are not older than it, are none of the files given, and were not
// read.
func (f *follower) missed(since time.Time, except ...os.FileInfo) error {
	for try := 1; ; try++ {
		fault, err := f.readMissed(since, except)
		if err != nil || fault == nil {
			return err
		}
		if try == partTries {
			return f.stream.Gap(f.alive, f.to.Now(), fmt.Sprintf("a part that was rotated away could not be read: %v", fault))
		}
		time.Sleep(partWait)
	}
}

// readMissed reads what can be read. Fault is what is wrong with a part that
// cannot be; the parts after it are left for another try.
func (f *follower) readMissed(since time.Time, except []os.FileInfo) (fault, err error) {
	list, err := f.parts()
	if err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i]
		if p.info.ModTime().Before(since) || slices.ContainsFunc(except, func(x os.FileInfo) bool { return os.SameFile(x, p.info) }) {
			continue
		}
		begin, err := p.begin()
		if err != nil {
			return err, nil
		}
		read := slices.ContainsFunc(f.left, func(h head) bool { return h.fits(begin) })
		if read || len(begin) == 0 || f.headNow().fits(begin) { // the last: a copy of the file, which is to be truncated
			continue
		}
		err = f.readOlder(p, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return err, nil // it was moved on since
		}
		if err != nil {
			return nil, err
		}
		f.leave(headOf(begin))
	}
	return nil, nil
}

// leave remembers a file that was read.
func (f *follower) leave(h head) {
	if f.left = append(f.left, h); len(f.left) > maxLeft {
		f.left = f.left[1:]
	}
}

// maxLeft bounds the files that are remembered.
const maxLeft = 100

// catchUp finds the file that was read before an interruption, by its first
// bytes, and goes on in it at an offset, and through all that came after it. It
// reports whether it was found.
func (f *follower) catchUp(was head, at int64) (bool, error) {
	err := f.open(0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err == nil {
		begin := make([]byte, headBytes)
		n, err := f.file.ReadAt(begin, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if was.fits(begin[:n]) && f.info.Size() >= at {
			return true, errors.Join(f.seek(at), f.mark(true))
		}
	}
	p, err := f.readCopy(was, at)
	if err != nil || p == nil {
		return false, err
	}
	if f.file == nil {
		return true, f.missed(p.info.ModTime(), p.info)
	}
	return true, errors.Join(f.missed(p.info.ModTime(), p.info, f.info), f.mark(true))
}
