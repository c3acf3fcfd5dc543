package analyzer

import (
	"github.com/stillfires/stillfires/internal/outcome"
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

// An Input is all that a comparison looks at. [Compare] reads nothing else.
type Input struct {
	Deployed, Candidate Side
	Scenarios           []string     // ordered; those that both builds ran
	Rules               []rules.Rule // ordered as in Outcomes
	// Expect gives the expectation of Rules[i] in a scenario.
	Expect func(rule int, scenario string) Expect
	// Severities overrides the default severity of findings by ID.
	Severities map[string]Severity
	// Notes are texts for the reader, such as "selectors assumed".
	Notes []string
	// SelectorsAssumed says that every selector was taken to match (raw logs
	// without labels).
	SelectorsAssumed bool
}

// A Side is one build of a comparison with its runs.
type Side struct {
	Build     string
	Version   string
	Commit    string
	Component string
	Runs      []outcome.Run // ordered by scenario, then repetition
}
