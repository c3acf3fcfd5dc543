package analyzer

import (
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/capacity"
	"github.com/stillfires/stillfires/internal/correlate"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// A Report is the whole result of a comparison. It is plain data: renderers
// need nothing else.
type Report struct {
	Verdict             Verdict
	Deployed, Candidate Build
	Scenarios           []string
	Loads               []string  // under which the scenarios ran, in their order; empty: under none
	Results             []Result  // ordered by file, line, name, scenario
	Findings            []Finding // ordered by severity, then likewise
	Cases               []Case    // ordered by scenario, load, assertions first
	// Timelines are the recoveries of the scenarios that show one, in the order
	// of Scenarios.
	Timelines []timeline.Comparison
	// Happenings are what happened in the runs of Timelines beside the recovery.
	Happenings []Happening
	// Recoveries are what scenarios show beside it, in the order of Scenarios.
	Recoveries []Recovery
	Planned    []capacity.Planned // declared windows of which a declared time is lost
	Panics     []Panic            // ordered by scenario, kind, signature
	Messages   *Messages          // what became of the log messages; nil: not compared
	Runs       []RunInfo          // ordered by scenario, role, repetition
	Notes      []string
	Problems   []*source.Error
	// Explained are the rules of which every evaluation was asked for.
	Explained []*rules.Rule
	// Patch is the diffs of all repairs in one, for patch -p1; it may be empty.
	Patch string
	// PatchFromRoot reports whether Patch is to be applied in the root of the
	// file system, not in the working folder.
	PatchFromRoot bool

	// Correlation says how the logs of both builds tell the recorded objects
	// apart and join them; nil: no profile declares any, or none was recorded.
	Correlation *correlate.Summary
	// Notifications say what alerts name of what they must name, ordered by
	// file, line, name, scenario; those of rules that did not fire are left
	// out.
	Notifications []Notification
	// Hide puts the names of their forms in place of the secrets that alerts
	// held, in a text that is added to the report; nil: they held none.
	Hide func(text string) string
}

// LoadOf says under which load a scenario ran; empty: under none.
func (r *Report) LoadOf(scenario string) string {
	if i := slices.Index(r.Scenarios, scenario); i >= 0 && i < len(r.Loads) {
		return r.Loads[i]
	}
	return ""
}

// A Build names one side of a comparison; unknown fields are empty.
type Build struct {
	Name, Version, Commit, Component string
	// Corpus is the digest of the corpus that the build's runs were read from;
	// empty: they were raw logs.
	Corpus string
}

// A RunInfo tells what was read of one run.
type RunInfo struct {
	Role, Scenario string
	Repetition     int
	First, Last    int64 // times of the first and last record, ns since the epoch
	Streams        int
	Records        int64 // read
	Empty, Repeats int64 // of these, dropped
	Incomplete     bool
}

// A Result is the verdict of one rule in one scenario.
type Result struct {
	Rule     *rules.Rule
	Scenario string
	Expect   Expect
	Verdict  Verdict
	Reason   string   // why it was not evaluated; else empty
	Findings []string // IDs, ordered as in the report

	Deployed, Candidate Outcome

	// Yielded reports whether the rule fired or matched in one repetition at
	// least, on either build.
	Yielded bool
	// Accepted reports whether all findings that leave the verdict open were
	// accepted. The verdict stays, and does not keep the review from passing.
	Accepted bool
}

// counts reports whether an inconclusive result keeps a review from passing:
// something was declared of the rule, or it is known to fire. Of an alert that
// nobody declared and that never fired there is nothing to lose.
func (r *Result) counts() bool { return !r.Accepted && (r.Expect != ExpectNone || r.Yielded) }

// An Outcome is what a rule did on one build in all repetitions of a
// scenario. The embedded numbers are those of the first repetition that ended
// in the state shown.
type Outcome struct {
	outcome.Outcome
	Repetitions int // runs of the scenario
	Times       int // of these, how many ended in the state shown
}

// A Finding is one thing that matters.
type Finding struct {
	ID       string
	Severity Severity
	Rule     *rules.Rule // nil: the finding is about no rule of the set
	// Unmatched names the rule that was declared but is not in the set; else
	// it is empty.
	Unmatched string
	// Unproven says that what the finding is about could not be judged: the
	// review cannot pass with it.
	Unproven bool
	// Rest says that it sums up what is beyond the findings before it.
	Rest     bool
	Scenario string
	// Pos is where to look: the stage at which the builds part, else the
	// rule. It is zero for findings without a rule.
	Pos     source.Position
	Message string
	// Cause is the part of Message that says why the rule does nothing on one
	// build; empty where Message is no longer than that.
	Cause string
	// Subject tells apart findings with one ID about one rule in one
	// scenario: a label, a message, a signature. Often empty.
	Subject     string
	Fingerprint string
	// Case is the index of the case it is about in Report.Cases, plus one; 0:
	// it is about none.
	Case int
	// Suppressed says who accepted the finding, and why; nil: nobody, it
	// counts.
	Suppressed *Suppression

	Deployed, Candidate *outcome.Evidence // nil: no line to show
	// Said is the part of the line that matched which says what it is about.
	// It is empty where none was asked for.
	Said    string
	Parting *Parting // nil: not about lost or new lines
	Nearest []Near   // at most 3, best first
	// Lost are lines of messages that the rule matched on the deployed build and
	// does not match on the candidate, the most frequent first; NearLost are the
	// lines that are nearest to those that Nearest is not about.
	Lost     []outcome.Evidence
	NearLost []Near
	// MovedFrom is the field in which the text stood on the deployed build that
	// stands in another field now, that of the first of Nearest. It is empty
	// where the text is another, or in the same field.
	MovedFrom string
	// Through is the field by which the deployed build's log told the
	// identifier that is lost; empty where none is.
	Through string
	// Dependents are the rules that read the message or field that changed, in
	// no particular order.
	Dependents []*rules.Rule
	// Repair is nil where none was looked for.
	Repair *Repair
}

// A Parting is where the two builds part: the first stage of the rule that
// treats them differently.
type Parting struct {
	Step  int // index in the funnel
	Stage string
	Pos   source.Position
	// Deployed and Candidate are the lines left after the stage.
	Deployed, Candidate int64
	// Responsible is the part of the stage that makes the difference; nil
	// where none is known.
	Responsible *Responsible
}

// A Near is a line of the candidate build that says almost the same as a line
// of the deployed build.
type Near struct {
	outcome.Evidence
	Level      string  // as written; empty when unknown
	Count      int64   // records of this kind
	Similarity float64 // 0 to 1
	Field      string  // that holds the words; empty: the line itself
	// Selected reports whether a selector of the rule chooses the stream in
	// which this kind of record was first seen.
	Selected bool
	// Aligned says that the message took the place of the deployed one, by all
	// that is known of both, however it reads.
	Aligned bool
	Diff    []Edit // from the deployed words to the candidate's
}

// An Edit is one part of a wording diff.
type Edit struct {
	Op   EditOp
	Text string
}

// EditOp says what became of a text.
type EditOp int

// The edit operations.
const (
	Keep EditOp = iota + 1
	Delete
	Insert
)

var editNames = [...]string{Keep: "equal", Delete: "delete", Insert: "insert"}

// String returns the operation as it stands in reports.
func (o EditOp) String() string { return editNames[o] }

// FailOn says which findings make a review end with exit code 1.
type FailOn int

// The choices; the zero FailOn is FailOnBreak.
const (
	FailOnBreak FailOn = iota
	FailOnWarn         // also warnings
	FailOnNever        // nothing: a failed review ends with 0
)

var failOnNames = [...]string{FailOnBreak: "break", FailOnWarn: "warn", FailOnNever: "never"}

// String returns the choice as it is written on the command line.
func (f FailOn) String() string { return failOnNames[f] }

// ParseFailOn returns the choice called name.
func ParseFailOn(name string) (FailOn, error) {
	for f, n := range failOnNames {
		if n == name {
			return FailOn(f), nil
		}
	}
	return 0, fmt.Errorf("unknown choice %q; write break, warn or never", name)
}

// ExitCode returns what a program that made r ends with: 0 pass, 1 fail, 3
// inconclusive, 2 for problems in the input. Of several that apply 2 wins
// over 1 over 3. Findings that were accepted count for none. The choice moves only 1: FailOnNever turns it into 0,
// FailOnWarn gives it for warnings too.
func (r *Report) ExitCode(on FailOn) int {
	if len(r.Problems) > 0 {
		return 2
	}
	if on == FailOnWarn {
		for _, f := range r.Findings {
			if f.Severity >= Warn && !f.Accepted() {
				return 1
			}
		}
	}
	switch r.Verdict {
	case Pass:
		return 0
	case Fail:
		if on == FailOnNever {
			return 0
		}
		return 1
	}
	return 3
}

// A Count holds how many results have each verdict.
type Count struct {
	Pass, Fail, Inconclusive, NotExercised, NotEvaluated int
}

// Count returns how many results have each verdict.
func (r *Report) Count() Count {
	var n Count
	for _, res := range r.Results {
		switch res.Verdict {
		case Pass:
			n.Pass++
		case Fail:
			n.Fail++
		case Inconclusive:
			n.Inconclusive++
		case NotExercised:
			n.NotExercised++
		case NotEvaluated:
			n.NotEvaluated++
		}
	}
	return n
}
