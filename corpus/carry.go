package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"
)

// maxCarried bounds one file of JSON that an import takes along, in bytes.
const maxCarried = 256 << 20

// carryFiles writes the files of the run that are not logs: each JSON value of
// the files that the description names, one a line. The items of a list, as
// kubectl prints it, are values of their own.
func (j *runJob) carryFiles() error {
	targets := map[string][]filePlan{}
	for _, f := range j.plan.files {
		name := fileKinds[f.spec.As]
		if f.spec.As == "objects" {
			moment, err := expand(f.spec.Moment, f.captures, nil)
			if err == nil {
				err = checkName("moment", moment)
			}
			if err != nil {
				return fmt.Errorf("%s: moment: %w", f.name, err)
			}
			name = ObjectsDir + "/" + moment + ndjsonSuffix
		}
		targets[name] = append(targets[name], f)
	}
	for _, name := range sortedKeys(targets) {
		if err := j.carry(name, targets[name]); err != nil {
			return err
		}
	}
	return nil
}

func (j *runJob) carry(name string, from []filePlan) (err error) {
	slices.SortFunc(from, func(a, b filePlan) int { return strings.Compare(a.name, b.name) })
	w, err := j.out.file(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	for _, f := range from {
		raw, err := openRaw(j.im.fsys, f.name, Limits{Bytes: maxCarried})
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		text, err := io.ReadAll(raw)
		if err = errors.Join(err, raw.Close()); err == nil {
			err = eachValue(text, w.line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	w.info.Source = path.Base(from[0].name)
	return nil
}

// eachValue calls f with each JSON value of text, on one line.
func eachValue(text []byte, f func([]byte) error) error {
	var line bytes.Buffer
	one := func(value []byte) error {
		line.Reset()
		if err := json.Compact(&line, value); err != nil {
			return err
		}
		return f(line.Bytes())
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		var value json.RawMessage
		if err := dec.Decode(&value); err == io.EOF {
			return nil
		} else if err != nil {
			return jsonError(text, err)
		}
		items := gjson.ParseBytes(value)
		if items.IsObject() && strings.HasSuffix(items.Get("kind").Str, "List") {
			items = items.Get("items")
		}
		if !items.IsArray() {
			if err := one(value); err != nil {
				return err
			}
			continue
		}
		var err error
		items.ForEach(func(_, item gjson.Result) bool {
			err = one([]byte(item.Raw))
			return err == nil
		})
		if err != nil {
			return err
		}
	}
}

// A fileWriter writes a file of a run that is no log, line by line.
type fileWriter struct {
	run    *RunWriter
	info   File
	file   *os.File
	sum    hash.Hash
	frames *frameWriter // of a compressed file, else nil
}

// file adds a file to the run.
func (r *RunWriter) file(name string) (*fileWriter, error) {
	if !knownFile(name) {
		return nil, fmt.Errorf("%s is no file of a run", name)
	}
	at := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w := &fileWriter{run: r, info: File{Path: name}, file: f, sum: sha256.New()}
	if strings.HasSuffix(name, ".zst") {
		if w.frames, err = newFrameWriter(w); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return w, nil
}

// Write takes bytes as they are stored.
func (w *fileWriter) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	w.sum.Write(b[:n])
	w.info.Bytes += int64(n)
	return n, err
}

func (w *fileWriter) line(b []byte) error {
	if w.frames == nil {
		_, err := w.Write(append(b, '\n'))
		return err
	}
	if len(b) >= maxFrame {
		return fmt.Errorf("a value of %d bytes; at most %d are allowed", len(b), maxFrame-1)
	}
	if err := w.frames.room(len(b) + 1); err != nil {
		return err
	}
	w.frames.text = append(append(w.frames.text, b...), '\n')
	return nil
}

func (w *fileWriter) close() error {
	var err error
	if w.frames != nil {
		err = w.frames.flush()
		w.frames.enc.Close()
	}
	if err = errors.Join(err, w.file.Sync(), w.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", w.info.Path, err)
	}
	w.info.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	w.run.manifest.Files = append(w.run.manifest.Files, w.info)
	return nil
}

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
