package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/stillfires/stillfires/corpus/archive"
)

// Unpack makes a corpus in the directory dir of a file that [Pack] wrote, or of
// another tar archive that holds a corpus. The directory is made; where it is
// there it must be empty. All is checked, each checksum too, before it takes its
// place, so that after an error nothing is left.
func Unpack(ctx context.Context, file, dir string, limits archive.Limits) (report *PackReport, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // opened for reading
	if info, err := in.Stat(); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, fmt.Errorf("%s: is a directory; name the file that was packed", file)
	}
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(dir)), ".unpacking-*")
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", file, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	whole := filepath.Join(tmp, "corpus") // not tmp, which is for one user alone
	if err := os.Mkdir(whole, 0o777); err != nil {
		return nil, err
	}
	report = &PackReport{Path: dir}
	sums, err := extract(ctx, file, in, whole, limits, report)
	if err != nil {
		return nil, err
	}
	if err := report.check(file, whole, sums); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return report, place(whole, dir)
}

func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s: is not empty (it holds %s); name a new directory", dir, entries[0].Name())
	}
	return nil
}

// extract writes the members below dir and returns their checksums by name.
func extract(ctx context.Context, file string, in *os.File, dir string, limits archive.Limits, report *PackReport) (map[string]string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	err = archive.Extract(ctx, file, in, archive.Options{Limits: limits, Portable: true}, root, func(m archive.Member, sum string) {
		if m.Dir {
			return
		}
		sums[m.Name] = sum
		report.Files++
		report.Bytes += m.Size
	})
	return sums, errors.Join(err, root.Close())
}

// check opens what was extracted and compares all checksums.
func (rep *PackReport) check(file, dir string, sums map[string]string) error {
	c, errs := openIn(file, dirStore{dir, file + ":"})
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, r := range c.runs {
		want := map[string]string{}
		for _, s := range r.Manifest.Streams {
			want[s.File] = s.SHA256
		}
		for _, f := range r.Manifest.Files {
			want[f.Path] = f.SHA256
		}
		for _, name := range sortedKeys(want) {
			if full := path.Join(runsDir, r.String(), name); sums[full] != want[name] {
				errs = append(errs, fmt.Errorf("%s: checksum does not agree with run.json; the file was changed or damaged", r.Path(name)))
			}
		}
	}
	rep.Digest, rep.Runs = c.Digest(), len(c.runs)
	return errors.Join(errs...)
}

// place moves the directory from to dir, which is missing or empty.
func place(from, dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(from, dir); err != nil {
		return err
	}
	return syncDir(filepath.Dir(filepath.Clean(dir)))
}
