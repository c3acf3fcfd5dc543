package analyzer

import (
	"fmt"

	"github.com/stillfires/stillfires/internal/align"
)

// verbosityHidden: a message of the deployed build is above the verbosity that the
// candidate writes. Whether it is still there cannot be told from its log.
var verbosityHidden = check{
	ID:       "verbosity-hidden",
	Doc:      "a message is more verbose than what the candidate writes; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.VerbosityHidden, func(ch *MessageChange) string {
			at := ch.Deployed[0]
			if len(ch.Candidate) > 0 {
				at = ch.Candidate[0]
			}
			return fmt.Sprintf("the message %s is at V(%d), and the candidate writes up to V(%d)", quotedKinds(ch.Deployed), at.Verbosity, ch.Hidden)
		})
	},
}
