package review

import (
	"strings"
	"unicode/utf8"

	"github.com/grafana/regexp"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/profile"
)

// Notifications are what the review file says of alerts: what they must name
// and what they must not hold.
type Notifications struct {
	// Require takes the place of what a profile requires, if HasRequire.
	Require    []profile.Context
	HasRequire bool
	Sensitive  []profile.Sensitive // beside those of a profile
	Emails     bool
}

// With returns what holds if base is what a profile says; either may be nil.
// A context of the review file that says nothing but its name is recognised as
// the profile says, else by labels and annotations that have the word in their
// name.
func (n *Notifications) With(base *profile.Notifications) *profile.Notifications {
	if n == nil {
		return base
	}
	out := &profile.Notifications{}
	if base != nil {
		*out = *base
	}
	out.Emails = out.Emails || n.Emails
	out.Sensitive = append(append([]profile.Sensitive(nil), out.Sensitive...), n.Sensitive...)
	if !n.HasRequire {
		return out
	}
	known := out.Require
	out.Require = nil
	for _, c := range n.Require {
		if len(c.Labels) == 0 {
			c = recognise(c.Name, known)
		}
		out.Require = append(out.Require, c)
	}
	return out
}

func recognise(name string, known []profile.Context) profile.Context {
	for _, k := range known {
		if strings.EqualFold(k.Name, name) {
			return k
		}
	}
	// Words are joined by marks, or each begins with a capital. Quoted, the
	// patterns are always valid.
	lower := strings.ToLower(name)
	_, n := utf8.DecodeRuneInString(lower)
	capital := strings.ToUpper(lower[:n]) + lower[n:]
	marked, _ := profile.NewPattern(`(?i)(.*[_-])?` + regexp.QuoteMeta(name) + `([_-].*)?`)
	first, _ := profile.NewPattern(`(.*[_-])?` + regexp.QuoteMeta(lower) + `[A-Z].*`)
	later, _ := profile.NewPattern(`.*[a-z0-9_-]` + regexp.QuoteMeta(capital) + `([A-Z0-9_-].*)?`)
	return profile.Context{Name: name, Labels: []profile.Pattern{marked, first, later}}
}

// notifications reads the key of that name.
func (r *reader) notifications(n *yaml.Node) {
	f := &Notifications{}
	r.file.Notifications = f
	r.mapping(n, "notifications", []key{
		{"require", func(n *yaml.Node) {
			f.HasRequire = true
			seen := map[string]bool{}
			r.list(n, "require", func(item *yaml.Node) {
				c := r.context(item)
				if c.Name != "" && seen[c.Name] {
					r.fail(item, "keep one of them", "%q is required twice", c.Name)
					return
				}
				seen[c.Name] = true
				f.Require = append(f.Require, c)
			})
		}},
		{"sensitive", func(n *yaml.Node) {
			r.list(n, "sensitive", func(item *yaml.Node) { f.Sensitive = append(f.Sensitive, r.sensitive(item)) })
		}},
		{"emails", func(n *yaml.Node) {
			if n.ShortTag() != "!!bool" || n.Decode(&f.Emails) != nil {
				r.fail(n, "write true or false", "emails must be true or false")
			}
		}},
	})
}

// context reads a name, or a name with patterns.
func (r *reader) context(n *yaml.Node) (c profile.Context) {
	if n.Kind != yaml.MappingNode {
		c.Name = r.text(n, "a required context")
		return c
	}
	r.mapping(n, "a required context", []key{
		{"name", func(n *yaml.Node) { c.Name = r.text(n, "name") }},
		{"labels", func(n *yaml.Node) {
			r.list(n, "labels", func(item *yaml.Node) {
				p, err := profile.NewPattern(r.text(item, "a pattern"))
				if err != nil {
					r.fail(item, "write a regular expression for the whole name", "%v", err)
					return
				}
				c.Labels = append(c.Labels, p)
			})
		}},
	})
	if c.Name == "" {
		r.fail(n, "write name: NAME", "a required context has no name")
	}
	return c
}

func (r *reader) sensitive(n *yaml.Node) (s profile.Sensitive) {
	r.mapping(n, "an entry of sensitive", []key{
		{"name", func(n *yaml.Node) { s.Name = r.text(n, "name") }},
		{"match", func(n *yaml.Node) {
			var err error
			if s.Match, err = profile.NewFound(r.text(n, "match")); err != nil {
				r.fail(n, "write a regular expression", "%v", err)
			}
		}},
	})
	if s.Name == "" || s.Match.Text == "" {
		r.fail(n, "write name: NAME and match: EXPRESSION", "an entry of sensitive has no name or no match")
	}
	return s
}
