package profile

import (
	"errors"

	"github.com/grafana/regexp"
	"go.yaml.in/yaml/v3"
)

// A Pattern is a regular expression that must fit the whole of a text. The
// zero Pattern fits nothing.
type Pattern struct {
	Text string
	re   *regexp.Regexp
}

// NewPattern compiles a pattern.
func NewPattern(text string) (Pattern, error) {
	if _, err := regexp.Compile(text); err != nil { // its error shows the text as written
		return Pattern{}, err
	}
	re, err := regexp.Compile("^(?s:" + text + ")$")
	return Pattern{text, re}, err
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	if text == "" {
		return errors.New("a pattern is empty")
	}
	var err error
	*p, err = NewPattern(text)
	return err
}

// Fits reports whether the whole of s is as the pattern says.
func (p Pattern) Fits(s string) bool { return p.re != nil && p.re.MatchString(s) }

// Found is a regular expression that fits parts of a text. The zero Found
// fits nothing.
type Found struct {
	Text string
	re   *regexp.Regexp
}

// NewFound compiles an expression, which must not fit an empty text.
func NewFound(text string) (Found, error) {
	re, err := regexp.Compile(text)
	if err == nil && re.MatchString("") {
		err = errors.New("the expression fits an empty text")
	}
	return Found{text, re}, err
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (f *Found) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	var err error
	*f, err = NewFound(text)
	return err
}

// All returns the parts of s that fit, from left to right. Of an expression
// with a group it is what the first group holds.
func (f Found) All(s string) []string {
	if f.re == nil {
		return nil
	}
	var out []string
	for _, m := range f.re.FindAllStringSubmatch(s, -1) {
		part := m[0]
		if len(m) > 1 && m[1] != "" {
			part = m[1]
		}
		out = append(out, part)
	}
	return out
}

// Group returns what the first group of the pattern holds where the whole of s
// is as it says, or s itself for a pattern without groups.
func (p Pattern) Group(s string) (string, bool) {
	if p.re == nil {
		return "", false
	}
	m := p.re.FindStringSubmatch(s)
	switch {
	case m == nil:
		return "", false
	case len(m) > 1:
		return m[1], m[1] != ""
	}
	return s, true
}
