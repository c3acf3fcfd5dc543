package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// messageRemoved: a message that the deployed build writes in every repetition of a
// scenario is in none of the candidate's runs, and nothing took its place for
// certain.
var messageRemoved = check{
	ID:       "message-removed",
	Doc:      "a message of the deployed build is not written by the candidate; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.Removed, func(ch *MessageChange) string {
			return "the message " + quotedKinds(ch.Deployed) + levelWord(ch.Deployed[0]) + " is not written by the candidate"
		})
	},
}
