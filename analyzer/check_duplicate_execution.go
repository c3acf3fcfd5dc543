package analyzer

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// duplicateExecution: one piece of work ran more often than it may.
var duplicateExecution = check{
	ID:       "duplicate-execution",
	Doc:      "a piece of work was executed more often than declared, or than it asks for",
	Severity: Break,
	cases:    true,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.recovered {
			out = append(out, duplicatesOf(&c.recovered[i])...)
		}
		return out
	},
}

// maxDuplicates is how many duplicates of a scenario have findings of their
// own; what is beyond has one together.
const maxDuplicates = 10

// duplicatesOf finds the work that candidate executed twice. Where deployed
// did, too, and nobody declared that it must not be, it is no difference.
func duplicatesOf(r *Recovery) []Finding {
	var out []Finding
	seen := map[string]bool{}
	more := 0
	severity := Severity(0)
	if len(duplicatesByKind(r.Deployed)) > 0 {
		severity = Warn
	}
	owner, back := "", ""
	for i := range r.Acceptance {
		a := &r.Acceptance[i]
		if x := a.Criterion(profile.CriterionDuplicates); x != nil && x.Status == acceptance.Broken {
			severity, owner, back = Break, x.Owner, backText(a, x.Name)
		}
	}
	before := duplicatesByKind(r.Deployed)
	for i := range r.Candidate {
		for _, d := range r.Candidate[i].Duplicates {
			if seen[d.Work+string(d.Kind)] {
				continue
			}
			seen[d.Work+string(d.Kind)] = true
			if len(out) == maxDuplicates {
				more++
				continue
			}
			f := Finding{
				Scenario: r.Scenario, Subject: d.Work + ": " + string(d.Kind),
				Message:   "on candidate " + d.Detail + evidenceText(&d) + deployedText(before, &d) + ownedBy(owner) + back,
				Candidate: &outcome.Evidence{Time: d.At, Line: d.Detail},
			}
			if f.Severity = severity; severity == Warn && before[d.Kind] == 0 {
				f.Severity = 0 // deployed does not do this
			}
			out = append(out, f)
		}
	}
	if more > 0 {
		out = append(out, Finding{Severity: severity, Scenario: r.Scenario, Subject: "more", Rest: true, Message: fmt.Sprintf("on candidate %d more pieces of work were executed twice", more)})
	}
	return out
}

func evidenceText(d *execution.Duplicate) string {
	if len(d.Evidence) == 0 {
		return ""
	}
	return " (" + strings.Join(d.Evidence, "; ") + ")"
}

// duplicatesByKind counts duplicates by kind.
func duplicatesByKind(results []execution.Result) map[execution.Kind]int {
	out := map[execution.Kind]int{}
	for i := range results {
		for _, d := range results[i].Duplicates {
			out[d.Kind]++
		}
	}
	return out
}

func deployedText(before map[execution.Kind]int, d *execution.Duplicate) string {
	if n := before[d.Kind]; n > 0 {
		return fmt.Sprintf("; deployed shows %s of that kind, too", count(int64(n), "duplicate", "duplicates"))
	}
	return "; nothing on deployed was"
}
