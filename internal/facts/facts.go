// Package facts holds what a run recorded beside logs and metrics: objects of
// the clusters at moments, events, probes, progress of the workload and what
// people did, as plain data.
package facts

// Facts is what one run recorded. Every list is in time order, then in the
// order of the files.
type Facts struct {
	// Moments are the names of the snapshots, in the order they were taken.
	Moments  []string
	Objects  []Object // ordered by moment, cluster, kind, namespace, name
	Events   []Event  // each once, at its last count
	Probes   []Probe
	Progress []Progress
	Actions  []Action
	// Notes say what of the recorded is not here, and why; bounded.
	Notes []string
}

// An Object is one object of a cluster at one moment.
type Object struct {
	Moment  string
	Cluster string // empty: there is one
	Time    int64  // of the snapshot, nanoseconds; 0: not known

	APIVersion, Kind, Namespace, Name, UID string

	Labels, Annotations map[string]string
	Owners              []Owner
	Created             int64  // metadata.creationTimestamp, nanoseconds; 0: none
	Raw                 string // the whole object as JSON, for paths into it
}

// An Owner is an owner reference.
type Owner struct{ APIVersion, Kind, Name, UID string }

// An Event is a Kubernetes event, core/v1 or events.k8s.io/v1.
type Event struct {
	Cluster     string
	First, Last int64 // nanoseconds; equal where only one time is known
	Count       int64
	Type        string // Normal or Warning
	Reason      string
	Message     string // core/v1 message, events.k8s.io/v1 note
	Action      string
	Component   string // source.component or reportingComponent
	Object      Ref    // involved or regarding
	Raw         string
}

// A Ref names an object.
type Ref struct{ APIVersion, Kind, Namespace, Name, UID string }

// A Probe is one look at whether something can be reached.
type Probe struct {
	Time    int64
	Cluster string // that it is of; empty: not said
	Target  string // empty: there is one
	OK      bool
	Raw     string
}

// A Progress is one record of the workload's own progress.
type Progress struct {
	Time                                           int64
	Cluster, Namespace, Pod, PodUID, Job, Workload string
	Event                                          string // "started", "step", "exit" …
	Step                                           int64
	Raw                                            string
}

// An Action is something that a person or a script did, or a mark in time.
type Action struct {
	Time    int64
	Cluster string // that it is of; empty: not said
	Actor   string // "script", "operator", "observer" …; empty: not known
	Action  string
	Target  string
	Raw     string
	// Requested says that the end of a process, or the like, was asked for:
	// a step of the drill, not a failure.
	Requested bool
}
