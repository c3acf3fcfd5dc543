package compare

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/repair"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// maxPatchedFile bounds the files that are changed, in bytes.
const maxPatchedFile = 16 << 20

// A patcher makes the diffs of repairs, file by file: a file is read again
// after its rules were changed, to see that nothing else changed with them.
type patcher struct {
	files []*patched
}

// A patched file has the repairs of its rules.
type patched struct {
	path    string
	repairs []*analyzer.Repair
	changes []rules.Change // of repairs
}

func (p *patcher) add(path string, r *analyzer.Repair, c rules.Change) {
	i := slices.IndexFunc(p.files, func(f *patched) bool { return f.path == path })
	if i < 0 {
		i = len(p.files)
		p.files = append(p.files, &patched{path: path})
	}
	p.files[i].repairs = append(p.files[i].repairs, r)
	p.files[i].changes = append(p.files[i].changes, c)
}

// patch fills in the diffs of all repairs, or why there is none, and returns
// those of all files in one. It is to be applied in the working folder or, if a
// file lies outside of it, in the root.
func (p *patcher) patch() (text string, fromRoot bool) {
	slices.SortFunc(p.files, func(a, b *patched) int { return strings.Compare(a.path, b.path) })
	wd, err := os.Getwd()
	fromRoot = err == nil && slices.ContainsFunc(p.files, func(f *patched) bool { return below(wd, f.shown()) == "" })
	var out strings.Builder
	for _, f := range p.files {
		name := filepath.ToSlash(filepath.Clean(f.shown()))
		switch {
		case err != nil:
		case fromRoot:
			name = filepath.ToSlash(absolute(wd, f.shown()))
		default:
			name = below(wd, f.shown())
		}
		out.WriteString(f.patch(name))
	}
	return out.String(), fromRoot
}

// shown is the path of the file as the report has it.
func (f *patched) shown() string { return f.changes[0].Rule.Pos.File }

// below returns the slash path of a file from a folder that it is in; empty: it
// is not.
func below(folder, file string) string {
	rel, err := filepath.Rel(folder, absolute(folder, file))
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func absolute(folder, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(folder, file)
}

// patch returns the diff of the file, under a name.
func (f *patched) patch(name string) string {
	shown := f.shown()
	text, err := readRules(f.path)
	if err != nil {
		for _, r := range f.repairs {
			r.NoDiff = source.Clip(err.Error(), 300)
		}
		return ""
	}
	all, each := rules.NewEditor(shown, text).RewriteAll(f.changes)
	for i, r := range f.repairs {
		if err := each[i].Err; err != nil {
			r.NoDiff = source.Clip(err.Error(), 300)
			continue
		}
		if r.Diff = repair.Diff(name, text, each[i].Text); repair.LongLines(r.Diff) {
			r.Diff, r.NoDiff = "", "the line of the file is too long to be shown"
		}
	}
	return repair.Diff(name, text, all)
}

func readRules(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxPatchedFile {
		return nil, errors.New("the file is too large")
	}
	return os.ReadFile(path)
}
