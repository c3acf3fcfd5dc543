package report

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// Schema names the version of the JSON report.
const Schema = "stillfires/report/v1"

// The wire structs of the JSON report. Absent values are null, lists are
// never null. Keys may be added; those here keep their meaning.
type (
	jsonReport struct {
		Schema     string          `json:"schema"`
		Verdict    string          `json:"verdict"`
		Deployed   jsonBuild       `json:"deployed"`
		Candidate  jsonBuild       `json:"candidate"`
		Scenarios  []string        `json:"scenarios"`
		Rules      []jsonRule      `json:"rules"`
		Findings   []jsonFinding   `json:"findings"`
		Cases      []jsonCase      `json:"cases"`
		Timelines  []jsonTimeline  `json:"timelines"`
		Recoveries []jsonRecovered `json:"recoveries"`
		Windows    []jsonPlanned   `json:"windows"`
		Panics     []jsonPanic     `json:"panics"`
		Messages   []jsonMessage   `json:"messages"`
		// Correlation is null where nothing was judged.
		Correlation   *jsonCorrelation   `json:"correlation"`
		Notifications []jsonNotification `json:"notifications"`
		Runs          []jsonRun          `json:"runs"`
		Notes         []string           `json:"notes"`
		Problems      []jsonProblem      `json:"problems"`
		Patch         *string            `json:"patch"`
		// Suppressed is how many findings were accepted.
		Suppressed int `json:"suppressed"`
	}
	jsonBuild struct {
		Build     *string `json:"build"`
		Version   *string `json:"version"`
		Commit    *string `json:"commit"`
		Component *string `json:"component"`
		// Corpus is the digest of the corpus; null for raw logs.
		Corpus *string `json:"corpus"`
	}
	jsonRun struct {
		Role       string  `json:"role"`
		Scenario   string  `json:"scenario"`
		Repetition int     `json:"repetition"`
		First      *string `json:"first"`
		Last       *string `json:"last"`
		Streams    int     `json:"streams"`
		Records    int64   `json:"records"`
		Empty      int64   `json:"empty"`
		Repeats    int64   `json:"repeats"`
		Incomplete bool    `json:"incomplete"`
	}
	jsonProblem struct {
		File    *string `json:"file"`
		Line    *int    `json:"line"`
		Column  *int    `json:"column"`
		Message string  `json:"message"`
	}
	jsonRule struct {
		Name      string      `json:"name"`
		Group     *string     `json:"group"`
		Kind      string      `json:"kind"`
		Language  string      `json:"language"`
		File      *string     `json:"file"`
		Line      *int        `json:"line"`
		Column    *int        `json:"column"`
		Scenario  string      `json:"scenario"`
		Expect    string      `json:"expect"`
		Verdict   string      `json:"verdict"`
		Reason    *string     `json:"reason"`
		Findings  []string    `json:"findings"`
		Deployed  jsonOutcome `json:"deployed"`
		Candidate jsonOutcome `json:"candidate"`
	}
	jsonOutcome struct {
		State       string        `json:"state"`
		Nothing     *string       `json:"nothing"`
		Lines       *int64        `json:"lines"`
		Series      *int          `json:"series"`
		Peak        *number       `json:"peak"`
		Headroom    *jsonHeadroom `json:"headroom"`
		Firing      []jsonFiring  `json:"firing"`
		Funnel      []jsonStep    `json:"funnel"`
		Repetitions int           `json:"repetitions"`
		Times       int           `json:"times"`
	}
	jsonHeadroom struct {
		Value     number `json:"value"`
		Operator  string `json:"operator"`
		Threshold number `json:"threshold"`
	}
	jsonFiring struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	jsonStep struct {
		Stage   string     `json:"stage"`
		Lines   int64      `json:"lines"`
		Errors  int64      `json:"errors"`
		Streams *int       `json:"streams"`
		Start   *jsonPlace `json:"start"`
	}
	jsonPlace struct {
		File   *string `json:"file"`
		Line   *int    `json:"line"`
		Column *int    `json:"column"`
	}
	jsonFinding struct {
		ID          string        `json:"id"`
		Severity    string        `json:"severity"`
		Rule        *string       `json:"rule"`
		Scenario    *string       `json:"scenario"`
		File        *string       `json:"file"`
		Line        *int          `json:"line"`
		Column      *int          `json:"column"`
		Message     string        `json:"message"`
		Subject     *string       `json:"subject"`
		Stage       *jsonParting  `json:"stage"`
		Deployed    *jsonEvidence `json:"deployed"`
		Candidate   *jsonEvidence `json:"candidate"`
		Nearest     []jsonNear    `json:"nearest"`
		Repair      *jsonRepair   `json:"repair"`
		Fingerprint string        `json:"fingerprint"`
		Suppressed  *jsonAccepted `json:"suppressed"`
	}
	jsonAccepted struct {
		Reason  string `json:"reason"`
		Owner   string `json:"owner"`
		Expires string `json:"expires"` // the last day on which it holds
	}
	jsonParting struct {
		Stage       string           `json:"stage"`
		Deployed    int64            `json:"deployed"`
		Candidate   int64            `json:"candidate"`
		Responsible *jsonResponsible `json:"responsible"`
	}
	jsonResponsible struct {
		Text      string  `json:"text"`
		Field     *string `json:"field"`
		File      *string `json:"file"`
		Line      *int    `json:"line"`
		Column    *int    `json:"column"`
		EndLine   *int    `json:"endLine"`
		EndColumn *int    `json:"endColumn"`
	}
	jsonEvidence struct {
		Stream    map[string]string `json:"stream"`
		Time      string            `json:"time"`
		Line      string            `json:"line"`
		Truncated bool              `json:"truncated"`
	}
	jsonNear struct {
		jsonEvidence
		Level      *string    `json:"level"`
		Count      int64      `json:"count"`
		Similarity number     `json:"similarity"`
		Selected   bool       `json:"selected"`
		Field      *string    `json:"field"`
		Diff       []jsonEdit `json:"diff"`
	}
	jsonEdit struct {
		Op   string `json:"op"`
		Text string `json:"text"`
	}
)

// A number is a float64 as the report writes it: what JSON cannot express is
// one of the strings "NaN", "+Inf" and "-Inf".
type number float64

// MarshalJSON implements [json.Marshaler].
func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.AppendQuote(nil, strconv.FormatFloat(f, 'g', -1, 64)), nil
	}
	return json.Marshal(f)
}

// renderJSON writes the report as one indented JSON object.
func renderJSON(w io.Writer, r *analyzer.Report, _ Options) error {
	out := jsonReport{
		Schema:     Schema,
		Verdict:    r.Verdict.String(),
		Suppressed: r.Accepted(),
		Deployed:   toJSONBuild(r.Deployed),
		Candidate:  toJSONBuild(r.Candidate),
		Scenarios:  list(r.Scenarios),
		Rules:      make([]jsonRule, 0, len(r.Results)),
		Findings:   make([]jsonFinding, 0, len(r.Findings)),
		Cases:      make([]jsonCase, 0, len(r.Cases)),
		Timelines:  toJSONTimelines(r),
		Recoveries: toJSONRecoveries(r),
		Windows:    toJSONPlanned(r.Planned),
		Panics:     make([]jsonPanic, 0, len(r.Panics)),
		Messages:   toJSONMessages(r.Messages),
		Runs:       make([]jsonRun, 0, len(r.Runs)),
		Notes:      list(r.Notes),
		Problems:   make([]jsonProblem, 0, len(r.Problems)),
		Patch:      text(r.Patch),
	}
	out.Correlation, out.Notifications = toJSONCorrelation(r), toJSONNotifications(r.Notifications)
	for i := range r.Results {
		out.Rules = append(out.Rules, toJSONRule(&r.Results[i]))
	}
	for i := range r.Findings {
		out.Findings = append(out.Findings, toJSONFinding(&r.Findings[i]))
	}
	for i := range r.Cases {
		out.Cases = append(out.Cases, toJSONCase(&r.Cases[i]))
	}
	for i := range r.Panics {
		out.Panics = append(out.Panics, toJSONPanic(&r.Panics[i]))
	}
	for _, run := range r.Runs {
		out.Runs = append(out.Runs, toJSONRun(run))
	}
	for _, p := range r.Problems {
		out.Problems = append(out.Problems, toJSONProblem(p))
	}
	return encode(w, out)
}

// encode writes a document of any of the JSON forms.
func encode(w io.Writer, out any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func toJSONBuild(b analyzer.Build) jsonBuild {
	return jsonBuild{text(b.Name), text(b.Version), text(b.Commit), text(b.Component), text(b.Corpus)}
}

func toJSONRun(r analyzer.RunInfo) jsonRun {
	out := jsonRun{
		Role: r.Role, Scenario: r.Scenario, Repetition: r.Repetition, Streams: r.Streams,
		Records: r.Records, Empty: r.Empty, Repeats: r.Repeats, Incomplete: r.Incomplete,
	}
	if r.Records > 0 {
		out.First, out.Last = text(instant(r.First)), text(instant(r.Last))
	}
	return out
}

func toJSONProblem(p *source.Error) jsonProblem {
	msg := p.Msg
	if p.Hint != "" {
		msg += "; " + p.Hint
	}
	return jsonProblem{text(p.Pos.File), place(p.Pos.Line), place(p.Pos.Column), msg}
}

func toJSONRule(r *analyzer.Result) jsonRule {
	return jsonRule{
		Name: r.Rule.Name, Group: text(r.Rule.Group),
		Kind: r.Rule.Kind.String(), Language: r.Rule.Language.String(),
		File: text(r.Rule.Pos.File), Line: place(r.Rule.Pos.Line), Column: place(r.Rule.Pos.Column),
		Scenario: r.Scenario, Expect: r.Expect.String(),
		Verdict: r.Verdict.String(), Reason: text(r.Reason), Findings: list(r.Findings),
		Deployed: toJSONOutcome(r.Rule, &r.Deployed), Candidate: toJSONOutcome(r.Rule, &r.Candidate),
	}
}

func toJSONOutcome(r *rules.Rule, o *analyzer.Outcome) jsonOutcome {
	out := jsonOutcome{
		State: stateName(o.State), Nothing: nothingName(o.Nothing),
		Firing:      make([]jsonFiring, 0, len(o.Firing)),
		Funnel:      make([]jsonStep, 0, len(o.Funnel)),
		Repetitions: o.Repetitions, Times: o.Times,
	}
	if o.State != outcome.NotEvaluated {
		out.Lines, out.Series = &o.Lines, &o.Series
	}
	if o.Peak != nil {
		n := number(*o.Peak)
		out.Peak = &n
	}
	if h := o.Headroom; h != nil {
		out.Headroom = &jsonHeadroom{number(h.Value), h.Operator, number(h.Threshold)}
	}
	for _, f := range o.Firing {
		out.Firing = append(out.Firing, jsonFiring{instant(f.From), instant(f.To)})
	}
	for i, s := range o.Funnel {
		step := jsonStep{Stage: s.Stage, Lines: s.Lines, Errors: s.Errors}
		if i == 0 || s.Pipeline != o.Funnel[i-1].Pipeline {
			step.Streams = &s.Streams
		}
		if s.End > 0 && r.Pos.Line > 0 { // else it stands in another query of the rule
			step.Start = toJSONPlace(r.Position(s.Start))
		}
		out.Funnel = append(out.Funnel, step)
	}
	return out
}

func toJSONPlace(p source.Position) *jsonPlace {
	return &jsonPlace{text(p.File), place(p.Line), place(p.Column)}
}

func toJSONFinding(f *analyzer.Finding) jsonFinding {
	out := jsonFinding{
		ID: f.ID, Severity: f.Severity.String(), Scenario: text(f.Scenario),
		File: text(f.Pos.File), Line: place(f.Pos.Line), Column: place(f.Pos.Column),
		Message: f.Message, Subject: text(f.Subject), Fingerprint: f.Fingerprint,
		Deployed: toJSONEvidence(f.Deployed), Candidate: toJSONEvidence(f.Candidate),
		Nearest: make([]jsonNear, 0, len(f.Nearest)),
	}
	out.Rule = text(f.Unmatched)
	if f.Rule != nil {
		out.Rule = &f.Rule.Name
	}
	if by := f.Suppressed; by != nil {
		out.Suppressed = &jsonAccepted{by.Reason, by.Owner, by.Day()}
	}
	if p := f.Parting; p != nil {
		out.Stage = &jsonParting{Stage: p.Stage, Deployed: p.Deployed, Candidate: p.Candidate}
		if r := p.Responsible; r != nil {
			out.Stage.Responsible = &jsonResponsible{
				Text: r.Text, Field: text(r.Field), File: text(r.Pos.File), Line: place(r.Pos.Line), Column: place(r.Pos.Column),
				EndLine: place(r.Last.Line), EndColumn: place(r.Last.Column),
			}
		}
	}
	out.Repair = toJSONRepair(f.Repair)
	for i := range f.Nearest {
		n := &f.Nearest[i]
		near := jsonNear{
			jsonEvidence: *toJSONEvidence(&n.Evidence), Level: text(n.Level), Count: n.Count,
			Similarity: number(n.Similarity), Selected: n.Selected, Field: text(n.Field), Diff: make([]jsonEdit, 0, len(n.Diff)),
		}
		for _, e := range n.Diff {
			near.Diff = append(near.Diff, jsonEdit{e.Op.String(), e.Text})
		}
		out.Nearest = append(out.Nearest, near)
	}
	return out
}

func toJSONEvidence(e *outcome.Evidence) *jsonEvidence {
	if e == nil {
		return nil
	}
	return &jsonEvidence{Stream: e.Stream.Map(), Time: instant(e.Time), Line: e.Line, Truncated: e.Truncated}
}

// stateName returns a state as it stands in reports.
func stateName(s outcome.State) string {
	switch s {
	case outcome.Fired:
		return "fired"
	case outcome.Pending:
		return "pending"
	case outcome.Silent:
		return "silent"
	case outcome.Matched:
		return "matched"
	case outcome.None:
		return "none"
	}
	return "not-evaluated"
}

func nothingName(n outcome.Nothing) *string {
	switch n {
	case outcome.NoStream:
		return text("no-stream")
	case outcome.NoLine:
		return text("no-line")
	case outcome.BelowThreshold:
		return text("below-threshold")
	}
	return nil
}

// text returns nil for the empty string: absent is null.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// place returns nil for an unknown line or column.
func place(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// list returns a list that is never null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// instant prints a time in nanoseconds since the epoch.
func instant(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
