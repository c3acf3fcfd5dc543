package logql

import (
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
)

// A Limit says which lines of a log query to keep.
type Limit struct {
	Lines    int  // at most; 0: all
	Backward bool // the newest, newest first; otherwise the oldest, oldest first
}

// A Result is the whole answer to one query.
type Result struct {
	// Streams is the answer to a log query, ordered by labels.
	Streams []StreamResult
	// Series is the answer to a metric query, in the order in which the
	// series appeared; at a single instant that is the order of the vector.
	Series []SeriesResult
}

// A StreamResult is the lines of a log query that left its pipeline with the
// same labels, in the direction of the query; of equal times in the order in
// which they were pushed, or the reverse.
type StreamResult struct {
	Labels  logs.Labels
	Entries []ResultEntry
}

// A ResultEntry is one line of an answer.
type ResultEntry struct {
	Time int64 // nanoseconds since the epoch
	Line string
}

// A SeriesResult is the samples of one series in time order.
type SeriesResult struct {
	Labels logs.Labels
	Points []Point
}

// A Point is a value at an instant.
type Point struct {
	Time  int64 // nanoseconds since the epoch
	Value float64
}

// Results is a [Sink] that keeps the answers of all queries of a set. Lines
// beyond the limit of a log query are let go as they come.
type Results struct {
	limits []Limit
	lines  [][]keptLine // by query; a ring when full and backward
	next   []int        // of the ring: the oldest
	series []seriesIndex
}

type keptLine struct {
	labels logs.Labels
	entry  ResultEntry
}

type seriesIndex struct {
	byKey  map[string]int
	series []SeriesResult
}

// NewResults returns the sink for the given queries; limits[i] is that of
// query i and has no meaning for metric queries.
func NewResults(queries []*Query, limits []Limit) *Results {
	r := &Results{
		limits: slices.Clone(limits),
		lines:  make([][]keptLine, len(queries)),
		next:   make([]int, len(queries)),
		series: make([]seriesIndex, len(queries)),
	}
	for i, q := range queries {
		if q.IsLog() {
			continue
		}
		r.limits[i] = Limit{Lines: -1}
		r.series[i].byKey = make(map[string]int)
	}
	return r
}

// Match implements [Sink].
func (r *Results) Match(query, _ int, m *Match) {
	l := r.limits[query]
	full := l.Lines > 0 && len(r.lines[query]) == l.Lines
	if l.Lines < 0 || full && !l.Backward {
		return
	}
	line := keptLine{m.Labels(), ResultEntry{m.Entry.Time, string(m.Line)}}
	if !full {
		r.lines[query] = append(r.lines[query], line)
		return
	}
	r.lines[query][r.next[query]] = line
	r.next[query] = (r.next[query] + 1) % l.Lines
}

// Vector implements [Sink].
func (r *Results) Vector(query int, ts int64, v []Sample) {
	x := &r.series[query]
	for _, s := range v {
		key := string(appendSetKey(nil, s.Labels))
		i, ok := x.byKey[key]
		if !ok {
			i = len(x.series)
			x.byKey[key] = i
			x.series = append(x.series, SeriesResult{Labels: s.Labels})
		}
		x.series[i].Points = append(x.series[i].Points, Point{ts, s.Value})
	}
}

// Result returns the answer to a query. It is complete once the run is closed.
func (r *Results) Result(query int) Result {
	kept := slices.Concat(r.lines[query][r.next[query]:], r.lines[query][:r.next[query]])
	if r.limits[query].Backward {
		slices.Reverse(kept)
	}
	out := Result{Series: r.series[query].series}
	index := make(map[string]int)
	for _, l := range kept {
		key := string(appendSetKey(nil, l.labels))
		i, ok := index[key]
		if !ok {
			i = len(out.Streams)
			index[key] = i
			out.Streams = append(out.Streams, StreamResult{Labels: l.labels})
		}
		out.Streams[i].Entries = append(out.Streams[i].Entries, l.entry)
	}
	slices.SortFunc(out.Streams, func(a, b StreamResult) int { return a.Labels.Compare(b.Labels) })
	return out
}
