package analyzer

import (
	"fmt"
)

// What counts as a changed frequency: a factor between the closest
// repetitions of both builds, in lines and in lines a second alike, and a
// difference in lines below which counts are noise.
const (
	frequencyFactor = 3
	frequencyLines  = 10
)

// frequencyChanged: a query finds far more or far fewer lines. Thresholds
// that count them no longer mean what they did. Of every rule it is said that
// all its lines are gone although it still yields, as with "or vector(0)" or
// absent_over_time: then it no longer sees what it was written for.
var frequencyChanged = check{
	ID:       "frequency-changed",
	Doc:      "matches on both builds, but a query, panel or metric at least three times as often on one of them, or any rule without a line on the candidate",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		d, n := c.deployed.frequency(), c.candidate.frequency()
		if c.yieldsOnBoth() && d.least > 0 && n.most == 0 {
			return []Finding{c.emptied(d)}
		}
		if !c.matchesOnBoth() {
			return nil
		}
		more := n.exceeds(d)
		if !more && !d.exceeds(n) {
			return nil
		}
		word := "fewer"
		if more {
			word = "more"
		}
		f := Finding{
			Message: fmt.Sprintf("matches far %s lines: %s on deployed, %s on candidate; thresholds on their count mean something else now",
				word, d, n),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}
		if lost := c.lostLines(); !more && len(lost) > 0 {
			said, near := c.nearest(nil)
			f.Lost, f.Deployed, f.Nearest, f.NearLost = lost, c.matchedLine(), near, c.nearestToOthers(nil)
			f.Message += whatBecame(said, near)
		}
		return []Finding{f}
	},
}

// emptied explains a rule that yields on both builds, on candidate without any
// line.
func (c *cell) emptied(d frequency) Finding {
	f := Finding{Deployed: c.matchedLine(), Parting: c.parting(), Lost: c.lostLines()}
	if f.Parting != nil {
		f.Pos = f.Parting.Pos
	}
	f.Cause = "its lines are gone"
	if f.Parting != nil {
		f.Cause = c.stageInWords(f.Parting, &c.candidate)
	}
	f.Said = c.said(f.Parting, f.Deployed)
	said, near := c.nearest(f.Parting)
	f.Nearest, f.NearLost = near, c.nearestToOthers(f.Parting)
	if moved(said, near) {
		f.MovedFrom = said.field
	}
	c.blame(&f, &c.candidate)
	f.Message = fmt.Sprintf("still %s on both builds, but without a line on candidate, with %s on deployed: %s%s",
		c.fires(), d, f.Cause, whatBecame(said, near))
	return f
}

// yieldsOnBoth reports whether a rule passes that fires or matches in every
// repetition on both builds.
func (c *cell) yieldsOnBoth() bool {
	return c.verdict == Pass && len(c.decided) == 0 && c.deployed.yes && c.candidate.yes
}

// A frequency is the range of a count over repetitions.
type frequency struct {
	least, most         int64   // lines in a run
	leastRate, mostRate float64 // lines a second
}

func (h *half) frequency() frequency {
	var f frequency
	for i, o := range h.outcomes {
		rate := 0.0
		if s := float64(h.runs[i].Last-h.runs[i].First) / 1e9; s > 0 {
			rate = float64(o.Lines) / s
		}
		if i == 0 {
			f = frequency{o.Lines, o.Lines, rate, rate}
		}
		f.least, f.most = min(f.least, o.Lines), max(f.most, o.Lines)
		f.leastRate, f.mostRate = min(f.leastRate, rate), max(f.mostRate, rate)
	}
	return f
}

// exceeds reports whether even the lowest count of f is far above the highest
// of g.
func (f frequency) exceeds(g frequency) bool {
	return f.least >= frequencyFactor*g.most && f.leastRate >= frequencyFactor*g.mostRate*(1-1e-9) &&
		f.least-g.most >= frequencyLines
}

func (f frequency) String() string {
	if f.least == f.most {
		return fmt.Sprint(f.most)
	}
	return fmt.Sprintf("%d to %d", f.least, f.most)
}
