package profile

import (
	"time"

	"github.com/stillfires/stillfires/internal/source"
)

// Cases are the assertions that a profile declares of drills by name.
type Cases struct {
	// DeclaredAt is when the assertions were written that give no time of
	// their own. A run that began later was judged by what stood before it.
	DeclaredAt time.Time `yaml:"declaredAt"`
	// Owner owns the assertions that name none.
	Owner     string                   `yaml:"owner"`
	Scenarios map[string]ScenarioCases `yaml:"scenarios"`
}

// ScenarioCases are the assertions of one scenario.
type ScenarioCases struct {
	// LoadOf names the scenario that this one repeats under load. What is
	// found here is never merged with what is found there.
	LoadOf     string      `yaml:"loadOf"`
	Assertions []Assertion `yaml:"assertions"`
}

// An Assertion says what the evidence of a scenario must show. It holds one
// question: Object, Within, Panics, Restarts, ManualActions or Executions.
// docs/cases.md explains the keys.
type Assertion struct {
	Name  string `yaml:"name" json:"name"`
	About string `yaml:"about" json:"about,omitempty"` // for people
	Owner string `yaml:"owner" json:"owner,omitempty"` // who acts when it fails
	// DeclaredAt is when it was written; zero: not known.
	DeclaredAt time.Time `yaml:"declaredAt" json:"declaredAt,omitzero"`
	// Restates are phrases of what a run's manifest says is expected of it, and
	// that say the same as the assertion. If the manifest holds one of them, then
	// the assertion was declared when the manifest's text was written.
	Restates []string `yaml:"restates" json:"restates,omitempty"`
	// RestatesFailure are phrases that say that it will fail on that build.
	RestatesFailure []string `yaml:"restatesFailure" json:"restatesFailure,omitempty"`
	// Expect says how each build must answer.
	Expect CaseExpect `yaml:"expect" json:"expect,omitzero"`

	Object    *ObjectSelector `yaml:"object" json:"object,omitempty"`
	Path      string          `yaml:"path" json:"path,omitempty"` // gjson, into the object
	Condition `yaml:",inline"`

	Within  Duration `yaml:"within" json:"within,omitzero"`
	After   *Record  `yaml:"after" json:"after,omitempty"` // nil: the start of the run
	Reaches *Record  `yaml:"reaches" json:"reaches,omitempty"`
	// OrBefore: what was reached before the window counts as reached in it.
	OrBefore bool `yaml:"orBefore" json:"orBefore,omitempty"`

	Panics        *PanicSelector  `yaml:"panics" json:"panics,omitempty"`
	Restarts      *RestartCount   `yaml:"restarts" json:"restarts,omitempty"`
	ManualActions *ManualActions  `yaml:"manualActions" json:"manualActions,omitempty"`
	Executions    *ExecutionCount `yaml:"executions" json:"executions,omitempty"`

	// Pos is where it is declared; zero for what stands in a run's manifest.
	Pos source.Position `yaml:"-" json:"-"`
}

// A CaseExpect says how an assertion must answer on each build: "holds" or
// "fails". Where nothing is given the candidate must hold, and nothing is
// asked of deployed.
type CaseExpect struct {
	Deployed  string `yaml:"deployed" json:"deployed,omitempty"`
	Candidate string `yaml:"candidate" json:"candidate,omitempty"`
}

// The answers that can be expected.
const (
	MustHold = "holds"
	MustFail = "fails"
)

// An ObjectSelector chooses objects of one kind at one moment. Texts are
// globs, in which * stands for any characters and ? for one; an empty one
// matches all.
type ObjectSelector struct {
	Kind       string            `yaml:"kind" json:"kind"` // no glob
	APIVersion string            `yaml:"apiVersion" json:"apiVersion,omitempty"`
	Cluster    string            `yaml:"cluster" json:"cluster,omitempty"`
	Namespace  string            `yaml:"namespace" json:"namespace,omitempty"`
	Name       string            `yaml:"name" json:"name,omitempty"`
	Labels     map[string]string `yaml:"labels" json:"labels,omitempty"`
	Where      map[string]string `yaml:"where" json:"where,omitempty"` // gjson path to value
	Moment     string            `yaml:"moment" json:"moment"`         // no glob
}

// A Condition is what must be true of a value, or of how many objects there
// are. One of its fields is set; AtLeast and AtMost may be set together.
type Condition struct {
	Equals   *string  `yaml:"equals" json:"equals,omitempty"`
	In       []string `yaml:"in" json:"in,omitempty"`
	Matches  string   `yaml:"matches" json:"matches,omitempty"` // regular expression, anywhere
	Exists   bool     `yaml:"exists" json:"exists,omitempty"`
	NotEmpty bool     `yaml:"notEmpty" json:"notEmpty,omitempty"`
	Absent   bool     `yaml:"absent" json:"absent,omitempty"`
	HasKeys  []string `yaml:"hasKeys" json:"hasKeys,omitempty"` // of a map; all of them
	AtLeast  *float64 `yaml:"atLeast" json:"atLeast,omitempty"`
	AtMost   *float64 `yaml:"atMost" json:"atMost,omitempty"`
	// PreservedFrom is the earlier moment whose value, or whose entries, must
	// still be there.
	PreservedFrom string `yaml:"preservedFrom" json:"preservedFrom,omitempty"`
	Unique        bool   `yaml:"unique" json:"unique,omitempty"` // no entry twice
	Live          *Live  `yaml:"live" json:"live,omitempty"`
	Count         *Count `yaml:"count" json:"count,omitempty"`
}

// Live says that entries must name objects that are there at that moment.
type Live struct {
	// Owners: the entries are the owner references of the objects.
	Owners bool `yaml:"owners" json:"owners,omitempty"`
	// Entries says what of the value at the path names an object: "keys" or
	// "values" of a map or list, or of a plain value the value itself.
	Entries string `yaml:"entries" json:"entries,omitempty"`
	// Pattern is a regular expression; its first group, or all that it
	// matches, is the name. Entries that it does not match name nothing.
	Pattern string `yaml:"pattern" json:"pattern,omitempty"`

	Kind string `yaml:"kind" json:"kind,omitempty"` // of the objects that are named
	// Namespace is a glob; empty: that of the object with the entry.
	Namespace string            `yaml:"namespace" json:"namespace,omitempty"`
	Path      string            `yaml:"path" json:"path,omitempty"`   // of the name; empty: metadata.name
	Where     map[string]string `yaml:"where" json:"where,omitempty"` // of those that count as there
	// Since is an earlier moment: entries that were already stale then are
	// told apart from those that this run left.
	Since string `yaml:"since" json:"since,omitempty"`
}

// A Count bounds a number; nil bounds nothing.
type Count struct {
	Equals  *int64 `yaml:"equals" json:"equals,omitempty"`
	AtLeast *int64 `yaml:"atLeast" json:"atLeast,omitempty"`
	AtMost  *int64 `yaml:"atMost" json:"atMost,omitempty"`
}

// A Record chooses what was recorded at a time. One of its fields is set.
type Record struct {
	Start    bool              `yaml:"start" json:"start,omitempty"`   // of the run
	Moment   string            `yaml:"moment" json:"moment,omitempty"` // a snapshot
	Action   *ActionSelector   `yaml:"action" json:"action,omitempty"`
	Event    *EventSelector    `yaml:"event" json:"event,omitempty"`
	Progress *ProgressSelector `yaml:"progress" json:"progress,omitempty"`
	Probe    *ProbeSelector    `yaml:"probe" json:"probe,omitempty"`
	Object   *ObjectTime       `yaml:"object" json:"object,omitempty"`
}

// An ActionSelector chooses actions; texts are globs.
type ActionSelector struct {
	Actor  string            `yaml:"actor" json:"actor,omitempty"`
	Action string            `yaml:"action" json:"action,omitempty"`
	Target string            `yaml:"target" json:"target,omitempty"`
	Where  map[string]string `yaml:"where" json:"where,omitempty"` // gjson path into the record to value
}

// An EventSelector chooses events; texts but Message are globs.
type EventSelector struct {
	Cluster   string `yaml:"cluster" json:"cluster,omitempty"`
	Type      string `yaml:"type" json:"type,omitempty"`
	Reason    string `yaml:"reason" json:"reason,omitempty"`
	Kind      string `yaml:"kind" json:"kind,omitempty"` // of its object, as Namespace and Name
	Namespace string `yaml:"namespace" json:"namespace,omitempty"`
	Name      string `yaml:"name" json:"name,omitempty"`
	Message   string `yaml:"message" json:"message,omitempty"` // regular expression
}

// A ProgressSelector chooses progress records; texts are globs.
type ProgressSelector struct {
	Event     string `yaml:"event" json:"event,omitempty"`
	Cluster   string `yaml:"cluster" json:"cluster,omitempty"`
	Namespace string `yaml:"namespace" json:"namespace,omitempty"`
	Job       string `yaml:"job" json:"job,omitempty"`
	Workload  string `yaml:"workload" json:"workload,omitempty"`
	Pod       string `yaml:"pod" json:"pod,omitempty"`
}

// A ProbeSelector chooses probes.
type ProbeSelector struct {
	Target string `yaml:"target" json:"target,omitempty"`
	OK     bool   `yaml:"ok" json:"ok"`
}

// An ObjectTime is a time that objects hold, such as
// status.conditions.#(type=="Ready").lastTransitionTime.
type ObjectTime struct {
	ObjectSelector `yaml:",inline"`
	Path           string `yaml:"path" json:"path"`
}

// A PanicSelector chooses panics and says how many there may be: none, where
// no bound is given. Texts are globs.
type PanicSelector struct {
	Kind      string `yaml:"kind" json:"kind,omitempty"`
	Signature string `yaml:"signature" json:"signature,omitempty"`
	Operation string `yaml:"operation" json:"operation,omitempty"`
	Handling  string `yaml:"handling" json:"handling,omitempty"`
	Count     `yaml:",inline"`
}

// A RestartCount bounds the restarts of processes: none, where no bound is
// given. A change of the build is no restart.
type RestartCount struct {
	Labels map[string]string `yaml:"labels" json:"labels,omitempty"` // of the streams; globs
	// Action chooses the actions that record a restart; nil: those called
	// "restart".
	Action *ActionSelector `yaml:"action" json:"action,omitempty"`
	// Pods are those whose containers' restartCount counts too.
	Pods  *ObjectSelector `yaml:"pods" json:"pods,omitempty"`
	Count `yaml:",inline"`
}

// ManualActions bounds what people did: nothing, where no bound is given.
type ManualActions struct {
	// Actors are those that stand for people, globs; none: operator.
	Actors []string `yaml:"actors" json:"actors,omitempty"`
	Except []string `yaml:"except" json:"except,omitempty"` // actions that belong to the drill, globs
	After  *Record  `yaml:"after" json:"after,omitempty"`   // nil: the start of the run
	Until  *Record  `yaml:"until" json:"until,omitempty"`   // nil: the end of the run
	Count  `yaml:",inline"`
}

// An ExecutionCount bounds how often one piece of work was run: once, where no
// bound is given. Of names what stands for a run; runs are counted for each
// workload, job, pod, target or object that the records name.
type ExecutionCount struct {
	Of    *Record `yaml:"of" json:"of"`
	Count `yaml:",inline"`
}

// A Duration is a length of time, written as 30s or 2m.
type Duration time.Duration

// UnmarshalText reads a duration above zero.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return errNoDuration
	}
	*d = Duration(v)
	return nil
}

// MarshalText writes the duration as it is read.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// IsZero reports whether no duration is given.
func (d Duration) IsZero() bool { return d == 0 }
