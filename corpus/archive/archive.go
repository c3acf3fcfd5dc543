// Package archive reads tar archives of strangers: plain, or compressed with
// gzip or zstd.
//
// Every member passes the same gate before anything is done with it: its kind,
// its name, how it gets on with the members before it, its size and what it
// brings the whole to. What does not pass is an [Error] that names the member.
//
//	err := archive.Walk(ctx, "x.tar.zst", file, archive.Options{}, func(m archive.Member, content io.Reader) error {
//		…
//	})
//
// [Extract] writes the members below a directory that is opened as a root, so
// that no name and no link can lead out of it.
//
// Limits: links are never followed, devices never made, sparse files never
// filled in. A name is taken once, also where it differs in case alone, as not
// all file systems tell those apart.
package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits bound an archive. A zero field stands for its default.
type Limits struct {
	Files int   // most members; 0: 100,000
	Bytes int64 // most bytes of one member; 0: 64 GiB
	Total int64 // most bytes of the archive, decompressed; 0: 256 GiB
	// Ratio is the most bytes per compressed byte, looked at from 64 MiB on;
	// 0: 500.
	Ratio int64
}

const (
	defaultFiles = 100_000
	defaultBytes = 64 << 30
	defaultTotal = 256 << 30
	defaultRatio = 500
	ratioFrom    = 64 << 20

	block = 512 // of tar
	// maxHeader bounds what stands before the content of a member: its own
	// header and those that extend it.
	maxHeader = 1 << 20
	// maxEnd bounds the zero bytes after the last member; tar fills its last
	// record with them.
	maxEnd = 1 << 20
)

// OrDefault returns the limits with defaults for what is not given.
func (l Limits) OrDefault() Limits {
	if l.Files <= 0 {
		l.Files = defaultFiles
	}
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Total <= 0 {
		l.Total = defaultTotal
	}
	if l.Ratio <= 0 {
		l.Ratio = defaultRatio
	}
	return l
}

// Options say what is taken of an archive.
type Options struct {
	Limits Limits
	// Links lets symbolic and hard links pass as members without content, for
	// the caller to tell of. Without it they are errors.
	Links bool
	// Portable holds names to what every file system takes: none of
	// \ : * ? " < > |, no element that begins with '.' or ends with '.' or a
	// space. Without it they are held to what this system takes.
	Portable bool
}

// A Member is one entry of an archive.
type Member struct {
	Name string // with /, clean, without ./ before it
	Dir  bool
	Link string // what a link names; empty: it is none
	Size int64  // of a file

	// Frame is where the zstd frame begins, in the archive, that begins with
	// this member; -1: none does. Skip is how many bytes stand before the
	// content there.
	Frame int64
	Skip  int64
}

// An Error is a fault of an archive.
type Error struct {
	Archive string
	Member  string // empty: of the archive as a whole
	Err     error
}

// Error names the archive and the member.
func (e *Error) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("%s: %v", e.Archive, e.Err)
	}
	return fmt.Sprintf("%s: member %q: %v", e.Archive, e.Member, e.Err)
}

// Unwrap returns the fault.
func (e *Error) Unwrap() error { return e.Err }

// A faultError is a fault of the bytes, found below the tar reader.
type faultError struct{ msg string }

func (e *faultError) Error() string { return e.msg }

func faultf(format string, args ...any) error {
	return &faultError{fmt.Sprintf(format, args...)}
}

// Walk calls visit for each member, in the order of the archive. The content
// that visit does not read is read all the same, so that an archive is known
// to be whole when Walk returns nil. The name is for errors. Errors of visit
// are returned as the fault of the member, unless ctx is done.
func Walk(ctx context.Context, name string, in io.Reader, opt Options, visit func(m Member, content io.Reader) error) error {
	s, err := newStream(ctx, in, opt.Limits.OrDefault())
	if err != nil {
		return &Error{Archive: name, Err: err}
	}
	defer s.close()
	w := &walker{name: name, stream: s, opt: opt, limits: opt.Limits.OrDefault(), gate: newGate(opt.Portable), visit: visit}
	if err := w.walk(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	return ctx.Err()
}

type walker struct {
	name   string
	stream *stream
	opt    Options
	limits Limits
	gate   *gate
	visit  func(Member, io.Reader) error
	files  int
	last   string // the member before
}

func (w *walker) walk() error {
	tr := tar.NewReader(w.stream)
	pad := int64(0) // after the content of the member before
	for {
		start := w.stream.text + pad
		w.stream.header(start)
		hdr, err := tr.Next()
		if err != nil {
			return w.end(err)
		}
		w.stream.content()
		m := Member{Name: hdr.Name, Size: hdr.Size, Frame: w.stream.found, Skip: w.stream.text - start}
		if err := w.member(hdr, &m, tr); err != nil {
			return w.fault(hdr.Name, err)
		}
		pad = -w.stream.text & (block - 1)
		w.last = hdr.Name
	}
}

// member takes one member through the gate and hands it on.
func (w *walker) member(hdr *tar.Header, m *Member, content io.Reader) error {
	w.files++
	if w.files > w.limits.Files {
		return fmt.Errorf("is one too many: more than %d members are refused", w.limits.Files)
	}
	if err := w.kind(hdr, m); err != nil {
		return err
	}
	if err := w.gate.take(m); err != nil {
		return err
	}
	if hdr.Size > w.limits.Bytes {
		return fmt.Errorf("is %d bytes long; at most %d are allowed", hdr.Size, w.limits.Bytes)
	}
	if err := w.visit(*m, content); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, content)
	return err
}

// kind looks at what a member is.
func (w *walker) kind(hdr *tar.Header, m *Member) error {
	for key := range hdr.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return errors.New("is a sparse file; it could say that it is of any size")
		}
	}
	switch hdr.Typeflag {
	case tar.TypeReg:
		return nil
	case tar.TypeDir:
		m.Dir, m.Size = true, 0
		return nil
	case tar.TypeGNUSparse:
		return errors.New("is a sparse file; it could say that it is of any size")
	case tar.TypeSymlink, tar.TypeLink:
		kind := "symbolic"
		if hdr.Typeflag == tar.TypeLink {
			kind = "hard"
		}
		if !w.opt.Links {
			return fmt.Errorf("is a %s link to %q; only plain files are taken", kind, hdr.Linkname)
		}
		if m.Link = hdr.Linkname; m.Link == "" {
			return fmt.Errorf("is a %s link to nothing", kind)
		}
		m.Size = 0
		return nil
	case tar.TypeChar, tar.TypeBlock:
		return errors.New("is a device; only plain files are taken")
	case tar.TypeFifo:
		return errors.New("is a named pipe; only plain files are taken")
	}
	return fmt.Errorf("is of kind %q, which is not known; only plain files are taken", string(rune(hdr.Typeflag)))
}

// end judges why there is no next member.
func (w *walker) end(err error) error {
	var fault *faultError
	switch {
	case errors.As(err, &fault):
		return w.whole(fault)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return w.whole(errors.New("is cut short"))
	case errors.Is(err, tar.ErrHeader):
		return w.whole(errors.New("is damaged, or no tar archive: no member begins where one should"))
	case !errors.Is(err, io.EOF):
		return w.whole(err)
	}
	if w.files == 0 && w.stream.text < 2*block {
		return w.whole(errors.New("is no tar archive: it is too short for one"))
	}
	if w.stream.empty < 2*block {
		return w.whole(errors.New("is cut short: the two empty blocks that end an archive are missing"))
	}
	w.stream.content()
	rest := make([]byte, 32<<10)
	for n := 0; ; {
		k, err := w.stream.Read(rest)
		for _, b := range rest[:k] {
			if b != 0 {
				return w.whole(errors.New("goes on after its end; what stands there would not be looked at"))
			}
		}
		if n += k; n > maxEnd {
			return w.whole(errors.New("goes on after its end"))
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return w.whole(err)
		}
	}
}

// whole makes an error of the archive that says how far it was read.
func (w *walker) whole(err error) error {
	if w.last != "" {
		err = fmt.Errorf("%w (after member %q)", err, w.last)
	}
	return &Error{Archive: w.name, Err: err}
}

func (w *walker) fault(member string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("is cut short")
	}
	return &Error{Archive: w.name, Member: member, Err: err}
}
