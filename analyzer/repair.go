package analyzer

import "github.com/stillfires/stillfires/internal/outcome"

// A Repair is a change of a rule's query that mends a finding. It was replayed
// on both builds in all scenarios before it was put here. A comparison itself
// makes none: [Compare] sees outcomes, not logs.
type Repair struct {
	// Expr is the whole changed query; empty: none was found, see Missing.
	Expr string
	Kind string // what was changed, such as "wording" or "field"
	// Diff is a unified diff of the rule's file; empty: see NoDiff.
	Diff   string
	NoDiff string  // why there is no diff of a repair that was found
	Proof  []Proof // deployed first, then in the order of the runs
	// Others are longer queries that passed the same test.
	Others []OtherRepair
	// Missing says what is missing where no repair was found.
	Missing string
}

// A Proof is what the changed query did on one run.
type Proof struct {
	Scenario   string
	Role       string // "deployed" or "candidate"
	Repetition int
	State      outcome.State
	Lines      int64
	Before     int64 // lines of the query as it is
}

// An OtherRepair is a further query that mends the finding.
type OtherRepair struct{ Expr, Kind string }
