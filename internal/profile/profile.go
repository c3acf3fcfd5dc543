// Package profile reads profiles: YAML files that say what is special to one
// component, so that nothing in the engine has to.
//
// A profile has parts, each with a file of its own in this package and a key
// of its own in the YAML. All parts are optional.
//
//	profiles, err := profile.Shipped()
//	p, err := profile.Load("kueue-multikueue") // or a path
//
// docs/profiles.md describes the format.
package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A Profile is what is special to one component.
type Profile struct {
	Name  string `yaml:"name"`
	About string `yaml:"about"` // one line
	Match Match  `yaml:"match"`

	Correlation   *Correlation   `yaml:"correlation"`   // nil: not declared
	Notifications *Notifications `yaml:"notifications"` // likewise
	Cases         *Cases         `yaml:"cases"`         // likewise
	Milestones    *Milestones    `yaml:"milestones"`    // likewise
	Capacity      *Capacity      `yaml:"capacity"`      // likewise
	Acceptance    []Acceptance   `yaml:"acceptance"`
	Manual        *Manual        `yaml:"manual"` // nil: the defaults

	// Path is the file that it was read from; empty: it is shipped.
	Path string `yaml:"-"`
}

// maxBytes is the size up to which a profile is read.
const maxBytes = 1 << 20

// Parse reads the text of a profile. File names it in errors, which are
// *[source.Error], joined if there are several.
func Parse(file string, text []byte) (*Profile, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: the profile is larger than %d bytes", file, maxBytes)
	}
	p := &Profile{}
	if err := strictyaml.Decode(file, text, p); err != nil {
		return nil, err
	}
	docs, _ := yamlpos.Parse(yamlpos.NewFile(file, text)) // strictyaml found it sound
	f := &faults{doc: docs[0]}
	p.check(f)
	return p, errors.Join(f.errs...)
}

// check finds what the shape of the file does not show, and completes what
// was left out.
func (p *Profile) check(f *faults) {
	if p.Name == "" {
		f.at("name").fail("begin with name: NAME", "the profile has no name")
	} else if strings.ContainsAny(p.Name, `/\.: `) || p.Name == None || p.Name == Auto {
		f.at("name").fail("write letters, digits and hyphens", "%q cannot be the name of a profile", p.Name)
	}
	p.Match.check(f)
	if p.Correlation != nil {
		p.Correlation.check(f)
	}
	if p.Notifications != nil {
		p.Notifications.check(f, p.Correlation)
	}
	if p.Cases != nil {
		p.Cases.check(f)
	}
	if p.Milestones != nil {
		p.Milestones.check(f, p.Correlation)
	}
	if p.Capacity != nil {
		p.Capacity.check(f, "capacity")
	}
	checkAcceptance(p.Acceptance, f, []any{"acceptance"})
}

// Faults gathers what is wrong in a profile, each with its place.
type faults struct {
	doc  *yamlpos.Document
	root *yaml.Node // from which paths lead; nil: that of the document
	errs []error
}

// sources returns what is wrong, as errors with places.
func (f *faults) sources() []*source.Error { return Problems(errors.Join(f.errs...)) }

// A spot is a place in a profile.
type spot struct {
	f    *faults
	node *yaml.Node
}

// at returns the value that path leads to: names of keys and indices of
// lists. Where the path ends early, it is the last value on the way.
func (f *faults) at(path ...any) spot {
	n := f.root
	if n == nil {
		n = yamlpos.Resolve(f.doc.Root)
	}
	for _, step := range path {
		var next *yaml.Node
		switch s := step.(type) {
		case string:
			next = f.doc.Get(n, s)
		case int:
			if n.Kind == yaml.SequenceNode && s < len(n.Content) {
				next = yamlpos.Resolve(n.Content[s])
			}
		}
		if next == nil {
			break
		}
		n = next
	}
	return spot{f, n}
}

func (s spot) fail(hint, format string, args ...any) {
	e := s.f.doc.Errorf(s.node, format, args...)
	e.Hint = hint
	s.f.errs = append(s.f.errs, e)
}

// unknown says that name is none of those known.
func (s spot) unknown(what, name string, known []string) {
	hint := suggest.Hint(name, known)
	if hint == "" {
		hint = "known are " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
	}
	s.fail(hint, "there is no %s %q", what, name)
}

// Problems returns the errors of err that have a place, or nil if it holds
// another error.
func Problems(err error) []*source.Error {
	if one, ok := err.(*source.Error); ok { //nolint:errorlint // one that is joined with others is not alone
		return []*source.Error{one}
	}
	many, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var out []*source.Error
	for _, e := range many.Unwrap() {
		more := Problems(e)
		if more == nil {
			return nil
		}
		out = append(out, more...)
	}
	return out
}
