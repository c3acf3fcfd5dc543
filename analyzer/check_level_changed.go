package analyzer

import (
	"strings"

	"github.com/stillfires/stillfires/internal/align"
)

// levelChanged: a message is written at another level or verbosity.
var levelChanged = check{
	ID:       "level-changed",
	Doc:      "a message has another level or verbosity; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.LevelChanged, func(ch *MessageChange) string {
			return "the message " + quotedKinds(ch.Deployed) + " is written" + levelWord(ch.Candidate[0]) + " in place of" + strings.TrimPrefix(levelWord(ch.Deployed[0]), " at")
		})
	},
}
