package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/corpus/archive"
)

// A packedStore is a file that [Pack] wrote. Its members are read where they
// lie: each begins a zstd frame, and openPacked finds out at which byte. So
// nothing is written to disk, nothing has to be cleaned up, however the program
// ends, and memory does not grow with the file.
type packedStore struct {
	file    string
	info    fs.FileInfo // of the file, when it was opened
	members map[string]packedMember
	dirs    map[string][]fs.DirEntry // by name; ordered by name
}

// A packedMember is a file in a packed corpus. It is its own fs.FileInfo.
type packedMember struct {
	name        string // the last element
	frame, skip int64
	size        int64
	dir         bool
}

// IsPacked reports whether path is a file that holds a zstd-compressed tar
// archive, as packed corpora do.
func IsPacked(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // opened for reading
	in := bufio.NewReader(f)
	if head, err := in.Peek(4); err != nil || !bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return false
	}
	dec, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return false
	}
	defer dec.Close()
	var block [512]byte
	_, err = io.ReadFull(dec, block[:])
	return err == nil && string(block[257:262]) == "ustar"
}

// IsCorpus reports whether path is a corpus by the looks of it: a directory
// with corpus.json, or a packed one. Whether it opens is another question.
func IsCorpus(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil && IsPacked(path)
	}
	_, err := newDirStore(path).Lstat(corpusFile)
	return err == nil
}

// openPacked reads a packed corpus through once, to find its members and to
// know that it is whole and within the limits.
func openPacked(name string) (*packedStore, error) {
	if !IsPacked(name) {
		return nil, fmt.Errorf("%s: is neither the directory of a corpus nor a packed one (a .tar.zst)", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	s := &packedStore{file: name, members: map[string]packedMember{}, dirs: map[string][]fs.DirEntry{".": nil}}
	if s.info, err = f.Stat(); err != nil {
		return nil, err
	}
	err = archive.Walk(context.Background(), name, f, archive.Options{Portable: true}, func(m archive.Member, _ io.Reader) error {
		switch {
		case m.Dir:
			return nil // what lies in it says that it is there
		case m.Frame < 0:
			return errors.New("does not begin a zstd frame, so that it cannot be read alone: the archive was made by something else than \"stillfires corpus pack\"; \"stillfires corpus unpack\" makes a directory of it")
		}
		s.add(m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, entries := range s.dirs {
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return s, nil
}

// add enters a member, and the directories above it.
func (s *packedStore) add(m archive.Member) {
	member := packedMember{name: path.Base(m.Name), frame: m.Frame, skip: m.Skip, size: m.Size}
	s.members[m.Name] = member
	dir := path.Dir(m.Name)
	_, known := s.dirs[dir]
	s.dirs[dir] = append(s.dirs[dir], fs.FileInfoToDirEntry(member))
	for !known {
		child := packedMember{name: path.Base(dir), dir: true}
		dir = path.Dir(dir)
		_, known = s.dirs[dir]
		s.dirs[dir] = append(s.dirs[dir], fs.FileInfoToDirEntry(child))
	}
}

func (s *packedStore) where(name string) string {
	if name == "." {
		return s.file
	}
	return s.file + ":" + name
}

// Lstat looks at a member or a directory.
func (s *packedStore) Lstat(name string) (fs.FileInfo, error) {
	if m, ok := s.members[name]; ok {
		return m, nil
	}
	if _, ok := s.dirs[name]; ok {
		return packedMember{name: path.Base(name), dir: true}, nil
	}
	return nil, &fs.PathError{Op: "lstat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists a directory.
func (s *packedStore) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := s.dirs[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return slices.Clone(entries), nil
}

// Open opens a member.
func (s *packedStore) Open(name string) (fs.File, error) {
	m, ok := s.members[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := os.Open(s.file)
	if err != nil {
		return nil, err
	}
	p := &packedFile{info: m, file: f}
	if err := p.begin(s, m); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// A packedFile is a member that is being read.
type packedFile struct {
	info packedMember
	file *os.File
	dec  *zstd.Decoder
	left int64
}

// begin goes to the member's content.
func (p *packedFile) begin(s *packedStore, m packedMember) error {
	now, err := p.file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, s.info) || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime()) {
		return fmt.Errorf("%s: was changed while it was read", s.file)
	}
	if _, err := p.file.Seek(m.frame, io.SeekStart); err != nil {
		return err
	}
	p.dec, err = zstd.NewReader(bufio.NewReaderSize(p.file, 64<<10), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	p.left = m.size
	_, err = io.CopyN(io.Discard, p.dec, m.skip)
	return err
}

// Read reads content.
func (p *packedFile) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	n, err := p.dec.Read(b[:min(int64(len(b)), p.left)])
	p.left -= int64(n)
	switch {
	case p.left == 0:
		err = nil
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Stat returns name and size.
func (p *packedFile) Stat() (fs.FileInfo, error) { return p.info, nil }

// Close ends reading.
func (p *packedFile) Close() error {
	if p.dec != nil {
		p.dec.Close()
	}
	return p.file.Close()
}

// Name implements fs.FileInfo.
func (m packedMember) Name() string { return m.name }

// Size implements fs.FileInfo.
func (m packedMember) Size() int64 { return m.size }

// Mode implements fs.FileInfo.
func (m packedMember) Mode() fs.FileMode {
	if m.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// ModTime implements fs.FileInfo: a packed corpus keeps no times.
func (m packedMember) ModTime() time.Time { return time.Time{} }

// IsDir implements fs.FileInfo.
func (m packedMember) IsDir() bool { return m.dir }

// Sys implements fs.FileInfo.
func (m packedMember) Sys() any { return nil }
