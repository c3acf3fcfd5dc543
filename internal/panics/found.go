package panics

// A found is what a record that stands for itself says of a panic.
type found struct {
	form      string
	value     string
	by        string // what recovered it, where the form says so; empty: not
	recovered bool   // the record says that it was
	perhaps   bool   // the record alone is no proof
	stack     stack
	fields    map[string]string
	ids       string // that join records of one attempt; empty: none
	operation string
}

// The forms in which a panic is written.
const (
	FormDump      = "goroutine-dump"  // of the runtime, or printed in that form
	FormFatal     = "fatal-error"     // of the runtime
	FormObserved  = "observed"        // "Observed a panic"
	FormError     = "recovered-error" // the text of an error
	FormRecovered = "recovered-text"  // a message that says so
	FormHTTP      = "http-server"     // net/http's server
	FormLog       = "log-panic"       // a logger that panics
)
