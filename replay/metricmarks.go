package replay

import (
	"context"
	"math"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// maxMetricMarks bounds what is kept of one metric: each time that one of its
// series passes the value.
const maxMetricMarks = 20_000

// A metricMarkRun notes when series pass values, in one run.
type metricMarkRun struct {
	sources []*profile.MetricSource
	marks   []outcome.MetricMarks
	stats   outcome.Scrapes
	series  []*markedSeries // by number of the series; nil: no source chooses it
	targets map[int]*markedTarget
}

// A markedSeries is a series that some source chooses.
type markedSeries struct {
	labels logs.Labels
	of     []int   // sources, by index
	past   []being // of each: how it was at the last scrape that had it
	scan   int64   // number of that scrape of its target
}

type markedTarget struct {
	scans int64 // that did not fail
	last  int64 // time of the last of these, ms
}

// A being is how a series stands to a value.
type being int

const (
	absent being = iota // or not a number
	short               // it has not passed the value
	passed
)

func newMetricMarkRun(sources []*profile.MetricSource) *metricMarkRun {
	r := &metricMarkRun{sources: sources, marks: make([]outcome.MetricMarks, len(sources)), targets: map[int]*markedTarget{}}
	for i, s := range sources {
		r.marks[i].Key = s.Key()
	}
	return r
}

// read takes all scrapes, where no rule does.
func (r *metricMarkRun) read(ctx context.Context, in Scrapes) error {
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := in.Scrape()
		r.stats.Count++
		if r.stats.Count == 1 {
			r.stats.First = s.Time * 1e6
		}
		r.stats.Last = s.Time * 1e6
		r.stats.Samples += int64(len(s.Samples))
		if !s.Up {
			r.stats.Failed++
		}
		r.add(in)
	}
	r.stats.Series = len(r.series)
	return in.Err()
}

// add takes one scrape. One that failed tells nothing: what its series came to
// is seen by the next one.
func (r *metricMarkRun) add(in Scrapes) {
	s := in.Scrape()
	if r == nil || len(r.sources) == 0 || !s.Up {
		return
	}
	t := r.targets[s.Target]
	if t == nil {
		t = &markedTarget{}
		r.targets[s.Target] = t
	}
	for _, x := range s.Samples {
		m := r.chosen(in, x.Series)
		if m == nil {
			continue
		}
		for i, of := range m.of {
			before, now := m.past[i], beingOf(r.sources[of], x.Value)
			if m.scan != t.scans {
				before = absent
			}
			m.past[i] = now
			// What begins below a value did not fall under it.
			if now == passed && before != passed && (before == short || r.sources[of].Above != nil || t.scans == 0) {
				r.mark(of, m, outcome.MetricMark{Time: x.Time * 1e6, Since: t.last * 1e6, Value: x.Value, Labels: m.labels})
			}
		}
		m.scan = t.scans + 1
	}
	t.scans++
	t.last = s.Time
}

func (r *metricMarkRun) mark(of int, m *markedSeries, x outcome.MetricMark) {
	out := &r.marks[of]
	if len(out.Marks) < maxMetricMarks {
		out.Marks = append(out.Marks, x)
		return
	}
	if out.Cut++; out.Cut == 1 {
		out.CutAt = x.Time
	}
}

// chosen returns what is known of a series; nil: no source chooses it.
func (r *metricMarkRun) chosen(in Scrapes, n int) *markedSeries {
	for len(r.series) <= n {
		ls := in.Series(len(r.series))
		var m *markedSeries
		for i, s := range r.sources {
			if s.Name != ls.Get(model.MetricNameLabel) || !fitsAll(s.Match, ls) {
				continue
			}
			if m == nil {
				m = &markedSeries{labels: labelsOf(ls)}
			}
			m.of, m.past = append(m.of, i), append(m.past, absent)
			r.marks[i].Series++
		}
		r.series = append(r.series, m)
	}
	return r.series[n]
}

func fitsAll(match map[string]profile.Pattern, ls labels.Labels) bool {
	for name, p := range match {
		if !p.Fits(ls.Get(name)) {
			return false
		}
	}
	return true
}

func labelsOf(ls labels.Labels) logs.Labels {
	out := map[string]string{}
	ls.Range(func(l labels.Label) {
		if l.Name != model.MetricNameLabel {
			out[strings.Clone(l.Name)] = strings.Clone(l.Value)
		}
	})
	return logs.FromMap(out)
}

func beingOf(s *profile.MetricSource, v float64) being {
	switch {
	case math.IsNaN(v):
		return absent
	case s.Above != nil && v > *s.Above, s.Below != nil && v < *s.Below:
		return passed
	}
	return short
}
