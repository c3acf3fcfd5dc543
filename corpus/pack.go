package corpus

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/corpus/archive"
)

// A PackReport says what was packed or unpacked.
type PackReport struct {
	Path   string `json:"path"`   // that was written
	Digest string `json:"digest"` // of the corpus
	Runs   int    `json:"runs"`
	Files  int    `json:"files"` // with manifests
	Bytes  int64  `json:"bytes"` // of the files together
	// SHA256 is that of the packed file, hex. It is empty where a corpus was
	// unpacked.
	SHA256 string `json:"sha256,omitempty"`
}

// Pack writes the corpus at dir into one file, a tar archive compressed with
// zstd. Its bytes depend on the corpus alone: members are ordered by name and
// have no times and no owners. Every member is a zstd frame of its own, so that
// [Open] reads it where it lies.
//
// All checksums are compared on the way. A corpus that does not open, such as
// one that is unfinished, is refused, and so is a file that is there already.
// The file is there whole or not at all.
func Pack(ctx context.Context, dir, file string) (report *PackReport, err error) {
	c, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if len(c.runs) == 0 {
		return nil, fmt.Errorf("%s: holds no runs; there is nothing to pack", dir)
	}
	if _, err := os.Lstat(file); err == nil {
		return nil, fmt.Errorf("%s: is there already; delete it first, or name another file", file)
	}
	if inside := below(dir, file); inside != "" {
		return nil, fmt.Errorf("%s: lies in the corpus, which would not open any more; name a file elsewhere", file)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	p := &packer{ctx: ctx, sum: sha256.New(), report: PackReport{Path: file, Digest: c.Digest(), Runs: len(c.runs)}}
	err = p.pack(c, tmp)
	if err == nil {
		err = errors.Join(tmp.Chmod(0o644), tmp.Sync())
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return nil, err
	}
	// A link, not a rename: it never takes the place of a file that came since.
	if err := os.Link(tmp.Name(), file); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: is there already; delete it first, or name another file", file)
	} else if err == nil {
		return &p.report, errors.Join(os.Remove(tmp.Name()), syncDir(filepath.Dir(file)))
	}
	// Not all file systems have links.
	if err := os.Rename(tmp.Name(), file); err != nil {
		return nil, err
	}
	return &p.report, syncDir(filepath.Dir(file))
}

// A packer writes one packed corpus.
type packer struct {
	ctx    context.Context
	sum    hashWriter
	enc    *zstd.Encoder
	tar    *tar.Writer
	report PackReport
}

type hashWriter interface {
	io.Writer
	Sum([]byte) []byte
}

// A packEntry is a file to be packed. The checksum is that of the content, or
// empty where text is it.
type packEntry struct {
	name, sha256 string
	size         int64
	text         []byte
	open         func() (fs.File, error)
}

func (p *packer) pack(c *Corpus, out io.Writer) error {
	entries, err := c.entries()
	if err != nil {
		return err
	}
	if err := checkCase(entries); err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	buffered := bufio.NewWriterSize(io.MultiWriter(out, p.sum), 256<<10)
	// Bytes must not depend on the number of cores.
	p.enc, err = zstd.NewWriter(buffered, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(1<<20))
	if err != nil {
		return err
	}
	p.tar = tar.NewWriter(p.enc)
	for _, e := range entries {
		if err := p.add(e); err != nil {
			return fmt.Errorf("%s: %w", c.files.where(e.name), err)
		}
		if err := p.enc.Close(); err != nil {
			return err
		}
		p.enc.Reset(buffered)
	}
	if err := errors.Join(p.tar.Close(), p.enc.Close(), buffered.Flush()); err != nil {
		return err
	}
	p.report.SHA256 = hex.EncodeToString(p.sum.Sum(nil))
	return nil
}

// add writes one member, to the end of its last block.
func (p *packer) add(e packEntry) error {
	var in io.Reader = bytes.NewReader(e.text)
	if e.open != nil {
		f, err := e.open()
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // opened for reading
		in = f
	}
	h := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: e.size, Mode: 0o644, ModTime: time.Unix(0, 0)}
	if err := p.tar.WriteHeader(h); err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(p.tar, sum), contextReader{p.ctx, in})
	switch {
	case err != nil:
		return err
	case n != e.size:
		return fmt.Errorf("is %d bytes long; run.json says %d", n, e.size)
	case e.sha256 != "" && hex.EncodeToString(sum.Sum(nil)) != e.sha256:
		return errors.New("checksum does not agree with run.json; the file was changed or damaged")
	}
	p.report.Files++
	p.report.Bytes += n
	return p.tar.Flush()
}

// A contextReader ends when its context does.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r contextReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// entries returns all files of the corpus, ordered by name.
func (c *Corpus) entries() ([]packEntry, error) {
	head, err := readBounded(c.files, corpusFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.files.where(corpusFile), err)
	}
	out := []packEntry{{name: corpusFile, text: head, size: int64(len(head))}}
	for _, r := range c.runs {
		dir := path.Join(runsDir, r.String())
		text, err := readBounded(r.files, runFile)
		if err == nil {
			var checksum string
			if _, checksum, err = decodeManifest(text); err == nil && checksum != r.checksum {
				err = errors.New("was changed while it was read")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Path(runFile), err)
		}
		out = append(out, packEntry{name: dir + "/" + runFile, text: text, size: int64(len(text))})
		add := func(name, sum string, size int64) {
			out = append(out, packEntry{name: dir + "/" + name, sha256: sum, size: size, open: func() (fs.File, error) { return r.open(name) }})
		}
		for i := range r.Manifest.Streams {
			s := &r.Manifest.Streams[i]
			add(s.File, s.SHA256, s.FileBytes)
		}
		for i := range r.Manifest.Files {
			f := &r.Manifest.Files[i]
			add(f.Path, f.SHA256, f.Bytes)
		}
	}
	slices.SortFunc(out, func(a, b packEntry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}

// checkCase reports names that could not be unpacked everywhere.
func checkCase(entries []packEntry) error {
	names := make([]string, len(entries))
	for i := range entries {
		names[i] = entries[i].name
	}
	return archive.CheckNames(names)
}
