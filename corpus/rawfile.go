package corpus

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Limits bound what a compressed file may turn into.
type Limits struct {
	// Bytes is the most text of one file; 0: 64 GiB.
	Bytes int64
	// Ratio is the most text per compressed byte, looked at from 64 MiB of
	// text on; 0: 500. Logs seldom reach 50.
	Ratio int64
}

const (
	defaultBytes = 64 << 30
	defaultRatio = 500
	ratioFrom    = 64 << 20
)

func (l Limits) orDefault() Limits {
	if l.Bytes <= 0 {
		l.Bytes = defaultBytes
	}
	if l.Ratio <= 0 {
		l.Ratio = defaultRatio
	}
	return l
}

// A rawFile reads a file to import, decompressed as its first bytes say.
type rawFile struct {
	file     fs.File
	stored   counter
	text     int64 // bytes read after decompression
	limits   Limits
	in       io.Reader
	packed   bool
	wantSum  bool // hexSum will be asked for
	closeZst func()
}

// A counter counts and sums what passes through.
type counter struct {
	in  io.Reader
	n   int64
	sum hash.Hash
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.n += int64(n)
	if c.sum != nil {
		c.sum.Write(b[:n])
	}
	return n, err
}

// The first bytes of files that are compressed in ways that are not read.
var foreignMagic = []struct{ magic, name string }{
	{"\xfd7zXZ\x00", "xz"}, {"BZh", "bzip2"}, {"PK\x03\x04", "zip"}, {"\x04\x22\x4d\x18", "lz4"}, {"7z\xbc\xaf\x27\x1c", "7z"},
}

// openRaw opens a file below fsys.
func openRaw(fsys fs.FS, name string, limits Limits) (*rawFile, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	r := &rawFile{file: f, limits: limits.orDefault(), wantSum: true, closeZst: func() {}}
	if err := r.begin(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// OpenText opens the log called name for its text, decompressed as its first
// bytes say and bounded by limits.
func OpenText(name string, limits Limits) (io.ReadCloser, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := &rawFile{file: f, limits: limits.orDefault(), closeZst: func() {}}
	if err := r.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return r, nil
}

func (r *rawFile) begin() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a plain file")
	}
	r.stored = counter{in: r.file}
	if r.wantSum {
		r.stored.sum = sha256.New()
	}
	in := bufio.NewReaderSize(&r.stored, 128<<10)
	head, err := in.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for _, m := range foreignMagic {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			return fmt.Errorf("is compressed with %s, which is not read; decompress it, or use gzip or zstd", m.name)
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		r.packed = true
		z, err := gzip.NewReader(in) // reads all members
		if err != nil {
			return fmt.Errorf("gzip: %w", err)
		}
		r.in = z
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		r.packed = true
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
		if err != nil {
			return fmt.Errorf("zstd: %w", err)
		}
		r.in, r.closeZst = z, z.Close
	default:
		r.in = in
	}
	return nil
}

func (r *rawFile) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.text += int64(n)
	if err == nil || err == io.EOF {
		switch {
		case r.text > r.limits.Bytes:
			return 0, fmt.Errorf("holds more than %d bytes of text, the limit of one file", r.limits.Bytes)
		case r.packed && r.text > ratioFrom && r.text/max(r.stored.n, 1) > r.limits.Ratio:
			return 0, fmt.Errorf("%d compressed bytes turn into more than %d; more than %d to 1 is refused", r.stored.n, r.text, r.limits.Ratio)
		}
		return n, err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return n, errors.New("is cut short: its compressed text has no end")
	}
	return n, fmt.Errorf("cannot be decompressed: %w", err)
}

func (r *rawFile) Close() error {
	r.closeZst()
	return r.file.Close()
}

func (r *rawFile) hexSum() string { return hex.EncodeToString(r.stored.sum.Sum(nil)) }

// A lineReader cuts a raw file into lines.
type lineReader struct {
	raw  *rawFile
	in   *bufio.Reader
	long []byte // a line longer than the reader's buffer
	n    int64  // lines read
}

// errEmpty is a log that holds no byte.
var errEmpty = errors.New("is empty; a process that wrote nothing has no log to compare (allowEmpty: true lets it be, in the import description)")

// openLines opens a log and looks at its beginning.
func openLines(fsys fs.FS, name string, limits Limits) (*lineReader, error) {
	raw, err := openRaw(fsys, name, limits)
	if err != nil {
		return nil, err
	}
	l := &lineReader{raw: raw, in: bufio.NewReaderSize(raw, 128<<10)}
	head, err := l.in.Peek(32 << 10)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(err, raw.Close())
	}
	if err := checkText(head); err != nil {
		return nil, errors.Join(err, raw.Close())
	}
	return l, nil
}

// checkText tells a log from a binary file by its first 32 KiB. More than a
// tenth of control bytes, or a third of bytes that are not UTF-8, is binary;
// fewer are kept as they are.
func checkText(head []byte) error {
	switch {
	case len(head) == 0:
		return errEmpty
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}) && bytes.IndexByte(head, 0) >= 0, bytes.HasPrefix(head, []byte{0xfe, 0xff}) && bytes.IndexByte(head, 0) >= 0:
		return errors.New("is UTF-16 text; convert it to UTF-8")
	}
	control, invalid := 0, 0
	for i := 0; i < len(head); {
		c := head[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\x1b' {
				control++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && size == 1 {
			invalid++
		}
		i += size
	}
	if control*10 > len(head) || invalid*3 > len(head) {
		return fmt.Errorf("is a binary file, no log: of its first %d bytes %d are control bytes and %d are not UTF-8", len(head), control, invalid)
	}
	return nil
}

// next returns the next line without its newline, valid until the next call,
// or io.EOF. A last line without a newline is a line.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if err == nil {
		l.n++
		return line[:len(line)-1], nil
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long, line...)
		if len(l.long) > MaxRecord {
			return nil, fmt.Errorf("line %d is longer than %d bytes", l.n+1, MaxRecord)
		}
		line, err = l.in.ReadSlice('\n')
	}
	l.long = append(l.long, line...)
	switch {
	case err == nil:
		l.long = l.long[:len(l.long)-1]
	case err != io.EOF:
		return nil, err
	case len(l.long) == 0:
		return nil, io.EOF
	}
	if len(l.long) > MaxRecord {
		return nil, fmt.Errorf("line %d is longer than %d bytes", l.n+1, MaxRecord)
	}
	l.n++
	return l.long, nil
}

func (l *lineReader) close() error { return l.raw.Close() }
