package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// messageReworded: wording, place, fields, values and counts agree so well that
// two texts are one message in other words.
var messageReworded = check{
	ID:       "message-reworded",
	Doc:      "a message says the same in other words; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.Reworded, func(ch *MessageChange) string {
			return "the message " + quotedKinds(ch.Deployed) + " reads " + quotedKinds(ch.Candidate) + " on the candidate"
		})
	},
}
