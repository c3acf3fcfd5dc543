package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
)

// A Status is the answer of a run. The zero Status is invalid.
type Status int

// The answers, the best first.
const (
	Holds Status = iota + 1
	NotJudged
	Fails
)

var statusNames = [...]string{Holds: "holds", NotJudged: "not-judged", Fails: "fails"}

// String returns the status as it stands in reports.
func (s Status) String() string {
	if s < Holds || s > Fails {
		return fmt.Sprintf("status(%d)", int(s))
	}
	return statusNames[s]
}

// Bounds of what a result says.
const (
	maxEvidence  = 8   // lines
	maxText      = 200 // bytes of a value that is shown
	maxEntries   = 100_000
	maxRemembers = 10_000 // entries that are stale
)

// A Result is what one run says of an assertion.
type Result struct {
	Status Status
	// Reason says in a line what was seen, or why nothing could be judged.
	Reason string
	// Evidence are the objects or records that decide, bounded; More counts
	// those left out.
	Evidence []string
	More     int
	// Under says that there was less than wanted of what is counted.
	Under bool
	// Late says that what had to be reached in time was reached too late.
	Late bool
	// Extent counts what fails: objects, entries, pieces of work, or by how
	// many a count is beyond its bounds.
	Extent int64
	// Earlier counts the stale entries that were stale at an earlier moment:
	// they were left by an earlier failure. Left counts all others.
	Earlier, Left int
}

func holds(format string, args ...any) Result {
	return Result{Status: Holds, Reason: fmt.Sprintf(format, args...)}
}

func fails(format string, args ...any) Result {
	return Result{Status: Fails, Reason: fmt.Sprintf(format, args...)}
}

func notJudged(format string, args ...any) Result {
	return Result{Status: NotJudged, Reason: fmt.Sprintf(format, args...)}
}

// with adds lines of evidence.
func (r Result) with(lines []string) Result {
	r.Evidence = lines
	if n := len(lines) - maxEvidence; n > 0 {
		r.Evidence, r.More = lines[:maxEvidence:maxEvidence], n
	}
	return r
}

func (r Result) less(under bool) Result {
	r.Under = under
	return r
}

func (r Result) by(extent int64) Result {
	r.Extent = extent
	return r
}

// beyond says by how many n breaks the bounds. Without any the bound is what
// atMost says.
func beyond(c profile.Count, n, atMost int64) int64 {
	least, most := int64(0), n
	switch {
	case c == (profile.Count{}):
		most = atMost
	case c.Equals != nil:
		least, most = *c.Equals, *c.Equals
	}
	if c.AtLeast != nil {
		least = max(least, *c.AtLeast)
	}
	if c.AtMost != nil {
		most = min(most, *c.AtMost)
	}
	return max(least-n, n-most, 0)
}

// Judge answers an assertion that has no faults on one run. Seen says that the
// objects it selects are known from some run: then none of them is an answer,
// too.
func Judge(a *profile.Assertion, run *outcome.Run, seen bool) Result {
	if run.Missing {
		return notJudged("no such run was recorded")
	}
	switch {
	case a.Object != nil:
		return judgeObject(a, run, seen)
	case a.Within != 0:
		return judgeWindow(a, run)
	case a.Panics != nil:
		return judgePanics(a.Panics, run)
	case a.Restarts != nil:
		return judgeRestarts(a.Restarts, run)
	case a.ManualActions != nil:
		return judgeManual(a.ManualActions, run)
	case a.Executions != nil:
		return judgeExecutions(a.Executions, run)
	}
	return notJudged("the assertion asks nothing")
}

// within reports whether n keeps the bounds. Without any the bound is what
// atMost says.
func within(c profile.Count, n, atMost int64) bool {
	if c == (profile.Count{}) {
		return n <= atMost
	}
	return (c.Equals == nil || n == *c.Equals) && (c.AtLeast == nil || n >= *c.AtLeast) && (c.AtMost == nil || n <= *c.AtMost)
}

// under reports whether n is below the lower bound.
func under(c profile.Count, n int64) bool {
	return c.AtLeast != nil && n < *c.AtLeast || c.Equals != nil && n < *c.Equals
}

// bounded says whether more could break the bounds: there is one from above.
func bounded(c profile.Count) bool { return c.AtLeast == nil || c.AtMost != nil }

// boundsText says the bounds in words.
func boundsText(c profile.Count, atMost int64) string {
	switch {
	case c == (profile.Count{}) && atMost == 0, c.Equals != nil && *c.Equals == 0, c.AtMost != nil && *c.AtMost == 0:
		return "none"
	case c == (profile.Count{}):
		return fmt.Sprintf("at most %d", atMost)
	case c.Equals != nil:
		return fmt.Sprintf("exactly %d", *c.Equals)
	}
	var parts []string
	if c.AtLeast != nil {
		parts = append(parts, fmt.Sprintf("at least %d", *c.AtLeast))
	}
	if c.AtMost != nil {
		parts = append(parts, fmt.Sprintf("at most %d", *c.AtMost))
	}
	return strings.Join(parts, " and ")
}

// counted says how many of something there are.
func counted(n int64, one, many string) string { return prose.Counted(n, one, many) }

func short(s string) string { return prose.Line(s, maxText) }

func globsAny(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return p != "" && profile.Glob(p, s) })
}
