package analyzer

import (
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// recoverySlower: a stage of the recovery takes longer on candidate than noise
// explains.
var recoverySlower = check{
	ID:       "recovery-slower",
	Doc:      "a stage of the recovery takes longer on candidate",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.in.Timelines {
			t := &c.in.Timelines[i]
			stages := 0
			for i := range t.Stages {
				p := &t.Stages[i]
				if !p.Slower || p.Name == timeline.Total && stages > 0 || onlyStuck(t, p) {
					continue
				}
				stages++
				f := Finding{Scenario: t.Scenario, Subject: p.Name, Message: slowerText(t, p) + c.confounded(t)}
				if len(c.another(t.Scenario)) > 0 {
					f.Severity = Info // another drill takes another time
				}
				out = append(out, f)
			}
		}
		return append(out, c.broken(demand(profile.CriterionSlower), brokenDemand)...)
	},
}

// onlyStuck reports whether a stage is longer only for work that never reached
// the goal: recovery-failed tells of that.
func onlyStuck(t *timeline.Comparison, p *timeline.StagePair) bool {
	if !p.ByLongest || p.Candidate.Max == nil || !p.Candidate.Max.Censored {
		return false
	}
	place := func(name string) int {
		return slices.IndexFunc(t.Declared, func(d timeline.Declared) bool { return d.Name == name })
	}
	return p.Name == timeline.Total || place(p.Name) <= place(t.Goal)
}

func slowerText(t *timeline.Comparison, p *timeline.StagePair) string {
	text := fmt.Sprintf("the recovery takes longer on candidate: from %s to %s", t.TitleOf(p.From), p.Title)
	if p.Name == timeline.Total {
		text = fmt.Sprintf("the recovery takes longer on candidate: from the restoration to %s", t.TitleOf(t.Goal))
	}
	d, c := p.Deployed.Repetitions, p.Candidate.Repetitions
	what := "median"
	if p.ByLongest {
		d, c, what = p.Deployed.Longest, p.Candidate.Longest, "the longest"
	}
	text += fmt.Sprintf(" %s against %s on deployed (%s", timeline.InWords(c), timeline.InWords(d), what)
	if n := max(len(p.Deployed.Observed), len(p.Candidate.Observed)); n > 1 {
		text += fmt.Sprintf(" of %d and %d", len(p.Candidate.Observed), len(p.Deployed.Observed))
	}
	if p.NoiseKnown {
		text += fmt.Sprintf("; repetitions differ by up to %s)", seconds(p.Noise))
	} else {
		text += "; one repetition each, so noise is not known)"
	}
	for _, b := range p.Because {
		text += fmt.Sprintf("; meanwhile %d lines of %s against %d", b.Candidate, short(b.Title), b.Deployed)
	}
	if p.Hint != "" {
		text += "; " + short(p.Hint)
	}
	return text + ownedBy(p.Owner)
}
