package analyzer

import (
	"strings"

	"github.com/stillfires/stillfires/internal/align"
)

// fieldRenamed: a field is gone, and one that is new holds the same values, or
// differs in spelling alone.
var fieldRenamed = check{
	ID:       "field-renamed",
	Doc:      "a field of a message has another name; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.fieldFindings(align.FieldRenamed, func(s *FieldSummary) string {
			said := "the field " + s.Name + " is called " + s.To
			if len(s.Shared) > 0 {
				said += " (both hold " + short(strings.Join(s.Shared[:min(len(s.Shared), 3)], ", ")) + ")"
			}
			return said
		})
	},
}
