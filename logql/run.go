package logql

import "github.com/stillfires/stillfires/internal/logs"

// A Window is when a query looks. All times are nanoseconds since the epoch.
//
// A log query takes the entries with Start <= time < End. A metric query is
// evaluated at the instants Start, Start+Step, … up to and including End, or,
// with Step 0, once at End.
type Window struct{ Start, End, Step int64 }

// A Sample is one series of a vector with its value at one instant.
type Sample struct {
	Labels logs.Labels
	Value  float64
}

// A Sink receives what the queries of a run yield. Its methods are called
// from the goroutine that calls [Run.Push] or [Run.Close], never at once.
type Sink interface {
	// Match is called for an entry that passed a whole pipeline, for a log
	// query only if its window holds the entry's time, for a metric query if
	// at least one of its instants sees the entry. Of a log query these are
	// the result. m is valid until Match returns.
	Match(query, pipeline int, m *Match)
	// Vector is called for each instant of a metric query, in time order,
	// also with an empty vector, until the query fails. v is valid until
	// Vector returns; its labels stay valid. The order of v does not depend
	// on anything but the input; for sort and sort_desc it is the result.
	Vector(query int, ts int64, v []Sample)
}

// A Match is an entry that passed a pipeline.
type Match struct {
	Stream int         // index into the streams given to NewRun
	Line   []byte      // as the pipeline left it
	Entry  *logs.Entry // as it was pushed
	entry  *entry
}

// Labels returns the labels that the pipeline left: those of the stream, the
// metadata and what was parsed, with __error__ and __error_details__ if a
// stage failed. The result stays valid.
func (m *Match) Labels() logs.Labels { return m.entry.labels() }

// Options are settings of a [Set].
type Options struct {
	// AssumeSelectors takes every selector to match every stream: for logs
	// whose stream labels are not known.
	AssumeSelectors bool
	// MaxSeries is the most series that a metric query may yield over all
	// its instants; one that yields more fails. 0: no limit.
	MaxSeries int
	// Lanes lets a run work on that many goroutines, if it has many queries.
	// The methods of the [Sink] may then be called at once for different
	// queries, never for one, and Err and Funnel may be asked after Close
	// only. 0 or 1: all on the goroutine that pushes. At most two are used.
	Lanes int
}

// A Set is a list of queries that are run together. It is immutable: many
// runs may use it at once.
type Set struct {
	queries []*Query
	opt     Options
	lanes   []lane // nil: one
}

// NewSet returns the set of the given queries. The methods of [Run] and
// [Sink] name a query by its index in this list.
func NewSet(queries []*Query, opt Options) *Set {
	return &Set{queries: queries, opt: opt, lanes: makeLanes(queries, opt)}
}

// NewRun begins a pass over the entries of streams. Query i looks at
// windows[i]. What the queries yield goes to sink.
func (s *Set) NewRun(streams []logs.Labels, windows []Window, sink Sink) *Run {
	return newRun(s, streams, windows, sink)
}

// Push feeds one entry of the stream with the given index to all queries.
// Entries must come in time order over all streams; one that is older than
// its predecessor takes its predecessor's time. Push does not keep e.
func (r *Run) Push(stream int, e *logs.Entry) {
	if r.lanes != nil {
		r.lanes.push(stream, e)
		return
	}
	r.push(stream, e)
}

// Close evaluates the instants that remain. Nothing may be pushed after it.
func (r *Run) Close() {
	if r.lanes != nil {
		r.lanes.close()
		return
	}
	r.close()
}

// Err returns why a query failed, nil while it has not. Other queries of the
// set go on when one fails.
func (r *Run) Err(query int) error {
	if r.lanes != nil {
		at := r.lanes.at[query]
		return r.lanes.runs[at[0]].Err(at[1])
	}
	return r.errs[query]
}

// Funnel returns for each pipeline of a query how much of the input was left
// after each step. Lines are counted once, over the whole input for log
// queries and for metric queries alike, whatever the window.
func (r *Run) Funnel(query int) [][]StageCount {
	if r.lanes != nil {
		at := r.lanes.at[query]
		return r.lanes.runs[at[0]].Funnel(at[1])
	}
	return r.funnel(query)
}
