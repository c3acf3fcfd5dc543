package analyzer

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/internal/timeline"
)

// confounder: the runs of both builds differ in more than the build, so that a
// difference between them may have another cause.
var confounder = check{
	ID:       "confounder",
	Doc:      "the runs differ in more than the build: that can explain a difference",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		var out []Finding
		for i := range c.recovered {
			r := &c.recovered[i]
			differ := timesDiffer(c.timelineOf(r.Scenario))
			for j := range r.Confounders.Differences {
				d := &r.Confounders.Differences[j]
				f := Finding{Scenario: r.Scenario, Subject: string(d.Kind) + ": " + d.Subject}
				switch {
				case d.Decisive:
					f.Message = fmt.Sprintf("the drills of both builds differ: %s; what follows from a difference between them is not known: repeat the drill in the same way", differs(d))
				case d.Timing && differ:
					f.Message = fmt.Sprintf("beside the build the runs differ in %s: %s; that can explain that the recovery takes another time", d.Kind, differs(d))
				default:
					continue
				}
				out = append(out, f)
			}
		}
		return out
	},
}

// confounded says in words what else can explain that a stage takes longer;
// empty: nothing that was recorded.
func (c *comparison) confounded(t *timeline.Comparison) string {
	r := c.recoveryOf(t.Scenario)
	if r == nil {
		return ""
	}
	if another := c.another(t.Scenario); len(another) > 0 {
		return "; but the drills differ, so that proves nothing: " + strings.Join(another, "; ")
	}
	n, first := 0, ""
	for i := range r.Confounders.Differences {
		if d := &r.Confounders.Differences[i]; d.Timing {
			if n++; n == 1 {
				first = differs(d)
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "; the runs differ in more than the build: " + first
	}
	return fmt.Sprintf("; the runs differ in more than the build: %s, and %d more", first, n-1)
}
