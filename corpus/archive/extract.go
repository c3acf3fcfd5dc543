package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
)

// Extract writes the members of an archive below root. Each file is made anew;
// where one of its name is there already, that is an error, so what another
// system takes for one name is found out too. Links are left out. After each
// member done is called, with the SHA-256 of a file in hex; done may be nil.
// After an error what was written stays; the caller deletes it.
func Extract(ctx context.Context, name string, in io.Reader, opt Options, root *os.Root, done func(m Member, sha256 string)) error {
	if done == nil {
		done = func(Member, string) {}
	}
	made := map[string]bool{".": true}
	return Walk(ctx, name, in, opt, func(m Member, content io.Reader) error {
		sum := ""
		switch {
		case m.Link != "":
		case m.Dir:
			if err := makeDir(root, m.Name, made); err != nil {
				return err
			}
		default:
			if err := makeDir(root, path.Dir(m.Name), made); err != nil {
				return err
			}
			var err error
			if sum, err = writeFile(root, m.Name, content); err != nil {
				return err
			}
		}
		done(m, sum)
		return nil
	})
}

func makeDir(root *os.Root, name string, made map[string]bool) error {
	if made[name] {
		return nil
	}
	made[name] = true
	return root.MkdirAll(name, 0o777)
}

func writeFile(root *os.Root, name string, content io.Reader) (string, error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, sum), content)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
