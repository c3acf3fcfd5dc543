package timeline

import (
	"testing"
	"time"
)

// TestStagePair_Skewed: what clocks that contradict each other are wrong by is
// no difference between builds, and no more than that is hidden.
func TestStagePair_Skewed(t *testing.T) {
	const second = time.Second
	run := func(cause, end Milestone, skews ...Skew) Run {
		at := func(m Milestone, name string) Milestone {
			m.Name, m.At = name, ns(m.Resolution.Seconds())
			m.Resolution = ofRecord
			return m
		}
		return Run{
			Start: ns(-60), End: ns(600), Repetition: 1, Skews: skews,
			Failure: Milestone{State: Reached, At: ns(-30), Clock: "script"}, Restored: Milestone{Name: "restored", State: Reached, At: ns(0), Clock: "script"},
			Declared:  []Declared{{Name: "sent"}, {Name: "seen", After: []string{"sent"}}},
			Workloads: []Workload{{ID: "w", Affected: Unfinished, Milestones: []Milestone{at(cause, "sent"), at(end, "seen")}}},
		}
	}
	// A milestone so long after the restoration, by a clock.
	m := func(after time.Duration, clock string) Milestone {
		state := Reached
		if after < 0 {
			state = Before
		}
		return Milestone{State: state, Resolution: after, Clock: clock}
	}
	apart := func(by time.Duration) Skew {
		return Skew{Before: Milestone{Clock: "desk"}, After: Milestone{Clock: "dome"}, By: by}
	}
	f := func(name string, want bool, deployed, candidate Run) {
		t.Helper()
		p := StagePair{Name: "seen"}
		p.fill([]Run{deployed}, []Run{candidate}, func(r *Run) []step { return stepsTo(r.everyStep(), "seen") })
		if p.Slower != want {
			t.Errorf("%s: slower is %v: %+v against %+v", name, p.Slower, p.Candidate.Observed, p.Deployed.Observed)
		}
	}
	usual := run(m(1*second, "desk"), m(2*second, "dome"))
	f("slow", true, usual, run(m(1*second, "desk"), m(62*second, "dome")))
	f("a clock that is ahead", false, usual, run(m(1*second, "desk"), m(62*second, "dome"), apart(59*second)))
	f("a clock that is ahead a little, and slow", true, usual, run(m(1*second, "desk"), m(62*second, "dome"), apart(4*second)))
	f("a clock of others", true, usual, run(m(1*second, "desk"), m(62*second, "tent"), Skew{Before: Milestone{Clock: "roof"}, After: Milestone{Clock: "dome"}, By: 59 * second}))
	f("the cause is put before the restoration", false, run(m(40*second, "dome"), m(41*second, "desk")), run(m(-19*second, "dome"), m(41*second, "desk"), apart(59*second)))
	f("put after it, both by one clock", false, run(m(-20*second, "dome"), m(10*second, "dome")), run(m(35*second, "dome"), m(70*second, "dome"), apart(54*second)))
	f("slow by one clock, long after the restoration", true, run(m(200*second, "dome"), m(210*second, "dome")), run(m(200*second, "dome"), m(300*second, "dome"), apart(54*second)))
}

// TestRun_Begins: the way through milestones that all cause each other is
// walked once.
func TestRun_Begins(t *testing.T) {
	r := Run{Restored: Milestone{State: Reached, At: ns(0)}}
	var names []string
	w := Workload{ID: "w", Affected: Unfinished}
	for i := range 60 {
		name := string(rune('a'+i/26)) + string(rune('a'+i%26))
		r.Declared = append(r.Declared, Declared{Name: name, After: append([]string(nil), names...)})
		w.Milestones = append(w.Milestones, Milestone{Name: name, State: Missing, Reason: NoEvidence})
		names = append(names, name)
	}
	from, over, known := r.begins(&w, &r.Declared[59])
	if from != &r.Restored || len(over) != 59*3-1 || !known {
		t.Errorf("from %q over %q, known %v", from.Name, over, known)
	}
	if !r.follows(&r.Declared[59], names[0]) || r.follows(&r.Declared[0], names[59]) {
		t.Error("what follows is wrong")
	}
}
