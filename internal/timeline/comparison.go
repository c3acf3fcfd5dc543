package timeline

import (
	"cmp"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/prose"
)

// A Comparison sets the recoveries of both builds in one scenario beside each
// other.
type Comparison struct {
	Scenario string
	Declared []Declared
	// Goal names the milestone by which work counts as recovered: useful work,
	// or what comes nearest to it of which both builds have evidence. Empty:
	// nothing was measured.
	Goal string
	// Beyond names a milestone that says more than Goal and of which one build
	// alone has evidence; Doubtful counts the work of candidate that is
	// recovered by Goal and was not seen to reach it or to finish.
	Beyond    string
	Doubtful  int
	Deployed  Side
	Candidate Side
	// Stages are in the order of Declared; Total, from the restoration to
	// the goal, stands last.
	Stages []StagePair
}

// A Side is what the repetitions of one build came to.
type Side struct {
	Runs []Run
	// Affected is the number of affected pieces of work over all repetitions,
	// Recovered of these that reached the goal (or finished), Failed those
	// that failed, and Open those that had not recovered when the capture
	// ended. Affected = Recovered + Failed + Open.
	Affected, Recovered, Failed, Open int
	// KeptRunning are those of Recovered that computed all along, Unknown those
	// of Open of which nothing tells whether they recovered, Submitted those of
	// Affected that were handed in during the loss, and Completed those whose
	// end was seen.
	KeptRunning, Unknown, Submitted, Completed int
	// Comparable counts the repetitions that were measured under like
	// conditions: percentiles, medians and noise are of these.
	Comparable int
	Units      int64 // completed after the restoration
	// QueueAge is the longest time between submission and dispatch of work that
	// was handed in during the loss; of work that was never dispatched it counts
	// to the end. Nil: not known of any.
	QueueAge *Value
	// Deadlines are counts of affected work, in the order declared.
	Deadlines []DeadlineCount
	// Slowest is the longest stage on the way of the affected work to useful
	// work: what holds the recovery back. Empty: nothing was measured.
	Slowest Held
}

// Held is a stage that holds a recovery back.
type Held struct {
	Stage    string // name of the milestone that ends it
	From     string // of the milestone that begins it; "" is the restoration
	Workload string // whose way it is on; empty: it is shared
	Took     Value
	Share    float64 // of the time from the restoration to useful work
}

// A DeadlineCount says how much affected work met a deadline.
type DeadlineCount struct {
	Milestone string
	Within    time.Duration
	Owner     string
	// Of = Met + missed + Unknown; of the last nothing tells, or the capture
	// ended before the deadline.
	Met, Of, Unknown int
}

// A Value is a length of time. A censored one is longer than it says: what it
// measures had not ended when the capture did.
type Value struct {
	D        time.Duration
	Censored bool
}

// InWords returns the value as it stands in a sentence.
func (v Value) InWords() string {
	if v.Censored {
		return "more than " + prose.Seconds(v.D) + " (capture ended)"
	}
	return prose.Seconds(v.D)
}

// InWords returns values as they stand in a sentence.
func InWords(values []Value) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.InWords()
	}
	return strings.Join(out, ", ")
}

// A Stage is what all affected work of one build spent before a milestone.
type Stage struct {
	// Observed are the durations of each piece of work (of a shared milestone
	// one of each run), the shortest first, censored ones among them.
	Observed []Observation
	// Over are the milestones, with blanks between them, that most of Observed
	// take in as they were not seen; often none. Medians and percentiles are
	// of these, and the stages of two builds are comparable if it is the same.
	Over string
	// Missing counts those of which nothing can be said, by reason.
	Missing map[Reason]int
	// P50 and P90 are given from MinPercentile observations in MinRepetitions
	// comparable repetitions on; nil: there are fewer.
	P50, P90 *Value
	Max      *Value // nil: nothing was observed
	// Repetitions are the medians of the comparable repetitions, in their order,
	// Longest the longest observations of each.
	Repetitions, Longest []Value
}

// An Observation is the duration of a stage of one piece of work.
type Observation struct {
	Workload   string // empty: shared
	Repetition int
	Took       Value
	Resolution time.Duration
	Over       string // as of the Stage
}

// Percentiles are given from so many observations and comparable repetitions
// on: of fewer a 90th percentile is one of the two highest values, and work of
// one repetition waits for the same connection.
const (
	MinPercentile  = 20
	MinRepetitions = 10
)

// A StagePair is one stage on both builds.
type StagePair struct {
	Name  string // of the milestone that ends it; Total: the whole way
	Title string
	Owner string
	Hint  string
	// From is the milestone that most of it begins with; "" is the
	// restoration.
	From                string
	Deployed, Candidate Stage
	// Difference is candidate minus deployed, of medians; nil: one side has
	// none.
	Difference *time.Duration
	// Noise is the band in which a difference tells nothing: what repetitions
	// of one build differ by. NoiseKnown is false where no build was repeated.
	Noise      time.Duration
	NoiseKnown bool
	// Resolution is how far the difference can be from the truth, for most of
	// what was observed.
	Resolution time.Duration
	roughest   time.Duration // for all of it
	// Slower and Faster say that candidate differs by more than noise,
	// resolution and thresholds explain: in the medians, or, as ByLongest says,
	// only in what took longest.
	Slower, Faster, ByLongest bool
	// Because are suspects of which one build wrote far more lines in the stage.
	Because []Because
}

// A Because is a kind of line that one build wrote far more of in a stage.
type Because struct {
	Title               string
	Deployed, Candidate int64 // lines in the stage, of the repetition with most
	First               string
}

// Total names the stage from the restoration to useful work.
const Total = "total"

// When a difference counts. With one repetition of each build nothing tells
// noise from a difference, so that it must be large.
const (
	leastOnce      = 10 * time.Second
	leastRepeated  = 2 * time.Second
	shareOnce      = 0.5
	shareRepeated  = 0.1
	becauseAtLeast = 20 // lines
	becauseTimes   = 4  // as many as the other build
)

// TitleOf is how a milestone stands in a sentence; without a name it is the
// restoration.
func (c *Comparison) TitleOf(name string) string {
	if name == "" {
		return "the restoration"
	}
	return cmp.Or(c.declared(name).Title, name)
}

// OwnerOf returns whose the stage is that ends with a milestone; empty: nobody's.
func (c *Comparison) OwnerOf(name string) string { return c.declared(name).Owner }

// declared returns what was declared of a milestone; nothing if it was not.
func (c *Comparison) declared(name string) Declared {
	for _, d := range c.Declared {
		if d.Name == name {
			return d
		}
	}
	return Declared{}
}
