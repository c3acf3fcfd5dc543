package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// granularityChanged: a message was split, several were merged, or one record holds
// a list of what had a record each. Counts of its lines mean something else.
var granularityChanged = check{
	ID:       "granularity-changed",
	Doc:      "one message became several, several became one, or one record lists what many told; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.Granularity, func(ch *MessageChange) string {
			switch {
			case len(ch.Candidate) > len(ch.Deployed):
				return "the message " + quotedKinds(ch.Deployed) + " was split into " + quotedKinds(ch.Candidate)
			case len(ch.Candidate) < len(ch.Deployed):
				return "the messages " + quotedKinds(ch.Deployed) + " were merged into " + quotedKinds(ch.Candidate)
			}
			return "a record of the message " + quotedKinds(ch.Candidate) + " and one of " + quotedKinds(ch.Deployed) + " tell of a different number of things: one has a list of them"
		})
	},
}
