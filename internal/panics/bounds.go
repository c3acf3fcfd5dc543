package panics

// Bounds on what is kept. What goes beyond them is counted or dropped, never
// grown.
const (
	maxPanics      = 256    // panics that are told apart in a run
	maxOccurrences = 10_000 // occurrences that have a tag of their own
	maxRecent      = 8      // occurrences of a stream that later records may belong to
	maxPods        = 256    // pods and containers whose lines are mixed in a stream
	maxFrames      = 256    // of one stack
	maxLine        = 1 << 20
	maxValue       = 1 << 10 // bytes of a panic's value
	maxValueLines  = 16
	maxBefore      = 4 // bare lines that are remembered
	maxKind        = 200
	maxName        = 512     // bytes of a function's name or a file's
	maxEvidence    = 4 << 10 // bytes of a line that is shown
	maxFields      = 16      // fields of a record that tell what failed
	maxFieldValue  = 128
	maxScanned     = 256 // fields of a record that are looked at
	maxDepth       = 16  // of nested objects

	// An occurrence is over when so many records or so much time have passed.
	nearRecords = 64
	nearTime    = 5e9
	// A record without an ID belongs to a panic that is closer than that.
	closeRecords = 16
)
