package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// messageMovedToField: a text moved from the message to a field of a record with
// a constant message, or from such a field to the message.
var messageMovedToField = check{
	ID:       "message-moved-to-field",
	Doc:      "what was the message is in a field now, or the other way round; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.MovedToField, func(ch *MessageChange) string {
			if ch.Candidate[0].Field == "" {
				return quotedKinds(ch.Deployed) + " is the message " + quotedKinds(ch.Candidate) + " itself on the candidate"
			}
			return "the message " + quotedKinds(ch.Deployed) + " is now " + quotedKinds(ch.Candidate)
		})
	},
}
