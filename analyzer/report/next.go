package report

import "github.com/stillfires/stillfires/analyzer"

// advice says what to try when a report holds a finding. The order is the
// order of urgency.
var advice = []struct {
	ids  []string
	text string
}{
	{[]string{"corpus-incomplete"}, "Record the incomplete runs again: silence in them proves nothing."},
	{[]string{"alert-lost", "match-lost"}, "Let the stage shown also accept what the candidate writes (nearest line), then compare again; keep the deployed wording until the upgrade is done."},
	{[]string{"alert-false"}, "Narrow the rule so that the candidate's line shown does not match, or declare the scenario must-fire if the alert is right."},
	{[]string{"alert-persists"}, "The fix does not show: check that the candidate holds it and that the rule watches the fault."},
	{[]string{"not-evaluated"}, "Read the reasons: what was not evaluated has no verdict."},
	{[]string{"alert-never-fired", "alert-not-reproduced"}, "Record a scenario that does raise the alert on the deployed build, or drop the expectation."},
	{[]string{"window-too-short"}, "Record longer than the alert's for after the fault."},
	{[]string{"alert-flaky"}, "Find out why repetitions differ, or record more of them."},
	{[]string{"alert-gained"}, "Declare must-fire or must-stay-silent for alerts that only the candidate raises."},
}

// next returns what to try, most urgent first.
func next(r *analyzer.Report) []string {
	has := map[string]bool{}
	for _, f := range r.Findings {
		if f.Severity >= analyzer.Warn {
			has[f.ID] = true
		}
	}
	var out []string
	if len(r.Problems) > 0 {
		out = append(out, "Mend the invalid items: what they hold was not looked at.")
	}
	for _, a := range advice {
		for _, id := range a.ids {
			if has[id] {
				out = append(out, a.text)
				break
			}
		}
	}
	return out
}
