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

// A frameReader reads the frames of a file one after the other. Those ahead
// are decoded at the same time, on as many goroutines.
type frameReader struct {
	file fs.File
	in   *bufio.Reader
	sum  hash.Hash
	dec  *zstd.Decoder
	// keep, if set, cuts lines out of a frame's text in place and returns
	// what is left. It is called from several goroutines.
	keep func(text []byte) []byte

	depth   int // frames decoded ahead
	ahead   []chan frame
	spare   []frame // memory to use again
	current frame
	done    bool
}

// A frame is one frame with the memory that it takes.
type frame struct {
	packed []byte
	text   []byte
	kept   []byte // of text
	lines  int64  // in text
	err    error
}

func newFrameReader(file fs.File, dec *zstd.Decoder, depth int) *frameReader {
	sum := sha256.New()
	return &frameReader{
		file: file, in: bufio.NewReaderSize(io.TeeReader(file, sum), 64<<10),
		sum: sum, dec: dec, depth: depth,
	}
}

// next returns the text that was kept of the next frame and the lines that the
// frame has, or io.EOF. The text is valid until the next call.
func (r *frameReader) next() (text []byte, lines int64, err error) {
	if r.done {
		return nil, 0, io.EOF
	}
	if r.current.text != nil {
		r.spare = append(r.spare, r.current)
	}
	for len(r.ahead) < r.depth && !r.ended() {
		r.start()
	}
	if r.depth == 0 {
		r.current = r.unpack(r.fetch())
	} else {
		r.current = <-r.ahead[0]
		r.ahead = r.ahead[1:]
	}
	if r.current.err != nil {
		r.done = true
	}
	return r.current.kept, r.current.lines, r.current.err
}

// ended reports whether the frame read last is the end of the file.
func (r *frameReader) ended() bool {
	_, err := r.in.Peek(1)
	return errors.Is(err, io.EOF) && len(r.ahead) > 0
}

// start reads a frame and begins to decode it.
func (r *frameReader) start() {
	f, c := r.fetch(), make(chan frame, 1)
	r.ahead = append(r.ahead, c)
	if f.err != nil {
		c <- f
		return
	}
	go func() { c <- r.unpack(f) }()
}

// fetch reads the next frame from header to checksum.
func (r *frameReader) fetch() (f frame) {
	if n := len(r.spare); n > 0 {
		f, r.spare = r.spare[n-1], r.spare[:n-1]
		f.err = nil
	}
	f.err = r.readFrame(&f)
	return f
}

// unpack decodes a frame that was read.
func (r *frameReader) unpack(f frame) frame {
	if f.err != nil {
		return f
	}
	text, err := r.dec.DecodeAll(f.packed, f.text[:0])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		f.err = fmt.Errorf("a frame holds more than %d bytes of text", maxFrame)
		return f
	case err != nil:
		f.err = fmt.Errorf("is damaged: %w", err)
		return f
	}
	f.text, f.kept = text, text
	f.err = checkFrameText(text)
	if f.err == nil && r.keep != nil {
		f.lines = int64(bytes.Count(text, []byte{'\n'}))
		f.kept = r.keep(text)
	}
	return f
}

// hexSum returns the SHA-256 of the file. It holds after io.EOF only.
func (r *frameReader) hexSum() string { return hex.EncodeToString(r.sum.Sum(nil)) }

func (r *frameReader) close() error {
	for _, c := range r.ahead {
		<-c
	}
	r.ahead = nil
	r.done = true
	return r.file.Close()
}

// readFrame reads the bytes of the next frame into f.packed, or returns io.EOF.
func (r *frameReader) readFrame(f *frame) error {
	head, err := r.in.Peek(zstd.HeaderMaxSize)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		return err
	}
	var h zstd.Header
	if err := h.Decode(head); err != nil {
		return errors.New("is not zstd, or damaged: no frame begins where one should")
	}
	switch {
	case h.Skippable:
		return errors.New("holds a skippable frame, which no corpus file has")
	case h.DictionaryID != 0:
		return errors.New("needs a zstd dictionary, which no corpus file does")
	case h.HasFCS && h.FrameContentSize > maxFrame:
		return fmt.Errorf("a frame says it holds %d bytes; at most %d are allowed", h.FrameContentSize, maxFrame)
	}
	return r.readPacked(&h, f)
}

// readPacked reads the bytes of the frame with header h.
func (r *frameReader) readPacked(h *zstd.Header, f *frame) error {
	f.packed = f.packed[:0]
	if err := r.take(h.HeaderSize, f); err != nil {
		return err
	}
	for last := false; !last; {
		if err := r.take(3, f); err != nil {
			return err
		}
		b := f.packed[len(f.packed)-3:]
		block := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = block&1 != 0
		size := int(block >> 3)
		switch block >> 1 & 3 {
		case 1: // one byte, repeated size times
			size = 1
		case 3:
			return errors.New("is damaged: a block has a reserved type")
		}
		if err := r.take(size, f); err != nil {
			return err
		}
	}
	if h.HasCheckSum {
		return r.take(4, f)
	}
	return nil
}

// take appends the next n bytes to the packed bytes of f.
func (r *frameReader) take(n int, f *frame) error {
	at := len(f.packed)
	if at+n > maxFrameBytes {
		return fmt.Errorf("a frame is longer than %d bytes", maxFrameBytes)
	}
	if cap(f.packed) < at+n {
		f.packed = append(make([]byte, 0, max(2*cap(f.packed), at+n, 64<<10)), f.packed...)
	}
	f.packed = f.packed[:at+n]
	if _, err := io.ReadFull(r.in, f.packed[at:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
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
