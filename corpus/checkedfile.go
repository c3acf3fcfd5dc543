package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// OpenFile opens a file of the run that is no log, such as [EventsFile],
// decompressed. At its end the reader compares the checksum with run.json; a
// difference is an error in place of io.EOF. A file that the run does not have
// is fs.ErrNotExist.
func (r *Run) OpenFile(name string) (io.ReadCloser, error) {
	i := slices.IndexFunc(r.Manifest.Files, func(f File) bool { return f.Path == name })
	if i < 0 {
		return nil, fmt.Errorf("%s: the run has no such file: %w", r.Path(name), fs.ErrNotExist)
	}
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	c := &checkedFile{path: r.Path(name), file: f, want: r.Manifest.Files[i].SHA256}
	if !strings.HasSuffix(name, ".zst") {
		c.sum = sha256.New()
		return c, nil
	}
	if c.dec, err = newDecoder(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	c.frames = newFrameReader(f, c.dec, 0)
	return c, nil
}

// A checkedFile reads a file and compares its checksum at the end.
type checkedFile struct {
	path   string
	file   fs.File
	want   string
	sum    hash.Hash
	dec    *zstd.Decoder
	frames *frameReader
	text   []byte
	rest   []byte
}

func (c *checkedFile) Read(b []byte) (n int, err error) {
	got := ""
	if c.frames == nil {
		n, err = c.file.Read(b)
		c.sum.Write(b[:n])
		if errors.Is(err, io.EOF) {
			got = hex.EncodeToString(c.sum.Sum(nil))
		}
	} else {
		if len(c.rest) == 0 {
			if c.text, _, err = c.frames.next(); err == nil {
				c.rest = c.text
			} else if errors.Is(err, io.EOF) {
				got = c.frames.hexSum()
			}
		}
		n = copy(b, c.rest)
		c.rest = c.rest[n:]
	}
	switch {
	case errors.Is(err, io.EOF) && got != c.want:
		err = fmt.Errorf("%s: checksum does not agree with run.json; the file was changed or damaged", c.path)
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("%s: %w", c.path, err)
	}
	return n, err
}

func (c *checkedFile) Close() error {
	if c.dec != nil {
		defer c.dec.Close()
	}
	return c.file.Close()
}
