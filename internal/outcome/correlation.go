package outcome

// A Correlation is what the log of a run says of the objects that were
// recorded beside it, as a profile declares them. Entities and links are in
// the order of the profile.
type Correlation struct {
	Profile  string
	Entities []EntityUse
	Links    []LinkUse
	Chains   Chains
	Alerts   []AlertName // ordered by rule, place, entity and identifier
	Notes    []string    // what could not be judged, and why
}

// An EntityUse says by what, and where, the log names the things of one kind.
type EntityUse struct {
	Name, Title string
	Known       int // things of this kind that were recorded
	Named       int // of these, those that any record names
	// Identifiers say how many are named by each, ordered by identifier.
	Identifiers []IdentifierUse
	// Sightings are ordered by identifier, then the one that names most things
	// first; bounded.
	Sightings []Sighting
}

// An IdentifierUse counts the things that any record names by one identifier.
type IdentifierUse struct {
	Identifier string
	Things     int // for certain
	Perhaps    int // also where the text can name a thing of another kind
}

// A Sighting is one field of one message that names things of one kind by one
// identifier.
type Sighting struct {
	Message int // index into Run.Messages; -1: not known
	// Field is the name of the field, parts of nested objects joined by dots;
	// names of two fields that are needed together are joined by "+".
	Field string
	// InText says that the identifier is a part of a longer text.
	InText bool
	// Identifier is "uid", "namespace/name", "name", "label:KEY" or
	// "annotation:KEY".
	Identifier string
	// Ambiguous says that the same text can name things of another kind too.
	Ambiguous bool
	Things    int // that were named so
	Count     int64
	First     Evidence
}

// A LinkUse says how two kinds of things are linked: in the objects, and in
// the log.
type LinkUse struct {
	From, To           string // names of entities
	FromTitle, ToTitle string
	Known              int          // pairs that the objects show
	Objects            []ObjectWay  // as the profile declares, those that none shows left out
	Made               int          // pairs that can be joined from the log alone
	Ways               []LinkInLogs // the one that joins most first; bounded
}

// An ObjectWay is one way in which objects show a link.
type ObjectWay struct {
	Text  string // such as "label KEY of the pod"
	Pairs int
}

// By says what joins two things in a log.
type By string

// What joins two things.
const (
	ByRecord  By = "record"  // one record names both
	ByRequest By = "request" // records of one request name one each
	ByName    By = "name"    // both are named, and have the same name
)

// A LinkInLogs is one way in which a log joins two kinds of things.
type LinkInLogs struct {
	By   By
	Key  string // of a request: the field that holds its ID
	From LinkEnd
	To   LinkEnd
	// Pairs are the pairs of things that are joined so.
	Pairs int
	Count int64
	First Evidence // the record that names To; of ByName that of From
}

// A LinkEnd is where one end of a link is named.
type LinkEnd struct {
	Message    int // index into Run.Messages; -1: not known
	Field      string
	InText     bool
	Identifier string
}

// Chains says how far chains of things can be walked.
type Chains struct {
	Steps []string // titles of the entities along the chain
	// Known and Walked hold for each step how many chains reach it, by the
	// objects and by the log alone.
	Known, Walked []int
}

// An AlertName is a label or annotation of a rule's alerts that names a thing.
type AlertName struct {
	Rule       int    // index of the outcome
	Where      string // "label" or "annotation"
	Name       string // of the label or annotation
	Entity     string
	Identifier string
	Alerts     int // that carry it
}
