package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// manualIntervention: a person acted in a stretch that must do without, or lent
// the recovery of the candidate a hand that deployed did without.
var manualIntervention = check{
	ID:       "manual-intervention",
	Doc:      "a person acted where none should have to",
	Severity: Warn,
	cases:    true,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.in.Timelines {
			out = append(out, c.handsLent(&c.in.Timelines[i])...)
		}
		return out
	},
}

// handsLent finds manual actions on the way of candidate's recovery: all of
// them where somebody declared that there must be none, else those that deployed
// did without.
func (c *comparison) handsLent(t *timeline.Comparison) []Finding {
	d, n := hands(&t.Deployed), hands(&t.Candidate)
	severity, owner, back := Severity(0), "", ""
	demanded := false
	if r := c.recoveryOf(t.Scenario); r != nil {
		for i := range r.Acceptance {
			a := &r.Acceptance[i]
			if x := a.Criterion(profile.CriterionManual); x != nil && x.Status == acceptance.Broken {
				demanded = true
				severity, owner, back = Break, x.Owner, backText(a, x.Name)
			}
		}
	}
	if !demanded && n.most <= d.most && n.unknown <= d.unknown {
		return nil
	}
	f := Finding{Severity: severity, Scenario: t.Scenario, Subject: "recovery", Candidate: &outcome.Evidence{Time: n.first.Time, Line: n.first.Evidence}}
	switch {
	case n.most > 0:
		f.Message = fmt.Sprintf("between the failure and the recovery there %s on candidate, %d on deployed: %s, such as %s",
			wereActions(n.most), d.most, n.kind(), short(n.first.Evidence))
	default:
		f.Message = fmt.Sprintf("between the failure and the recovery something was changed on candidate, and nothing says whether a person did it: %s", short(n.first.Evidence))
	}
	f.Message += ownedBy(owner) + back
	return []Finding{f}
}

func wereActions(n int) string {
	if n == 1 {
		return "was 1 manual action"
	}
	return fmt.Sprintf("were %d manual actions", n)
}

// A lent is what people did in the runs of a build: the most in one of them.
type lent struct {
	most, unknown int
	first         timeline.Action
}

func (l *lent) kind() string {
	if l.first.Actor == "" {
		return "by nobody knows whom"
	}
	return "by " + short(l.first.Actor)
}

func hands(s *timeline.Side) lent {
	var l lent
	for i := range s.Runs {
		manual, unknown := s.Runs[i].Manual()
		l.most, l.unknown = max(l.most, manual), max(l.unknown, unknown)
		for _, a := range s.Runs[i].Actions {
			if a.Manual && !l.first.Manual || a.Unattributed && l.first.Evidence == "" {
				l.first = a
			}
		}
	}
	return l
}
