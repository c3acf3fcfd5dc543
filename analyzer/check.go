package analyzer

// A check yields the findings of one ID. Its file is check_<id>.go, its page
// docs/findings/<id>.md.
type check struct {
	ID       string
	Doc      string // one line
	Severity Severity

	// One of these is set, or more. What they return needs no ID, severity, rule,
	// scenario or fingerprint; a severity that is set replaces the default.
	cell func(*cell) []Finding
	runs func(*comparison) []Finding
	// cases says that findings come from what was declared of scenarios, see
	// cases.go; then neither of the others need be set.
	cases bool

	// final says that no suppression accepts what it yields: it is about
	// suppressions.
	final bool
}

// checks is the table of all checks.
var checks = []check{
	alertLost,
	matchLost,
	alertFalse,
	alertPersists,
	metricLost,
	recoveryFailed,
	budgetExceeded,
	duplicateExecution,
	panicNew,
	panicPersists,
	corpusIncomplete,
	correlationLost,
	alertNeverFired,
	alertNotReproduced,
	alertFlaky,
	windowTooShort,
	notEvaluated,
	alertNoisy,
	alertLate,
	alertLabelsLost,
	notificationContextLost,
	sensitiveData,
	headroomShrunk,
	frequencyChanged,
	labelsLost,
	metricTypeChanged,
	metricLabelLost,
	staleEntry,
	manualIntervention,
	restarted,
	confounder,
	recoverySlower,
	clockSkew,
	panicNotReproduced,
	panicUnseen,
	alertGained,
	alertQuietened,
	alertCleared,
	panicFixed,
	matchGained,
	matchFlaky,

	// These tell what became of the suppressions, so they come last.
	suppressionExpired,
	suppressionUnused,
	messageRemoved,
	messageAdded,
	messageReworded,
	messageMovedToField,
	messageMoved,
	granularityChanged,
	levelChanged,
	verbosityHidden,
	fieldLost,
	fieldRenamed,
	fieldTypeChanged,
	encodingChanged,
	unparseableGrew,
}

// decided returns the cell function of a check whose ID the verdict table
// gives: message and evidence come from f.
func decided(id string, f func(*cell) Finding) func(*cell) []Finding {
	return func(c *cell) []Finding {
		if !c.decidedOn(id) {
			return nil
		}
		found := f(c)
		if c.severity != 0 {
			found.Severity = c.severity
		}
		return []Finding{found}
	}
}
