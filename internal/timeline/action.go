package timeline

// An Action is something that was done to the cluster during a run.
type Action struct {
	Time                           int64 // nanoseconds
	Cluster, Actor, Action, Target string
	// Manual says that a person did it between the failure and the recovery;
	// what the drill itself does is not manual.
	Manual bool
	// Unattributed says that it would be manual if a person did it, but
	// nothing says who did.
	Unattributed bool
	// Kind is what shows it: "action", "event" (an audit-like one), "object"
	// (its generation rose, or a field manager that people use changed it).
	Kind     string
	Evidence string // the record in a line that is safe to show
}

// Manual counts the manual actions, and those of which nothing says who did
// them.
func (r *Run) Manual() (manual, unattributed int) {
	for i := range r.Actions {
		switch a := &r.Actions[i]; {
		case a.Manual:
			manual++
		case a.Unattributed:
			unattributed++
		}
	}
	return manual, unattributed
}
