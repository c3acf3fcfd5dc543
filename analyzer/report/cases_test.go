package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
)

// robots is what the runs of a yard of robots recorded.
func robots(dock, ledger string) *facts.Facts {
	return &facts.Facts{
		Moments: []string{"before", "after"},
		Objects: []facts.Object{
			{Moment: "after", Kind: "Ledger", Namespace: "yard", Name: "slots", Raw: ledger},
			{Moment: "after", Kind: "Robot", Namespace: "yard", Name: "r1", Raw: `{"status":{"dock":"` + dock + `"}}`},
			{Moment: "after", Kind: "Robot", Namespace: "yard", Name: "r2", Raw: `{"status":{"dock":"west"}}`},
			{Moment: "before", Kind: "Robot", Namespace: "yard", Name: "r1", Raw: `{}`},
		},
	}
}

// drilled is a review that passes but for its cases: assertions that hold,
// fail and could not be judged, and the same as observations.
func drilled() analyzer.Input {
	in := passing()
	scenario := in.Scenarios[0]
	for i := range in.Deployed.Runs {
		in.Deployed.Runs[i].Facts = robots("east", `{"data":{"r1":"east"}}`)
		in.Candidate.Runs[i].Facts = robots("", `{"data":{"r1":"east","r7":"gone | <b>"}}`)
	}
	object := func(kind, moment string) *profile.ObjectSelector {
		return &profile.ObjectSelector{Kind: kind, Namespace: "yard", Moment: moment}
	}
	for i, a := range []profile.Assertion{
		{Name: "robots docked", Owner: "yard team", Object: object("Robot", "after"), Path: "status.dock", Condition: profile.Condition{NotEmpty: true}},
		{Name: "slots of robots that are there", Owner: "site operators", Object: object("Ledger", "after"), Path: "data", Condition: profile.Condition{Live: &profile.Live{Kind: "Robot"}}},
		{Name: "doors shut", Owner: "yard team", Object: object("Door", "after"), Path: "status.open", Condition: profile.Condition{Absent: true}},
		{Name: "two robots", Object: object("Robot", "after"), Condition: profile.Condition{Count: &profile.Count{AtLeast: new(int64(2))}}},
		{Name: "robots docked, as seen later", Owner: "yard team", Object: object("Robot", "after"), Path: "status.dock", Condition: profile.Condition{NotEmpty: true}},
	} {
		a.Pos = source.Position{File: "stillfires.yaml", Line: 12 + 5*i, Column: 9}
		a.DeclaredAt = time.Unix(0, start-second)
		if i == 4 {
			a.DeclaredAt = time.Unix(0, start+second)
		}
		in.Cases = append(in.Cases, cases.Declaration{Scenario: scenario, Assertion: &a, From: "review file"})
	}
	return in
}

// TestCases_Load: what is found under load stands apart, in every format.
func TestCases_Load(t *testing.T) {
	in := drilled()
	in.LoadOf = map[string]string{in.Scenarios[0]: "minimal"}
	r := analyzer.Compare(in)
	for _, format := range []string{"terminal", "markdown", "json"} {
		if got := string(render(t, format, r, Options{Width: 120, All: true})); !strings.Contains(got, "load") || !strings.Contains(got, "minimal") {
			t.Errorf("%s does not say that the scenario is the load of another", format)
		}
	}
}

// TestBlocks_Load: one rule that breaks with and without load is two blocks.
func TestBlocks_Load(t *testing.T) {
	in := upgrade()
	count := func() (n int) {
		for _, b := range blocks(analyzer.Compare(in), analyzer.Break) {
			if b.first.Rule != nil && b.first.Rule.Name == "DispatchConfirmed" {
				n++
			}
		}
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("without load: %d blocks", n)
	}
	in.LoadOf = map[string]string{"delayed-canary": "ordinary-reconnect"}
	if n := count(); n != 2 {
		t.Errorf("with load: %d blocks; want 2", n)
	}
}
