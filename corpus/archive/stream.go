package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxWindow is the memory that one zstd frame may ask for.
const maxWindow = 64 << 20

// A stream is the text of an archive, decompressed as its first bytes say and
// bounded.
type stream struct {
	ctx    context.Context
	limits Limits
	stored *counter // bytes of the archive
	in     *bufio.Reader
	out    io.Reader // text; nil: zstd frames, of which frame is the one at hand
	dec    *zstd.Decoder
	frame  *frame
	packed bool

	text int64 // bytes read
	// empty counts the zero bytes up to here, while headers are read: two empty
	// blocks end an archive.
	empty int

	// budget is what may still be read of headers; below 0: no header is read.
	budget int64
	watch  int64 // where in the text a frame is looked for
	found  int64 // where in the archive it begins; -1: nowhere
}

// A counter counts what passes through.
type counter struct {
	in io.Reader
	n  int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += int64(n)
	return n, err
}

func newStream(ctx context.Context, in io.Reader, limits Limits) (*stream, error) {
	s := &stream{ctx: ctx, limits: limits, stored: &counter{in: in}, budget: -1, found: -1}
	s.in = bufio.NewReaderSize(s.stored, 128<<10)
	head, err := s.in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		s.packed = true
		if s.out, err = gzip.NewReader(s.in); err != nil {
			return nil, faultf("gzip: %v", err)
		}
	case bytes.HasPrefix(head, zstdMagic):
		s.packed = true
		s.frame = &frame{in: s.in}
		s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
	default:
		s.out = s.in
	}
	return s, nil
}

func (s *stream) close() {
	if s.dec != nil {
		s.dec.Close()
	}
}

// header says that a member is looked for whose header begins at start.
func (s *stream) header(start int64) {
	s.budget, s.watch, s.found, s.empty = maxHeader+start-s.text, start, -1, 0
}

// content says that the header was read.
func (s *stream) content() { s.budget = -1 }

// Read reads text. The tar reader asks for headers block by block.
func (s *stream) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.read(b)
	s.text += int64(n)
	if s.budget >= 0 {
		s.note(b[:n])
		if s.budget -= int64(n); s.budget < 0 {
			return 0, faultf("a header is longer than %d bytes", maxHeader)
		}
	}
	stored := s.stored.n - int64(s.in.Buffered())
	switch {
	case s.text > s.limits.Total:
		return 0, faultf("holds more than %d bytes, the limit of one archive", s.limits.Total)
	case s.packed && s.text > ratioFrom && s.text/max(stored, 1) > s.limits.Ratio:
		return 0, faultf("%d compressed bytes turn into more than %d; more than %d to 1 is refused", stored, s.text, s.limits.Ratio)
	}
	return n, err
}

// note counts empty bytes.
func (s *stream) note(b []byte) {
	used := bytes.TrimRight(b, "\x00")
	if len(used) > 0 {
		s.empty = 0
	}
	s.empty += len(b) - len(used)
}

func (s *stream) read(b []byte) (int, error) {
	if s.out != nil {
		n, err := s.out.Read(b)
		return n, damaged(err)
	}
	for {
		if s.frame.open {
			n, err := s.dec.Read(b)
			if n > 0 {
				s.frame.text += int64(n)
				return n, nil
			}
			if err == nil {
				continue
			}
			if !errors.Is(err, io.EOF) {
				return 0, damaged(err)
			}
			if s.frame.text == 0 {
				return 0, faultf("holds an empty zstd frame")
			}
			s.frame.open = false
		}
		if _, err := s.in.Peek(1); err != nil {
			return 0, err
		}
		if s.text == s.watch {
			s.found = s.stored.n - int64(s.in.Buffered())
		}
		if err := s.frame.begin(); err != nil {
			return 0, err
		}
		if err := s.dec.Reset(s.frame); err != nil {
			return 0, damaged(err)
		}
	}
}

// damaged says in words what a decompressor means.
func damaged(err error) error {
	var fault *faultError
	switch {
	case err == nil || errors.Is(err, io.EOF) || errors.As(err, &fault):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return faultf("is cut short: its compressed text has no end")
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return faultf("was compressed with a window of more than %d bytes (zstd --long); compress it without", maxWindow)
	}
	return faultf("cannot be decompressed: %v", err)
}
