package report

import (
	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/rules"
)

// The wire structs of messages.
type (
	jsonMessage struct {
		Classes   []string           `json:"classes"`
		Deployed  []jsonKind         `json:"deployed"`
		Candidate []jsonKind         `json:"candidate"`
		Diff      []jsonEdit         `json:"diff"`
		Fields    []jsonFieldChange  `json:"fields"`
		Counts    []jsonMessageCount `json:"counts"`
		Weak      bool               `json:"weak"`
		Elsewhere bool               `json:"elsewhere"`
		Hidden    *int               `json:"hidden"`
		Nearest   *jsonKind          `json:"nearest"`
		MovedTo   *jsonFact          `json:"movedTo"`
		Rules     []string           `json:"rules"`
		Notes     []string           `json:"notes"`
	}
	jsonKind struct {
		Text      string        `json:"text"`
		Field     *string       `json:"field"`
		Said      *string       `json:"said"`
		Logger    *string       `json:"logger"`
		Function  *string       `json:"function"`
		Level     *string       `json:"level"`
		Verbosity int           `json:"verbosity"`
		Encodings []string      `json:"encodings"`
		Records   int64         `json:"records"`
		First     *jsonEvidence `json:"first"`
	}
	jsonFieldChange struct {
		Class     string   `json:"class"`
		Name      string   `json:"name"`
		To        *string  `json:"to"`
		Within    []string `json:"within"`
		Deployed  []string `json:"deployed"`
		Candidate []string `json:"candidate"`
		Shared    []string `json:"shared"`
		Weak      bool     `json:"weak"`
	}
	jsonMessageCount struct {
		Scenario   string  `json:"scenario"`
		Deployed   []int64 `json:"deployed"`
		Candidate  []int64 `json:"candidate"`
		NoiseKnown bool    `json:"noiseKnown"`
	}
	jsonFact struct {
		Kind   string  `json:"kind"`
		Text   string  `json:"text"`
		Object *string `json:"object"`
	}
	jsonFieldSummary struct {
		jsonFieldChange
		Messages int      `json:"messages"`
		Records  int64    `json:"records"`
		Rules    []string `json:"rules"`
	}
)

func toJSONMessages(m *analyzer.Messages) []jsonMessage {
	out := []jsonMessage{}
	if m == nil {
		return out
	}
	for i := range m.Changes {
		out = append(out, toJSONMessage(&m.Changes[i]))
	}
	return out
}

func toJSONMessage(c *analyzer.MessageChange) jsonMessage {
	out := jsonMessage{
		Deployed: toJSONKinds(c.Deployed), Candidate: toJSONKinds(c.Candidate), Diff: []jsonEdit{}, Fields: []jsonFieldChange{},
		Counts: []jsonMessageCount{}, Weak: c.Weak, Elsewhere: c.Elsewhere, Rules: namesOfRules(c.Rules), Notes: list(c.Notes),
	}
	for _, k := range c.Classes {
		out.Classes = append(out.Classes, string(k))
	}
	for _, e := range c.Diff {
		out.Diff = append(out.Diff, jsonEdit{e.Op.String(), e.Text})
	}
	for i := range c.Fields {
		out.Fields = append(out.Fields, toJSONFieldChange(&c.Fields[i]))
	}
	for _, f := range c.Frequencies {
		out.Counts = append(out.Counts, jsonMessageCount{f.Scenario, numbers(f.Deployed), numbers(f.Candidate), f.Known})
	}
	if c.Has(align.VerbosityHidden) {
		out.Hidden = &c.Hidden
	}
	if c.Nearest != nil {
		k := toJSONKind(c.Nearest)
		out.Nearest = &k
	}
	if c.Fact != nil {
		out.MovedTo = &jsonFact{c.Fact.Kind, c.Fact.Text, text(c.Fact.On)}
	}
	return out
}

func toJSONKinds(kinds []*align.Kind) []jsonKind {
	out := []jsonKind{}
	for _, k := range kinds {
		out = append(out, toJSONKind(k))
	}
	return out
}

func toJSONKind(k *align.Kind) jsonKind {
	out := jsonKind{
		Text: k.Text, Field: text(k.Field), Said: text(k.Said), Logger: text(k.Logger), Function: text(k.Function),
		Level: text(k.Level), Verbosity: k.Verbosity, Encodings: []string{}, Records: k.Count, First: toJSONEvidence(&k.First),
	}
	for _, e := range k.Encodings {
		out.Encodings = append(out.Encodings, string(e))
	}
	return out
}

func toJSONFieldChange(f *align.FieldChange) jsonFieldChange {
	return jsonFieldChange{
		Class: string(f.Class), Name: f.Name, To: text(f.To), Within: list(f.Within),
		Deployed: list(f.Deployed), Candidate: list(f.Candidate), Shared: list(f.Shared), Weak: f.Weak,
	}
}

func numbers(n []int64) []int64 {
	if n == nil {
		return []int64{}
	}
	return n
}

func namesOfRules(list []*rules.Rule) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, r.Name)
	}
	return out
}
