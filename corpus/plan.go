package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/logs"
)

// A plan is what an import will do: the files of a tree, sorted into runs and
// streams.
type plan struct {
	runs    []*runPlan
	ignored []string // files that the description ignores, ordered
	// lost are files that no pattern takes and nothing ignores.
	lost []string
	// left are files that the description says to leave out.
	left []LeftOut
}

type runPlan struct {
	info     RunInfo
	dir      string // below the root; "." is the root
	captures map[string]string
	streams  []*streamPlan // ordered by labels
	files    []filePlan
	metrics  []*metricPlan
}

type streamPlan struct {
	spec   *LogSpec
	labels logs.Labels
	name   string
	files  []logFile
}

// A logFile is one file of a stream.
type logFile struct {
	name     string // below the root
	spec     *EpochSpec
	captures map[string]string
}

type filePlan struct {
	spec     *FileSpec
	name     string
	captures map[string]string
}

// planner sorts files into a plan.
type planner struct {
	desc    *Description
	opts    *ImportOptions
	run     *pattern // nil: the root is the run
	anchor  []*pattern
	ignore  []*pattern
	used    map[string]bool // files that fromFile names, relative to a run
	runs    map[string]*runPlan
	streams map[string]map[string]*streamPlan // run directory, labels
	leave   map[string]string                 // file to why
	plan    plan
	errs    []error
}

// newPlan walks the tree and sorts its files. The directory skip, if any, is
// the corpus being written and no part of the tree.
func newPlan(fsys fs.FS, skip string, desc *Description, opts *ImportOptions) (*plan, error) {
	p := &planner{desc: desc, opts: opts, used: desc.manifests(), runs: map[string]*runPlan{}, streams: map[string]map[string]*streamPlan{}, leave: map[string]string{}}
	if err := p.compile(); err != nil {
		return nil, err
	}
	for _, l := range desc.LeaveOut {
		p.leave[l.File] = l.Why
	}
	others := map[string][]string{} // files by run directory that no pattern took
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && name == skip {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		if why, ok := p.leave[name]; ok {
			p.plan.left = append(p.plan.left, LeftOut{name, why})
			return nil
		}
		dir, rest, captures := p.place(name)
		switch {
		case captures != nil && p.take(dir, name, rest, captures):
		case captures != nil && p.used[rest]:
			others[dir] = append(others[dir], "")
		case p.ignores(name, rest):
			p.plan.ignored = append(p.plan.ignored, name)
			if captures != nil && !p.ignoresWhole(name) {
				others[dir] = append(others[dir], "")
			}
		default:
			p.plan.lost = append(p.plan.lost, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for dir := range others {
		if p.runs[dir] == nil && len(p.plan.lost) == 0 {
			p.errs = append(p.errs, fmt.Errorf("%s: matches the pattern of a run but holds no log; ignore it as a whole (ignore: [%s/**]) if it is none", dir, dir))
		}
	}
	p.finish()
	slices.SortFunc(p.errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return &p.plan, errors.Join(p.errs...)
}

func (p *planner) compile() error {
	if p.desc.Run != "" && p.desc.Run != "." && !p.opts.OneRun {
		run, err := compilePattern(p.desc.Run)
		if err != nil {
			return err
		}
		p.run = run
	}
	for _, text := range p.desc.Ignore {
		rest, anchored := strings.CutPrefix(text, "/")
		pat, err := compilePattern(rest)
		if err != nil {
			return err
		}
		if anchored {
			p.anchor = append(p.anchor, pat)
		} else {
			p.ignore = append(p.ignore, pat)
		}
	}
	return nil
}

// place returns the run's directory that a file lies in, its path below it and
// what the run's pattern captured; captures are nil outside of runs.
func (p *planner) place(name string) (dir, rest string, captures map[string]string) {
	if p.run == nil {
		captures = map[string]string{}
		if p.opts.Build != "" {
			captures["build"] = p.opts.Build
		}
		if p.opts.Scenario != "" {
			captures["scenario"] = p.opts.Scenario
		}
		return ".", name, captures
	}
	parts := strings.SplitN(name, "/", p.run.elements()+1)
	if len(parts) <= p.run.elements() {
		return "", name, nil
	}
	rest = parts[len(parts)-1]
	dir = strings.TrimSuffix(name, "/"+rest)
	return dir, rest, p.run.match(dir)
}

func matchesAny(patterns []*pattern, names ...string) bool {
	return slices.ContainsFunc(patterns, func(pat *pattern) bool {
		return slices.ContainsFunc(names, func(n string) bool { return pat.match(n) != nil })
	})
}

func (p *planner) ignores(name, rest string) bool {
	return matchesAny(p.anchor, name) || matchesAny(p.ignore, name, rest)
}

// ignoresWhole reports whether the file is ignored by its path from the root.
func (p *planner) ignoresWhole(name string) bool {
	return matchesAny(p.anchor, name) || matchesAny(p.ignore, name)
}

// take puts a file into the stream of the first pattern that matches it.
func (p *planner) take(dir, name, rest string, captures map[string]string) bool {
	for i := range p.desc.Logs {
		spec := &p.desc.Logs[i]
		for e := range spec.Epochs {
			for _, pat := range spec.Epochs[e].patterns {
				if m := pat.match(rest); m != nil {
					p.addLog(dir, spec, logFile{name, &spec.Epochs[e], merged(captures, m)})
					return true
				}
			}
		}
	}
	if p.takeMetrics(dir, name, rest, captures) {
		return true
	}
	for i := range p.desc.Files {
		spec := &p.desc.Files[i]
		for _, pat := range spec.patterns {
			if m := pat.match(rest); m != nil {
				if r := p.runOf(dir, captures); r != nil {
					r.files = append(r.files, filePlan{spec, name, merged(captures, m)})
				}
				return true
			}
		}
	}
	return false
}

func merged(a, b map[string]string) map[string]string {
	out := make(map[string]string, len(a)+len(b))
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func (p *planner) fail(name string, err error) {
	p.errs = append(p.errs, fmt.Errorf("%s: %w", name, err))
}

// runOf returns the run of a directory; nil if it cannot be named.
func (p *planner) runOf(dir string, captures map[string]string) *runPlan {
	if r, ok := p.runs[dir]; ok {
		return r
	}
	p.runs[dir] = nil
	info, err := p.name(captures)
	if err != nil {
		p.fail(dir, err)
		return nil
	}
	r := &runPlan{info: info, dir: dir, captures: captures}
	p.runs[dir] = r
	return r
}

// name finds build, scenario and repetition of a run.
func (p *planner) name(captures map[string]string) (RunInfo, error) {
	var info RunInfo
	pick := func(kind, given, spec, fallback string) (string, error) {
		if given != "" {
			return given, nil
		}
		text, err := expand(cmp.Or(spec, fallback), captures, nil)
		if err != nil {
			return "", fmt.Errorf("%s is not known: capture {%s} in run, give %s.name in the description, or --%s", kind, kind, kind, kind)
		}
		return text, checkName(kind, text)
	}
	var err error
	if info.Build, err = pick("build", p.opts.Build, p.desc.Build.Name, "{build}"); err != nil {
		return info, err
	}
	if info.Scenario, err = pick("scenario", p.opts.Scenario, p.desc.Scenario.Name, "{scenario}"); err != nil {
		return info, err
	}
	text, err := expand(cmp.Or(p.desc.Repetition, "1"), captures, nil)
	if err != nil {
		return info, err
	}
	if p.opts.Repetition > 0 {
		text = strconv.Itoa(p.opts.Repetition)
	}
	info.Repetition, err = repetition(text)
	return info, err
}

func (p *planner) addLog(dir string, spec *LogSpec, f logFile) {
	r := p.runOf(dir, f.captures)
	if r == nil {
		return
	}
	var set logs.Labels
	for name, text := range spec.Labels {
		value, err := expand(text, f.captures, spec.Map)
		if err == nil && value == "" {
			err = fmt.Errorf("label %s has no value", name)
		}
		if err != nil {
			p.fail(f.name, fmt.Errorf("labels: %w", err))
			return
		}
		set = append(set, logs.Label{Name: name, Value: value})
	}
	set = logs.New(set...)
	key := set.String()
	if p.streams[dir] == nil {
		p.streams[dir] = map[string]*streamPlan{}
	}
	s := p.streams[dir][key]
	if s == nil {
		s = &streamPlan{spec: spec, labels: set}
		p.streams[dir][key] = s
		r.streams = append(r.streams, s)
	}
	if s.spec != spec {
		p.fail(f.name, fmt.Errorf("has the labels %s of %s, which another entry of logs takes; the files of one stream stand in one entry, as epochs", key, s.files[0].name))
		return
	}
	s.files = append(s.files, f)
}

// finish orders runs, streams and files, and looks for what cannot be ordered.
func (p *planner) finish() {
	named := map[RunInfo]string{}
	for _, dir := range sortedKeys(p.runs) {
		r := p.runs[dir]
		if r == nil {
			continue
		}
		if other, ok := named[r.info]; ok {
			p.fail(dir, fmt.Errorf("is run %s, and so is %s; capture what tells them apart", r.info, other))
			continue
		}
		named[r.info] = dir
		if len(r.streams) == 0 {
			p.fail(dir, errors.New("holds files of a run but no log"))
			continue
		}
		slices.SortFunc(r.streams, func(a, b *streamPlan) int { return a.labels.Compare(b.labels) })
		for _, s := range r.streams {
			p.order(s)
			s.name = s.spec.Stream
			if s.name == "" {
				values := make([]string, len(s.labels))
				for i, l := range s.labels {
					values[i] = l.Value
				}
				s.name = strings.Join(values, "-")
			}
			name, err := expand(s.name, s.files[0].captures, s.spec.Map)
			if err != nil && s.spec.Stream != "" {
				p.fail(s.files[0].name, fmt.Errorf("stream: %w", err))
			} else if err == nil {
				s.name = name
			}
		}
		p.plan.runs = append(p.plan.runs, r)
	}
	slices.SortFunc(p.plan.runs, func(a, b *runPlan) int { return a.info.compare(b.info) })
	slices.Sort(p.plan.lost)
	slices.Sort(p.plan.ignored)
	if len(p.plan.runs) == 0 && len(p.errs) == 0 && len(p.plan.lost) == 0 {
		p.errs = append(p.errs, errors.New("no file matches the description"))
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// order sorts the files of a stream by epoch spec, then as that spec says.
// Order by time needs the files' content and is done when they are read.
func (p *planner) order(s *streamPlan) {
	slices.SortStableFunc(s.files, func(a, b logFile) int {
		c := cmp.Or(naturalCompare(a.name, b.name), cmp.Compare(a.name, b.name))
		if a.spec.Order == orderDescending {
			c = -c
		}
		return cmp.Or(cmp.Compare(a.spec.group, b.spec.group), c)
	})
	for i := 1; i < len(s.files); i++ {
		a, b := s.files[i-1], s.files[i]
		if a.spec == b.spec && a.spec.Order == "" {
			p.fail(b.name, fmt.Errorf("has the same labels %s as %s; put a capture that tells them apart into labels, or say by order how they follow one another", s.labels, path.Base(a.name)))
			return
		}
	}
}

// naturalCompare orders names with numbers in them by the numbers' values.
func naturalCompare(a, b string) int {
	for a != "" && b != "" {
		na, nb := digitsAt(a), digitsAt(b)
		if na > 0 && nb > 0 {
			x, y := strings.TrimLeft(a[:na], "0"), strings.TrimLeft(b[:nb], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[na:], b[nb:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

func digitsAt(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}
