package align

import (
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
)

// TestCompare_Facts: a message is gone, and the candidate has a fact that may
// say what it said.
func TestCompare_Facts(t *testing.T) {
	const message = msg(`info hoist lift.go "Lift of crate finished" 20 crate=yard/c-1`)
	event := func(text, on string) *facts.Facts {
		return &facts.Facts{Events: []facts.Event{{Message: text, Object: facts.Ref{Namespace: "yard", Name: on}}}}
	}
	condition := func(text string) *facts.Facts {
		return &facts.Facts{Objects: []facts.Object{{Namespace: "yard", Name: "c-1", Raw: `{"status":{"conditions":[{"type":"Lifted","message":"` + text + `"}]}}`}}}
	}
	for _, tt := range []struct {
		name                string
		deployed, candidate *facts.Facts
		metrics             [2][]string // names on deployed and on candidate
		want                Class
	}{
		{name: "nothing", want: Removed},
		{name: "event", candidate: event("Lift of crate finished", "c-1"), want: Moved},
		{name: "event that says more", candidate: event("Lift of crate finished after 1.5s: three hooks were used by the operator", "c-1"), want: Moved},
		{name: "event of another object", candidate: event("Lift of crate finished", "other"), want: Removed},
		{name: "event that says the contrary", candidate: event("Lift of crate not finished", "c-1"), want: Removed},
		{name: "event that was there before", deployed: event("Lift of crate finished", "c-1"), candidate: event("Lift of crate finished", "c-1"), want: Removed},
		{name: "condition", candidate: condition("Lift of the crate is finished"), want: Moved},
		{name: "metric", metrics: [2][]string{{"up"}, {"up", "yard_crate_lifts_finished_total"}}, want: Moved},
		{name: "metric that was there before", metrics: [2][]string{{"yard_crate_lifts_finished_total"}, {"yard_crate_lifts_finished_total"}}, want: Removed},
		{name: "no metrics are known of deployed", metrics: [2][]string{nil, {"yard_crate_lifts_finished_total"}}, want: Removed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			deployed, candidate := runs(message), runs()
			deployed[0].Facts, candidate[0].Facts = tt.deployed, tt.candidate
			deployed[0].MetricNames, candidate[0].MetricNames = tt.metrics[0], tt.metrics[1]
			res := Compare(deployed, candidate)
			if len(res.Changes) != 1 || !res.Changes[0].Has(tt.want) {
				t.Errorf("got %v; want %s", told(res), tt.want)
			}
		})
	}
}
