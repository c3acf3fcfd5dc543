// Package capturefile reads capture files: what a run is, how long it is
// recorded, and from what sources. docs/capture.md explains the keys.
package capturefile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A File is a capture file.
type File struct {
	Version int    `yaml:"version"`
	Note    string `yaml:"note"` // for people

	Build       Build       `yaml:"build"`
	Builds      []Build     `yaml:"builds"` // others, that epochs can be of
	Scenario    Scenario    `yaml:"scenario"`
	Drill       Drill       `yaml:"drill"`
	Environment Environment `yaml:"environment"`
	Notes       []string    `yaml:"notes"`

	Duration time.Duration `yaml:"duration"` // of the recording; 0: until its command ends, or it is interrupted
	Lead     *Length       `yaml:"lead"`     // recorded before the command begins
	After    time.Duration `yaml:"after"`    // recorded after the command has ended
	Grace    time.Duration `yaml:"grace"`    // for sources to end
	MaxLine  Size          `yaml:"maxLine"`

	Sources []item `yaml:"sources"`

	doc *yamlpos.Document
}

// A Build is one version of one component.
type Build struct {
	Name        string   `yaml:"name"`
	Component   string   `yaml:"component"`
	Version     string   `yaml:"version"`
	Commit      string   `yaml:"commit"`
	Image       string   `yaml:"image"`
	Digest      string   `yaml:"digest"`
	Flags       []string `yaml:"flags"`
	Verbosity   string   `yaml:"verbosity"`
	LogEncoding string   `yaml:"logEncoding"`
}

// A Scenario is the drill that the run executes, and what it is to show. What
// has no declaredAt is declared as the capture begins.
type Scenario struct {
	Name         string             `yaml:"name"`
	Description  string             `yaml:"description"`
	Parameters   map[string]string  `yaml:"parameters"`
	Expectations []Expectation      `yaml:"expectations"`
	Expected     string             `yaml:"expected"`
	DeclaredAt   *time.Time         `yaml:"declaredAt"`
	LoadOf       string             `yaml:"loadOf"`
	Assertions   []corpus.Assertion `yaml:"assertions"`
}

// An Expectation is what a rule must do.
type Expectation struct {
	Rule       string     `yaml:"rule"`
	Expect     string     `yaml:"expect"`
	DeclaredAt *time.Time `yaml:"declaredAt"`
}

// A Drill says what is done to the cluster and with whose leave.
type Drill struct {
	Interrupted []string `yaml:"interrupted"`
	Kept        []string `yaml:"kept"`
	Owner       string   `yaml:"owner"`
	Approval    string   `yaml:"approval"`
	RetainUntil Day      `yaml:"retainUntil"`
	Command     []string `yaml:"command"` // where none is given after --
}

// An Environment is what must be equal on both sides of a comparison.
type Environment struct {
	Kubernetes string            `yaml:"kubernetes"`
	Nodes      map[string]string `yaml:"nodes"`
	Devices    map[string]string `yaml:"devices"`
	Components map[string]string `yaml:"components"`
}

// An item is one entry of sources: a kind and what it records.
type item struct{ node *yaml.Node }

// UnmarshalYAML keeps the entry for the reader of its kind.
func (i *item) UnmarshalYAML(n *yaml.Node) error {
	i.node = n
	return nil
}

// A Length is a length of time that may be 0.
type Length time.Duration

// UnmarshalYAML reads a length such as 2s.
func (l *Length) UnmarshalYAML(n *yaml.Node) error {
	var d time.Duration
	err := n.Decode(&d)
	*l = Length(d)
	return err
}

// A Size is a number of bytes.
type Size int

// UnmarshalYAML reads a size such as 4MiB, or a number of bytes.
func (s *Size) UnmarshalYAML(n *yaml.Node) error { return s.Set(n.Value) }

// Set reads a size.
func (s *Size) Set(text string) error {
	bytes, err := humanize.ParseBytes(text)
	if err != nil || bytes < capture.LeastMaxLine || bytes > capture.MostMaxLine {
		return fmt.Errorf("%q: want a size from %d to %d bytes, such as 4MiB", text, capture.LeastMaxLine, capture.MostMaxLine)
	}
	*s = Size(bytes)
	return nil
}

// String returns the size in bytes.
func (s *Size) String() string { return fmt.Sprint(int(*s)) }

// Type names the kind of value in help texts.
func (s *Size) Type() string { return "size" }

// A Day is a time, or the end of a day in UTC.
type Day struct{ time.Time }

// UnmarshalYAML reads a day such as 2027-01-31, or a time.
func (d *Day) UnmarshalYAML(n *yaml.Node) error { return d.Set(n.Value) }

// Set reads a day or a time.
func (d *Day) Set(text string) error {
	if t, err := time.Parse("2006-01-02", text); err == nil {
		d.Time = t.AddDate(0, 0, 1).Add(-time.Second)
		return nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("%q: want a day such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z", text)
	}
	d.Time = t.UTC()
	return nil
}

// String returns the time, empty if there is none.
func (d *Day) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Format(time.RFC3339)
}

// Type names the kind of value in help texts.
func (d *Day) Type() string { return "day" }

// Parse reads a capture file. Name is for errors, which are *[source.Error],
// joined if there are several.
func Parse(name string, text []byte) (*File, error) {
	f := &File{}
	if err := strictyaml.Decode(name, text, f); err != nil {
		return nil, err
	}
	docs, _ := yamlpos.Parse(yamlpos.NewFile(name, text)) // it was decoded above
	f.doc = docs[0]
	return f, f.check()
}

// errorAt is an error about the value of a key at the top.
func (f *File) errorAt(key, format string, args ...any) error {
	n := f.doc.Root
	if v := f.doc.Get(n, key); v != nil {
		n = v
	}
	return f.doc.Errorf(n, format, args...)
}

func (f *File) check() error {
	if f.Version != 1 {
		return f.errorAt("version", "version is %d; this stillfires reads capture files of version 1 (write \"version: 1\")", f.Version)
	}
	for key, d := range map[string]time.Duration{"duration": f.Duration, "after": f.After, "grace": f.Grace} {
		if d < 0 {
			return f.errorAt(key, "%s: is less than 0", key)
		}
	}
	if f.Lead != nil && *f.Lead < 0 {
		return f.errorAt("lead", "lead: is less than 0")
	}
	for i, e := range f.Scenario.Expectations {
		if err := CheckExpectation(e.Rule, e.Expect); err != nil {
			return f.errorAt("scenario", "scenario.expectations[%d]: %v", i, err)
		}
	}
	names := map[string]bool{}
	for i := range f.Scenario.Assertions {
		a := &f.Scenario.Assertions[i]
		for _, fault := range a.Faults() {
			err := f.errorAt("scenario", "scenario.assertions[%d]: %s", i, fault.Msg)
			if at, ok := errors.AsType[*source.Error](err); ok {
				at.Hint = fault.Hint
			}
			return err
		}
		if names[a.Name] {
			return f.errorAt("scenario", "scenario.assertions[%d]: assertion %q is declared twice", i, a.Name)
		}
		names[a.Name] = true
	}
	return nil
}

// CheckExpectation reports what is wrong with an expectation.
func CheckExpectation(rule, expect string) error {
	if rule == "" {
		return errors.New("names no rule")
	}
	if !slices.Contains([]string{"must-fire", "must-stay-silent", "must-clear"}, expect) {
		return fmt.Errorf("rule %q: expect %q: want must-fire, must-stay-silent or must-clear", rule, expect)
	}
	return nil
}

// Manifest returns what the file says of the run.
func (f *File) Manifest() corpus.Manifest {
	m := corpus.Manifest{
		Scenario: corpus.Scenario{
			Description: f.Scenario.Description, Parameters: f.Scenario.Parameters, Expected: f.Scenario.Expected,
			DeclaredAt: f.Scenario.DeclaredAt, LoadOf: f.Scenario.LoadOf, Assertions: f.Scenario.Assertions,
		},
		Notes: f.Notes,
	}
	for _, e := range f.Scenario.Expectations {
		x := corpus.Expectation{Rule: e.Rule, Expect: e.Expect}
		if e.DeclaredAt != nil {
			x.DeclaredAt = e.DeclaredAt.UTC()
		}
		m.Scenario.Expectations = append(m.Scenario.Expectations, x)
	}
	m.Builds = append(m.Builds, corpus.Build(f.Build))
	for _, b := range f.Builds {
		m.Builds = append(m.Builds, corpus.Build(b))
	}
	if d := f.Drill; len(d.Interrupted)+len(d.Kept) > 0 || d.Owner+d.Approval != "" || !d.RetainUntil.IsZero() {
		m.Drill = &corpus.Drill{Interrupted: d.Interrupted, Kept: d.Kept, Owner: d.Owner, Approval: d.Approval}
		if until := d.RetainUntil.Time; !until.IsZero() {
			m.Drill.RetainUntil = &until
		}
	}
	if e := f.Environment; e.Kubernetes != "" || len(e.Nodes)+len(e.Devices)+len(e.Components) > 0 {
		m.Environment = &corpus.Environment{Kubernetes: e.Kubernetes, Nodes: e.Nodes, Devices: e.Devices, Components: e.Components}
	}
	return m
}

// An Env is what sources take of the program.
type Env struct {
	Stdin     io.Reader
	UserAgent string
}
