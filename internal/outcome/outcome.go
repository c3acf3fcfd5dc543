// Package outcome holds what one rule did on one run, as plain data. Package
// replay fills it and package analyzer reads it, so that the analyzer needs
// neither an engine nor a file.
package outcome

import (
	"slices"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
)

// A State sums up an outcome.
type State int

// The states. Alert rules are Fired, Pending or Silent; every other kind of
// rule is Matched or None.
const (
	NotEvaluated State = iota + 1
	Fired
	Pending // see DESIGN: the window was too short to tell
	Silent
	Matched
	None
)

// Yes reports whether a rule fired or matched.
func (s State) Yes() bool { return s == Fired || s == Matched }

// No reports whether a rule did nothing, for certain.
func (s State) No() bool { return s == Silent || s == None }

// Moments says at how many moments within its interval a rule would have fired
// or matched in a run, of those at which it was tried.
type Moments struct{ Yes, Of int }

// Varies reports whether it depends on the moment; of nil it does not.
func (m *Moments) Varies() bool { return m != nil && m.Yes > 0 && m.Yes < m.Of }

// Share returns at which share of the moments it did.
func (m Moments) Share() float64 { return float64(m.Yes) / float64(max(m.Of, 1)) }

// A Nothing says how far a rule got that yielded nothing.
type Nothing int

// The three ways to yield nothing, and the zero value for an outcome that
// yielded something, if only alerts that stayed pending, or was not evaluated.
const (
	Something      Nothing = iota
	NoStream               // no stream was selected
	NoLine                 // streams, but no line matched
	BelowThreshold         // lines matched, but no series crossed the threshold
)

// An Outcome is what one rule did on one run.
type Outcome struct {
	State   State
	Reason  string // why it was not evaluated; else empty
	Nothing Nothing

	Lines    int64     // lines left at the end of the pipeline that has most
	Series   int       // distinct series over all evaluations
	Peak     *float64  // highest value at evaluations that fire (alerts) or yield; nil: none
	Headroom *Headroom // nil: not a threshold rule, or no value on its left-hand side

	Points int        // evaluations that fire
	NoData int        // evaluations of a Grafana alert without data, at which DatasourceNoData fires in its place
	Firing []Interval // of evaluations that fire, in time order
	// Pending are the stretches in which alerts were pending and none fired, in
	// time order. One that led to firing ends where that begins.
	Pending []Interval
	// Held is the longest stretch of evaluations at which one alert was
	// pending; nil: none ever was, or the rule fired.
	Held *Interval

	Funnel []Step // stages of all pipelines, in query order
	// Selectors are those of a PromQL rule, in query order.
	Selectors []Selector
	Evidence  []Evidence // first and last lines that matched, in time order, bounded

	// Uses are the messages of the run that the rule's lines belong to, ordered
	// by index; a rule with several pipelines counts the lines of each.
	Uses []Use
	// Panics are indices into the run's panics of which a line passed a
	// pipeline of the rule, ordered.
	Panics []int

	// Timeline is the evaluations in time order, those that follow each other
	// in one state as one stretch; empty where it was not asked for, and of log
	// queries, which are not evaluated at instants. TimelineCut says that the
	// last evaluations are not in it.
	Timeline    []Stretch
	TimelineCut bool

	// Moments is nil where nothing asked at which moments the rule is evaluated.
	Moments *Moments

	Alerts []Alert  // alert instances that fired, ordered by labels
	Result []Sample // instant result at the last evaluation instant (metric queries)
}

// A Stretch is consecutive evaluations in one state.
type Stretch struct {
	From, To    int64 // first and last evaluation, nanoseconds
	Evaluations int
	State       State // Fired, Pending or Silent of alerts, else Matched or None
	Series      int   // most that one evaluation yielded
	// Lowest and Highest are values of its evaluations: those on the left-hand
	// side of a threshold, else those yielded; nil: there was none.
	Lowest, Highest *float64
}

// A Headroom is the highest left-hand value of a comparison against a number.
type Headroom struct {
	Value     float64
	Lowest    float64 // left-hand value
	Operator  string  // as written: ">", "<=" …
	Threshold float64
}

// An Interval is a stretch of evaluations that fire, or are pending; both ends
// are such evaluations, in nanoseconds since the epoch.
type Interval struct{ From, To int64 }

// A Step is one stage of a pipeline with the lines left after it. The first
// step of each pipeline is its selector.
type Step struct {
	Pipeline int    // index of the pipeline in the query, from 0
	Stage    string // text of the stage, as printed
	Start    int    // byte offset of the stage in the expression
	End      int
	Lines    int64 // lines left after it
	Errors   int64 // of these, lines that carry __error__
	Streams  int   // of a selector: streams selected
}

// An Evidence is one log line, safe to show: valid UTF-8, at most 4 KiB.
type Evidence struct {
	Stream    logs.Labels
	Time      int64 // nanoseconds since the epoch
	Line      string
	Truncated bool
}

// An Alert is one alert instance that fired at least once.
type Alert struct {
	Labels      logs.Labels
	Annotations logs.Labels // as rendered at the first firing evaluation
	First, Last int64       // evaluations that fire
	Value       float64     // highest
}

// An AlertSet is the labels or the annotations of an alert.
type AlertSet struct {
	Where string // "label" or "annotation": what one of Of is
	Of    logs.Labels
}

// Sets returns what an alert tells those who receive it.
func (a *Alert) Sets() [2]AlertSet {
	return [2]AlertSet{{"label", a.Labels}, {"annotation", a.Annotations}}
}

// A Sample is one series of an instant answer.
type Sample struct {
	Labels logs.Labels
	Value  float64
}

// A Run is what one run of one build gave for every rule.
type Run struct {
	Build      string
	Scenario   string
	Repetition int

	Start, End, Step int64 // of the default evaluation grid, nanoseconds
	First, Last      int64 // times of the first and last record
	Streams          int
	Records          int64 // records read
	Empty            int64 // empty lines, dropped
	Repeats          int64 // exact repeats, dropped

	// Builds are what ran, the first the one that the run is named for.
	Builds     []BuildInfo
	Parameters map[string]string // of the scenario, such as the load
	// Environment is what the manifest says the run ran in; nil: nothing.
	Environment *Environment
	Logs        []LogInfo // a stream each, in the order of the streams
	// Expected is what the run's manifest says, in words, that the run would
	// show; ExpectedAt is when that was written, in nanoseconds, 0: not known.
	Expected   string
	ExpectedAt int64

	Outcomes []Outcome // in the order of the rules given
	Panics   []Panic   // in time order; bounded
	// PanicsCut counts the occurrences of panics that did not fit the bound.
	PanicsCut int64
	// PanicLines are, of each stream, the records that are lines of panics and
	// no JSON: a dump is in no format of a log. Nil: not counted.
	PanicLines []int64
	// Facts is what was recorded beside logs and metrics; nil: nothing.
	Facts *facts.Facts
	// Marks are what the queries gave that the plan was told of, in their order.
	Marks []Marks
	// MetricMarks are likewise of metrics.
	MetricMarks []MetricMarks
	// Correlation is what the log says of the things that Facts hold; nil: no
	// profile declares any, or there are no facts.
	Correlation *Correlation
	// Messages are the kinds of record that the run wrote, in the order of
	// [CompareMessages]; bounded.
	Messages []Message
	// MessagesCut counts the records whose message did not fit the bound.
	MessagesCut int64

	// Metrics are those that were scraped, ordered by name; bounded. There are
	// none where no rule asks for metrics.
	Metrics []Metric
	// MetricNames are the names of the metrics that were scraped, ordered, where
	// no rule asks for metrics.
	MetricNames []string
	// MetricsCut says that more metrics were scraped than Metrics holds, or
	// that one has more labels.
	MetricsCut bool
	Scrapes    Scrapes

	Incomplete bool // closed as incomplete: findings rest on part of the run
	Missing    bool // no such run was recorded; every outcome is NotEvaluated
}

// A BuildInfo is what is known of one build that ran; unknown fields are empty.
type BuildInfo struct {
	Name, Component, Version, Commit, Image, Digest string
	Flags                                           []string
	Verbosity                                       string // in effect, as written
	Encoding                                        string // of the log, as written
}

// An Environment is what a run ran in. What is not known is empty.
type Environment struct {
	Kubernetes string            // version
	Nodes      map[string]string // name to what it is
	Devices    map[string]string // class to count and kind
	Components map[string]string // other components, to version
}

// A LogInfo is what is known of one stream before its records are read.
type LogInfo struct {
	Labels      logs.Labels
	Records     int64
	Unparseable int64 // records that are not in the stream's own format
	// Epochs are the lives of the process, in order; there is one at least.
	Epochs []Epoch
	Gaps   []Gap
}

// A Gap is a stretch in which records are known to be missing.
type Gap struct {
	From, To int64 // nanoseconds
	Reason   string
}

// An Epoch is the life of one process.
type Epoch struct {
	Build int   // index into Run.Builds
	First int64 // time of its first record, nanoseconds; 0: it has none
	// Start is the number of its first record in the stream, from 0.
	Start, Records int64
}

// requestedBefore is how long before the first record of a process the end of
// the one before it may have been asked for, in nanoseconds.
const requestedBefore = 10e9

// Restarts counts the further processes of the same build in the stream l of
// the run. Another build is an upgrade; a process whose predecessor was asked
// to end, by an action that was recorded, is a step of the drill.
func (r *Run) Restarts(l *LogInfo) int {
	n := 0
	for i := 1; i < len(l.Epochs); i++ {
		if l.Epochs[i].Build == l.Epochs[i-1].Build && !r.requested(l.Epochs[i].First) {
			n++
		}
	}
	return n
}

// requested reports whether a process that wrote its first record at t, ns,
// took the place of one that was asked to end.
func (r *Run) requested(t int64) bool {
	return t != 0 && r.Facts != nil && slices.ContainsFunc(r.Facts.Actions, func(a facts.Action) bool {
		return a.Requested && a.Time <= t && t-a.Time <= requestedBefore
	})
}

// Scrapes sums up the metrics that were read of a run.
type Scrapes struct {
	Count       int64 // scrapes of all targets, those that failed included
	Failed      int64
	First, Last int64 // times of the first and last one, nanoseconds
	Series      int   // scraped
	Samples     int64 // scraped
	// Stored and Dropped are the samples kept for the rules that select them,
	// and those dropped as they were not younger than their predecessor.
	Stored, Dropped int64
}

// A Selector is one selector of a PromQL rule and what it chose.
type Selector struct {
	Text       string // as printed
	Start, End int    // byte offsets in the expression
	Series     int    // that fit it, at any time of the run
}

// A Metric is what a run showed of the series with one name.
type Metric struct {
	Name   string
	Family string  // as its target calls it: of a histogram's buckets the histogram
	Type   string  // "counter", "gauge", "histogram" …; empty: not known
	Series int     // with that name
	Labels []Label // ordered by name
}

// A Label is a label of a metric.
type Label struct {
	Name   string
	Series int      // that have it
	Values []string // ordered; bounded
	Cut    bool     // there are more values
}
