package analyzer

import (
	"strings"

	"github.com/stillfires/stillfires/internal/align"
)

// levelChanged: a message is written at another level or verbosity. One finding
// for each message; where all that changed is how levels are spelled, one for
// the field that holds them.
var levelChanged = check{
	ID:       "level-changed",
	Doc:      "a message has another level or verbosity, or levels are spelled otherwise; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		out := c.messageFindings(align.LevelChanged, func(ch *MessageChange) string {
			return "the message " + quotedKinds(ch.Deployed) + " is written" + atLevel(ch.Candidate[0]) + " in place of" + strings.TrimPrefix(atLevel(ch.Deployed[0]), " at")
		})
		spelled := c.fieldFindings(align.LevelSpelled, func(s *FieldSummary) string {
			return "levels are spelled otherwise in the field " + s.Name + ": " + strings.Join(s.Deployed, ", ") + " on deployed, " + strings.Join(s.Candidate, ", ") + " on candidate;"
		})
		for i := range spelled {
			spelled[i].Subject = "spelling of " + spelled[i].Subject
		}
		return append(out, spelled...)
	},
}

// atLevel prints the level of a kind as levelWord does, and says if there is none.
func atLevel(k *align.Kind) string {
	if s := levelWord(k); s != "" {
		return s
	}
	return " without a level"
}
