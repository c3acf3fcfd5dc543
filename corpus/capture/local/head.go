package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
)

// headBytes is how much of the beginning of a file tells it from others.
const headBytes = 1 << 10

// A head is the beginning of a file.
type head struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func headOf(b []byte) head {
	b = b[:min(len(b), headBytes)]
	sum := sha256.Sum256(b)
	return head{Bytes: len(b), SHA256: hex.EncodeToString(sum[:])}
}

// fits reports whether a text begins as the file did. An empty beginning fits
// nothing: it tells nothing.
func (h head) fits(begin []byte) bool {
	return h.Bytes > 0 && len(begin) >= h.Bytes && headOf(begin[:h.Bytes]) == h
}

// errRewritten says that a file does not begin any more as it did, or became
// shorter: it was truncated.
var errRewritten = errors.New("the file was truncated")

// A headReader reads a file that grows. Bytes that it returns belong to the
// file that began as the head says: who truncates a file and fills it again
// while it is read is found out.
type headReader struct {
	file *os.File
	at   int64
	head []byte // the first bytes, as far as they were there
}

// Read returns what is there, io.EOF, or errRewritten.
func (r *headReader) Read(b []byte) (int, error) {
	n, err := r.file.ReadAt(b, r.at)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if n == 0 {
		info, err := r.file.Stat()
		if err != nil {
			return 0, err
		}
		if info.Size() < r.at {
			return 0, errRewritten
		}
		return 0, io.EOF
	}
	if err := r.look(); err != nil { // after the bytes were read, so that it covers them
		return 0, err
	}
	r.at += int64(n)
	return n, nil
}

// look compares the beginning of the file with the head, and learns more of it
// while the file is short.
func (r *headReader) look() error {
	begin := make([]byte, headBytes)
	n, err := r.file.ReadAt(begin, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if n < len(r.head) || !bytes.Equal(begin[:len(r.head)], r.head) {
		return errRewritten
	}
	if n > len(r.head) {
		r.head = begin[:n]
	}
	return nil
}
