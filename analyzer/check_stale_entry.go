package analyzer

// staleEntry: an entry of an object names work that is gone, or is there twice.
var staleEntry = check{
	ID:       "stale-entry",
	Doc:      "an entry names work that is gone, or stands there twice: it was left by an earlier failure",
	Severity: Warn,
	cases:    true,
}
