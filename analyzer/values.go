package analyzer

import (
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
)

// Types of other packages that stand in the API of this one.
type (
	// Run is what one run of one build gave for every rule.
	Run = outcome.Run
	// Evidence is one log line, safe to show.
	Evidence = outcome.Evidence
	// Position is a place in a file: line and column from 1, in bytes.
	Position = source.Position
	// Problem is a fault at a place in a file that a user can mend.
	Problem = source.Error
)
