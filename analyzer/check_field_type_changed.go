package analyzer

import (
	"github.com/stillfires/stillfires/internal/align"
)

// fieldTypeChanged: a field has a type that none of its values had; null is one only
// where the field was never null and is nothing else any more.
var fieldTypeChanged = check{
	ID:       "field-type-changed",
	Doc:      "a field of a message has another type; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.fieldFindings(align.FieldTypeChanged, func(s *FieldSummary) string {
			return "the field " + s.Name + ", " + types(s.Deployed) + " on deployed, is " + types(s.Candidate) + " on candidate"
		})
	},
}
