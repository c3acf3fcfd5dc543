package outcome

// A Handling says what became of a panic.
type Handling string

// The ways a panic is handled.
const (
	// Crashed: nothing recovered it, and the process ended.
	Crashed Handling = "crashed"
	// Recovered: it was caught, and the operation failed.
	Recovered Handling = "recovered"
	// UnknownHandling: the log does not tell.
	UnknownHandling Handling = "unknown"
)

// A Panic is all occurrences of one panic in a run that were handled, by the
// same, and written in one way.
type Panic struct {
	// Signature is the same in every build and encoding: hex of the kind and
	// the frames of the application, without addresses, goroutine numbers and
	// lines.
	Signature string
	Kind      string // such as "assignment to entry in nil map", what varies masked
	Value     string // as first written
	Frames    []Frame
	Partial   bool // of the stack only a part was written, or nothing
	// Form names how it was written: "goroutine-dump", "observed",
	// "recovered-error", "fatal-error", "http-server" …, see package panics.
	Form     string
	Handling Handling
	// Evidence says how the handling is known.
	Evidence string
	// By names what recovered it, as far as the log tells: the function, or
	// the library.
	By string
	// Operation is what failed with it, such as a controller's name; empty:
	// the log does not tell. Fields are what the same record says that ties it
	// to a workload or a request, by name.
	Operation string
	Fields    map[string]string

	Count       int64 // occurrences
	First, Last Evidence
	// Restarted says that the process that wrote it ended with it: its epoch
	// ends there, or the next record is of another process.
	Restarted bool
	Restarts  int64 // how many occurrences another process followed
}

// A Frame is one function of a stack, without arguments and addresses.
type Frame struct {
	Function string
	File     string // base name and folder; empty: not written
	InApp    bool   // of the application, not of a library or the runtime
}
