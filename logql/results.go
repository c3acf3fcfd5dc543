package logql

import (
	"cmp"
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
// same labels, in the direction of the query. Lines of equal time stand in the
// order of their streams' hashes, those of one stream in the order in which
// they were pushed or, backward, the reverse. That is Loki's order.
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
	hashes []uint64 // of the streams
	lines  []lineResult
	series []seriesIndex
}

// A lineResult is the lines of one log query.
type lineResult struct {
	limit Limit
	isLog bool
	seq   int
	kept  []keptLine // unordered; cut to the limit when twice as many
}

type keptLine struct {
	labels logs.Labels
	entry  ResultEntry
	hash   uint64 // of the stream
	seq    int    // of the match
}

type seriesIndex struct {
	byKey  map[string]int
	series []SeriesResult
}

// NewResults returns the sink for a run of the given queries over the given
// streams; limits[i] is that of query i and has no meaning for metric queries.
func NewResults(queries []*Query, limits []Limit, streams []logs.Labels) *Results {
	r := &Results{
		lines:  make([]lineResult, len(queries)),
		series: make([]seriesIndex, len(queries)),
	}
	for _, s := range streams {
		r.hashes = append(r.hashes, s.Hash())
	}
	for i, q := range queries {
		r.lines[i] = lineResult{limit: limits[i], isLog: q.IsLog()}
		r.series[i].byKey = make(map[string]int)
	}
	return r
}

// Match implements [Sink].
func (r *Results) Match(query, _ int, m *Match) {
	l := &r.lines[query]
	if !l.isLog {
		return
	}
	x := keptLine{entry: ResultEntry{Time: m.Entry.Time}, hash: r.hashes[m.Stream], seq: l.seq}
	l.seq++
	if n := l.limit.Lines; n > 0 && len(l.kept) >= 2*n {
		l.cut()
		if l.limit.compare(&x, &l.kept[n-1]) > 0 {
			return
		}
	}
	x.labels, x.entry.Line = m.Labels(), string(m.Line)
	l.kept = append(l.kept, x)
}

// cut sorts the lines and lets go of those beyond the limit.
func (l *lineResult) cut() {
	slices.SortFunc(l.kept, func(a, b keptLine) int { return l.limit.compare(&a, &b) })
	if n := l.limit.Lines; n > 0 && len(l.kept) > n {
		clear(l.kept[n:])
		l.kept = l.kept[:n]
	}
}

// compare orders lines as they stand in the answer.
func (l Limit) compare(a, b *keptLine) int {
	time, seq := cmp.Compare(a.entry.Time, b.entry.Time), cmp.Compare(a.seq, b.seq)
	if l.Backward {
		time, seq = -time, -seq
	}
	return cmp.Or(time, cmp.Compare(a.hash, b.hash), seq)
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
	l := &r.lines[query]
	l.cut()
	out := Result{Series: r.series[query].series}
	index := make(map[string]int)
	for _, x := range l.kept {
		key := string(appendSetKey(nil, x.labels))
		i, ok := index[key]
		if !ok {
			i = len(out.Streams)
			index[key] = i
			out.Streams = append(out.Streams, StreamResult{Labels: x.labels})
		}
		out.Streams[i].Entries = append(out.Streams[i].Entries, x.entry)
	}
	slices.SortFunc(out.Streams, func(a, b StreamResult) int { return a.Labels.Compare(b.Labels) })
	return out
}
