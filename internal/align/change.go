package align

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A Class says what became of a message. Classes that are findings have the
// name of the finding.
type Class string

// The classes, the most telling first.
const (
	Removed          Class = "message-removed"
	Moved            Class = "message-moved"
	MovedToField     Class = "message-moved-to-field"
	Reworded         Class = "message-reworded"
	Granularity      Class = "granularity-changed"
	LevelChanged     Class = "level-changed"
	VerbosityHidden  Class = "verbosity-hidden"
	FieldLost        Class = "field-lost"
	FieldRenamed     Class = "field-renamed"
	FieldTypeChanged Class = "field-type-changed"
	FieldGained      Class = "field-gained"  // no finding
	LevelSpelled     Class = "level-spelled" // told of by level-changed
	FrequencyChanged Class = "frequency-changed"
	EncodingChanged  Class = "encoding-changed"
	UnparseableGrew  Class = "unparseable-grew"
	Added            Class = "message-added"
)

// classes holds all classes in their order.
var classes = []Class{
	Removed, Moved, MovedToField, Reworded, Granularity, LevelChanged, VerbosityHidden, FieldLost, FieldRenamed,
	FieldTypeChanged, LevelSpelled, FrequencyChanged, EncodingChanged, UnparseableGrew, FieldGained, Added,
}

// Classes returns all classes, the most telling first.
func Classes() []Class { return slices.Clone(classes) }

// A Change is what became of one message, or of several that were split or
// merged.
type Change struct {
	Classes []Class // one at least; ordered as [Classes]
	// Deployed and Candidate are the kinds of record on each build: none of an
	// added or removed message, several of one that was split or merged, or
	// that other loggers write too.
	Deployed, Candidate []*Kind
	Fields              []FieldChange
	Frequencies         []Frequency // of the scenarios in which the counts differ beyond noise
	// Reencoded are the scenarios in which the message is written in another
	// encoding, ordered.
	Reencoded []Reencoding
	// Hidden is the highest verbosity that the candidate wrote, or was set to,
	// where a message is hidden for it.
	Hidden int
	// Weak says that the message is so rare that chance may have removed or
	// added it.
	Weak bool
	// Elsewhere says that the other build writes the words of a message that was
	// removed or added, but by another logger, function or with another level;
	// or that the message is plain text between records of another encoding.
	Elsewhere bool
	// Nearest is the most similar kind of the other build, of a message that
	// was removed or added; nothing says that it took its place. Nil: none is
	// similar.
	Nearest *Kind
	Fact    *Fact    // where a message moved to that is logged no more
	Notes   []string // what else differs, and how sure the rest is
}

// A Reencoding is a change of the encoding in one scenario.
type Reencoding struct {
	Scenario string
	From, To outcome.Encoding
}

// A FieldChange is what became of one field.
type FieldChange struct {
	// Class is [FieldLost], [FieldRenamed], [FieldTypeChanged], [FieldGained], or
	// [LevelSpelled] of a level that is written in other words.
	Class Class
	Name  string // on deployed; of a gained field on candidate
	To    string // the name on candidate, of a renamed field
	Role  string // as [outcome.Key.Role]: what the field is to the logger
	// Deployed and Candidate are the types on each build, of LevelSpelled the
	// spellings; empty where the field is absent.
	Deployed, Candidate []string
	Shared              []string // values of a renamed field on both builds
	// Within are the names of several fields of one object that are gone, or
	// new; Name is then that of the object with ".*".
	Within []string
	Weak   bool // too few records to be sure
}

// A Fact is an event, condition or metric that says what a message said.
type Fact struct {
	Kind string // "event", "condition" or "metric"
	Text string // its message, or the name of the metric
	On   string // the object that it is about; empty of a metric
	Raw  string // the fact as recorded; empty of a metric
}

// A Result is the outcome of [Compare].
type Result struct {
	Scenarios   []string // that both builds ran, ordered: those that were compared
	Changes     []Change // ordered by class, then by text
	Fields      []FieldSummary
	Encodings   []EncodingSummary
	Unparseable []Unparseable
	// Same is the number of messages that both builds write and that did not
	// change in text, level or place.
	Same int
	// Repeated reports whether any scenario was run more than once on one
	// build, so that noise was measured.
	Repeated bool
	Notes    []string // what could not be compared
	// Deployed and Candidate are all kinds of record that the builds wrote in
	// these scenarios, ordered by text.
	Deployed, Candidate []*Kind
}

// A FieldSummary is one change of a field over all messages that had it.
type FieldSummary struct {
	FieldChange
	Changes []int // indices into Result.Changes
	Of      int   // messages of the deployed build that have the field, and are on both builds
	Count   int64 // records of these messages on the build that has the field
}

// An EncodingSummary is one change of the encoding over all messages.
type EncodingSummary struct {
	From, To  outcome.Encoding
	Scenarios []string
	Messages  int
	// Deployed and Candidate are the first lines of the most frequent such message.
	Deployed, Candidate *outcome.Evidence
}

// An Unparseable is a stream of which a larger share of the records is not in
// its own format.
type Unparseable struct {
	Scenario string
	Stream   string // its labels
	// Records and those that are not in the stream's format, of the first
	// repetition of each build.
	Deployed, Candidate               int64
	DeployedRecords, CandidateRecords int64
}

// Has reports whether the change is of a class.
func (c *Change) Has(k Class) bool { return slices.Contains(c.Classes, k) }

func (c *Change) add(k Class) {
	if !c.Has(k) {
		c.Classes = append(c.Classes, k)
	}
}

// NoMessage reports whether the field is the message itself, and is gone.
func (f *FieldChange) NoMessage() bool { return f.Class == FieldLost && f.Role == messageRole }

// Text returns the words of the change's message: the deployed build's, or of
// an added message the candidate's.
func (c *Change) Text() string {
	if len(c.Deployed) > 0 {
		return c.Deployed[0].Words()
	}
	if len(c.Candidate) > 0 {
		return c.Candidate[0].Words()
	}
	return ""
}

func rank(k Class) int { return slices.Index(classes, k) }

func compareChanges(a, b Change) int {
	return cmp.Or(
		cmp.Compare(rank(a.Classes[0]), rank(b.Classes[0])),
		cmp.Compare(a.Text(), b.Text()), cmp.Compare(identity(&a), identity(&b)),
	)
}

func identity(c *Change) string {
	for _, list := range [][]*Kind{c.Deployed, c.Candidate} {
		if len(list) > 0 {
			return list[0].identity()
		}
	}
	return ""
}
