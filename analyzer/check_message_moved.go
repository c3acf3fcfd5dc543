package analyzer

import (
	"strconv"

	"github.com/stillfires/stillfires/internal/align"
)

// messageMoved: a message is logged no more, and an event, a condition or a metric
// that only the candidate has says the same.
var messageMoved = check{
	ID:       "message-moved",
	Doc:      "a message is logged no more, but an event, a condition or a metric says it; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.messageFindings(align.Moved, func(ch *MessageChange) string {
			said := "the message " + quotedKinds(ch.Deployed) + " is not logged by the candidate, whose " + ch.Fact.Kind + " " + strconv.Quote(short(ch.Fact.Text))
			if ch.Fact.On != "" {
				said += " on " + ch.Fact.On
			}
			return said + " says it"
		})
	},
}
