package rules

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stillfires/stillfires/internal/source"
)

// An input is a file to read.
type input struct {
	path  string
	named bool // by its own path, not by a folder or a glob
}

// expand turns files, folders and globs into the files to read, ordered by
// path. A path that is there is taken as it is, even if it looks like a glob.
func expand(paths []string) ([]input, []*source.Error) {
	w := walker{folders: map[string]bool{}}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err == nil && info.IsDir():
			w.folder(filepath.Clean(p))
		case err == nil:
			w.inputs = append(w.inputs, input{path: filepath.Clean(p), named: true})
		case strings.ContainsAny(p, "*?[{"):
			w.glob(p)
		default:
			w.fault(p, cause(err).Error(), "check the path")
		}
	}
	return w.files(), w.problems
}

// walker gathers files.
type walker struct {
	inputs   []input
	problems []*source.Error
	folders  map[string]bool // real paths of the folders seen: links can make circles
}

func (w *walker) fault(path, msg, hint string) {
	w.problems = append(w.problems, pathError(path, msg, hint))
}

// glob adds what a pattern matches. Like a shell it leaves out names that
// begin with a dot unless the pattern spells the dot.
func (w *walker) glob(pattern string) {
	if !doublestar.ValidatePathPattern(pattern) {
		w.fault(pattern, "the pattern is not valid", "close its brackets and braces")
		return
	}
	matches, err := doublestar.FilepathGlob(pattern, doublestar.WithNoHidden(), doublestar.WithFailOnIOErrors())
	if err != nil {
		w.fault(pattern, cause(err).Error(), "")
		return
	}
	if len(matches) == 0 {
		w.fault(pattern, "no file matches the pattern", "check the path")
	}
	for _, m := range matches {
		info, err := os.Stat(m)
		switch {
		case err != nil:
			w.fault(m, cause(err).Error(), "")
		case info.IsDir():
			w.folder(m)
		case info.Mode().IsRegular():
			w.inputs = append(w.inputs, input{path: filepath.Clean(m)})
		}
	}
}

// folder adds the files of a folder that may hold rules. A mounted ConfigMap
// shows each key as a link into the folder ..data, itself a link; the names
// with dots are left out, and the links are followed.
func (w *walker) folder(dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		w.fault(dir, cause(err).Error(), "")
		return
	}
	if w.folders[real] {
		return
	}
	w.folders[real] = true
	entries, err := os.ReadDir(dir) // ordered by name
	if err != nil {
		w.fault(dir, cause(err).Error(), "")
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		p := filepath.Join(dir, e.Name())
		info, err := os.Stat(p)
		switch {
		case err != nil && mayHoldRules(p):
			w.fault(p, cause(err).Error(), "")
		case err != nil:
		case info.IsDir():
			w.folder(p)
		case info.Mode().IsRegular() && mayHoldRules(p):
			w.inputs = append(w.inputs, input{path: p})
		}
	}
}

// mayHoldRules reports whether a file of a folder is looked into. Rulers store
// rule files under names without extension.
func mayHoldRules(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == "" || yamlExtension(ext) || textExtension(ext)
}

func yamlExtension(ext string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json", ".rules"}, ext)
}

// files returns the inputs ordered by path, each file once.
func (w *walker) files() []input {
	slices.SortStableFunc(w.inputs, func(a, b input) int {
		return cmp.Or(cmp.Compare(a.path, b.path), compareBool(b.named, a.named))
	})
	seen := map[string]int{}
	var files []input
	for _, in := range w.inputs {
		real, err := filepath.EvalSymlinks(in.path)
		if err != nil {
			real = in.path
		}
		if abs, err := filepath.Abs(real); err == nil {
			real = abs
		}
		if i, ok := seen[real]; ok {
			files[i].named = files[i].named || in.named
			continue
		}
		seen[real] = len(files)
		files = append(files, in)
	}
	return files
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
