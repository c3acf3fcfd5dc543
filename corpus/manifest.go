package corpus

import (
	"time"

	"github.com/stillfires/stillfires/internal/logs"
)

// Version is the version of the format that this package writes, and the only
// one it reads.
const Version = 1

const (
	corpusFormat = "stillfires/corpus"
	runFormat    = "stillfires/run"
)

// A Manifest is what run.json says of one run.
type Manifest struct {
	Format  string `json:"format"`  // "stillfires/run"
	Version int    `json:"version"` // of the format

	Build      string   `json:"build"` // the name under which the run is found
	Scenario   Scenario `json:"scenario"`
	Repetition int      `json:"repetition"` // from 1

	// Builds are what ran; the epochs of the streams point at them. The first
	// is the build the run is named for.
	Builds      []Build      `json:"builds"`
	Environment *Environment `json:"environment,omitempty"`
	Drill       *Drill       `json:"drill,omitempty"`

	Streams      []Stream     `json:"streams"` // ordered by labels
	Files        []File       `json:"files,omitempty"`
	Moments      []Moment     `json:"moments,omitempty"` // of the objects, in the order they were taken
	Redaction    *Redaction   `json:"redaction,omitempty"`
	Completeness Completeness `json:"completeness"`
	Capture      *Capture     `json:"capture,omitempty"` // how it was recorded; nil: imported

	// Notes are remarks of the writer for the reader of a report.
	Notes []string `json:"notes,omitempty"`
}

// A Build is one version of one component.
type Build struct {
	Name        string   `json:"name"`
	Component   string   `json:"component,omitempty"`
	Version     string   `json:"version,omitempty"`
	Commit      string   `json:"commit,omitempty"`
	Image       string   `json:"image,omitempty"`
	Digest      string   `json:"digest,omitempty"` // of the image
	Flags       []string `json:"flags,omitempty"`
	Verbosity   string   `json:"verbosity,omitempty"` // in effect
	LogEncoding string   `json:"logEncoding,omitempty"`
}

// A Scenario is the drill that a run executed.
type Scenario struct {
	Name         string            `json:"name"`
	Description  string            `json:"description,omitempty"`
	Parameters   map[string]string `json:"parameters,omitempty"` // such as the load
	Window       *Window           `json:"window,omitempty"`
	Expectations []Expectation     `json:"expectations,omitempty"`
	// Expected says in words what the run was to show, and DeclaredAt when
	// that was written.
	Expected   string     `json:"expected,omitempty"`
	DeclaredAt *time.Time `json:"declaredAt,omitempty"`
	// LoadOf names the scenario that this one repeats under load.
	LoadOf     string      `json:"loadOf,omitempty"`
	Assertions []Assertion `json:"assertions,omitempty"`
}

// A Window is a stretch of time. It widens the evaluation of rules beyond the
// first and last record.
type Window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// An Expectation is what a rule must do in the scenario.
type Expectation struct {
	Rule       string    `json:"rule"`
	Expect     string    `json:"expect"` // must-fire, must-stay-silent or must-clear
	DeclaredAt time.Time `json:"declaredAt"`
}

// An Environment is what must be equal on both sides of a comparison.
type Environment struct {
	Kubernetes string            `json:"kubernetes,omitempty"` // version
	Nodes      map[string]string `json:"nodes,omitempty"`      // name to what it is
	Devices    map[string]string `json:"devices,omitempty"`    // device class to count and kind
	Components map[string]string `json:"components,omitempty"` // other components to version
}

// A Drill says what was done to the cluster and with whose leave.
type Drill struct {
	Interrupted []string   `json:"interrupted,omitempty"` // links cut
	Kept        []string   `json:"kept,omitempty"`        // links left alone
	Owner       string     `json:"owner,omitempty"`
	Approval    string     `json:"approval,omitempty"`
	RetainUntil *time.Time `json:"retainUntil,omitempty"`
}

// A Stream is the log of one process, over all its restarts.
type Stream struct {
	Name   string            `json:"name"`
	File   string            `json:"file"`   // logs/<name>.log.zst or logs/<name>.ndjson.zst
	Labels map[string]string `json:"labels"` // empty where nobody knows them

	First *time.Time `json:"first,omitempty"` // absent when there is no record
	Last  *time.Time `json:"last,omitempty"`

	Records   int64  `json:"records"`
	Bytes     int64  `json:"bytes"`     // of the lines, without time prefix and line end
	FileBytes int64  `json:"fileBytes"` // size of File
	SHA256    string `json:"sha256"`    // of File, hex

	Sources []Source `json:"sources,omitempty"` // where the records came from
	Time    Timing   `json:"time"`
	// Unparseable counts the non-empty records that are not in the stream's
	// own format: stack lines, cut JSON, foreign text.
	Unparseable int64   `json:"unparseable"`
	Gaps        []Gap   `json:"gaps,omitempty"`
	Epochs      []Epoch `json:"epochs,omitempty"` // in order; none: one epoch of Builds[0]
	// Coverage is how much of its time a captured stream covers.
	Coverage *Coverage `json:"coverage,omitempty"`
	// Cut counts the records that were longer than Capture.MaxLine; they end in
	// a mark that says how long they were.
	Cut int64 `json:"cut,omitempty"`
}

// A Coverage is a share of a stretch of time that is known to be recorded
// whole.
type Coverage struct {
	From  time.Time `json:"from"`  // when the capture began to look at the stream
	To    time.Time `json:"to"`    // and when it ceased to
	Share float64   `json:"share"` // of it that lies in no gap, 0 to 1; 1 only if there is no gap
}

// A Capture says how a run was recorded.
type Capture struct {
	ID            string    `json:"id"` // of this capture alone
	Started       time.Time `json:"started"`
	Ended         time.Time `json:"ended"`
	MaxLine       int       `json:"maxLine"`                 // bytes of a line that are kept
	Interruptions []Gap     `json:"interruptions,omitempty"` // in which nothing was recorded
	Sources       []string  `json:"sources,omitempty"`       // in words
}

// LabelSet returns the stream's labels.
func (s *Stream) LabelSet() logs.Labels { return logs.FromMap(s.Labels) }

// UnparseableShare returns Unparseable as a share of all records, 0 to 1.
func (s *Stream) UnparseableShare() float64 {
	if s.Records == 0 {
		return 0
	}
	return float64(s.Unparseable) / float64(s.Records)
}

// A Source is a file that was imported.
type Source struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"` // as found, that is compressed
	SHA256 string `json:"sha256,omitempty"`
	Format string `json:"format"` // such as zap-json, or cri+klog
}

// A Timing says where the times of a stream's records came from.
type Timing struct {
	// Source is "record" (the record's own), "prefix" (of kubectl, CRI or
	// Docker), "capture" (the reader's stream) or "given" (the import
	// description).
	Source string `json:"source"`
	Year   int    `json:"year,omitempty"` // given to a format that lacks it
	Zone   string `json:"zone,omitempty"` // likewise
	// From says where Year and Zone came from.
	From    string `json:"from,omitempty"`
	Undated int64  `json:"undated"` // records that had no time
	Moved   int64  `json:"moved"`   // records older than their predecessor, moved to its time
}

// A Gap is a stretch in which records are known to be missing.
type Gap struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Reason string    `json:"reason"`
}

// An Epoch is the life of one process: from its start to its end or restart.
type Epoch struct {
	Build   int    `json:"build"` // index in Manifest.Builds
	Source  string `json:"source,omitempty"`
	Start   int64  `json:"start"` // number of its first record in the stream, from 0
	Records int64  `json:"records"`
}

// A File is a file of the run that is not a log.
type File struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Source is the file that it was imported from, or what such files have in
	// common where there are several.
	Source string `json:"source,omitempty"`
	FileKey
}

// A FileKey tells the files of a run that are not logs apart. The path of a
// file follows from its kind and key; see [FilePath].
type FileKey struct {
	Moment  string `json:"moment,omitempty"`  // of objects
	Name    string `json:"name,omitempty"`    // of others, where one kind has several
	Cluster string `json:"cluster,omitempty"` // empty: there is one

	// Fields says where the fields of a fact stand in a value of the file:
	// name to paths, of which the first that is there counts. What is not named
	// stands where docs/corpus-format.md says.
	Fields map[string][]string `json:"fields,omitempty"`
	// Values are fields that the file's values do not have.
	Values map[string]string `json:"values,omitempty"`
}

// A Moment is a time at which the objects of the clusters were recorded.
type Moment struct {
	Name string     `json:"name"`
	Time *time.Time `json:"time,omitempty"` // absent where it is not known
}

// A Redaction says how the run was cleaned.
type Redaction struct {
	Policy string           `json:"policy"`
	KeyID  string           `json:"keyID,omitempty"` // tells keys apart, reveals none
	Counts map[string]int64 `json:"counts,omitempty"`
}

// A Completeness says whether the run was recorded to its end.
type Completeness struct {
	State   string   `json:"state"` // Complete or Incomplete
	Reasons []string `json:"reasons,omitempty"`
}

// The states of completeness.
const (
	Complete   = "complete"
	Incomplete = "incomplete"
)
