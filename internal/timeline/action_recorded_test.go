package timeline_test

import (
	"slices"
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// TestRecorded_Actions: nobody lent a hand in the recorded drills. What a
// person is made to do in one of them is found.
func TestRecorded_Actions(t *testing.T) {
	for _, name := range []string{"kueue-multikueue", "kai-binder"} {
		p, err := profile.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		losses := 0
		for key, run := range replayed(t, name) {
			r := timeline.Build(run, p.Milestones, p.Correlation)
			r.Act(run, p.Milestones, p.Manual)
			manual, unattributed := r.Manual()
			if manual+unattributed > 0 {
				for _, a := range r.Actions {
					if a.Manual || a.Unattributed {
						t.Errorf("%s: nobody did %s", key, a.Evidence)
					}
				}
			}
			if r.Failure.State != timeline.Reached {
				continue
			}
			losses++
			if len(r.Actions) == 0 {
				t.Errorf("%s: no action of the script is on the timeline", key)
			}
			more := *run.Facts
			more.Actions = append(slices.Clone(more.Actions), facts.Action{Time: r.Failure.At + 1, Actor: "operator", Action: "restart", Target: "manager"})
			helped := *run
			helped.Facts = &more
			r.Act(&helped, p.Milestones, p.Manual)
			if manual, _ := r.Manual(); manual != 1 {
				t.Errorf("%s: a restart by hand is not found", key)
			}
		}
		if losses == 0 {
			t.Errorf("%s: no run has a loss", name)
		}
	}
}
