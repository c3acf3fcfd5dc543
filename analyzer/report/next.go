package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// nextRows bounds the steps on a terminal.
const nextRows = 7

// advice says what to try when a report holds a finding. The order is the
// order of urgency.
var advice = []struct {
	ids  []string
	when func(*analyzer.Finding) bool // nil: always
	text string
}{
	{[]string{"corpus-incomplete"}, nil, "Record the incomplete runs again: silence in them proves nothing."},
	{[]string{"alert-lost", "match-lost"}, hasNearest, "Where no repair held: let the stage shown accept the nearest line too, and compare again."},
	{[]string{"alert-lost", "match-lost"}, lacksNearest, "Where nothing is near: declare must-clear if it is mended, else see where it went."},
	{[]string{"alert-false"}, nil, "False alert: narrow the rule so that it leaves out the candidate's line, or declare must-fire if it is right."},
	{[]string{"alert-persists"}, nil, "The fix does not show: check that the candidate holds it and that the rule watches the fault."},
	{[]string{"not-evaluated"}, isUnmatched, "Load the rules that the drill names, or mend the names in what it declares."},
	{[]string{"not-evaluated"}, isMatched, "Read the reasons: what was not evaluated has no verdict."},
	{[]string{"alert-never-fired", "alert-not-reproduced"}, nil, "Record a scenario that does raise the alert on the deployed build, or drop the expectation."},
	{[]string{"window-too-short"}, nil, "Record longer than the alert's for after the fault."},
	{[]string{"alert-flaky"}, nil, "Find out why repetitions differ, or record more of them."},
	{[]string{"recovery-failed", "budget-exceeded", "duplicate-execution", "stale-entry", "manual-intervention", "restart"}, isCase,
		"Ask the owner of each assertion that fails; --format markdown lists what was seen."},
	{[]string{"alert-gained"}, nil, "Declare must-fire or must-stay-silent for what only the candidate raises."},
}

// repaired says of how many of the rules that a repair was looked for there is
// one; empty where there is none.
func repaired(r *analyzer.Report) string {
	seen := map[*rules.Rule]bool{}
	found := 0
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Repair == nil || f.Accepted() || seen[f.Rule] {
			continue
		}
		seen[f.Rule] = true
		if hasRepair(f) {
			found++
		}
	}
	if found == 0 {
		return ""
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

// A step is something to try. The commands are the arguments of what a shell
// is to run for it, one after the other.
type step struct {
	text     string
	commands []command
}

// next returns what to try, most urgent first. Of again see [Options]: without
// it no command is known.
func next(t *telling, again *Again) []step {
	r := t.r
	var out []step
	if len(r.Problems) > 0 {
		out = append(out, step{text: "Mend the invalid items: what they hold was not looked at."})
	}
	if n := repaired(r); n != "" {
		out = append(out, step{"Take the repairs that were tried (" + n + "), as one patch (--write-repairs):", applied(r, again)})
	}
	if b := worst(t); b != nil {
		if c, ok := explained(r, b.first.Rule, again); ok {
			out = append(out, step{"See why, stage by stage and evaluation by evaluation:", c})
		}
	}
	if slices.ContainsFunc(r.Findings, func(f analyzer.Finding) bool { return f.Severity == analyzer.Break && !f.Accepted() }) {
		out = append(out, step{"Attach the whole to a ticket (--format markdown); it ends with what to copy to accept a finding:", written(again)})
	}
	for _, a := range advice {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Severity >= analyzer.Warn && !f.Accepted() && slices.Contains(a.ids, f.ID) && (a.when == nil || a.when(f)) {
				out = append(out, step{text: a.text})
				break
			}
		}
	}
	return prepared(out, again)
}

// prepared puts what has to be run once before the first command.
func prepared(steps []step, again *Again) []step {
	if again == nil || len(again.First) == 0 {
		return steps
	}
	for i := range steps {
		if len(steps[i].commands) > 0 {
			steps[i].commands = slices.Insert(steps[i].commands, 0, again.program(again.First...))
			break
		}
	}
	return steps
}

// told is the text of a step, which its commands may follow.
func (s step) told(commands bool) string {
	if text, ok := strings.CutSuffix(s.text, ":"); ok && !commands {
		return text + "."
	}
	return s.text
}

// worst returns the first block of what breaks that is about a rule, or nil.
func worst(t *telling) *block {
	for _, b := range t.ranked(blocks(t.r, analyzer.Break)) {
		if b.first.Rule != nil {
			return b
		}
	}
	return nil
}

// next writes what to try, and the commands as they can be pasted.
func (s *screen) next(r *analyzer.Report, again *Again) {
	steps := next(s.t, again)
	if len(steps) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, "What to try next"))
	for i, st := range steps {
		if i == nextRows && !s.all {
			s.line("  … and %d more (--all shows all)", len(steps)-i)
			return
		}
		var commands []string
		for _, c := range st.commands {
			lines, ok := c.lines(s.width - len(commandIndent))
			if !ok {
				commands = nil // it cannot be shown so that it can be pasted
				break
			}
			commands = append(commands, lines...)
		}
		s.wrap("  ", "- "+st.told(len(commands) > 0))
		for _, c := range commands {
			s.line("%s%s", commandIndent, c)
		}
	}
}
