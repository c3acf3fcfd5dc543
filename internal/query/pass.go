package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/feed"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
)

// maxSeries is the most series of one metric query. Loki gives at most 500 by
// default.
const maxSeries = 10_000

// maxSamples is the most samples of all series of one run.
const maxSamples = 10_000_000

// cancelEvery is how many records are read between looks at the context.
const cancelEvery = 4096

// A sampleSink keeps the answer to a metric query as long as it is bearable.
type sampleSink struct {
	*logql.Results
	samples int
}

// Vector implements logql.Sink.
func (s *sampleSink) Vector(query int, ts int64, v []logql.Sample) {
	if s.samples += len(v); !s.full() {
		s.Results.Vector(query, ts, v)
	}
}

func (s *sampleSink) full() bool { return s.samples > maxSamples }

// pass pushes the records of a run to the query until they end or stop says
// so. Empty lines and exact repeats are left out, as when rules are replayed.
func (x *execution) pass(ctx context.Context, r *logRun, w logql.Window, sink logql.Sink, stop func() bool) (run *logql.Run, err error) {
	in := x.ingest(r)
	entries, err := r.open(ctx, x.keep(r, in))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, entries.Close()) }()
	set := logql.NewSet([]*logql.Query{x.query.Query}, logql.Options{AssumeSelectors: x.logs.assumed || x.query.bare, MaxSeries: maxSeries})
	run = set.NewRun(in.streams, []logql.Window{w}, sink)
	work := func(stream int, e *logs.Entry) bool {
		run.Push(stream, in.label(stream, e))
		return !stop() && run.Err(0) == nil
	}
	// What comes down a pipe is answered at once, not in batches.
	each := feed.Each
	if !r.passesOver {
		each = oneByOne
	}
	if err := each(ctx, entries, x.stored(), work); err != nil {
		return nil, err
	}
	run.Close()
	return run, ctx.Err()
}

// stored returns what tells the records that a store would keep, and counts
// the others. Lines of single logs are counted as grep -c does: all of them.
func (x *execution) stored() func(int, *logs.Entry) bool {
	if x.opt.Count && x.opt.Corpus == "" {
		return func(int, *logs.Entry) bool { return true }
	}
	var dedup logs.Dedup
	return func(stream int, e *logs.Entry) bool {
		switch {
		case len(e.Line) == 0 && !x.opt.KeepEmpty:
			x.empty++
			return false
		case e.Time != 0 && dedup.Repeat(stream, e):
			x.repeats++
			return false
		}
		return true
	}
}

// oneByOne is feed.Each on one goroutine: each record is worked on before the
// next is read.
func oneByOne(ctx context.Context, entries feed.Entries, keep, work func(int, *logs.Entry) bool) error {
	for n := 0; entries.Scan(); n++ {
		if n%cancelEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if stream, e := entries.Stream(), entries.Entry(); keep(stream, e) && !work(stream, e) {
			return nil
		}
	}
	return entries.Err()
}

// keep returns what cuts away records that the query cannot match, nil if any
// record may.
func (x *execution) keep(r *logRun, in *ingest) func([]byte) []byte {
	if in.level || x.readAll || !r.passesOver {
		return nil
	}
	if p := x.query.Prefilter(in.streams); p != nil {
		return p.Keep
	}
	return nil
}

// An ingest adds the labels that Loki 3 gives to what it takes in, to the
// queries that name them.
type ingest struct {
	streams []logs.Labels
	plain   []logs.Labels
	level   bool
	scratch logs.Entry
}

func (x *execution) ingest(r *logRun) *ingest {
	in := &ingest{streams: r.streams, plain: r.streams, level: x.names(logql.DetectedLevelLabel)}
	if !x.names(logql.ServiceNameLabel) {
		return in
	}
	in.streams = logql.WithServiceNames(r.streams)
	return in
}

// names reports whether the query sees a label that Loki adds. The text is
// searched, as a template may name it too.
func (x *execution) names(label string) bool {
	return x.opt.IngestLabels || strings.Contains(x.query.String(), label)
}

func (in *ingest) label(stream int, e *logs.Entry) *logs.Entry {
	if !in.level {
		return e
	}
	level := logql.DetectLevel(in.plain[stream], e.Metadata, e.Line)
	in.scratch = *e
	in.scratch.Metadata = logs.New(append(slices.Clip(e.Metadata), logs.Label{Name: logql.DetectedLevelLabel, Value: level})...)
	return &in.scratch
}

// explainNothing notes where a log query lost its last line.
func (x *execution) explainNothing(r *logRun, run *logql.Run) {
	x.opt.Note(x.logs.prefix(r) + x.nothing(r, run.Funnel(0)[0]))
}

func (x *execution) nothing(r *logRun, funnel []logql.StageCount) string {
	if funnel[0].Streams == 0 {
		const most = 5
		var have []string
		for _, ls := range r.streams[:min(most, len(r.streams))] {
			have = append(have, printable(ls.String()))
		}
		if len(r.streams) > most {
			have = append(have, "…")
		}
		return fmt.Sprintf("the selector matches no stream; there are: %s", strings.Join(have, " "))
	}
	steps := x.query.Pipelines()[0].Steps
	for i, c := range funnel {
		if i > 0 && c.Lines == 0 && funnel[i-1].Lines > 0 {
			return fmt.Sprintf("no line matches: of %d none is left after %s", funnel[i-1].Lines, printable(steps[i].Text))
		}
	}
	if funnel[0].Lines == 0 {
		return "no line matches: there is none in the streams selected"
	}
	return fmt.Sprintf("no line matches: %d pass the query, none of them between --from and --to", funnel[len(funnel)-1].Lines)
}
