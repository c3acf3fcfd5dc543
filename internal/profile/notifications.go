package profile

import "slices"

// Notifications say what an alert must tell the people who receive it, and
// what it must not.
type Notifications struct {
	Require   []Context   `yaml:"require"`
	Sensitive []Sensitive `yaml:"sensitive"` // beside those that are built in
	// Emails says that addresses of people count as sensitive.
	Emails bool `yaml:"emails"`
}

// A Context is something that an alert must name. It does if a label or an
// annotation that is not empty has a name as one of Labels says, or if one
// holds an identifier of one of Entities.
type Context struct {
	Name     string    `yaml:"name"`
	Labels   []Pattern `yaml:"labels"`
	Entities []string  `yaml:"entities"` // see Correlation.Entities
}

// A Sensitive is a form of text that must not leave with an alert.
type Sensitive struct {
	Name  string `yaml:"name"`
	Match Found  `yaml:"match"`
}

func (n *Notifications) check(f *faults, c *Correlation) {
	var entities []string
	if c != nil {
		entities = c.names()
	}
	var names []string
	for i, r := range n.Require {
		at := f.at("notifications", "require", i)
		switch {
		case r.Name == "":
			at.fail("write name: NAME", "a required context has no name")
		case slices.Contains(names, r.Name):
			at.fail("keep one of them", "the context %q is required twice", r.Name)
		case len(r.Labels) == 0 && len(r.Entities) == 0:
			at.fail("give labels or entities", "nothing tells by what the context %q is recognised", r.Name)
		}
		names = append(names, r.Name)
		for j, e := range r.Entities {
			if !slices.Contains(entities, e) {
				f.at("notifications", "require", i, "entities", j).unknown("entity", e, entities)
			}
		}
	}
	for i, s := range n.Sensitive {
		if s.Name == "" || s.Match.Text == "" {
			f.at("notifications", "sensitive", i).fail("write name: and match:", "a sensitive form of text has no name or no match")
		}
	}
}

// Fits reports whether a label or annotation of this name carries the context.
func (c *Context) Fits(name string) bool {
	return slices.ContainsFunc(c.Labels, func(p Pattern) bool { return p.Fits(name) })
}
