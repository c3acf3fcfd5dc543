package rules

import "github.com/stillfires/stillfires/internal/source"

// Types of other packages that stand in the API of this one.
type (
	// Position is a place in a file: line and column from 1, in bytes.
	Position = source.Position
	// Problem is a fault at a place in a file that a user can mend.
	Problem = source.Error
)
