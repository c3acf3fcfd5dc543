package analyzer

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

func TestHappenings(t *testing.T) {
	rs := []rules.Rule{
		{Kind: rules.Alert, Name: "Fires"}, {Kind: rules.Alert, Name: "Waits"},
		{Kind: rules.Recording, Name: "no alert"}, {Kind: rules.Alert, Name: "Silent"},
	}
	run := outcome.Run{
		Scenario: "cut", Repetition: 2,
		Outcomes: []outcome.Outcome{
			{State: outcome.Fired, Pending: []outcome.Interval{{From: 7, To: 10}}, Firing: []outcome.Interval{{From: 10, To: 20}, {From: 40, To: 40}}},
			{State: outcome.Pending, Pending: []outcome.Interval{{From: 5, To: 9}}},
			{State: outcome.Matched, Firing: []outcome.Interval{{From: 1, To: 2}}},
			{State: outcome.Silent},
		},
		Facts: &facts.Facts{Actions: []facts.Action{
			{Time: 1, Action: "cut", Target: "proxy"},
			{Time: 2, Actor: "observer", Action: "pod-phase"},
			{Time: 3, Actor: "operator", Action: "restart", Target: "manager"},
			{Time: 4, Actor: "script", Action: "Observed", Target: "worker-1 Active"},
		}},
		Panics: []outcome.Panic{
			{Kind: "b", Handling: outcome.Crashed, First: outcome.Evidence{Time: 8}, Last: outcome.Evidence{Time: 30}},
			{Kind: "a", Handling: outcome.Recovered, First: outcome.Evidence{Time: 12}, Last: outcome.Evidence{Time: 12}},
		},
	}
	happening := func(k HappeningKind, name, detail string, from, to int64) Happening {
		h := Happening{Role: "deployed", Scenario: "cut", Repetition: 2, Kind: k, Name: name, Detail: detail, From: from, To: to}
		for i := range rs {
			if k.IsAlert() && rs[i].Name == name {
				h.Rule = &rs[i]
			}
		}
		return h
	}
	alerts := []Happening{
		happening(AlertPending, "Fires", "", 7, 10), happening(AlertFiring, "Fires", "", 10, 20), happening(AlertFiring, "Fires", "", 40, 40),
		happening(AlertPending, "Waits", "", 5, 9),
	}
	panics := []Happening{
		happening(PanicSeen, "b", "crashed", 8, 8), happening(PanicSeen, "a", "recovered", 12, 12), happening(PanicSeen, "b", "crashed", 30, 30),
	}
	recorded := []Happening{happening(ActionDone, "cut", "proxy", 1, 1), happening(ActionDone, "restart", "manager by operator", 3, 3)}
	got := happeningsOf("deployed", rs, &run, nil)
	if diff := cmp.Diff(slices.Concat(alerts, recorded, panics), got, byAddress); diff != "" {
		t.Errorf("of a run (-want +got):\n%s", diff)
	}
	// What the timeline judged of actions counts more than what was recorded.
	judged := []timeline.Action{{Time: 3, Actor: "operator", Action: "restart", Target: "manager", Manual: true}, {Time: 4, Action: "edit", Target: "job", Unattributed: true}, {Time: 5, Actor: "script", Action: "dump-state"}}
	want := slices.Concat(alerts, []Happening{happening(ManualAction, "restart", "manager by operator", 3, 3), happening(ActionDone, "edit", "job, it is not known by whom", 4, 4)}, panics)
	if diff := cmp.Diff(want, happeningsOf("deployed", rs, &run, judged), byAddress); diff != "" {
		t.Errorf("of a judged run (-want +got):\n%s", diff)
	}
}

var byAddress = cmp.Comparer(func(a, b *rules.Rule) bool { return a == b })
