package analyzer

// suppressionUnused: a suppression accepts nothing, as no finding has its
// fingerprint or as it is wrong about the one that has. Where a comparison
// left out what it may be about, nothing is said.
var suppressionUnused = check{
	ID:       "suppression-unused",
	Doc:      "no finding has the fingerprint of a suppression: it accepts nothing",
	Severity: Warn,
	final:    true,
	runs: func(c *comparison) []Finding {
		return c.suppressions(func(a *approval) string {
			switch {
			case a.expired(c.in.Now):
				return "" // suppression-expired
			case a.wrong != "":
				return "accepts nothing (" + a.whose() + "): " + a.wrong
			case a.found != "" || !c.covers(a.Suppression):
				return ""
			}
			return "no finding has this fingerprint (" + a.whose() + "); take it out if what it accepted is mended"
		})
	},
}
