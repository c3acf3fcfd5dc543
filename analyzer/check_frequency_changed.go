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
// that count them no longer mean what they did.
var frequencyChanged = check{
	ID:       "frequency-changed",
	Doc:      "a query, panel or metric matches on both builds, at least three times as often on one of them",
	Severity: Warn,
	cell: func(c *cell) []Finding {
		if !c.matchesOnBoth() {
			return nil
		}
		d, n := c.deployed.frequency(), c.candidate.frequency()
		more := n.exceeds(d)
		if !more && !d.exceeds(n) {
			return nil
		}
		word := "fewer"
		if more {
			word = "more"
		}
		return []Finding{{
			Message: fmt.Sprintf("matches far %s lines: %s on deployed, %s on candidate; thresholds on their count mean something else now",
				word, d, n),
			Deployed: c.deployed.evidence(), Candidate: c.candidate.evidence(),
		}}
	},
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
