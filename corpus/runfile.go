package corpus

import (
	"fmt"
	"path"
	"strings"
)

// fileKinds maps what a FileSpec's As can say to names of files.
var fileKinds = map[string]string{"events": EventsFile, "objects": ObjectsDir, "probes": ProbesFile, "progress": ProgressFile, "actions": ActionsFile}

// FilePath returns where a run keeps its file of a kind ("events", "objects",
// "probes", "progress", "actions") and key.
func FilePath(kind string, key FileKey) string {
	if kind == "objects" {
		return ObjectsDir + "/" + dotted(key.Moment, key.Cluster) + ndjsonSuffix
	}
	base, suffix, _ := strings.Cut(fileKinds[kind], ".")
	return dotted(base, key.Name, key.Cluster) + "." + suffix
}

// dotted joins what is not empty.
func dotted(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ".")
}

// Kind returns what the file holds: "metrics", "events", "objects", "probes",
// "progress", "actions", or "" for none of a run.
func (f *File) Kind() string {
	switch {
	case f.Path == MetricsFile:
		return "metrics"
	case path.Dir(f.Path) == ObjectsDir:
		return "objects"
	}
	base, _, _ := strings.Cut(f.Path, ".")
	if fileKinds[base] != "" && base != "objects" {
		return base
	}
	return ""
}

// MomentName returns the moment of a file of objects. Files of older corpora
// say it by their path alone.
func (f *File) MomentName() string {
	if f.Moment == "" && f.Kind() == "objects" {
		return strings.TrimSuffix(path.Base(f.Path), ndjsonSuffix)
	}
	return f.Moment
}

// check holds the path of a file to its key.
func (f *File) check() error {
	kind, key := f.Kind(), f.FileKey
	if kind == "objects" {
		key.Moment = f.MomentName()
	}
	want := f.Path
	if kind != "metrics" {
		want = FilePath(kind, key)
	}
	if kind == "" || want != f.Path || kind == "objects" && key.Name != "" || kind != "objects" && key.Moment != "" || kind == "metrics" && dotted(key.Name, key.Cluster) != "" {
		return fmt.Errorf("names file %q, which is none of a run", f.Path)
	}
	for _, part := range []struct{ kind, name string }{{"moment", key.Moment}, {"name", key.Name}, {"cluster", key.Cluster}} {
		if part.name == "" && (part.kind != "moment" || kind != "objects") {
			continue
		}
		if err := checkName(part.kind, part.name); err != nil {
			return fmt.Errorf("names file %q: %w", f.Path, err)
		}
	}
	if err := checkFields(kind, key.Fields, key.Values); err != nil {
		return fmt.Errorf("file %q: %w", f.Path, err)
	}
	return nil
}

// checkMoments reports moments that are named twice or have no name, and
// objects of a moment that is not named.
func (m *Manifest) checkMoments() error {
	seen := map[string]bool{}
	for _, x := range m.Moments {
		if err := checkName("moment", x.Name); err != nil {
			return err
		}
		if seen[x.Name] {
			return fmt.Errorf("names the moment %q twice", x.Name)
		}
		seen[x.Name] = true
	}
	for i := range m.Files {
		f := &m.Files[i]
		if len(m.Moments) > 0 && f.Kind() == "objects" && !seen[f.MomentName()] {
			return fmt.Errorf("file %q is of a moment that moments does not name", f.Path)
		}
	}
	return nil
}
