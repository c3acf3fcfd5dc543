package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/timeline"
)

// clockSkew: milestones were seen before what causes them, so two clocks
// differ and lengths of time between them cannot be relied on.
var clockSkew = check{
	ID:       "clock-skew",
	Doc:      "a milestone was seen before what causes it: two clocks differ",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.in.Timelines {
			t := &c.in.Timelines[i]
			out = append(out, skewsOf(t, "deployed", t.Deployed.Runs)...)
			out = append(out, skewsOf(t, "candidate", t.Candidate.Runs)...)
		}
		return out
	},
}

// skewsOf returns one finding for each pair of clocks of one build: the widest.
func skewsOf(t *timeline.Comparison, role string, runs []timeline.Run) []Finding {
	var out []Finding
	widest := map[string]timeline.Skew{}
	var order []string
	for i := range runs {
		for _, s := range runs[i].Skews {
			key := s.Before.Clock + "\x00" + s.After.Clock
			have, ok := widest[key]
			if !ok {
				order = append(order, key)
			}
			if !ok || s.By > have.By {
				widest[key] = s
			}
		}
	}
	for _, key := range order {
		s := widest[key]
		text := fmt.Sprintf("on %s %s was seen %s before %s, which comes first", role, t.TitleOf(s.Before.Name), seconds(s.By), t.TitleOf(s.After.Name))
		if s.Workload != "" {
			text += " (" + short(s.Workload) + ")"
		}
		text += fmt.Sprintf(": the clock %q is behind the clock %q by more than what their records can be wrong (%s), so times between them cannot be relied on",
			s.Before.Clock, s.After.Clock, seconds(s.Before.Resolution+s.After.Resolution))
		f := Finding{Scenario: t.Scenario, Subject: role + ": " + s.Before.Clock + " and " + s.After.Clock, Message: text}
		ev := &outcome.Evidence{Time: s.Before.At, Line: s.Before.Evidence}
		if role == "deployed" {
			f.Deployed = ev
		} else {
			f.Candidate = ev
		}
		out = append(out, f)
	}
	return out
}
