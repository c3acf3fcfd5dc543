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
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// maxCarried bounds one file of JSON that an import takes along, in bytes.
const maxCarried = 256 << 20

// carryFiles writes the files of the run that are not logs: each JSON value of
// the files that the description names, one a line. The items of a list, as
// kubectl prints it, are values of their own.
func (j *runJob) carryFiles() error {
	targets := map[string]*carried{}
	for _, f := range j.plan.files {
		key, err := f.spec.key(f.captures)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		info := File{Path: FilePath(f.spec.As, key), FileKey: key}
		t := targets[info.Path]
		if t == nil {
			t = &carried{info: info}
			targets[info.Path] = t
		}
		if !reflect.DeepEqual(t.info.FileKey, key) {
			return fmt.Errorf("%s: goes into %s, as %s does, but has other fields, values or names; give its entry of files a name", f.name, info.Path, t.from[0])
		}
		t.from = append(t.from, f.name)
	}
	for _, name := range sortedKeys(targets) {
		if err := j.carry(targets[name]); err != nil {
			return err
		}
	}
	return nil
}

// A carried is a file of the corpus with the files that it is made of.
type carried struct {
	info File
	from []string
}

func (j *runJob) carry(t *carried) (err error) {
	slices.Sort(t.from)
	t.info.Source = j.sourceOf(t.from)
	w, err := j.out.file(t.info)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	line := w.line
	if w.info.Kind() == "events" {
		line = onceEach(line)
	}
	for _, name := range t.from {
		raw, err := openRaw(j.im.fsys, name, Limits{Bytes: maxCarried})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, err := io.ReadAll(raw)
		if err = errors.Join(err, raw.Close()); err == nil && isYAML(name) {
			text, err = yamlAsJSON(text)
		}
		if err == nil {
			err = eachValue(text, line)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// sourceOf names the files that one of the corpus was made of, by their path in
// the run's directory: the one, or its folder with a star where they differ.
func (j *runJob) sourceOf(names []string) string {
	common := strings.TrimPrefix(names[0], j.plan.dir+"/")
	if len(names) == 1 {
		return common
	}
	for _, name := range names[1:] {
		name = strings.TrimPrefix(name, j.plan.dir+"/")
		n := 0
		for n < min(len(common), len(name)) && common[n] == name[n] {
			n++
		}
		common = common[:n]
	}
	return strings.ToValidUTF8(common, "") + "*"
}

// onceEach passes on values that were not there before. Each moment's list of
// events has those of the moments before it.
func onceEach(f func([]byte) error) func([]byte) error {
	seen := map[[sha256.Size]byte]bool{}
	return func(value []byte) error {
		sum := sha256.Sum256(value)
		if seen[sum] {
			return nil
		}
		seen[sum] = true
		return f(value)
	}
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
		typed := typeOfItems(items)
		if list := items.Get("items"); list.Exists() && items.IsObject() && strings.HasSuffix(items.Get("kind").Str, "List") {
			if list.Type == gjson.Null {
				continue
			}
			items = list
		}
		if !items.IsArray() {
			if err := one(value); err != nil {
				return err
			}
			continue
		}
		var err error
		items.ForEach(func(_, item gjson.Result) bool {
			err = one(typed(item))
			return err == nil
		})
		if err != nil {
			return err
		}
	}
}

// typeOfItems returns what gives an item of a list such as PodList the list's
// apiVersion and kind, which an API server leaves out there.
func typeOfItems(list gjson.Result) func(gjson.Result) []byte {
	kind, ok := strings.CutSuffix(list.Get("kind").Str, "List")
	version := list.Get("apiVersion").Str
	if !ok || kind == "" || version == "" {
		return func(item gjson.Result) []byte { return []byte(item.Raw) }
	}
	return func(item gjson.Result) []byte {
		if !item.IsObject() || item.Get("kind").Exists() {
			return []byte(item.Raw)
		}
		text := "{" + `"apiVersion":` + quoted(version) + `,"kind":` + quoted(kind)
		rest := strings.TrimSpace(strings.TrimSpace(item.Raw)[1:])
		if rest != "}" {
			text += ","
		}
		return []byte(text + rest)
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // no text fails
	return string(b)
}

// A fileWriter writes a file of a run that is no log, line by line.
type fileWriter struct {
	run    *RunWriter
	info   File
	file   *os.File
	sum    hash.Hash
	frames *frameWriter                      // of a compressed file, else nil
	clean  func(line []byte) ([]byte, error) // nil: nothing is redacted
}

// file adds a file to the run.
func (r *RunWriter) file(info File) (*fileWriter, error) {
	name := info.Path
	c := r.cleaner()
	if c != nil {
		if err := cleanKey(c, &info); err != nil {
			return nil, fmt.Errorf("run %s: %w", r.info, err)
		}
	}
	if err := info.check(); err != nil {
		return nil, err
	}
	at := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	w := &fileWriter{run: r, info: info, file: f, sum: sha256.New()}
	if c != nil {
		w.clean = newLineCleaner(c, &w.info)
	}
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
	if w.clean != nil {
		var err error
		if b, err = w.clean(b); err != nil {
			return err
		}
	}
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
