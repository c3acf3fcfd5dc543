package analyzer

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/internal/align"
)

// fieldLost: records of a message that both builds write lack a field on the
// candidate. One finding for each field.
var fieldLost = check{
	ID:       "field-lost",
	Doc:      "a field of a message is gone; `info` where no rule depends on it",
	Severity: Warn,
	runs: func(c *comparison) []Finding {
		return c.fieldFindings(align.FieldLost, func(s *FieldSummary) string {
			if n := len(s.Within); n > 0 {
				return fmt.Sprintf("%s of %s are gone: %s", count(int64(n), "field", "fields"), strings.TrimSuffix(s.Name, ".*"), short(strings.Join(s.Within, ", ")))
			}
			return "the field " + s.Name + " is gone"
		})
	},
}
