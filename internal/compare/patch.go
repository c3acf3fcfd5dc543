package compare

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/repair"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// Bounds on the work of patching: a file is read again for every change, to
// see that nothing else changed.
const (
	maxPatchedFile = 16 << 20  // bytes
	maxPatchedAll  = 128 << 20 // bytes that are read, of all files together
)

// A patcher changes the files of rules, in memory.
type patcher struct {
	texts map[string]*patched // by path
	names []string            // paths, in the order in which they came
	read  int                 // bytes
}

// A patched file is one before and after all changes so far.
type patched struct {
	name          string // in diffs
	before, after []byte
}

// diff returns the diff of one change of a rule, or why there is none.
func (p *patcher) diff(path string, rule *rules.Rule, parts []rules.Replacement) (diff, why string) {
	diff, err := p.change(path, rule, parts)
	if err != nil {
		return "", source.Clip(err.Error(), 300)
	}
	return diff, ""
}

func (p *patcher) change(path string, rule *rules.Rule, parts []rules.Replacement) (string, error) {
	file, err := p.open(path, rule.Pos.File)
	if err != nil {
		return "", err
	}
	if p.read += len(file.before); p.read > maxPatchedAll {
		return "", errors.New("the files are too large to be changed that often")
	}
	out, err := rule.Rewrite(file.before, parts)
	if err != nil {
		return "", err
	}
	diff := repair.Diff(file.name, file.before, out)
	if repair.LongLines(diff) {
		return "", errors.New("the line of the file is too long to be shown")
	}
	p.add(file, rule, parts)
	return diff, nil
}

// add makes the change in the file in which all are made. Two rules can stand
// in the same text; then the first change holds.
func (p *patcher) add(file *patched, rule *rules.Rule, parts []rules.Replacement) {
	set := rules.LoadText(rule.Pos.File, file.after)
	original := rules.LoadText(rule.Pos.File, file.before)
	at := slices.IndexFunc(original.Rules, func(r rules.Rule) bool {
		return r.Pos == rule.Pos && r.Name == rule.Name && r.Group == rule.Group && r.Kind == rule.Kind
	})
	if at < 0 || at >= len(set.Rules) || set.Rules[at].Expr != rule.Expr {
		return
	}
	if out, err := set.Rules[at].Rewrite(file.after, parts); err == nil {
		file.after = out
	}
}

func (p *patcher) open(path, shown string) (*patched, error) {
	if file, ok := p.texts[path]; ok {
		return file, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxPatchedFile {
		return nil, errors.New("the file is too large")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file := &patched{name: patchName(shown), before: text, after: text}
	p.texts[path] = file
	p.names = append(p.names, path)
	return file, nil
}

// patch returns the diffs of all files, one after the other.
func (p *patcher) patch() string {
	var out strings.Builder
	slices.Sort(p.names)
	for _, path := range p.names {
		file := p.texts[path]
		out.WriteString(repair.Diff(file.name, file.before, file.after))
	}
	return out.String()
}

// patchName returns the name of a file in a diff: below the working folder
// where it is, else from the root.
func patchName(path string) string {
	if !filepath.IsAbs(path) {
		return filepath.ToSlash(filepath.Clean(path))
	}
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(path)
}
