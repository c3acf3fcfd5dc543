package query

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
)

// Options say what to ask, of which logs, and how to print the answer.
type Options struct {
	Query string // LogQL, or stages without a selector

	// Corpus is the directory of a corpus. Build, Scenario and Repetition
	// choose among its runs; empty or 0: all.
	Corpus          string
	Build, Scenario string
	Repetition      int

	// Files are single logs, in place of a corpus; "-" is Stdin.
	Files  []string
	Stdin  io.Reader
	Labels logs.Labels // of the streams of Files; nil: not known
	Year   int         // of files whose times have none; 0: unknown
	Zone   string      // likewise, an IANA name; empty: unknown

	// From and To bound the times looked at, Step asks for a range query; all
	// as written by the user, empty: not given.
	From, To, Step string
	Limit          int // of lines of a run; 0: all
	Backward       bool

	Format string // one of Formats
	Count  bool   // print how many lines match in place of them
	// Terminal says that the answer goes to a terminal, which must not obey
	// what stands in a log.
	Terminal bool
	// IngestLabels adds service_name and detected_level as Loki does, also
	// where the query does not name them.
	IngestLabels bool

	// KeepEmpty looks at empty lines too. By default they are left out, as
	// they are when rules are replayed.
	KeepEmpty bool

	// Note is called with remarks that are no part of the answer, such as
	// that a limit cut it.
	Note func(text string)
}

// Run answers a query and writes the answer to w. Faults that a user can mend
// say what to do.
func Run(ctx context.Context, opt *Options, w io.Writer) error {
	q, err := parse(opt.Query)
	if err != nil {
		return err
	}
	when, err := parseWhen(opt)
	if err != nil {
		return err
	}
	if err := check(opt, q, when); err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	// What was found is shown before a read that may wait for more.
	if opt.Stdin != nil {
		opt.Stdin = &pipe{ctx: ctx, in: opt.Stdin, before: out.Flush}
	}
	src, err := openLogs(ctx, opt, q, when)
	if err != nil {
		return err
	}
	defer src.remove()
	x := &execution{opt: opt, query: q, when: when, logs: src, out: out}
	err = x.run(ctx)
	return errors.Join(err, out.Flush())
}

// check refuses options that do not fit the kind of the query.
func check(opt *Options, q *question, when *when) error {
	if _, ok := formatNamed(opt.Format); !ok {
		return fmt.Errorf("--format %q: unknown; the formats are %s", opt.Format, formatList())
	}
	if opt.Limit < 0 {
		return fmt.Errorf("--limit %d: must be 0, for all lines, or more", opt.Limit)
	}
	if q.IsLog() {
		switch {
		case when.step != 0:
			return errors.New("--step is for metric queries, such as count_over_time({…}[5m]); a log query gives lines")
		case opt.Count && opt.Limit > 0:
			return errors.New("--count counts all lines: leave out --limit")
		case opt.Count && opt.Format != "text":
			return errors.New("--count prints a number: leave out --format")
		}
		return nil
	}
	switch {
	case opt.Limit > 0:
		return errors.New("--limit counts lines, but a metric query gives none; use topk to get the largest series")
	case opt.Backward:
		return errors.New("--direction is for log queries; a metric query gives no lines")
	case opt.Count:
		return errors.New("--count counts lines, but a metric query gives none; write the count in the query: sum(count_over_time({…}[5m]))")
	case opt.Format == "raw":
		return errors.New("--format raw is for lines, but a metric query gives none")
	case when.step == 0 && when.from.kind != momentNone:
		return errors.New("--from without --step: a metric query is evaluated at one instant, given by --to, or with --step at many from --from to --to")
	}
	return nil
}

// An execution is one query on its way over all runs.
type execution struct {
	opt   *Options
	query *question
	when  *when
	logs  *logSource
	out   *bufio.Writer

	printer printer
	answer  answer
	matched int64 // lines or samples over all runs
	cut     int   // runs in which the limit cut
	empty   int64 // lines left out
	repeats int64
	readAll bool // no record may be passed over
}

// run asks one run after the other.
func (x *execution) run(ctx context.Context) error {
	x.noteInput()
	f, _ := formatNamed(x.opt.Format)
	x.printer = f.open(x.out, x.look())
	runs := x.logs.runs
	if x.query.IsScalar() {
		runs = runs[:1] // a number is the same whatever the logs
	}
	for _, r := range runs {
		var err error
		if x.query.IsLog() {
			err = x.lines(ctx, r)
		} else {
			err = x.samples(ctx, r)
		}
		if err != nil {
			return err
		}
	}
	if !x.query.IsLog() {
		x.answer.sort()
		if err := x.printer.metric(&x.answer); err != nil {
			return err
		}
	}
	if err := x.printer.end(); err != nil {
		return err
	}
	x.noteOutput()
	return nil
}

// look says how the answer is shown.
func (x *execution) look() look {
	return look{terminal: x.opt.Terminal, common: x.logs.common}
}

// countText counts the lines of plain files as grep -c does. It reports false
// where times, repeats or added labels are needed.
func (x *execution) countText(ctx context.Context, r *logRun) (done bool, err error) {
	if !x.opt.Count || len(r.text) == 0 || x.when.given() || x.query.usesTime() ||
		x.names(logql.DetectedLevelLabel) || x.names(logql.ServiceNameLabel) {
		return false, nil
	}
	total := int64(0)
	for i, name := range r.text {
		n, err := x.countFile(ctx, name, r.streams[i])
		if err != nil {
			return true, err
		}
		total += n
	}
	x.matched += total
	return true, x.writeCount(r, total)
}

func (x *execution) countFile(ctx context.Context, name string, stream logs.Labels) (n int64, err error) {
	file, err := corpus.OpenText(name, corpus.Limits{})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if x.logs.assumed || x.query.bare {
		stream = nil
	}
	return logql.CountLines(ctx, x.query.Query, stream, file)
}

// tellNothing notes why a log query found no line. Where records were passed
// over unread that takes another look at them.
func (x *execution) tellNothing(ctx context.Context, r *logRun, run *logql.Run, window logql.Window) error {
	if x.keep(r, x.ingest(r)) != nil {
		x.readAll = true
		defer func() { x.readAll = false }()
		empty, repeats := x.empty, x.repeats
		again, err := x.pass(ctx, r, window, newLineSink(r, 0, false, false), func() bool { return false })
		if err != nil {
			return err
		}
		run, x.empty, x.repeats = again, empty, repeats
	}
	x.explainNothing(r, run)
	return nil
}

// lines runs a log query on one run.
func (x *execution) lines(ctx context.Context, r *logRun) error {
	if done, err := x.countText(ctx, r); done || err != nil {
		return err
	}
	window, err := x.when.logWindow(r)
	if err != nil {
		return err
	}
	labels := x.opt.Format != "raw" && !x.opt.Count
	sink := newLineSink(r, x.opt.Limit, x.opt.Backward, labels)
	sink.emit = func(l *line) error {
		x.matched++
		if x.opt.Count {
			return nil
		}
		l.labels = r.addLabels(l.labels)
		return x.printer.line(l)
	}
	before := x.matched
	run, err := x.pass(ctx, r, window, sink, sink.stopped)
	if err != nil {
		return err
	}
	if sink.matches == 0 {
		if err := x.tellNothing(ctx, r, run, window); err != nil {
			return err
		}
	}
	if err := sink.close(); err != nil {
		return err
	}
	if sink.cut {
		x.cut++
	}
	if x.opt.Count {
		return x.writeCount(r, x.matched-before)
	}
	return nil
}

// writeCount prints how many lines match, with the name of the run if there
// are several, as grep does with files.
func (x *execution) writeCount(r *logRun, n int64) error {
	var err error
	if len(x.logs.runs) > 1 {
		_, err = fmt.Fprintf(x.out, "%s:%d\n", r.name, n)
	} else {
		_, err = fmt.Fprintln(x.out, n)
	}
	return err
}

// samples runs a metric query on one run.
func (x *execution) samples(ctx context.Context, r *logRun) error {
	window, err := x.when.metricWindow(r)
	if err != nil {
		return err
	}
	results := logql.NewResults([]*logql.Query{x.query.Query}, make([]logql.Limit, 1), r.streams)
	sink := &sampleSink{Results: results}
	run, err := x.pass(ctx, r, window, sink, sink.full)
	if err != nil {
		return err
	}
	if err := run.Err(0); err != nil {
		return fmt.Errorf("%s%w", x.logs.prefix(r), err)
	}
	if sink.full() {
		return fmt.Errorf("the answer has more than %d samples; aggregate the series with sum by (…), or take a longer --step", maxSamples)
	}
	for _, s := range results.Result(0).Series {
		s.Labels = r.addLabels(s.Labels)
		x.answer.series = append(x.answer.series, s)
		x.matched += int64(len(s.Points))
	}
	x.answer.kind = x.query.kind(window.Step > 0)
	x.answer.ordered = x.query.ordered() && window.Step == 0
	return nil
}
