package outcome

import "cmp"

// An Encoding is how a record is written.
type Encoding string

// The encodings.
const (
	JSON    Encoding = "json"
	Console Encoding = "console" // zap's: columns parted by tabs, then a JSON object
	Klog    Encoding = "klog"
	Logfmt  Encoding = "logfmt"
	Text    Encoding = "text" // anything else
)

// A Message is one kind of record that a run wrote: what one logging call
// fixes. Records are of one kind if they agree in Text, Logger, Function,
// Level, Verbosity, Encoding and the names of their top-level keys.
type Message struct {
	// Text is the message with what varies from record to record as "<*>".
	Text     string
	Logger   string // such as "job"; empty: not named
	Function string // source file of the call, without the line; empty: not named
	// Level is "debug", "info", "warn", "error", "panic" or "fatal", whatever
	// the encoding; empty: not known.
	Level     string
	Verbosity int // n of V(n); 0: not more verbose than info
	Encoding  Encoding

	Keys []Key // ordered by name; without time, level, logger, caller and message
	// Heads are the fields that the logger itself fills in: those, ordered by
	// name. Encodings that give them no names have none.
	Heads []Key
	Count int64
	// Panics is how many of the records are part of a panic.
	Panics int64
	// Places are those of the calls with their lines, ordered; bounded. They
	// tell no messages apart.
	Places []Place
	// First and Last are the first and the last record of this kind.
	First, Last Evidence
}

// A Place is where a logging call stands.
type Place struct {
	At    string // such as "jobframework/reconciler.go:427"
	Count int64  // records
}

// A Key is one field of the records of a message.
type Key struct {
	Name string // parts of nested objects are joined by dots
	// Role is what a head means to its logger: "time", "level", "message",
	// "logger" or "caller"; empty: the field is the program's own.
	Role  string
	Count int64 // records that have it, of those that were looked at
	// Looked is the number of records that were looked at.
	Looked int64
	Types  []string // "string", "number", "bool", "null", "object", "array"; ordered
	Values []string // examples, ordered; bounded
	Cut    bool     // there are more values
	// Texts are the sentences that the field holds, what varies masked as in
	// Message.Text, ordered by text; bounded. They tell apart what a constant
	// message says in a field, such as the note of an event or the error.
	Texts []KeyText
}

// A KeyText is one sentence that a field holds.
type KeyText struct {
	Text  string
	Count int64 // records that hold it
	First Evidence
}

// Examples returns the records that are held of a message: the first, the last,
// and the first with each text that a field holds. Some may be the same.
func (m *Message) Examples() []*Evidence {
	out := []*Evidence{&m.First, &m.Last}
	for i := range m.Keys {
		for j := range m.Keys[i].Texts {
			out = append(out, &m.Keys[i].Texts[j].First)
		}
	}
	return out
}

// A Use says how many lines of a rule belong to one message.
type Use struct {
	Message int // index into Run.Messages
	Lines   int64
	// First is the first of these lines; of the first few messages that a rule
	// matches only, else it is zero.
	First Evidence
}

// CompareMessages orders messages by text and what else tells them apart.
func CompareMessages(a, b *Message) int {
	return cmp.Or(
		cmp.Compare(a.Text, b.Text), cmp.Compare(a.Logger, b.Logger), cmp.Compare(a.Function, b.Function),
		cmp.Compare(a.Level, b.Level), cmp.Compare(a.Verbosity, b.Verbosity), cmp.Compare(a.Encoding, b.Encoding),
		compareKeys(a.Keys, b.Keys),
	)
}

func compareKeys(a, b []Key) int {
	for i := range min(len(a), len(b)) {
		if c := cmp.Compare(a[i].Name, b[i].Name); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}
