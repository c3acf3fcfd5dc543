package logqltest

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/logql"
	"github.com/stillfires/stillfires/logql/syntax"
)

// maxSeries is the series limit under which the answers were recorded.
const maxSeries = 500

// Run runs one case. corpus is nil for a parse case.
func Run(c *Case, corpus *Corpus) Answer {
	return RunAll([]*Case{c}, corpus)[0]
}

// RunAll runs cases of one corpus in one pass over it.
func RunAll(cases []*Case, corpus *Corpus) []Answer {
	answers := make([]Answer, len(cases))
	var queries []*logql.Query
	var windows []logql.Window
	var limits []logql.Limit
	var of []int // query → case
	for i, c := range cases {
		q, err := logql.ParseAndCompile(c.Query)
		if err != nil {
			answers[i] = refusal(c, err)
			continue
		}
		answers[i].Status = StatusOK
		if c.Kind == KindParse {
			continue
		}
		w := logql.Window{Start: c.Start, End: c.End}
		if c.Kind == KindRange {
			w.Step = c.Step
		}
		queries = append(queries, q)
		windows = append(windows, w)
		limits = append(limits, logql.Limit{Lines: c.Limit, Backward: c.Direction == "backward"})
		of = append(of, i)
	}
	if len(queries) == 0 {
		return answers
	}
	results := logql.NewResults(queries, limits, corpus.Streams)
	run := logql.NewSet(queries, logql.Options{MaxSeries: maxSeries}).NewRun(corpus.Streams, windows, results)
	for i := range corpus.Entries {
		run.Push(corpus.Entries[i].Stream, &corpus.Entries[i].Entry)
	}
	run.Close()
	for j, i := range of {
		if err := run.Err(j); err != nil {
			answers[i] = Answer{Status: StatusExecError, Err: err.Error()}
			continue
		}
		fill(&answers[i], cases[i], queries[j], results.Result(j))
	}
	return answers
}

// refusal is the answer to a query that does not compile.
func refusal(c *Case, err error) Answer {
	a := Answer{Status: StatusParseError, Err: err.Error()}
	var e *syntax.Error
	switch {
	case errors.Is(err, logql.ErrUnsupported):
		a.Status = StatusUnsupported
	case !errors.As(err, &e):
	case c.Kind == KindParse:
		a.Stage = e.Phase.String()
	case e.Phase == syntax.PhaseCompile:
		a.Status = StatusExecError
	}
	return a
}

// fill writes a result in the form of recorded answers.
func fill(a *Answer, c *Case, q *logql.Query, r logql.Result) {
	switch {
	case c.Kind == KindLog:
		a.Streams = streams(r.Streams, c.Direction == "backward")
	case c.Kind == KindRange:
		for _, s := range r.Series {
			out := Series{Labels: s.Labels.Map()}
			for _, p := range s.Points {
				out.Points = append(out.Points, [2]string{sampleTime(p.Time), FormatValue(p.Value)})
			}
			a.Matrix = append(a.Matrix, out)
		}
	case q.IsScalar():
		a.Scalar = FormatValue(r.Series[0].Points[0].Value)
	default:
		for _, s := range r.Series {
			p := s.Points[0]
			a.Vector = append(a.Vector, Sample{s.Labels.Map(), sampleTime(p.Time), FormatValue(p.Value)})
		}
	}
}

// detailsLabel is left out of recorded answers: its value is a sentence.
const detailsLabel = "__error_details__"

// streams leaves out the label with error sentences and merges streams that
// are equal then.
func streams(in []logql.StreamResult, backward bool) []Stream {
	var out []Stream
	index := make(map[string]int)
	merged := make(map[int]bool)
	for _, s := range in {
		labels := slices.DeleteFunc(slices.Clone(s.Labels), func(l logs.Label) bool { return l.Name == detailsLabel })
		key := labels.String()
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, Stream{Labels: labels.Map()})
		} else {
			merged[i] = true
		}
		for _, e := range s.Entries {
			out[i].Entries = append(out[i].Entries, [2]string{strconv.FormatInt(e.Time, 10), e.Line})
		}
	}
	for i := range merged {
		sortMerged(out[i].Entries, backward)
	}
	return out
}

// sortMerged orders entries of merged streams by time, in the direction of the
// query, then by line.
func sortMerged(entries [][2]string, backward bool) {
	slices.SortStableFunc(entries, func(a, b [2]string) int {
		c := cmp.Or(cmp.Compare(len(a[0]), len(b[0])), cmp.Compare(a[0], b[0]))
		if backward {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a[1], b[1]))
	})
}

// sampleTime prints the time of a sample, cut to milliseconds.
func sampleTime(ns int64) string {
	return strconv.FormatInt(ns-ns%1e6, 10)
}

// FormatValue prints a value as recorded answers do.
func FormatValue(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
