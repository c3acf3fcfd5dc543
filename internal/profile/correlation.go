package profile

import (
	"slices"
	"strings"
)

// A Correlation says which objects belong together and how: what is needed to
// tell whether they can be joined from logs alone.
type Correlation struct {
	// Clusters are the parts that clusters play. None: all are alike.
	Clusters []ClusterRole `yaml:"clusters"`
	// Entities are kinds of thing that records name. An object is of the
	// first kind that it fits.
	Entities []Entity `yaml:"entities"`
	Links    []Link   `yaml:"links"`
	// Chain names the entities along which work is followed, each linked to
	// the one before it.
	Chain []string `yaml:"chain"`
	// Requests are the keys that join the records of one operation, such as a
	// request or reconcile ID.
	Requests []string `yaml:"requests"`
}

// A ClusterRole is the part that a cluster plays. All that is declared must
// hold.
type ClusterRole struct {
	Name  string   `yaml:"name"`
	Holds []string `yaml:"holds"` // kinds (GROUP/KIND) of which it has an object
	Lacks []string `yaml:"lacks"` // kinds of which it has none
	// Logs are patterns for the labels of the streams that its processes
	// write.
	Logs map[string]Pattern `yaml:"logs"`
}

// An Entity is a kind of thing that records name.
type Entity struct {
	Name    string `yaml:"name"`
	Title   string `yaml:"title"`   // as it stands in sentences; default: the name
	Kind    string `yaml:"kind"`    // GROUP/KIND; a core kind has no group
	Cluster string `yaml:"cluster"` // the role of its cluster; empty: any
	// Labels are patterns for labels of the object that it must have.
	Labels map[string]Pattern `yaml:"labels"`
	// Keys are names of keys of log records under which it is named. They tell
	// things of different kinds apart that have the same name.
	Keys []string `yaml:"keys"`
	// Identifiers are "uid", "name" (with its namespace, if it has one),
	// "label:KEY" and "annotation:KEY". Default: uid, name.
	Identifiers []string `yaml:"identifiers"`
	// NamedBy are fields of objects that name it: of a thing that has no
	// object in the recording they are all that is known.
	NamedBy []Field `yaml:"named-by"`
}

// A Field is a field of the objects of an entity, by its path as package gjson
// understands it.
type Field struct {
	On   string `yaml:"on"`
	Path string `yaml:"path"`
}

// A Link joins two entities.
type Link struct {
	From string `yaml:"from"`
	To   string `yaml:"to"`
	By   []Way  `yaml:"by"` // each is enough
}

// A Way is how objects show that they are linked. One of Owner, Same, Label,
// Annotation and Path is set.
type Way struct {
	// Owner names the entity that an owner reference of the other points to.
	Owner string `yaml:"owner"`
	// Same is "name": both have the same name and namespace.
	Same string `yaml:"same"`

	// On names the entity that holds the label, annotation or field (a path
	// as package gjson understands it), whose value Is the "uid", the "name",
	// the "namespace/name", a "label:KEY", an "annotation:KEY" or a
	// "path:PATH" of the other. Default: Is name. A path may lead to a list.
	On         string `yaml:"on"`
	Label      string `yaml:"label"`
	Annotation string `yaml:"annotation"`
	Path       string `yaml:"path"`
	Is         string `yaml:"is"`
}

// Entity returns the entity called name, or nil.
func (c *Correlation) Entity(name string) *Entity {
	for i := range c.Entities {
		if c.Entities[i].Name == name {
			return &c.Entities[i]
		}
	}
	return nil
}

func (c *Correlation) names() []string {
	var out []string
	for _, e := range c.Entities {
		out = append(out, e.Name)
	}
	return out
}

func (c *Correlation) check(f *faults) {
	roles := c.checkClusters(f)
	c.checkEntities(f, roles)
	for i := range c.Links {
		c.checkLink(f, i)
	}
	for i, name := range c.Chain {
		at := f.at("correlation", "chain", i)
		switch {
		case c.Entity(name) == nil:
			at.unknown("entity", name, c.names())
		case i > 0 && !c.linked(c.Chain[i-1], name):
			at.fail("declare it under links", "no link joins %q and %q", c.Chain[i-1], name)
		}
	}
}

func (c *Correlation) linked(from, to string) bool {
	for _, l := range c.Links {
		if l.From == from && l.To == to {
			return true
		}
	}
	return false
}

func (c *Correlation) checkClusters(f *faults) []string {
	var roles []string
	for i, r := range c.Clusters {
		at := f.at("correlation", "clusters", i)
		switch {
		case r.Name == "":
			at.fail("write name: NAME", "a cluster has no name")
		case slices.Contains(roles, r.Name):
			at.fail("keep one of them", "the cluster %q is declared twice", r.Name)
		}
		roles = append(roles, r.Name)
	}
	return roles
}

func (c *Correlation) checkEntities(f *faults, roles []string) {
	if len(c.Entities) == 0 {
		f.at("correlation").fail("declare what records name under entities", "there are no entities")
	}
	var names []string
	for i := range c.Entities {
		e := &c.Entities[i]
		at := f.at("correlation", "entities", i)
		switch _, kind := SplitKind(e.Kind); {
		case e.Name == "":
			at.fail("write name: NAME", "an entity has no name")
		case slices.Contains(names, e.Name):
			at.fail("keep one of them", "the entity %q is declared twice", e.Name)
		case kind == "" && len(e.NamedBy) == 0:
			at.fail("write kind: GROUP/KIND, such as apps/Deployment, or Pod", "the entity %q has no kind", e.Name)
		}
		names = append(names, e.Name)
		if e.Title == "" {
			e.Title = e.Name
		}
		if e.Cluster != "" && !slices.Contains(roles, e.Cluster) {
			f.at("correlation", "entities", i, "cluster").unknown("cluster", e.Cluster, roles)
		}
		if len(e.Identifiers) == 0 {
			e.Identifiers = []string{"uid", "name"}
		}
		c.checkNamedBy(f, i)
		for j, id := range e.Identifiers {
			kind, key, keyed := strings.Cut(id, ":")
			if keyed != (kind == "label" || kind == "annotation") || !keyed && kind != "uid" && kind != "name" || keyed && key == "" {
				f.at("correlation", "entities", i, "identifiers", j).fail("write uid, name, label:KEY or annotation:KEY", "unknown identifier %q", id)
			}
		}
	}
}

func (c *Correlation) checkNamedBy(f *faults, i int) {
	for j, n := range c.Entities[i].NamedBy {
		at := f.at("correlation", "entities", i, "named-by", j)
		switch of := c.Entity(n.On); {
		case n.Path == "":
			at.fail("write on: ENTITY and path: PATH", "a field has no path")
		case of == nil:
			at.unknown("entity", n.On, c.names())
		case of.Kind == "":
			at.fail("name one that has a kind", "objects of %q are not recorded", n.On)
		}
	}
}

func (c *Correlation) checkLink(f *faults, i int) {
	l := &c.Links[i]
	for _, end := range []struct{ key, name string }{{"from", l.From}, {"to", l.To}} {
		if c.Entity(end.name) == nil {
			f.at("correlation", "links", i, end.key).unknown("entity", end.name, c.names())
		}
	}
	if len(l.By) == 0 {
		f.at("correlation", "links", i).fail("say by: what joins the objects", "the link from %q to %q has no way", l.From, l.To)
	}
	for j := range l.By {
		l.By[j].check(f, i, j, l)
	}
}

func (w *Way) check(f *faults, i, j int, l *Link) {
	at := f.at("correlation", "links", i, "by", j)
	set := 0
	for _, s := range []string{w.Owner, w.Same, w.Label, w.Annotation, w.Path} {
		if s != "" {
			set++
		}
	}
	if set != 1 {
		at.fail("write one of owner, same, label, annotation and path", "a way is one of owner, same, label, annotation and path")
		return
	}
	ends := []string{l.From, l.To}
	if w.Owner != "" && !slices.Contains(ends, w.Owner) {
		at.unknown("end of this link", w.Owner, ends)
	}
	if w.Same != "" && w.Same != "name" {
		at.fail("write same: name", "unknown thing in common %q", w.Same)
	}
	if w.Owner != "" || w.Same != "" {
		if w.On != "" || w.Is != "" {
			at.fail("leave them out", "on and is belong to label, annotation and path")
		}
		return
	}
	if !slices.Contains(ends, w.On) {
		at.unknown("end of this link", w.On, ends)
	}
	kind, key, keyed := strings.Cut(w.Is, ":")
	switch {
	case w.Is == "":
		w.Is = "name"
	case !keyed && slices.Contains([]string{"name", "uid", "namespace/name"}, kind):
	case keyed && key != "" && slices.Contains([]string{"label", "annotation", "path"}, kind):
	default:
		at.fail("write uid, name, namespace/name, label:KEY, annotation:KEY or path:PATH", "unknown property %q", w.Is)
	}
}
