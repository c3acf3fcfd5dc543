package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/outcome"
)

// MaxEvidence is the longest log line that a report shows, in bytes.
const MaxEvidence = 4096

// bounded returns e with a line that is safe to pass on: valid UTF-8 of at
// most [MaxEvidence] bytes, cut between characters.
func bounded(e *outcome.Evidence) *outcome.Evidence {
	if e == nil {
		return nil
	}
	out := *e
	out.Line = strings.ToValidUTF8(out.Line, "\uFFFD")
	if len(out.Line) > MaxEvidence {
		n := MaxEvidence
		for !utf8.RuneStart(out.Line[n]) {
			n--
		}
		out.Line, out.Truncated = out.Line[:n], true
	}
	return &out
}

// evidence returns the first line that matched in the repetition shown.
func (h *half) evidence() *outcome.Evidence {
	o := h.outcome()
	if o == nil || len(o.Evidence) == 0 {
		return nil
	}
	return &o.Evidence[0]
}

// lostLines returns the first lines of those messages that the rule matched on
// deployed and does not match on candidate, the most frequent first; none where
// they are less than half of what it lost.
func (c *cell) lostLines() []outcome.Evidence {
	d, n := c.deployed.outcome(), c.candidate.outcome()
	if d == nil || n == nil {
		return nil
	}
	kept := map[string]bool{}
	for _, u := range n.Uses {
		kept[c.candidate.run().Messages[u.Message].Text] = true
	}
	var lost []outcome.Use
	var lines, before, after int64
	for _, u := range n.Uses {
		after += u.Lines
	}
	for _, u := range d.Uses {
		before += u.Lines
		if u.First.Line != "" && !kept[c.deployed.run().Messages[u.Message].Text] {
			lost = append(lost, u)
			lines += u.Lines
		}
	}
	if 2*lines < before-after {
		return nil
	}
	slices.SortStableFunc(lost, func(a, b outcome.Use) int { return -cmp.Compare(a.Lines, b.Lines) })
	var out []outcome.Evidence
	for _, u := range lost {
		out = append(out, u.First)
	}
	return out
}

// matchedLine returns a line that the rule matched on deployed: of a message
// that it lost, if it did, else the first one.
func (c *cell) matchedLine() *outcome.Evidence {
	first := c.deployed.evidence()
	lost := c.lostLines()
	if first == nil || len(lost) == 0 || slices.ContainsFunc(lost, func(e outcome.Evidence) bool { return sameLine(&e, first) }) {
		return first
	}
	return &lost[0]
}

func sameLine(a, b *outcome.Evidence) bool { return a.Time == b.Time && a.Line == b.Line }
