package analyzer

import (
	"fmt"
	"strings"
)

// encodingChanged: the same messages are written in another encoding. Parsers of the
// old one fail on every line. One finding for each pair of encodings.
var encodingChanged = check{
	ID:       "encoding-changed",
	Doc:      "messages are written in another encoding; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.encodingFindings()
	},
}

func (c *comparison) encodingFindings() []Finding {
	var out []Finding
	for _, e := range c.aligned().Encodings {
		out = append(out, Finding{
			Subject: string(e.From) + " → " + string(e.To), Severity: severityOf(e.Rules), Dependents: e.Rules,
			Message: fmt.Sprintf("%s written as %s in place of %s, in %s", count(int64(e.Messages), "message", "messages"),
				e.To, e.From, short(strings.Join(e.Scenarios, ", "))) + dependOn(e.Rules),
			Deployed: e.Deployed, Candidate: e.Candidate,
		})
	}
	return out
}
