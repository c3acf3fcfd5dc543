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

	"github.com/klauspost/compress/zstd"
)

const (
	// frameText is the most text that one frame holds, unless a single record
	// is longer and stands alone.
	frameText = 4 << 20
	// MaxRecord is the longest line of a record, in bytes.
	MaxRecord = 16 << 20
	// maxFrame bounds the text of a frame: the longest record with its prefix,
	// or one escaped as JSON.
	maxFrame = 2 * MaxRecord
	// maxFrameBytes bounds a frame as stored; text that does not compress
	// grows by little.
	maxFrameBytes = maxFrame + maxFrame>>6 + 1<<10
	// fillText is where the writer ends a frame. It is far below frameText so
	// that a reader of many streams needs less memory.
	fillText = 1 << 20
)

// newDecoder returns a decoder whose DecodeAll may be called at the same time
// from several goroutines.
func newDecoder() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxFrame), zstd.WithDecoderMaxWindow(maxFrame))
}

// A frameReader reads the frames of a file one after the other and decodes
// one ahead.
type frameReader struct {
	file   fs.File
	in     *bufio.Reader
	sum    hash.Hash
	dec    *zstd.Decoder
	packed []byte

	spare   []byte      // to decode into next
	ahead   chan decode // nil: decode when asked
	pending bool        // a decode is under way
	done    bool
}

type decode struct {
	text []byte
	err  error
}

func newFrameReader(file fs.File, dec *zstd.Decoder, ahead bool) *frameReader {
	sum := sha256.New()
	r := &frameReader{file: file, in: bufio.NewReaderSize(io.TeeReader(file, sum), 64<<10), sum: sum, dec: dec}
	if ahead {
		r.ahead = make(chan decode, 1)
	}
	return r
}

// next returns the text of the next frame, or io.EOF. used is the text it
// returned before, which it may overwrite.
func (r *frameReader) next(used []byte) ([]byte, error) {
	if r.done {
		return nil, io.EOF
	}
	if r.ahead == nil {
		return r.finish(r.decode(used))
	}
	if !r.pending {
		r.start()
	}
	d := <-r.ahead
	r.pending = false
	text, err := r.finish(d)
	if err == nil {
		r.spare = used
		r.start()
	}
	return text, err
}

func (r *frameReader) start() {
	r.pending = true
	buf := r.spare
	r.spare = nil
	go func() { r.ahead <- r.decode(buf) }()
}

func (r *frameReader) finish(d decode) ([]byte, error) {
	if d.err != nil {
		r.done = true
	}
	return d.text, d.err
}

func (r *frameReader) decode(into []byte) decode {
	text, err := r.readFrame(into)
	return decode{text, err}
}

// hexSum returns the SHA-256 of the file. It holds after io.EOF only.
func (r *frameReader) hexSum() string { return hex.EncodeToString(r.sum.Sum(nil)) }

func (r *frameReader) close() error {
	if r.pending {
		<-r.ahead
		r.pending = false
	}
	r.done = true
	return r.file.Close()
}

// readFrame reads one frame from header to checksum and decodes it.
func (r *frameReader) readFrame(into []byte) ([]byte, error) {
	head, err := r.in.Peek(zstd.HeaderMaxSize)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, err
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return nil, errors.New("is not zstd, or damaged: no frame begins where one should")
	}
	switch {
	case h.Skippable:
		return nil, errors.New("holds a skippable frame, which no corpus file has")
	case h.DictionaryID != 0:
		return nil, errors.New("needs a zstd dictionary, which no corpus file does")
	case h.HasFCS && h.FrameContentSize > maxFrame:
		return nil, fmt.Errorf("a frame says it holds %d bytes; at most %d are allowed", h.FrameContentSize, maxFrame)
	}
	if err := r.readPacked(&h); err != nil {
		return nil, err
	}
	text, err := r.dec.DecodeAll(r.packed, into[:0])
	if err != nil {
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
			return nil, fmt.Errorf("a frame holds more than %d bytes of text", maxFrame)
		}
		return nil, fmt.Errorf("is damaged: %w", err)
	}
	return text, checkFrameText(text)
}

// readPacked reads the bytes of the frame with header h into r.packed.
func (r *frameReader) readPacked(h *zstd.Header) error {
	r.packed = r.packed[:0]
	if err := r.take(h.HeaderSize); err != nil {
		return err
	}
	for last := false; !last; {
		if err := r.take(3); err != nil {
			return err
		}
		b := r.packed[len(r.packed)-3:]
		block := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = block&1 != 0
		size := int(block >> 3)
		switch block >> 1 & 3 {
		case 1: // one byte, repeated size times
			size = 1
		case 3:
			return errors.New("is damaged: a block has a reserved type")
		}
		if err := r.take(size); err != nil {
			return err
		}
	}
	if h.HasCheckSum {
		return r.take(4)
	}
	return nil
}

// take appends the next n bytes to r.packed.
func (r *frameReader) take(n int) error {
	at := len(r.packed)
	if at+n > maxFrameBytes {
		return fmt.Errorf("a frame is longer than %d bytes", maxFrameBytes)
	}
	if cap(r.packed) < at+n {
		r.packed = append(make([]byte, 0, max(2*cap(r.packed), at+n, 64<<10)), r.packed...)
	}
	r.packed = r.packed[:at+n]
	if _, err := io.ReadFull(r.in, r.packed[at:]); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return errors.New("is cut short: it ends inside a frame")
		}
		return err
	}
	return nil
}

// checkFrameText holds a frame to the rules that let frames be read apart.
func checkFrameText(text []byte) error {
	if len(text) == 0 {
		return errors.New("holds an empty frame")
	}
	if text[len(text)-1] != '\n' {
		return errors.New("a frame does not end at a line end")
	}
	if len(text) > frameText && bytes.IndexByte(text, '\n') != len(text)-1 {
		return fmt.Errorf("a frame holds %d bytes of text; at most %d are allowed", len(text), frameText)
	}
	return nil
}

// A frameWriter cuts text into frames at line ends.
type frameWriter struct {
	out  io.Writer
	sum  hash.Hash
	enc  *zstd.Encoder
	text []byte
	pack []byte
	size int64 // bytes written
}

func newFrameWriter(out io.Writer) (*frameWriter, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithSingleSegment(false))
	if err != nil {
		return nil, err
	}
	return &frameWriter{out: out, sum: sha256.New(), enc: enc}, nil
}

// room makes place for a record of n bytes with its line end: it ends the
// frame at hand where the record would overfill it.
func (w *frameWriter) room(n int) error {
	if len(w.text) > 0 && len(w.text)+n > fillText {
		return w.flush()
	}
	return nil
}

func (w *frameWriter) flush() error {
	if len(w.text) == 0 {
		return nil
	}
	w.pack = w.enc.EncodeAll(w.text, w.pack[:0])
	w.text = w.text[:0]
	w.sum.Write(w.pack)
	n, err := w.out.Write(w.pack)
	w.size += int64(n)
	return err
}
