package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// load reads a run's manifest and compares it with the files that are there.
func (c *Corpus) load(info RunInfo) (*Run, error) {
	r := &Run{RunInfo: info, files: subStore{c.files, path.Join(runsDir, info.String())}}
	text, err := readBounded(r.files, runFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: the run is unfinished", r.Path(runFile), fs.ErrNotExist)
	}
	if err == nil {
		r.Manifest, r.checksum, err = decodeManifest(text)
	}
	if err == nil {
		err = r.Manifest.check(info)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Path(runFile), err)
	}
	return r, r.checkFiles()
}

// sizes returns the files that the manifest names, with their sizes.
func (m *Manifest) sizes() map[string]int64 {
	want := make(map[string]int64, len(m.Streams)+len(m.Files))
	for _, s := range m.Streams {
		want[s.File] = s.FileBytes
	}
	for _, f := range m.Files {
		want[f.Path] = f.Bytes
	}
	return want
}

// checkFiles reports files that are missing, of another size or kind, or not
// named by the manifest.
func (r *Run) checkFiles() error {
	want := r.Manifest.sizes()
	var errs []error
	err := fs.WalkDir(r.files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "." || name == runFile:
			return nil
		case d.IsDir():
			if name != logsDir && name != ObjectsDir {
				errs = append(errs, foreign(r.Path(name)))
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			errs = append(errs, fmt.Errorf("%s: is not a plain file; a corpus holds no links or devices", r.Path(name)))
		}
		size, named := want[name]
		if !named {
			errs = append(errs, foreign(r.Path(name)))
			return nil
		}
		delete(want, name)
		stat, err := d.Info()
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && stat.Size() != size {
			errs = append(errs, fmt.Errorf("%s: is %d bytes long; run.json says %d: it was cut short or changed", r.Path(name), stat.Size(), size))
		}
		return nil
	})
	if err != nil {
		errs = append(errs, fmt.Errorf("%s: %w", r.Path("."), err))
	}
	missing := make([]string, 0, len(want))
	for name := range want {
		missing = append(missing, name)
	}
	slices.Sort(missing)
	for _, name := range missing {
		errs = append(errs, fmt.Errorf("%s: %w, but run.json names it", r.Path(name), fs.ErrNotExist))
	}
	return errors.Join(errs...)
}

// check holds a manifest to the rules that do not need its files.
func (m *Manifest) check(info RunInfo) error {
	if got := (RunInfo{m.Build, m.Scenario.Name, m.Repetition}); got != info {
		return fmt.Errorf("is the manifest of run %s; it lies in the place of %s", got, info)
	}
	if err := m.checkNames(); err != nil {
		return err
	}
	switch m.Completeness.State {
	case Complete, Incomplete:
	default:
		return fmt.Errorf("completeness is %q; want %q or %q", m.Completeness.State, Complete, Incomplete)
	}
	if len(m.Builds) == 0 {
		return errors.New("names no builds")
	}
	if w := m.Scenario.Window; w != nil && w.End.Before(w.Start) {
		return errors.New("the window ends before it starts")
	}
	for _, e := range m.Scenario.Expectations {
		if !slices.Contains([]string{"must-fire", "must-stay-silent", "must-clear"}, e.Expect) {
			return fmt.Errorf("rule %q: expectation %q is none of must-fire, must-stay-silent, must-clear", e.Rule, e.Expect)
		}
	}
	for i := range m.Streams {
		s := &m.Streams[i]
		if err := s.check(len(m.Builds)); err != nil {
			return fmt.Errorf("stream %q: %w", s.Name, err)
		}
		if i > 0 {
			switch c := m.Streams[i-1].LabelSet().Compare(s.LabelSet()); {
			case c == 0:
				return fmt.Errorf("streams %q and %q have the same labels %s", m.Streams[i-1].Name, s.Name, s.LabelSet())
			case c > 0:
				return fmt.Errorf("streams %q and %q are not ordered by labels", m.Streams[i-1].Name, s.Name)
			}
		}
	}
	if err := m.checkMoments(); err != nil {
		return err
	}
	return m.checkPaths()
}

func (m *Manifest) checkNames() error {
	for _, err := range []error{checkName("build", m.Build), checkName("scenario", m.Scenario.Name)} {
		if err != nil {
			return err
		}
	}
	if m.Repetition < 1 {
		return fmt.Errorf("repetition is %d; want 1 or more", m.Repetition)
	}
	return nil
}

// checkPaths holds the names of files to those of the format, each once.
func (m *Manifest) checkPaths() error {
	seen := map[string]bool{runFile: true}
	add := func(name string) error {
		if err := checkPath(name); err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("names %s twice", name)
		}
		seen[name] = true
		return nil
	}
	for _, s := range m.Streams {
		if s.File != logsDir+"/"+s.Name+logSuffix && s.File != logsDir+"/"+s.Name+ndjsonSuffix {
			return fmt.Errorf("stream %q: its file %q is not logs/%s%s or %s", s.Name, s.File, s.Name, logSuffix, ndjsonSuffix)
		}
		if err := add(s.File); err != nil {
			return err
		}
	}
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.check(); err != nil {
			return err
		}
		if f.Bytes < 0 || !isSHA256(f.SHA256) {
			return fmt.Errorf("file %q has no size or no SHA-256", f.Path)
		}
		if err := add(f.Path); err != nil {
			return err
		}
	}
	return nil
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func (s *Stream) check(builds int) error {
	if err := checkName("stream", s.Name); err != nil {
		return err
	}
	switch {
	case s.Records < 0 || s.Bytes < 0 || s.FileBytes < 0 || s.Unparseable < 0 || s.Unparseable > s.Records || s.Cut < 0 || s.Cut > s.Records:
		return errors.New("has counts that cannot be")
	case !isSHA256(s.SHA256):
		return errors.New("has no SHA-256")
	case (s.Records == 0) != (s.First == nil) || (s.First == nil) != (s.Last == nil):
		return errors.New("must have a first and last time if it has records, and only then")
	case s.First != nil && s.Last.Before(*s.First):
		return errors.New("last time is before the first")
	}
	for name := range s.Labels {
		if err := CheckLabelName(name); err != nil {
			return err
		}
	}
	if c := s.Coverage; c != nil && (c.To.Before(c.From) || !(c.Share >= 0 && c.Share <= 1)) {
		return errors.New("its coverage cannot be")
	}
	return s.checkEpochs(builds)
}

// checkEpochs reports epochs that do not follow one another over all records.
func (s *Stream) checkEpochs(builds int) error {
	at := int64(0)
	for i, e := range s.Epochs {
		if e.Build < 0 || e.Build >= builds {
			return fmt.Errorf("epoch %d is of build %d; there are %d", i+1, e.Build, builds)
		}
		if e.Start != at || e.Records < 0 {
			return fmt.Errorf("epoch %d starts at record %d; the one before ends at %d", i+1, e.Start, at)
		}
		at += e.Records
	}
	if len(s.Epochs) > 0 && at != s.Records {
		return fmt.Errorf("its epochs hold %d records; it has %d", at, s.Records)
	}
	return nil
}

// CheckLabelName reports whether name is a label name that LogQL can select.
func CheckLabelName(name string) error {
	for i, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && c >= '0' && c <= '9') {
			return fmt.Errorf("label name %q: want letters, digits and _, not a digit first", name)
		}
	}
	if name == "" {
		return errors.New("a label has no name")
	}
	return nil
}
