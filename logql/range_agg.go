package logql

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/logql/syntax"
)

// A leaf is a range aggregation in a run. Entries are added as they come, and
// at each instant it yields a sample for every series with an entry in the
// window (instant-range-offset, instant-offset].
type leaf struct {
	plan   *rangePlan
	window Window
	count  int // of instants
	sets   *labelSets

	series   map[string]*series
	active   []*series // that hold entries, in the order in which they came
	byStream map[int]*series
	recent   [16]recentSeries
	labels   []label
	key      []byte
	out      []point
	err      error

	// Entries of times in [sameFrom, sameTo) are seen by the instants first to
	// last.
	sameFrom, sameTo int64
	first, last      int
}

// A series is what a leaf knows of one label set.
type series struct {
	set    *labelSet
	window rangeWindow
	keys   []string // under which the leaf knows it
	stream int      // under which byStream knows it, or -1
}

// A recentSeries is a series of a leaf that groups by one label at most, under
// the value of that label: to look among these is cheaper than to build a key.
type recentSeries struct {
	series *series // nil: none
	value  []byte
	has    bool // the label is there
}

// longestRecent bounds the values that are kept with recent series.
const longestRecent = 128

// A rangeWindow computes a range aggregation of one series over a sliding
// window. Entries are added in time order, and instants asked for in order.
type rangeWindow interface {
	// add takes an entry that the instants first to last see.
	add(x *entry, first, last int)
	// at returns the value at instant k and whether any entry is seen.
	at(k int) (value float64, ok bool)
	// empty reports whether no later instant sees an entry.
	empty() bool
}

// maxKeys bounds by how many orders of its labels a series is known.
const maxKeys = 8

func newLeaf(g *grid, p *rangePlan) *leaf {
	return &leaf{
		plan:     p,
		window:   g.window,
		count:    g.count,
		sets:     g.sets,
		series:   make(map[string]*series),
		byStream: make(map[int]*series),
	}
}

// instants returns the first and last instant that see an entry of time ts;
// first > last if none does. Many entries have the same, so it remembers the
// answer.
func (l *leaf) instants(ts int64) (first, last int) {
	if ts >= l.sameFrom && ts < l.sameTo {
		return l.first, l.last
	}
	return l.findInstants(ts)
}

func (l *leaf) findInstants(ts int64) (first, last int) {
	t := addTime(ts, int64(l.plan.offset)) // seen by instants in [t, t+range)
	end := addTime(t, int64(l.plan.rang))
	w := l.window
	if w.Step <= 0 {
		if t <= w.End && w.End < end {
			return 0, l.count - 1
		}
		return 1, 0
	}
	if end <= w.Start || t > w.End {
		return 1, 0
	}
	if t > w.Start {
		first = int((t - w.Start + w.Step - 1) / w.Step)
	}
	last = int((end - 1 - w.Start) / w.Step)
	// In a step both change at most once: where an instant sees an entry for
	// the first time, and where one does for the last.
	whole := t-ts == int64(l.plan.offset) && end-t == int64(l.plan.rang) // not cut off
	if t > w.Start && whole {
		seen := w.Start + int64(first)*w.Step - t            // this much later it is still the first
		unseen := w.Start + int64(last+1)*w.Step - (end - 1) // so much later another is the last
		l.sameFrom, l.sameTo = ts, ts+min(seen+1, unseen)
		l.first, l.last = first, min(last, l.count-1)
	}
	return first, min(last, l.count-1)
}

// add takes an entry that instants first to last see.
func (l *leaf) add(e *entry, first, last int) {
	if l.err != nil {
		return
	}
	if e.err != "" && !e.wanted {
		l.err = sampleError(e)
		return
	}
	l.seriesOf(e).window.add(e, first, last)
}

// sampleError says that an entry carries __error__, which fails a metric
// query.
func sampleError(e *entry) error {
	const most = 200
	line := e.line
	cut := ""
	if len(line) > most {
		line, cut = line[:most], "…"
	}
	return fmt.Errorf("a sample carries __error__=%q (%s), from the line %q%s; add | __error__=\"\" to leave such lines out",
		e.err, e.details, line, cut)
}

// seriesOf returns the series of an entry and makes it if it is new.
func (l *leaf) seriesOf(e *entry) *series {
	plain := len(e.ops) == 0 && len(e.in.Metadata) == 0 && e.err == ""
	if plain {
		if s := l.byStream[e.stream]; s != nil {
			return s
		}
	}
	if g := l.plan.grouping; g != nil && !g.without && len(g.names) <= 1 {
		return l.recentOf(e, g)
	}
	return l.findSeries(e, plain)
}

// recentOf is findSeries for groupings by one label at most.
func (l *leaf) recentOf(e *entry, g *grouping) *series {
	var r recentSeries
	slot := 0
	if len(g.names) == 1 {
		r.value, r.has = e.lookup(g.names[0])
		if n := len(r.value); n > 0 {
			slot = (n + 3*int(r.value[0]) + 5*int(r.value[n-1])) % len(l.recent)
		}
	}
	c := &l.recent[slot]
	if c.series != nil && c.has == r.has && bytes.Equal(c.value, r.value) {
		return c.series
	}
	s := l.findSeries(e, false)
	if len(r.value) <= longestRecent {
		c.series, c.has, c.value = s, r.has, append(c.value[:0], r.value...)
	}
	return s
}

// findSeries looks for the series by its labels. With plain set these are
// those of the stream.
func (l *leaf) findSeries(e *entry, plain bool) *series {
	l.labels = l.appendSeriesLabels(l.labels[:0], e)
	l.key = appendLabelsKey(l.key[:0], l.labels)
	s := l.series[string(l.key)]
	if s == nil {
		s = l.newSeries()
	}
	if plain && s.stream < 0 {
		s.stream = e.stream
		l.byStream[e.stream] = s
	}
	return s
}

// newSeries returns the series of l.labels. The labels stand in the order in
// which the pipeline set them: sorting them for every entry would cost more
// than all else. So a series is known by several keys.
func (l *leaf) newSeries() *series {
	key := string(l.key)
	slices.SortFunc(l.labels, compareLabels)
	l.key = appendLabelsKey(l.key[:0], l.labels)
	s := l.series[string(l.key)]
	if s == nil {
		s = &series{set: l.sets.intern(l.labels), window: l.newWindow(), stream: -1}
		l.active = append(l.active, s)
		l.know(s, string(l.key))
	}
	if len(s.keys) < maxKeys && key != s.keys[0] {
		l.know(s, key)
	}
	return s
}

func (l *leaf) know(s *series, key string) {
	l.series[key] = s
	s.keys = append(s.keys, key)
}

// appendSeriesLabels appends the labels of the series that e belongs to.
func (l *leaf) appendSeriesLabels(dst []label, e *entry) []label {
	if g := l.plan.grouping; g != nil && !g.without {
		for _, ref := range g.names {
			if v, ok := e.lookup(ref); ok {
				dst = append(dst, label{ref.bytes, v})
			}
		}
		return dst
	}
	dst = e.appendLabels(dst)
	return slices.DeleteFunc(dst, func(x label) bool {
		return string(x.name) == e.hidden || l.plan.grouping != nil && l.plan.grouping.has(string(x.name))
	})
}

func (l *leaf) newWindow() rangeWindow {
	switch p := l.plan; p.op {
	case syntax.CountOverTime, syntax.BytesOverTime, syntax.BytesRate, syntax.AbsentOverTime:
		return newCountWindow(p)
	case syntax.Rate:
		if !p.unwrapped {
			return newCountWindow(p)
		}
		return newFoldWindow(p)
	case syntax.QuantileOverTime:
		return newQuantileWindow(p.param)
	case syntax.RateCounter:
		return newCounterWindow(p)
	default:
		return newFoldWindow(p)
	}
}

// eval yields the samples of instant k and lets go of series that no later
// instant sees.
func (l *leaf) eval(k int) ([]point, error) {
	if l.err != nil {
		return nil, l.err
	}
	l.out = l.out[:0]
	kept := l.active[:0]
	for _, s := range l.active {
		if v, ok := s.window.at(k); ok {
			l.out = append(l.out, point{s.set, v})
		}
		if s.window.empty() {
			l.forget(s)
		} else {
			kept = append(kept, s)
		}
	}
	clear(l.active[len(kept):])
	l.active = kept
	if l.plan.op == syntax.AbsentOverTime {
		return l.absent(), nil
	}
	return l.out, nil
}

func (l *leaf) forget(s *series) {
	for _, key := range s.keys {
		delete(l.series, key)
	}
	if s.stream >= 0 {
		delete(l.byStream, s.stream)
	}
	for i := range l.recent {
		if l.recent[i].series == s {
			l.recent[i].series = nil
		}
	}
}

// absent turns the samples of an instant into those of absent_over_time: one
// of value 1 if there are none.
func (l *leaf) absent() []point {
	if len(l.out) > 0 {
		return nil
	}
	return append(l.out, point{l.sets.intern(l.plan.absentLabels), 1})
}
