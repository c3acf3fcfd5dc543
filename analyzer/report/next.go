package report

import (
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// advice says what to try when a report holds a finding. The order is the
// order of urgency.
var advice = []struct {
	ids  []string
	when func(*analyzer.Finding) bool // nil: always
	text string
	// count gives the number that the text speaks of; nil: it has none.
	count func(*analyzer.Report) string
}{
	{[]string{"corpus-incomplete"}, nil, "Record the incomplete runs again: silence in them proves nothing.", nil},
	{[]string{"alert-lost", "match-lost", "frequency-changed"}, hasRepair, "Take the repairs that were tried (%s): --write-repairs FILE writes them as one patch.", repaired},
	{[]string{"alert-lost", "match-lost"}, hasNearest, "Let the stage shown accept the nearest line too, and compare again.", nil},
	{[]string{"alert-lost", "match-lost"}, lacksNearest, "No nearest line: declare must-clear if it is mended, else see where it went.", nil},
	{[]string{"alert-false"}, nil, "False alert: narrow the rule so that it leaves out the candidate's line, or declare must-fire if it is right.", nil},
	{[]string{"alert-persists"}, nil, "The fix does not show: check that the candidate holds it and that the rule watches the fault.", nil},
	{[]string{"not-evaluated"}, isUnmatched, "Load the rules that the drill names, or mend the names in what it declares.", nil},
	{[]string{"not-evaluated"}, isMatched, "Read the reasons: what was not evaluated has no verdict.", nil},
	{[]string{"alert-never-fired", "alert-not-reproduced"}, nil, "Record a scenario that does raise the alert on the deployed build, or drop the expectation.", nil},
	{[]string{"window-too-short"}, nil, "Record longer than the alert's for after the fault.", nil},
	{[]string{"alert-flaky"}, nil, "Find out why repetitions differ, or record more of them.", nil},
	{[]string{"recovery-failed", "budget-exceeded", "duplicate-execution", "stale-entry", "manual-intervention", "restart"}, isCase,
		"Ask the owner of each assertion that fails; --format markdown lists what was seen.", nil},
	{[]string{"alert-gained"}, nil, "Declare must-fire or must-stay-silent for what only the candidate raises.", nil},
}

// repaired says how many of the rules that a repair was looked for have one.
func repaired(r *analyzer.Report) string {
	seen := map[*rules.Rule]bool{}
	found := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Repair == nil || seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		if hasRepair(f) {
			found++
		}
	}
	return fmt.Sprintf("for %d of %s", found, plural(len(seen), "rule"))
}

func hasRepair(f *analyzer.Finding) bool { return f.Repair != nil && f.Repair.Expr != "" }

func hasNearest(f *analyzer.Finding) bool { return len(f.Nearest) > 0 && !hasRepair(f) }

// lacksNearest reports whether the lines are gone without a trace. Lines that
// are only too few are not gone.
func lacksNearest(f *analyzer.Finding) bool {
	return len(f.Nearest) == 0 && f.Parting != nil && f.Parting.Candidate == 0
}

func isUnmatched(f *analyzer.Finding) bool { return f.Unmatched != "" }

func isMatched(f *analyzer.Finding) bool { return f.Unmatched == "" }

func isCase(f *analyzer.Finding) bool { return f.Case > 0 }

// next returns what to try, most urgent first.
func next(r *analyzer.Report) []string {
	var out []string
	if len(r.Problems) > 0 {
		out = append(out, "Mend the invalid items: what they hold was not looked at.")
	}
	for _, a := range advice {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Severity >= analyzer.Warn && !f.Accepted() && slices.Contains(a.ids, f.ID) && (a.when == nil || a.when(f)) {
				text := a.text
				if a.count != nil {
					text = fmt.Sprintf(text, a.count(r))
				}
				out = append(out, text)
				break
			}
		}
	}
	if slices.ContainsFunc(r.Findings, func(f analyzer.Finding) bool { return f.Severity == analyzer.Break && !f.Accepted() }) {
		out = append(out, "Or accept until a day what is agreed: --format markdown ends with what to copy.")
	}
	return out
}
