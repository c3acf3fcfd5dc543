package analyzer

import (
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
