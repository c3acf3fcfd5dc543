package analyzer

// suppressionExpired: the day until which a finding was accepted has passed,
// so the finding counts again.
var suppressionExpired = check{
	ID:       "suppression-expired",
	Doc:      "the day until which a finding was accepted has passed: it counts again",
	Severity: Warn,
	final:    true,
	runs: func(c *comparison) []Finding {
		return c.suppressions(func(a *approval) string {
			switch {
			case !a.expired(c.in.Now):
				return ""
			case a.found == "":
				return "expired on " + a.Day() + " (" + a.whose() + "), and no finding has this fingerprint here"
			}
			return "expired on " + a.Day() + " (" + a.whose() + "), so this counts again: " + a.found
		})
	},
}
