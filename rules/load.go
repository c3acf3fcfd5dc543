package rules

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// defaultMaxBytes is the size up to which files are read.
const defaultMaxBytes = 16 << 20

// Options change how rules are loaded. The zero value is the usual way.
type Options struct {
	MaxFileBytes int64 // size above which a file is refused; 0: 16 MiB
}

// Load reads the rules at the given files, folders and globs. Folders are
// read with the folders below them; names that begin with a dot are left out
// there. A file that is reached in several ways, by links too, is read once.
//
// What cannot be read or is not valid is a problem of the set. Load itself
// fails only when no path is given.
func Load(paths []string, opts Options) (*Set, error) {
	if len(paths) == 0 {
		return nil, errors.New("no rule files given")
	}
	if opts.MaxFileBytes <= 0 {
		opts.MaxFileBytes = defaultMaxBytes
	}
	set := &Set{}
	inputs, problems := expand(paths)
	set.Problems = problems
	for _, in := range inputs {
		text, err := read(in.path, opts.MaxFileBytes)
		if err != nil {
			set.Problems = append(set.Problems, pathError(in.path, err.Error(), ""))
			continue
		}
		set.addFile(in, text)
	}
	set.sort()
	return set, nil
}

func pathError(path, msg, hint string) *source.Error {
	return &source.Error{Pos: source.Position{File: path}, Msg: msg, Hint: hint}
}

// read returns the content of a file of at most limit bytes.
func read(path string, limit int64) (text []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	text, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, cause(err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("the file is larger than %d bytes", limit)
	}
	return text, nil
}

// cause takes the operation and the path off an error of package os, for the
// problem names the path.
func cause(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

// addFile adds what one file holds.
func (s *Set) addFile(in input, text []byte) {
	budget := maxWork + len(text)/8
	f := found{budget: &budget}
	known := f.addText(yamlpos.NewFile(in.path, text), textOptions{name: in.path, named: in.named})
	switch {
	case !known && !in.named:
		s.Skipped = append(s.Skipped, Skip{Pos: source.Position{File: in.path}, Reason: "the file holds no rules"})
		return
	case in.named && len(f.drafts) == 0 && len(f.problems) == 0:
		s.Problems = append(s.Problems, pathError(in.path, "the file holds no rules", knownKinds))
	}
	s.Files = append(s.Files, in.path)
	if known {
		s.Skipped = append(s.Skipped, f.skipped...)
	}
	s.Problems = append(s.Problems, f.problems...)
	s.Broken = append(s.Broken, f.broken...)
	s.Notes = append(s.Notes, f.notes...)
	s.settle(f.drafts)
}

// textOptions say how a text is to be read.
type textOptions struct {
	name  string // as a file would have it: its extension tells text files
	named bool   // the user named it: if it is not valid, that is a problem
	depth int    // of objects around it
}

// addText adds what a text holds: a file, or a value of a ConfigMap. It
// reports whether the text was meant to hold rules.
func (f *found) addText(file *yamlpos.File, o textOptions) (known bool) {
	ext := strings.ToLower(filepath.Ext(o.name))
	if textExtension(ext) {
		return f.add(&part{file: file, name: o.name, ext: ext, budget: f.budget, depth: o.depth})
	}
	docs, problems := yamlpos.Parse(file)
	for _, d := range docs {
		if d.Root == nil || isNull(d.Root) {
			continue
		}
		if f.add(&part{file: file, doc: d, name: o.name, ext: ext, budget: f.budget, depth: o.depth}) {
			known = true
		} else if o.depth == 0 || len(docs) > 1 { // of a ConfigMap the key is named
			f.skip(d, d.Root, "the document holds no rules")
		}
	}
	if len(problems) > 0 && (known || o.named || likelyRules(ext, file.Text)) {
		known = true
		f.problems = append(f.problems, problems...)
	}
	return known
}

// likelyRules reports whether a file of a folder or glob that is not valid
// YAML may have been meant to hold rules. Files without the extension of YAML
// or JSON can be anything.
func likelyRules(ext string, text []byte) bool {
	if yamlExtension(ext) {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "groups:") || strings.HasPrefix(line, "queries:") {
			return true
		}
	}
	return false
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// settle decides the language of the rules of one file and adds them.
func (s *Set) settle(drafts []*draft) {
	s.Notes = append(s.Notes, decide(drafts)...)
	for _, d := range drafts {
		if d.fault != nil {
			s.breakRule(&d.rule, d.fault)
			continue
		}
		if d.misplaced != nil {
			s.Problems = append(s.Problems, d.misplaced)
		}
		s.Rules = append(s.Rules, d.rule)
	}
}

func (s *Set) breakRule(r *Rule, problem *source.Error) {
	s.Problems = append(s.Problems, problem)
	s.Broken = append(s.Broken, Broken{Kind: r.Kind, Name: r.Name, Group: r.Group, Pos: problem.Pos})
}

// Reject takes rules out of s.Rules that cannot be used after all, such as
// those that parse but do not compile. Each is given by its index and becomes
// a problem and a broken rule, as if it had not parsed. What a query of a
// dashboard has against it with the defaults of its variables is not repeated
// for their other values. The indexes of the rules that stay change.
func (s *Set) Reject(problems map[int]*source.Error) {
	type fault struct {
		pos  source.Position
		name string
	}
	defaults := map[fault]bool{}
	for i, p := range problems {
		if r := &s.Rules[i]; p != nil && r.Kind == Panel && r.variantOf == "" {
			defaults[fault{p.Pos, r.Name}] = true
		}
	}
	var kept []Rule
	for i := range s.Rules {
		r := &s.Rules[i]
		switch p := problems[i]; {
		case p == nil:
			kept = append(kept, *r)
		case r.variantOf == "" || !defaults[fault{p.Pos, r.variantOf}]:
			s.breakRule(r, p)
		}
	}
	s.Rules = kept
	s.sort()
}

func (s *Set) sort() {
	order := func(a, b source.Position) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	}
	slices.SortStableFunc(s.Rules, func(a, b Rule) int { return order(a.Pos, b.Pos) })
	slices.SortStableFunc(s.Problems, func(a, b *source.Error) int { return order(a.Pos, b.Pos) })
	slices.SortStableFunc(s.Broken, func(a, b Broken) int { return order(a.Pos, b.Pos) })
	slices.SortStableFunc(s.Notes, func(a, b Note) int { return order(a.Pos, b.Pos) })
	slices.SortStableFunc(s.Skipped, func(a, b Skip) int { return order(a.Pos, b.Pos) })
	slices.Sort(s.Files)
}
