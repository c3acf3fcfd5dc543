package timeline

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Work that failed or was not done stays among the values, behind those that
// were; all work is in one count.
func TestSide_Reach(t *testing.T) {
	reached := func(s int64) Milestone { return Milestone{Name: "m", State: Reached, At: 1e12 + s*1e9} }
	missing := func(r Reason) Milestone { return Milestone{Name: "m", State: Missing, Reason: r} }
	for _, tt := range []struct {
		name   string
		list   []Milestone
		failed int64 // of the first, seconds after the restoration; 0: it did not
		want   string
	}{
		{"reached", []Milestone{reached(3), reached(1), reached(2)}, 0, "3 of 3, 0 before, map[]: 1s 2s 3s"},
		{"open", []Milestone{reached(3), missing(CaptureEnded), missing(CaptureEnded)}, 0, "1 of 3, 0 before, map[capture-ended:2]: 3s >2m0s >2m0s"},
		{"failed", []Milestone{missing(NeverHappened)}, 7, "0 of 1, 0 before, map[never-happened:1]: >7s"},
		{"nothing known", []Milestone{missing(NoEvidence), missing(TelemetryGap)}, 0, "0 of 2, 0 before, map[no-evidence:1 telemetry-gap:1]:"},
		{"before", []Milestone{{Name: "m", State: Before, At: 1e12 - 1}, reached(4)}, 0, "1 of 2, 1 before, map[]: 4s"},
		{"not looked for", []Milestone{{Name: "n", State: Reached, At: 2e12}}, 0, "0 of 1, 0 before, map[no-evidence:1]:"},
		{"none", nil, 0, "0 of 0, 0 before, map[]:"},
	} {
		run := Run{End: 1e12 + 120e9, Restored: Milestone{State: Reached, At: 1e12}, Declared: []Declared{{Name: "m"}, {Name: "s", Shared: true}}}
		for i, m := range tt.list {
			w := Workload{ID: fmt.Sprint(i), Affected: Unfinished, Milestones: []Milestone{m}}
			if i == 0 && tt.failed > 0 {
				w.Failed = 1e12 + tt.failed*1e9
			}
			run.Workloads = append(run.Workloads, w)
		}
		// Neither work that was not affected counts, nor a run without a mend.
		run.Workloads = append(run.Workloads, Workload{ID: "other", Milestones: []Milestone{reached(9)}})
		broken := run
		broken.Restored.State = Missing
		x := (&Side{Runs: []Run{run, broken}}).Reach(&run.Declared[0])
		got := fmt.Sprintf("%d of %d, %d before, %v:", x.Reached, x.Of, x.Before, x.Missing)
		for _, o := range x.Took.Observed {
			d := o.Took.D.Round(time.Millisecond).String()
			if o.Took.Censored {
				d = ">" + d
			}
			got += " " + d
		}
		if got != tt.want {
			t.Errorf("%s: %s; want %s", tt.name, got, tt.want)
		}
	}
}

// What all work shares is counted once a run.
func TestSide_Reach_Shared(t *testing.T) {
	run := Run{End: 2e12, Restored: Milestone{State: Reached, At: 1e12}, Declared: []Declared{{Name: "s", Shared: true}}, Shared: []Milestone{{Name: "s", State: Reached, At: 1e12 + 5e9}}}
	run.Workloads = slices.Repeat([]Workload{{Affected: Unfinished}}, 3)
	x := (&Side{Runs: []Run{run, run}}).Reach(&run.Declared[0])
	if x.Of != 2 || x.Reached != 2 || len(x.Took.Observed) != 2 || x.Took.Max.D != 5*time.Second {
		t.Errorf("%+v", x)
	}
}
