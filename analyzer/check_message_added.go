package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// messageAdded: the candidate writes a message that is in none of the deployed
// build's runs.
var messageAdded = check{
	ID:       "message-added",
	Doc:      "a message of the candidate is not written by the deployed build; always `info` unless the review file says otherwise",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.Added, func(ch *MessageChange) string {
			return "the message " + quotedKinds(ch.Candidate) + levelWord(ch.Candidate[0]) + " is new on the candidate"
		})
	},
}
