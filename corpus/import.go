package corpus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// ImportOptions are what an import can be told beside its description.
type ImportOptions struct {
	Creator string // the program, for corpus.json
	// Redactor cleans all that is imported; nil: nothing is redacted.
	Redactor Redactor
	Limits   Limits

	// OneRun says that the root is the directory of one run, whatever the
	// description says of where runs lie.
	OneRun bool
	// Build, Scenario and Repetition stand in place of what is captured.
	Build      string
	Scenario   string
	Repetition int
	// Year and Timezone are for formats that lack them, where the description
	// says nothing.
	Year     int
	Timezone string

	// Root stands for the root in messages; empty: as it is given.
	Root string
	// LeftOut are files that are not below the root any more, such as links of an
	// archive; they are reported with those that the description leaves out.
	LeftOut []LeftOut
}

// An ImportReport says what an import did.
type ImportReport struct {
	Runs    []ImportedRun `json:"runs"`    // ordered by build, scenario, repetition
	Ignored int           `json:"ignored"` // files that the description ignores
	// IgnoredFiles are these files, below the root, ordered.
	IgnoredFiles []string `json:"ignoredFiles"`
	// LeftOut are files that belong to no run, ordered, each with why.
	LeftOut []LeftOut `json:"leftOut"`
}

// An ImportedRun is one run that was imported.
type ImportedRun struct {
	Build      string     `json:"build"`
	Scenario   string     `json:"scenario"`
	Repetition int        `json:"repetition"`
	Records    int64      `json:"records"`
	First      *time.Time `json:"first"`
	Last       *time.Time `json:"last"`
	Streams    []Stream   `json:"streams"`
	Files      []File     `json:"files"`
}

// An UnmatchedError lists files that no pattern of the description takes.
type UnmatchedError struct {
	Root  string
	Files []string // below Root, ordered
}

// Error names the files, the first twenty.
func (e *UnmatchedError) Error() string {
	shown := e.Files[:min(len(e.Files), 20)]
	more := ""
	if n := len(e.Files) - len(shown); n > 0 {
		more = fmt.Sprintf("\n  and %d more", n)
	}
	match := "files match"
	if len(e.Files) == 1 {
		match = "file matches"
	}
	return fmt.Sprintf("%s: %d %s no pattern of the import description; name them in logs or files, or put patterns for them into ignore:\n  %s%s",
		e.Root, len(e.Files), match, strings.Join(shown, "\n  "), more)
}

// Import reads the logs below root as the description says and adds the runs
// to the corpus in dir, which it makes if need be. It adds all runs or none:
// they are staged, and moved into place when the last is whole. A run that the
// corpus has is refused with a [RunExistsError].
func Import(ctx context.Context, desc *Description, root, dir string, opts ImportOptions) (*ImportReport, error) {
	top, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer top.Close()
	if opts.OneRun && opts.Scenario == "" && opts.Build == "" && desc.Run != "" && desc.Run != "." {
		return nil, errors.New("import of one run: give its build and scenario, which its path does not tell")
	}
	p, err := newPlan(top.FS(), below(root, dir), desc, &opts)
	shown := cmp.Or(opts.Root, root)
	if len(p.lostFiles()) > 0 {
		err = errors.Join(err, &UnmatchedError{Root: shown, Files: p.lost})
	}
	if err != nil {
		return nil, err
	}
	p.left = append(p.left, opts.LeftOut...)
	slices.SortFunc(p.left, func(a, b LeftOut) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Why, b.Why)) })
	im := &importer{ctx: ctx, fsys: top.FS(), root: shown, desc: desc, opts: &opts}
	report, err := im.run(p, dir)
	if report != nil {
		report.Ignored, report.IgnoredFiles = len(p.ignored), p.ignored
		report.LeftOut = append([]LeftOut{}, p.left...)
	}
	return report, err
}

// below returns the path of dir below root, or "" where it lies elsewhere.
func below(root, dir string) string {
	a, err1 := filepath.Abs(root)
	b, err2 := filepath.Abs(dir)
	rel, err3 := filepath.Rel(a, b)
	if err1 != nil || err2 != nil || err3 != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (p *plan) lostFiles() []string {
	if p == nil {
		return nil
	}
	return p.lost
}

// An importer carries out a plan.
type importer struct {
	ctx  context.Context
	fsys fs.FS
	root string // for messages
	desc *Description
	opts *ImportOptions
}

// run stages all runs and commits them.
func (im *importer) run(p *plan, dir string) (report *ImportReport, err error) {
	w, err := OpenForWrite(dir, im.opts.Creator)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.Redact(im.opts.Redactor)
	jobs, err := im.begin(w, p)
	if err != nil {
		return nil, err
	}
	if err := im.all(jobs); err != nil {
		return nil, err
	}
	report = &ImportReport{}
	var outs []*RunWriter
	for _, j := range jobs {
		if err := j.out.Seal(); err != nil {
			return nil, err
		}
		outs = append(outs, j.out)
		report.Runs = append(report.Runs, j.report())
	}
	if err := im.ctx.Err(); err != nil {
		return nil, err
	}
	if err := w.Commit(outs...); err != nil {
		return nil, err
	}
	return report, nil
}

// A runJob is one run under import.
type runJob struct {
	im       *importer
	plan     *runPlan
	manifest *Manifest
	out      *RunWriter
	streams  []*streamJob
	ref      func() (reference, error) // reference, once
}

// begin reads metadata and starts the runs, so that what is wrong there is
// known before logs are read.
func (im *importer) begin(w *Writer, p *plan) ([]*runJob, error) {
	var jobs []*runJob
	var errs []error
	for _, r := range p.runs {
		m, builds, err := im.desc.manifest(im.fsys, r)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if note := leftOutNote(p.left); note != "" {
			m.Notes = append(m.Notes, note)
		}
		out, err := w.BeginRun(m)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		j := &runJob{im: im, plan: r, manifest: m, out: out}
		j.ref = sync.OnceValues(j.reference)
		for _, s := range r.streams {
			sw, err := out.Stream(s.name, s.labels)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			j.streams = append(j.streams, &streamJob{run: j, plan: s, out: sw, builds: builds})
		}
		jobs = append(jobs, j)
	}
	return jobs, errors.Join(errs...)
}

// leftOutNote says how many files were left out, and why.
func leftOutNote(left []LeftOut) string {
	counts := map[string]int{}
	for _, l := range left {
		counts[l.Why]++
	}
	var parts []string
	for _, why := range sortedKeys(counts) {
		if len(parts) == 10 {
			parts = append(parts, fmt.Sprintf("%d other reasons", len(counts)-10))
			break
		}
		parts = append(parts, fmt.Sprintf("%d: %s", counts[why], why))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("the import left out %d files of the source (%s)", len(left), strings.Join(parts, "; "))
}

// all reads the logs of all runs: first the heads of all files, as year and
// zone of one stream can come from another; then, the files in order, all
// streams.
func (im *importer) all(jobs []*runJob) error {
	var streams []*streamJob
	for _, j := range jobs {
		streams = append(streams, j.streams...)
	}
	if err := im.each(len(streams), func(i int) error { return streams[i].readHeads() }); err != nil {
		return err
	}
	for _, s := range streams {
		if err := s.orderByTime(); err != nil {
			return err
		}
	}
	if err := im.each(len(streams), func(i int) error { return streams[i].write() }); err != nil {
		return err
	}
	if err := im.each(len(jobs), func(i int) error { return jobs[i].writeMetrics() }); err != nil {
		return err
	}
	return im.each(len(jobs), func(i int) error { return jobs[i].carryFiles() })
}

// each calls f for 0 to n-1, several at a time, and joins the errors in order,
// so that what is reported does not depend on timing.
func (im *importer) each(n int, f func(int) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	errs := make([]error, n)
	for i := range n {
		g.Go(func() error {
			if errs[i] = im.ctx.Err(); errs[i] == nil {
				errs[i] = f(i)
			}
			return nil
		})
	}
	_ = g.Wait() // no function returns an error: they are in errs
	if err := im.ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// report sums up a sealed run.
func (j *runJob) report() ImportedRun {
	info := j.plan.info
	r := ImportedRun{Build: info.Build, Scenario: info.Scenario, Repetition: info.Repetition, Streams: j.manifest.Streams, Files: j.manifest.Files}
	for i := range r.Streams {
		s := &r.Streams[i]
		r.Records += s.Records
		if s.First != nil && (r.First == nil || s.First.Before(*r.First)) {
			r.First = s.First
		}
		if s.Last != nil && (r.Last == nil || s.Last.After(*r.Last)) {
			r.Last = s.Last
		}
	}
	return r
}

// reference returns what dated records of the run tell of year and zone: those
// in the heads of files, else, after reading on, any.
func (j *runJob) reference() (reference, error) {
	var ref reference
	for _, s := range j.streams {
		for i := range s.heads {
			h := &s.heads[i]
			if h.whole != nil {
				ref.add(*h.whole, s.plan.files[i].name)
			}
		}
	}
	for _, s := range j.streams {
		for i := range s.heads {
			if ref.whole() {
				return ref, nil
			}
			if err := s.scanFor(i, &ref); err != nil {
				return ref, err
			}
		}
	}
	return ref, nil
}
