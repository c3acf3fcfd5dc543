package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/stillfires/stillfires/internal/logs"
)

// A Redactor cleans what a [Writer] writes. Safe for concurrent use.
type Redactor interface {
	// NewCleaner returns what cleans the records of one stream, or the values
	// of one file, in their order.
	NewCleaner() Cleaner
	// Record returns what run.json says of the redaction; the writer fills in
	// the counts.
	Record() Redaction
}

// A Cleaner replaces secrets. What it returns is valid until its next call.
// Cleaning what was cleaned changes nothing. Not for concurrent use.
type Cleaner interface {
	// Line cleans a record of a log.
	Line(line []byte) []byte
	// Value cleans a value of JSON, on one line.
	Value(value []byte) []byte
	// Label cleans the value of a label. Values that differ stay different.
	Label(name, value string) string
	// Text cleans any text.
	Text(text string) string
	// Count adds what was replaced so far, by kind.
	Count(counts map[string]int64)
}

// Redact has all runs that are begun from here on cleaned as they are written:
// records, values, labels, scrapes and the texts of run.json. When a run is
// sealed it is read again, and what a second cleaning would still change is an
// error, so that no secret that is known lies in the corpus.
func (w *Writer) Redact(r Redactor) { w.redactor = r }

// A SecretNameError says that a name which makes up the corpus holds what the
// policy takes out. Names cannot be replaced: others refer to them.
type SecretNameError struct{ What, Name string }

// Error names the name, which its owner knows, and says what to do.
func (e *SecretNameError) Error() string {
	return fmt.Sprintf("%s %q holds what is to be redacted; give it another name", e.What, e.Name)
}

// cleaner returns a new cleaner of the run, nil if it is not redacted.
func (r *RunWriter) cleaner() Cleaner {
	if r.w.redactor == nil {
		return nil
	}
	c := r.w.redactor.NewCleaner()
	r.cleaners = append(r.cleaners, c)
	return c
}

// cleanLabels cleans the values of labels.
func cleanLabels(c Cleaner, ls logs.Labels) logs.Labels {
	out := make([]logs.Label, len(ls))
	for i, l := range ls {
		out[i] = logs.Label{Name: l.Name, Value: c.Label(l.Name, l.Value)}
	}
	return logs.New(out...)
}

// cleanKey cleans what tells a file from others of its run.
func cleanKey(c Cleaner, f *File) error {
	for _, n := range []struct{ what, name string }{{"moment", f.Moment}, {"name of a file", f.Name}, {"cluster", f.Cluster}} {
		if c.Text(n.name) != n.name {
			return &SecretNameError{n.what, n.name}
		}
	}
	f.Source = c.Text(f.Source)
	f.Values = maps.Clone(f.Values)
	for name, v := range f.Values {
		f.Values[name] = c.Label(name, v)
	}
	return nil
}

// structural are the keys of run.json that refer to each other, to files or to
// rules, as paths without the numbers of lists. They are not changed.
var structural = []string{
	"format", "version", "build", "repetition", "scenario.name", "scenario.loadOf", "scenario.expectations.rule",
	"builds.name", "moments.name", "streams.name", "streams.file", "streams.sha256", "files.path", "files.moment", "files.name",
	"files.cluster", "files.sha256", "checksum", "redaction.policy", "redaction.keyID", "capture.id",
}

// namedTexts are the keys of run.json that map names to texts.
var namedTexts = []string{"scenario.parameters", "environment.nodes", "environment.devices", "environment.components", "streams.labels", "files.values"}

// clean cleans the texts of a manifest and records what was done to the run.
func (m *Manifest) clean(c Cleaner, record Redaction, all []Cleaner) error {
	before := m.Redaction
	m.Redaction = nil
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var tree map[string]any
	if err := dec.Decode(&tree); err != nil {
		return err
	}
	cleaned, err := cleanTree(c, tree, "")
	if err != nil {
		return err
	}
	if text, err = json.Marshal(cleaned); err != nil {
		return err
	}
	var out Manifest
	if err := strictJSON(text, &out); err != nil {
		return err
	}
	for i := range out.Streams {
		for j := range out.Streams[i].Sources {
			// The hash of a text of which little is unknown tells the rest.
			out.Streams[i].Sources[j].SHA256 = ""
		}
	}
	counts := map[string]int64{}
	for _, c := range all {
		c.Count(counts)
	}
	record.Counts = counts
	out.Redaction = &record
	out.recordEarlier(before)
	*m = out
	return nil
}

// recordEarlier takes over what an earlier redaction recorded of the run.
func (m *Manifest) recordEarlier(before *Redaction) {
	if before == nil {
		return
	}
	now := m.Redaction
	for kind, n := range before.Counts {
		now.Counts[kind] += n
	}
	if !slices.Contains(strings.Split(before.Policy, ", "), now.Policy) {
		now.Policy = before.Policy + ", " + now.Policy
	} else {
		now.Policy = before.Policy
	}
	if before.KeyID != now.KeyID {
		m.Notes = append(m.Notes, fmt.Sprintf("was redacted before with key %s; tokens of that key stand for values that no other run's tokens stand for", before.KeyID))
	}
}

func cleanTree(c Cleaner, v any, path string) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text, ok := v[key].(string); ok && slices.Contains(namedTexts, path) {
				v[key] = c.Label(key, text)
				continue
			}
			var err error
			if v[key], err = cleanTree(c, v[key], strings.TrimPrefix(path+"."+key, ".")); err != nil {
				return nil, err
			}
		}
	case []any:
		if allTexts(v) {
			return cleanTexts(c, v)
		}
		for i := range v {
			var err error
			if v[i], err = cleanTree(c, v[i], path); err != nil {
				return nil, err
			}
		}
	case string:
		clean := c.Text(v)
		if clean != v && slices.Contains(structural, path) {
			return nil, &SecretNameError{path, v}
		}
		return clean, nil
	}
	return v, nil
}

func allTexts(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

// cleanTexts cleans a list of texts as a list: of flags one can be the value of
// the one before it.
func cleanTexts(c Cleaner, list []any) (any, error) {
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	var out []any
	err = json.Unmarshal(c.Value(text), &out)
	if err == nil && len(out) != len(list) {
		err = errors.New("a redacted list has another length")
	}
	return out, err
}

// proveClean reads the run as it was written and reports what another cleaning
// would change.
func (r *RunWriter) proveClean() error {
	dec, err := newDecoder()
	if err != nil {
		return err
	}
	defer dec.Close()
	for i := range r.manifest.Streams {
		if err := r.proveStream(&r.manifest.Streams[i], dec); err != nil {
			return err
		}
	}
	for i := range r.manifest.Files {
		if err := r.proveFile(&r.manifest.Files[i], dec); err != nil {
			return err
		}
	}
	return nil
}

func unclean(name string, line int64) error {
	return fmt.Errorf("%s:%d: is not clean after it was redacted; nothing was kept: please report this with the policy", name, line)
}

func (r *RunWriter) proveStream(s *Stream, dec *zstd.Decoder) error {
	f, err := os.Open(filepath.Join(r.dir, filepath.FromSlash(s.File)))
	if err != nil {
		return err
	}
	in := &streamReader{path: s.File, want: s, frames: newFrameReader(f, dec, 0), ndjson: strings.HasSuffix(s.File, ndjsonSuffix)}
	c := r.w.redactor.NewCleaner()
	for in.scan() {
		if e := &in.entry; !bytes.Equal(c.Line(e.Line), e.Line) || len(e.Metadata) > 0 && cleanLabels(c, e.Metadata).Compare(e.Metadata) != 0 {
			return errors.Join(unclean(s.File, in.scanned), f.Close())
		}
	}
	return errors.Join(in.fault(), f.Close())
}

func (r *RunWriter) proveFile(info *File, dec *zstd.Decoder) error {
	f, err := os.Open(filepath.Join(r.dir, filepath.FromSlash(info.Path)))
	if err != nil {
		return err
	}
	in := &checkedFile{path: info.Path, file: f, want: info.SHA256, sum: newSum()}
	if strings.HasSuffix(info.Path, ".zst") {
		in.frames = newFrameReader(f, dec, 0)
	}
	clean := newLineCleaner(r.w.redactor.NewCleaner(), info)
	lines := newValueScanner(in)
	n := int64(0)
	for lines.Scan() {
		n++
		out, err := clean(lines.Bytes())
		if err == nil && !bytes.Equal(out, lines.Bytes()) {
			err = unclean(info.Path, n)
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(lines.Err(), f.Close())
}
