package acceptance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
)

// notSlower judges whether candidate recovers as fast as deployed: a difference
// inside the noise of the repetitions is none.
func notSlower(owner string, e *Evidence) Criterion {
	c := Criterion{Name: profile.CriterionSlower, Title: "not slower than deployed", Owner: owner}
	switch {
	case e.Line == nil:
		return c.open("no recovery was measured")
	case len(e.Another) > 0:
		return c.open("the drills differ, so a difference in time proves nothing: " + strings.Join(e.Another, "; "))
	}
	var slower []string
	for i := range e.Line.Stages {
		p := &e.Line.Stages[i]
		if !p.Slower || p.Name == timeline.Total && len(slower) > 0 {
			continue
		}
		text := fmt.Sprintf("%s takes %s, on deployed %s", p.Title, medians(p.Candidate, p.ByLongest), medians(p.Deployed, p.ByLongest))
		if p.Owner != "" {
			text += " (owner: " + p.Owner + ")"
		}
		slower = append(slower, text)
	}
	if len(slower) > 0 {
		c.Status, c.Said = Broken, strings.Join(slower, "; ")
		return c
	}
	i := slices.IndexFunc(e.Line.Stages, func(p timeline.StagePair) bool { return p.Name == timeline.Total })
	if i < 0 || len(e.Line.Stages[i].Deployed.Repetitions) == 0 || len(e.Line.Stages[i].Candidate.Repetitions) == 0 {
		return c.open("one build shows no work that recovered")
	}
	p := &e.Line.Stages[i]
	if p.Difference == nil {
		return c.open("one build has work that had not recovered when the capture ended")
	}
	switch why := doubts(e.Line); {
	case why != "":
		return c.open(why)
	case p.NoiseKnown:
		c.Status, c.Said = Kept, fmt.Sprintf("in all %s, on deployed %s; repetitions differ by up to %s", medians(p.Candidate, false), medians(p.Deployed, false), seconds(p.Noise))
	case *p.Difference <= p.Resolution && !longer(p):
		c.Status, c.Said = Kept, fmt.Sprintf("in all %s, on deployed %s", medians(p.Candidate, false), medians(p.Deployed, false))
	default:
		return c.open(fmt.Sprintf("in all %s, on deployed %s; with one repetition of each build nobody knows whether that is noise: repeat the drill", medians(p.Candidate, false), medians(p.Deployed, false)))
	}
	return c
}

// longer reports whether what took longest takes longer on candidate.
func longer(p *timeline.StagePair) bool {
	return p.Candidate.Max != nil && p.Deployed.Max != nil && (p.Candidate.Max.Censored || p.Candidate.Max.D > p.Deployed.Max.D+p.Resolution)
}

func medians(s timeline.Stage, longest bool) string {
	if longest {
		return timeline.InWords(s.Longest)
	}
	return timeline.InWords(s.Repetitions)
}
