package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Milestones say how a recovery is followed: what marks the failure and its
// end, which work it delays, and by what each step of that work is known.
// docs/timelines.md explains the keys.
type Milestones struct {
	Work Work `yaml:"work"`
	// Failure marks the loss, Restored its end: what was wrong is mended, and
	// from here recovery is measured. Sources are asked in order; the first
	// that was recorded counts. Of several losses the last counts.
	Failure  []Evidence `yaml:"failure"`
	Restored []Evidence `yaml:"restored"`
	Affected Affected   `yaml:"affected"`
	// List holds the milestones in the order in which they are shown.
	List []Milestone `yaml:"list"`
	// Deadlines are counted as met or missed, per piece of work.
	Deadlines []Deadline `yaml:"deadlines"`
	// Suspects are kinds of log line that may tell why a stage took long.
	Suspects []Suspect `yaml:"suspects"`
}

// A Work says what a piece of work is: what is submitted once, and must
// recover once.
type Work struct {
	// Entity is the entity of the correlation whose objects are pieces of
	// work; those that its chain leads to belong to it. Empty: the first of
	// the chain.
	Entity string `yaml:"entity"`
	// Submitted, Finished and Failed say when a piece was handed in, was seen
	// to be done, and was given up. A piece that has no object is known by
	// what Submitted and progress records name.
	Submitted []Evidence `yaml:"submitted"`
	Finished  []Evidence `yaml:"finished"`
	Failed    []Evidence `yaml:"failed"`
	// Units are counted as completed units of work, such as steps.
	Units []Evidence `yaml:"units"`
	// Aliases fit names of other things whose first group is the name of the
	// piece of work. They are asked where no recorded object tells.
	Aliases []Pattern `yaml:"aliases"`
}

// Affected says which work the loss delays: what is handed in during it, what
// is not done when it begins, or both. Neither: both.
type Affected struct {
	Submitted  bool `yaml:"submitted"`
	Unfinished bool `yaml:"unfinished"`
	// Only are globs of namespace/name, and Except such that are left out.
	Only   []string `yaml:"only"`
	Except []string `yaml:"except"`
}

// The parts that milestones play, whatever they are called.
const (
	Reachable  = "reachable"  // the other side can be reached again
	Dispatched = "dispatched" // the work was handed to where it runs
	Running    = "running"    // its pods run
	Useful     = "useful"     // it computes
	Finished   = "finished"   // its end was seen where it was submitted
)

// A Milestone is a point on the way from the restored connection to work that
// is done.
type Milestone struct {
	Name  string `yaml:"name"`
	Title string `yaml:"title"` // as it stands in sentences; default: the name
	Owner string `yaml:"owner"` // of the stage that ends with it
	// As is the part that it plays: reachable, dispatched, running, useful or
	// finished; empty: another.
	As string `yaml:"as"`
	// Shared: it is one for all work, such as a connection.
	Shared bool `yaml:"shared"`
	// After names the milestones that cause it and so come before it. None:
	// the one above it in the list; the first follows the restoration.
	After []string `yaml:"after"`
	// Hint says what a stage that ends here and takes long is known to be
	// waiting for.
	Hint string     `yaml:"hint"`
	By   []Evidence `yaml:"by"` // the most trusted first
}

// An Evidence is a source that shows that something happened, and when. One of
// Probe, Action, Condition, Object, Event, Log, Progress and Metric is set.
type Evidence struct {
	// Cluster is the role of the cluster that it is of (see
	// Correlation.Clusters), or a glob for its name; empty: any.
	Cluster string `yaml:"cluster"`

	Probe     *ProbeSelector    `yaml:"probe"`
	Action    *ActionSelector   `yaml:"action"`
	Condition *ObjectCondition  `yaml:"condition"`
	Object    *ObjectField      `yaml:"object"`
	Event     *EventSelector    `yaml:"event"`
	Log       *LogSource        `yaml:"log"`
	Progress  *ProgressSelector `yaml:"progress"`
	Metric    *MetricSource     `yaml:"metric"`

	// Resolution is how far from the truth its times can be, such as the time
	// between two looks. None: that of its kind.
	Resolution Duration `yaml:"resolution"`
	// Arrival is the path (gjson) in the record to the time at which it
	// arrived, where that is not the time at which it happened.
	Arrival string `yaml:"arrival"`
	// Confirm is what objects of the work must show for it to count: a
	// claim that no object bears out is none.
	Confirm *Confirm `yaml:"confirm"`
}

// An ObjectCondition is a condition of objects, with its lastTransitionTime,
// at any moment. Texts but Kind are globs.
type ObjectCondition struct {
	Kind   string            `yaml:"kind"` // GROUP/KIND
	Type   string            `yaml:"type"`
	Status string            `yaml:"status"` // empty: True
	Reason string            `yaml:"reason"`
	Where  map[string]string `yaml:"where"` // gjson path into the object to value
}

// An ObjectField is a field of objects that holds a time, at any moment.
type ObjectField struct {
	Kind  string            `yaml:"kind"`  // GROUP/KIND
	Path  string            `yaml:"path"`  // gjson
	Where map[string]string `yaml:"where"` // likewise, to value
}

// A LogSource chooses log lines.
type LogSource struct {
	// Query is a log query in LogQL. Of one that begins with a stage, such as
	// |= "text", the streams are those of the cluster.
	Query string `yaml:"query"`
	// Labels are names of labels of the result that name the work. None: the
	// words of the line do.
	Labels []string `yaml:"labels"`
}

// A MetricSource is a series that passes a value.
type MetricSource struct {
	Name   string             `yaml:"name"`
	Match  map[string]Pattern `yaml:"match"`  // labels of the series
	Labels []string           `yaml:"labels"` // that name the work; none: all
	Above  *float64           `yaml:"above"`  // it rises over
	Below  *float64           `yaml:"below"`  // it falls under
}

// Key tells sources apart that choose other series or another value.
func (m *MetricSource) Key() string {
	var key strings.Builder
	key.WriteString(m.Name)
	for _, name := range slices.Sorted(maps.Keys(m.Match)) {
		fmt.Fprintf(&key, " %s=~%q", name, m.Match[name].Text)
	}
	if m.Above != nil {
		fmt.Fprintf(&key, " > %g", *m.Above)
	}
	if m.Below != nil {
		fmt.Fprintf(&key, " < %g", *m.Below)
	}
	return key.String()
}

// Confirm is what an object of the work must show.
type Confirm struct {
	Kind string `yaml:"kind"` // GROUP/KIND
	Path string `yaml:"path"` // gjson; must be there and not be empty
}

// A Deadline is a time after the restoration by which a milestone of each
// piece of work is wanted.
type Deadline struct {
	Milestone string   `yaml:"milestone"`
	Within    Duration `yaml:"within"`
	Owner     string   `yaml:"owner"`
}

// A Suspect is a kind of log line that may tell why a stage took long.
type Suspect struct {
	Title   string    `yaml:"title"`
	Stages  []string  `yaml:"stages"`  // names of the milestones that end them; none: any
	Cluster string    `yaml:"cluster"` // as of an Evidence
	Log     LogSource `yaml:"log"`
	// Work is "finished": only lines that name work that was done before the
	// loss count.
	Work string `yaml:"work"`
}
