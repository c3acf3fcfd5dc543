package analyzer

import (
	"fmt"
	"time"

	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// An Expect is what was declared of a rule in a scenario.
type Expect int

// The expectations.
const (
	ExpectNone Expect = iota
	MustFire
	MustStaySilent
	MustClear
)

var expectNames = [...]string{ExpectNone: "none", MustFire: "must-fire", MustStaySilent: "must-stay-silent", MustClear: "must-clear"}

// String returns the expectation as it stands in reports and review files.
func (e Expect) String() string {
	if e < ExpectNone || e > MustClear {
		return fmt.Sprintf("expect(%d)", int(e))
	}
	return expectNames[e]
}

// ParseExpect returns the expectation called name.
func ParseExpect(name string) (Expect, error) {
	for e, n := range expectNames {
		if n == name {
			return Expect(e), nil
		}
	}
	return 0, fmt.Errorf("unknown expectation %q; write must-fire, must-stay-silent, must-clear or none", name)
}

// An Input is all that a comparison looks at. [Compare] reads nothing else.
type Input struct {
	Deployed, Candidate Side
	Scenarios           []string     // ordered; those that both builds ran
	Rules               []rules.Rule // ordered as in Outcomes
	// WithoutRules says that having no rules is no mistake: the messages are
	// what is compared.
	WithoutRules bool
	// Expect gives the expectation of Rules[i] in a scenario.
	Expect func(rule int, scenario string) Expect
	// Unmatched holds the expectations declared with a run that name no rule
	// of Rules. Each is reported and keeps the review from passing.
	Unmatched []Unmatched
	// Cases are the assertions that were declared of scenarios, in the order
	// in which they are shown.
	Cases []cases.Declaration
	// Milestones say how a recovery is followed; nil: none is. Correlation says
	// which objects belong together; it may be nil.
	Milestones  *profile.Milestones
	Correlation *profile.Correlation
	// Timelines are the recoveries of the scenarios in which a loss was
	// recorded, ordered by scenario. Nil: they are built from the runs, as
	// Milestones say.
	Timelines []timeline.Comparison
	// Acceptance is what was declared of recoveries: of the review file, or
	// else of the profile.
	Acceptance []profile.Acceptance
	// Capacity says what devices there are; nil: what nodes tell.
	Capacity *profile.Capacity
	// Manual says what people do by hand; nil: the defaults.
	Manual *profile.Manual
	// LoadOf names, for a scenario that repeats another under load, that
	// other one.
	LoadOf map[string]string
	// Severities overrides the default severity of findings by ID.
	Severities map[string]Severity
	// Suppressions accept findings. Of two with one fingerprint the first
	// counts.
	Suppressions []Suppression
	// Now is the time at which suppressions expire; zero: none does.
	Now time.Time
	// Partial says what of the whole review was left out. A suppression that
	// may be about that is not called unused.
	Partial Partial
	// Notifications say what alerts must name, and what they must not hold;
	// nil: nothing is required.
	Notifications *profile.Notifications
	// Notes are texts for the reader, such as "selectors assumed".
	Notes []string
	// SelectorsAssumed says that every selector was taken to match (raw logs
	// without labels).
	SelectorsAssumed bool
	// Problems are items of the input that were not valid, such as a rule
	// file with an error. They are reported and make the exit code 2.
	Problems []*source.Error
}

// Partial says what a comparison left out of the review that it belongs to.
type Partial int

// What can be left out.
const (
	NothingLeftOut Partial = iota
	OtherScenarios         // but of those of the input it is whole
	OtherRules             // scenarios may be left out too
)

// An Unmatched is an expectation of a rule that the set does not hold.
type Unmatched struct {
	Scenario, Rule string
	Expect         Expect
}

// A Side is one build of a comparison with its runs.
type Side struct {
	Build     string
	Version   string
	Commit    string
	Component string
	Corpus    string        // its digest; empty where there is none to keep
	Runs      []outcome.Run // ordered by scenario, then repetition
}
