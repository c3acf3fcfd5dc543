package main

import (
	"context"
	"errors"
	"os"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/archive"
)

// An importRoot is the folder that is imported: as it was named, or a private
// one into which an archive was unpacked.
type importRoot struct {
	dir   string
	temp  bool
	links []corpus.LeftOut // of the archive
}

// openImportRoot unpacks root if it is an archive. With links set its links are
// left out and listed; without, they are errors. The caller calls remove, also
// after an interrupt.
func openImportRoot(ctx context.Context, root string, links bool) (r *importRoot, err error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &importRoot{dir: root}, nil
	}
	in, err := os.Open(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // opened for reading
	dir, err := os.MkdirTemp("", "stillfires-")
	if err != nil {
		return nil, err
	}
	r = &importRoot{dir: dir, temp: true}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.remove())
		}
	}()
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	err = archive.Extract(ctx, root, in, archive.Options{Links: links}, top, func(m archive.Member, _ string) {
		if m.Link != "" {
			r.links = append(r.links, corpus.LeftOut{File: m.Name, Why: "is a link, and links are not followed"})
		}
	})
	return r, errors.Join(err, top.Close())
}

// remove deletes what was unpacked.
func (r *importRoot) remove() error {
	if !r.temp {
		return nil
	}
	return os.RemoveAll(r.dir)
}
