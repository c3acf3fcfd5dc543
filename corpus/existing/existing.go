// Package existing makes import descriptions of what people have already:
// must-gathers, support bundles, what kubectl printed into files, and the
// artefacts of continuous integration.
//
//	d, err := existing.Describe(ctx, fsys, existing.Options{As: existing.Auto})
//	…
//	desc, err := corpus.ParseDescription("generated", d.Text)
//
// A description says of every file below the root what becomes of it. What
// cannot be placed is under leaveOut, with the reason, so that an import lists
// it. Nothing is guessed that cannot be seen in a path or in the file: where it
// is not known which namespace or container a log is of, it has no such label.
// docs/import-existing.md has the layouts.
package existing

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stillfires/stillfires/corpus"
)

// The layouts by the names that a user gives.
const (
	Auto          = "auto"
	MustGather    = "must-gather"
	SupportBundle = "support-bundle"
	Kubectl       = "kubectl" // also of CI artefacts
)

// Names returns the names of the layouts.
func Names() []string { return []string{Auto, MustGather, SupportBundle, Kubectl} }

// Options say what a tree is.
type Options struct {
	As      string // one of Names; empty: Auto
	Cluster string // name of the cluster; empty: not known, unless there are several
	// Build and Scenario name the run; empty: left to whoever imports.
	Build, Scenario string
	Limits          corpus.Limits
}

// A Described is a description and what it is of.
type Described struct {
	Text    []byte // the import description
	Streams int
	Values  int // files of objects and events
	LeftOut int // files
}

// Describe looks at the files below fsys and writes an import description. A
// tree in which there is no log is an error.
func Describe(ctx context.Context, fsys fs.FS, opt Options) (*Described, error) {
	opt.As = cmp.Or(opt.As, Auto)
	if !slices.Contains(Names(), opt.As) {
		return nil, fmt.Errorf("--as %q: want %s", opt.As, strings.Join(Names(), ", "))
	}
	s := &scanner{ctx: ctx, fsys: fsys, opt: opt, streams: map[string]*stream{}}
	if err := s.list(); err != nil {
		return nil, err
	}
	if err := s.bundles(); err != nil {
		return nil, err
	}
	// Of two copies of a log the one that a node keeps by container is taken: it
	// has the processes before too.
	for _, ofNode := range []bool{true, false} {
		for _, f := range s.files {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if strings.Contains("/"+f, "/pods/") == ofNode {
				s.place(f)
			}
		}
	}
	s.checkStreams()
	s.leaveCopies()
	s.chooseMoments()
	if len(s.streams) == 0 {
		return nil, s.nothing()
	}
	slices.SortFunc(s.left, func(a, b corpus.LeftOut) int { return cmp.Compare(a.File, b.File) })
	text, err := s.text()
	return &Described{Text: text, Streams: len(s.streams), Values: len(s.values), LeftOut: len(s.left)}, err
}

// A scanner sorts the files of a tree.
type scanner struct {
	ctx     context.Context
	fsys    fs.FS
	opt     Options
	files   []string
	roots   []bundle
	streams map[string]*stream // by labels
	values  []valueFile
	version string // a file that tells the version of Kubernetes
	left    []corpus.LeftOut
}

func (s *scanner) leave(file, format string, args ...any) {
	s.left = append(s.left, corpus.LeftOut{File: file, Why: fmt.Sprintf(format, args...)})
}

// list walks the tree. Links are left out: what they lead to is there itself,
// or is no part of the tree.
func (s *scanner) list() error {
	defer func() { slices.Sort(s.files) }()
	return fs.WalkDir(s.fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case s.ctx.Err() != nil:
			return s.ctx.Err()
		case d.IsDir():
			return nil
		case !utf8.ValidString(name):
			return fmt.Errorf("%q: the name is not UTF-8 text; rename the file", name)
		case d.Type()&fs.ModeSymlink != 0:
			s.leave(name, "is a link, and links are not followed")
		case !d.Type().IsRegular():
			s.leave(name, "is no plain file")
		default:
			s.files = append(s.files, name)
		}
		return nil
	})
}

// A stream is the log of one container, in files.
type stream struct {
	labels map[string]string
	group  *group // nil: it has an entry of its own
	root   *bundle
	files  []logFile
	byTime bool
	copied bool // another stream may hold the same
}

// A logFile is a file of a stream.
type logFile struct {
	name  string
	epoch int // files of lower epochs are older
	look  corpus.LogLook
}

// A placed is what a path tells of a log.
type placed struct {
	labels map[string]string
	epoch  int
	group  *group
	byTime bool // the files of the stream follow one another by time
}

// The epochs of a stream's files.
const (
	rotated = iota
	previous
	current
)

// place finds the place of one file.
func (s *scanner) place(name string) {
	root := s.rootOf(name)
	if root == nil {
		s.leave(name, "lies outside of what was asked for: --as %s", s.opt.As)
		return
	}
	rel := strings.TrimPrefix(name, root.prefix)
	if root.layout.version != "" && rel == root.layout.version {
		if s.version != "" {
			s.leave(name, "tells the version of another cluster than %s, which is taken", s.version)
			return
		}
		s.version = name
		return
	}
	p, why := root.layout.log(root, rel)
	switch {
	case p != nil:
		s.addLog(name, root, p)
	case why != "":
		s.leave(name, "%s", why)
	case isValues(rel):
		s.addValues(name, root, rel)
	default:
		s.leave(name, "%s", unknown(rel, root.layout))
	}
}

// unknown says why a file has no place.
func unknown(rel string, l *layout) string {
	for _, ending := range []string{".tar", ".tgz", ".tar.gz", ".tar.zst", ".zip", ".tar.xz"} {
		if strings.HasSuffix(rel, ending) {
			return "is an archive; unpack it, or import it alone"
		}
	}
	return "is neither the log of a container nor a file of objects as the layout (" + l.name + ") has them"
}

// addLog adds a file to its stream.
func (s *scanner) addLog(name string, root *bundle, p *placed) {
	look, err := corpus.LookAtLog(s.fsys, name, s.opt.Limits)
	if err != nil {
		s.leave(name, "cannot be read as a log: %s", strings.ToValidUTF8(err.Error(), "?"))
		return
	}
	if look.Empty && (p.epoch != current || p.byTime) {
		s.leave(name, "is empty")
		return
	}
	if s.cluster(root) != "" {
		p.labels["cluster"] = s.cluster(root)
	}
	key := keyOf(p.labels)
	st := s.streams[key]
	if st == nil {
		st = &stream{labels: p.labels, group: p.group, root: root, byTime: p.byTime}
		s.streams[key] = st
	}
	if len(st.files) > 0 && !st.takes(name, root, p) {
		s.leave(name, "is a log of the same container as %s, which is taken", st.like(p.epoch))
		return
	}
	st.files = append(st.files, logFile{name, p.epoch, look})
}

// like returns a file of the stream, of the epoch if it has one.
func (st *stream) like(epoch int) string {
	for _, f := range st.files {
		if f.epoch == epoch {
			return f.name
		}
	}
	return st.files[0].name
}

// takes reports whether a file is one more of the stream, and not another copy.
func (st *stream) takes(name string, root *bundle, p *placed) bool {
	if st.group != p.group || st.root != root || st.byTime != p.byTime {
		return false
	}
	return p.byTime || !slices.ContainsFunc(st.files, func(f logFile) bool {
		return f.epoch == p.epoch && (p.group == nil || path.Dir(f.name) != path.Dir(name))
	})
}

func keyOf(labels map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%q=%q,", name, labels[name])
	}
	return b.String()
}

// checkStreams leaves out streams and files whose records cannot be dated. In a
// stream whose files have a known order, one without times follows the one
// before it.
func (s *scanner) checkStreams() {
	for key, st := range s.streams {
		dated := slices.ContainsFunc(st.files, func(f logFile) bool { return f.look.Dated })
		full := slices.ContainsFunc(st.files, func(f logFile) bool { return !f.look.Empty })
		st.files = slices.DeleteFunc(st.files, func(f logFile) bool {
			switch {
			case f.look.Dated || !full || dated && !st.byTime:
				return false
			case f.look.Empty:
				s.leave(f.name, "is empty")
			default:
				s.leave(f.name, "no line has a time in a form that is known; record logs with their times (kubectl logs --timestamps), or give the time of the first line in the description")
			}
			return true
		})
		if len(st.files) == 0 {
			delete(s.streams, key)
			continue
		}
		slices.SortStableFunc(st.files, func(a, b logFile) int { return cmp.Compare(a.epoch, b.epoch) })
	}
}

// leaveCopies leaves out streams of which less is known than of another that
// they may be a copy of: to count records twice is worse than to ask.
func (s *scanner) leaveCopies() {
	for _, st := range s.streams {
		for _, other := range slices.Sorted(maps.Keys(s.streams)) {
			if more := s.streams[other]; st.saysLess(more) {
				for _, f := range st.files {
					s.leave(f.name, "may be a copy of %s, of which more is known", more.like(f.epoch))
				}
				st.copied = true
				break
			}
		}
	}
	maps.DeleteFunc(s.streams, func(_ string, st *stream) bool { return st.copied })
}

// saysLess reports whether another stream has all labels of this one and more.
func (st *stream) saysLess(other *stream) bool {
	if len(st.labels) >= len(other.labels) {
		return false
	}
	for name, value := range st.labels {
		if other.labels[name] != value {
			return false
		}
	}
	return true
}

// nothing is the error of a tree without a log.
func (s *scanner) nothing() error {
	slices.SortFunc(s.left, func(a, b corpus.LeftOut) int { return cmp.Compare(a.File, b.File) })
	var b strings.Builder
	fmt.Fprintf(&b, "no log of a container is found in %d files", len(s.files))
	for i, l := range s.left {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(s.left)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s: %s", l.File, l.Why)
	}
	b.WriteString("\nwrite an import description that says which files are logs (docs/corpus-format.md), and give it with -f")
	return fmt.Errorf("%s", b.String())
}
