package outcome

import "github.com/stillfires/stillfires/internal/logs"

// A MarkQuery is a log query whose lines are wanted as they are: they mark
// when something happened. One that begins with a stage looks at all streams.
type MarkQuery struct {
	Query  string
	Labels []string // labels of the result that are wanted; none: none
}

// Marks are the lines that a [MarkQuery] chose in a run, in time order.
type Marks struct {
	MarkQuery
	Lines []Mark
	Cut   int64  // lines that did not fit the bound
	CutAt int64  // time of the first of these
	Why   string // why the query was not run; empty: it was
}

// A Mark is one line.
type Mark struct {
	Stream logs.Labels
	Time   int64 // nanoseconds since the epoch
	// Line is the beginning of the line, as it was written.
	Line   string
	Labels logs.Labels // those that were wanted
}

// MetricMarks are the times at which series passed the value of a metric source
// of a profile, in the order of the scrapes.
type MetricMarks struct {
	Key    string // of the source
	Series int    // that the source chose
	Marks  []MetricMark
	Cut    int64 // that did not fit the bound
	CutAt  int64 // time of the first of these
}

// A MetricMark is the first scrape that shows a series past a value.
type MetricMark struct {
	Time int64 // nanoseconds
	// Since is when the target was scraped before, without it being so; 0: it
	// had not been scraped.
	Since  int64
	Value  float64
	Labels logs.Labels
}
