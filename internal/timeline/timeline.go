// Package timeline says what a recovery looked like: when each milestone was
// reached, by which work, and where the time went. It reads what runs recorded
// and what a profile declares, and judges nothing.
//
// Times are measured from the restoration: the moment at which what was wrong
// was mended. A milestone that was not seen is missing, with the reason; it is
// never taken for zero, and work that never got so far stays in every count.
//
//	runs := timeline.Build(&run, milestones, correlation)
//	cmp := timeline.Compare(scenario, deployed, candidate)
package timeline

import "time"

// A State says what is known of a milestone. The zero State is invalid.
type State int

// The states.
const (
	// Reached: after the restoration.
	Reached State = iota + 1
	// Before: before the restoration, so the recovery did not wait for it.
	Before
	// Missing: it was not seen; see Reason.
	Missing
)

var stateNames = [...]string{Reached: "reached", Before: "before", Missing: "missing"}

// String returns the state as it stands in reports.
func (s State) String() string { return stateNames[s] }

// A Reason says why a milestone is missing. The zero Reason is none.
type Reason string

// The reasons.
const (
	// NoEvidence: nothing that could show it was recorded.
	NoEvidence Reason = "no-evidence"
	// NeverHappened: the work ended, or went on to a later milestone, without.
	NeverHappened Reason = "never-happened"
	// CaptureEnded: it had not happened when the capture ended.
	CaptureEnded Reason = "capture-ended"
	// TelemetryGap: records are known to be missing where it would stand.
	TelemetryGap Reason = "telemetry-gap"
)

// A Milestone is one point on a timeline.
type Milestone struct {
	Name  string // as declared
	State State
	// At is when it happened, in nanoseconds; 0 where it is missing.
	At int64
	// Arrived is when the record of it arrived, where that is known apart
	// from At; else 0. A late record is no late milestone.
	Arrived int64
	// Resolution is how far At can be from the truth.
	Resolution time.Duration
	// Kind is the kind of evidence: "probe", "action", "condition", "object",
	// "event", "log", "progress" or "metric"; empty where it is missing.
	Kind string
	// Clock is whose clock At was read from, such as "management" or
	// "progress of worker-1".
	Clock string
	// Evidence is the record that shows it, in a line that is safe to show.
	Evidence string
	Reason   Reason // of a missing one
	Detail   string // of the reason, in words
}

// A Declared is a milestone as it was declared.
type Declared struct {
	Name, Title, Owner, As, Hint string
	Shared                       bool
	After                        []string // names; "" is the restoration
}

// Why work is followed.
const (
	SubmittedDuring = "submitted-during" // it was handed in during the loss
	Unfinished      = "unfinished"       // it was not done when the loss began
)

// A Workload is one piece of work, however many objects of however many
// clusters it has.
type Workload struct {
	ID string // namespace/name of the work
	// Names are the objects that belong to it, ordered.
	Names []Name
	// Affected says why it is followed; empty: the loss did not delay it.
	Affected string
	// Submitted, Finished and Failed are times in nanoseconds; 0: not known,
	// or not so.
	Submitted, Finished, Failed int64
	// Lives is how often work of this name was handed in anew after its end, with
	// the first time; 0: it is counted elsewhere.
	Lives int
	// KeptRunning: it computed during the loss, so it held its devices and
	// recovered nothing.
	KeptRunning bool
	// Milestones are those of the work that are not shared, in the order of
	// Run.Declared. There are none where Affected is empty.
	Milestones []Milestone
	// Units are the completed units that were counted, those after the
	// restoration apart.
	Units, UnitsAfter int64
}

// A Name is an object of a piece of work.
type Name struct{ Entity, Cluster, Namespace, Name, UID string }

// A Run is the timeline of one run.
type Run struct {
	Build, Scenario string
	Repetition      int
	Parameters      map[string]string // of the scenario
	// Unlike says why the repetition is not set beside the others of its build;
	// empty: it is. Compare fills it in.
	Unlike string
	// Start and End are the first and the last time of which anything was
	// recorded, nanoseconds.
	Start, End int64
	// Failure and Restored mark the loss and its end. Where Restored is
	// missing nothing can be measured, and no work is affected.
	Failure, Restored Milestone
	Losses            int // that were recorded; the last is the one measured
	Declared          []Declared
	// Shared are the milestones that are one for all work, in the order of
	// Declared.
	Shared []Milestone
	// Workloads are all pieces of work, ordered by ID; bounded.
	Workloads []Workload
	Cut       int // pieces of work that did not fit the bound
	// Skews are milestones that were seen before what causes them.
	Skews    []Skew
	Suspects []Suspicion
	// Actions are what people and scripts did, in time order; bounded.
	Actions []Action
	Notes   []string // what was left out, and why
}

// A Skew is a milestone that was seen before one that causes it, by more than
// what their sources can be wrong.
type Skew struct {
	Workload      string // empty: a shared milestone
	Before, After Milestone
	By            time.Duration // how much too early
}

// A Suspicion is a kind of log line that was written much in a stage.
type Suspicion struct {
	Title  string
	Stage  string // name of the milestone that ends it
	Lines  int64  // between the failure and the end of the stage
	During int64  // of these, in the stage itself
	First  string // the first of these lines, safe to show
}
