package redact

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/corpus"
)

// A Report says what [Copy] did.
type Report struct {
	Policy string        `json:"policy"`
	KeyID  string        `json:"keyID"`
	Runs   []ReportedRun `json:"runs"`
}

// A ReportedRun is one run of a report.
type ReportedRun struct {
	Build      string           `json:"build"`
	Scenario   string           `json:"scenario"`
	Repetition int              `json:"repetition"`
	Records    int64            `json:"records"`
	Values     int64            `json:"values"` // of files that are not logs: their lines
	Counts     map[string]int64 `json:"counts"` // what was replaced, by kind
}

// Copy writes all runs of a corpus, cleaned, into the corpus in dir, which it
// makes if need be: all runs, or none. Records, their times and their number
// stay; that is compared once they are written.
func Copy(ctx context.Context, from *corpus.Corpus, dir, creator string, r *Redactor) (rep *Report, err error) {
	w, err := corpus.OpenForWrite(dir, creator)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	w.Redact(r)
	record := r.Record()
	rep = &Report{Policy: record.Policy, KeyID: record.KeyID}
	var outs []*corpus.RunWriter
	for _, info := range from.Runs() {
		run, err := from.OpenRun(info.Build, info.Scenario, info.Repetition)
		if err != nil {
			return nil, err
		}
		out, one, err := copyRun(ctx, run, w)
		if err != nil {
			return nil, err
		}
		outs = append(outs, out)
		rep.Runs = append(rep.Runs, *one)
	}
	if len(outs) == 0 {
		return nil, fmt.Errorf("%s: holds no runs", from.Dir)
	}
	if err := w.Commit(outs...); err != nil {
		return nil, err
	}
	return rep, nil
}

// copyRun writes one run and seals it.
func copyRun(ctx context.Context, run *corpus.Run, w *corpus.Writer) (*corpus.RunWriter, *ReportedRun, error) {
	m := *run.Manifest
	m.Streams, m.Files = nil, nil
	out, err := w.BeginRun(&m)
	if err != nil {
		return nil, nil, err
	}
	rep := &ReportedRun{Build: run.Build, Scenario: run.Scenario, Repetition: run.Repetition}
	streams := make([]*corpus.StreamWriter, len(run.Manifest.Streams))
	for i := range streams {
		s := &run.Manifest.Streams[i]
		if streams[i], err = out.Stream(s.Name, s.LabelSet()); err != nil {
			return nil, nil, err
		}
		rep.Records += s.Records
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	errs := make([]error, len(streams))
	for i := range streams {
		g.Go(func() error {
			errs[i] = copyStream(ctx, run, i, streams[i])
			return nil
		})
	}
	_ = g.Wait() // no function returns an error: they are in errs
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	for i := range run.Manifest.Files {
		n, err := copyFile(ctx, run, &run.Manifest.Files[i], out)
		if err != nil {
			return nil, nil, err
		}
		rep.Values += n
	}
	if err := out.Seal(); err != nil {
		return nil, nil, err
	}
	rep.Counts = m.Redaction.Counts
	return out, rep, sameShape(run.Manifest, &m)
}

func copyStream(ctx context.Context, run *corpus.Run, i int, out *corpus.StreamWriter) error {
	from := &run.Manifest.Streams[i]
	entries, err := run.EntriesOf(i)
	if err != nil {
		return err
	}
	for n := 0; entries.Scan(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return errors.Join(ctx.Err(), entries.Close())
		}
		if err := out.Append(entries.Entry()); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", run.Path(from.File), err), entries.Close())
		}
	}
	if err := errors.Join(entries.Err(), entries.Close()); err != nil {
		return err
	}
	to := &out.Info
	name, file, labels := to.Name, to.File, to.Labels
	records, bytes, first := to.Records, to.Bytes, to.First
	*to = *from
	to.Name, to.File, to.Labels, to.Records, to.Bytes, to.First = name, file, labels, records, bytes, first
	to.Last, to.FileBytes, to.SHA256 = nil, 0, ""
	return out.Close()
}

// copyFile copies a file that is no log, line by line.
func copyFile(ctx context.Context, run *corpus.Run, info *corpus.File, out *corpus.RunWriter) (int64, error) {
	in, err := run.OpenFile(info.Path)
	if err != nil {
		return 0, err
	}
	w, err := out.Copy(*info)
	if err != nil {
		return 0, errors.Join(err, in.Close())
	}
	n, err := copyLines(ctx, in, w)
	if err != nil {
		err = fmt.Errorf("%s:%d: %w", run.Path(info.Path), n, err)
	}
	return n, errors.Join(err, w.Close(), in.Close())
}

func copyLines(ctx context.Context, in io.Reader, w *corpus.LineWriter) (int64, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 2*corpus.MaxRecord+1)
	n := int64(0)
	for lines.Scan() {
		n++
		if n%4096 == 0 && ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err := w.Line(lines.Bytes()); err != nil {
			return n, err
		}
	}
	return n, lines.Err()
}

// sameShape compares what redaction must not change.
func sameShape(before, after *corpus.Manifest) error {
	if len(before.Streams) != len(after.Streams) || len(before.Files) != len(after.Files) {
		return errors.New("a redacted run has other files")
	}
	var records, again int64
	for i := range before.Streams {
		records += before.Streams[i].Records
		again += after.Streams[i].Records
	}
	if records != again {
		return fmt.Errorf("a redacted run has %d records; it had %d", again, records)
	}
	return nil
}
