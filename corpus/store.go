package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A store is where the files of a corpus lie: a directory, or one file that
// was packed. Nothing is kept open between calls, so a store needs no end.
type store interface {
	fs.ReadDirFS
	// Lstat is that of a plain file where the store has no links.
	Lstat(name string) (fs.FileInfo, error)
	// where returns the name of a file, for messages.
	where(name string) string
}

// A dirStore is a directory. Nothing opened through it can lie outside.
type dirStore struct {
	dir   string
	shown string // stands for dir in messages
}

func newDirStore(dir string) dirStore { return dirStore{dir, dir} }

func (d dirStore) where(name string) string {
	if name == "." {
		return d.shown
	}
	return filepath.Join(d.shown, filepath.FromSlash(name))
}

// Open opens a file or directory.
func (d dirStore) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	return f, nil
}

// ReadDir lists a directory, ordered by name.
func (d dirStore) ReadDir(name string) ([]fs.DirEntry, error) {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(root.FS(), name)
	return entries, errors.Join(err, root.Close())
}

// Lstat looks at a file, not at what it links to.
func (d dirStore) Lstat(name string) (fs.FileInfo, error) {
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return nil, err
	}
	info, err := root.Lstat(filepath.FromSlash(name))
	return info, errors.Join(err, root.Close())
}

// A subStore is a directory of a store.
type subStore struct {
	store
	dir string
}

func (s subStore) path(name string) string {
	if name == "." {
		return s.dir
	}
	return s.dir + "/" + name
}

// Open opens a file or directory.
func (s subStore) Open(name string) (fs.File, error) { return s.store.Open(s.path(name)) }

// ReadDir lists a directory.
func (s subStore) ReadDir(name string) ([]fs.DirEntry, error) { return s.store.ReadDir(s.path(name)) }

// Lstat looks at a file.
func (s subStore) Lstat(name string) (fs.FileInfo, error) { return s.store.Lstat(s.path(name)) }

// Stat is that of a plain file or directory: links are none here.
func (s subStore) Stat(name string) (fs.FileInfo, error) { return s.Lstat(name) }

func (s subStore) where(name string) string { return s.store.where(s.path(name)) }

// openStore finds out what lies at path.
func openStore(path string) (store, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return newDirStore(path), nil // the header is missing then, which is said with more
	case err != nil:
		return nil, err
	case info.IsDir():
		return newDirStore(path), nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is neither a corpus nor a packed one: it is no directory and no plain file", path)
	}
	return openPacked(path)
}
