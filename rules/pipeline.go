package rules

import (
	"maps"
	"slices"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// The stages of Promtail and of Alloy's loki.process are the same, written in
// two ways. Both are read into settings and stages, which are then translated.

// A setting is a value in the configuration of a stage.
type setting struct {
	form    form
	text    string         // of a scalar
	places  yamlpos.Places // of text
	at, end int            // in the file
	entries []entry        // of a mapping
	items   []setting      // of a list
}

// A form is what a setting is.
type form int

const (
	formNone form = iota // not given, or null
	formScalar
	formMapping
	formList
	formComputed // by an expression that is not read
)

// An entry is a field of a mapping, in the order of the file.
type entry struct {
	name    string
	places  yamlpos.Places // of name
	at, end int
	value   setting
}

// get returns a field of a mapping; its form is formNone if it is not there.
func (s setting) get(name string) setting {
	for _, e := range s.entries {
		if e.name == name {
			return e.value
		}
	}
	return setting{at: s.at, end: s.end}
}

// isTrue reports whether a setting is the value true.
func (s setting) isTrue() bool { return s.form == formScalar && (s.text == "true" || s.text == "True") }

// texts returns the texts of a scalar or a list of scalars.
func (s setting) texts() []string {
	if s.form == formScalar {
		return []string{s.text}
	}
	var texts []string
	for _, item := range s.items {
		texts = append(texts, item.text)
	}
	return texts
}

// A flow is what is known of the entries that reach a point of a pipeline.
type flow struct {
	matchers []string // of the streams
	stages   []string // LogQL that keeps the lines and their fields
	// fields are the extracted values, by name.
	fields map[string]field
	// labels are the labels that stages set, by name.
	labels map[string]field
	// kept are the labels that are left, if others were taken off; nil: all.
	kept []string
	// closed says why no metric can be translated from here on.
	closed string
	// changed says why the line is no longer known; empty if it is.
	changed string
	// dropped and rewritten say that stages of this flow, not of those around
	// it, leave lines out or write them anew.
	dropped, rewritten bool
}

// newFlow returns the flow at the start of a pipeline that reads streams.
func newFlow(matchers []string) *flow {
	return &flow{matchers: matchers, fields: map[string]field{}, labels: map[string]field{}}
}

// A field is where an extracted value is found in LogQL.
type field struct {
	label string // of LogQL
	fixed string // the value, of a label that is always the same
	why   string // it cannot be found; else empty
}

// clone returns a copy that can be changed by itself.
func (f *flow) clone() *flow {
	c := *f
	c.dropped, c.rewritten = false, false
	c.matchers, c.stages = slices.Clone(f.matchers), slices.Clone(f.stages)
	c.fields, c.labels = maps.Clone(f.fields), maps.Clone(f.labels)
	return &c
}

// close notes that no metric can be translated from here on. The first reason
// stays.
func (f *flow) close(why string) {
	if f.closed == "" {
		f.closed = why
	}
}
