package archive

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// A frame passes on the bytes of one zstd frame, and not one more, so that it
// is known where the next begins.
type frame struct {
	in   *bufio.Reader
	open bool
	text int64 // bytes of text that came of it

	left int // bytes of the part at hand
	last bool
	sum  bool // a checksum of 4 bytes ends the frame
	done bool
}

// begin looks at the header of the next frame.
func (f *frame) begin() error {
	head, err := f.in.Peek(zstd.HeaderMaxSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.HasPrefix(head, zstdMagic) {
		return faultf("goes on with bytes that are not zstd")
	}
	var h zstd.Header
	switch err := h.Decode(head); {
	case err != nil:
		return faultf("is cut short, or damaged: no zstd frame begins where one should")
	case h.DictionaryID != 0:
		return faultf("needs a zstd dictionary")
	}
	*f = frame{in: f.in, open: true, left: h.HeaderSize, sum: h.HasCheckSum}
	return nil
}

// Read implements io.Reader for the decoder.
func (f *frame) Read(b []byte) (int, error) {
	for f.left == 0 {
		if f.done {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
	}
	n, err := f.in.Read(b[:min(len(b), f.left)])
	f.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// next finds the length of the next part: a block with its header, or the
// checksum.
func (f *frame) next() error {
	if f.last {
		f.done = true
		if f.sum {
			f.left = 4
		}
		return nil
	}
	head, err := f.in.Peek(3)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	h := uint32(head[0]) | uint32(head[1])<<8 | uint32(head[2])<<16
	f.last = h&1 != 0
	size := int(h >> 3)
	if h>>1&3 == 1 {
		size = 1 // one byte, repeated
	}
	f.left = 3 + size
	return nil
}
