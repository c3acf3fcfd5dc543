package rules

import (
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// errorWithin returns an error about the bytes [start, end) of a scalar's text.
func errorWithin(d *yamlpos.Document, n *yaml.Node, start, end int, format string, args ...any) *source.Error {
	places := d.Scalar(n)
	from := places.At(start)
	to := from + 1
	if end > start {
		to = places.At(end-1) + 1
	}
	return d.File.Errorf(from, to, format, args...)
}

// connect checks what the expressions of a chain name, and finds why what the
// condition rests on cannot be evaluated.
func (c *chainLoader) connect(n *yaml.Node) {
	var known []string
	for _, it := range c.items {
		known = append(known, it.refID)
	}
	for _, it := range c.items {
		for _, in := range it.inputs {
			if c.chain.Node(in.refID) != nil {
				continue
			}
			e := in.doc.Errorf(in.node, "expression %s names %q, which is no refId of the rule", it.refID, in.refID)
			if in.end > in.start {
				e = errorWithin(in.doc, in.node, in.start, in.end, "expression %s names %q, which is no refId of the rule", it.refID, in.refID)
			}
			c.fault(e, suggest.Hint(in.refID, known))
		}
	}
	at := grafanaField(c.doc, n, "condition")
	c.chain.Condition = value(at)
	if len(c.items) == 0 {
		return
	}
	if c.chain.Node(c.chain.Condition) == nil {
		if c.rule.Kind == Alert {
			c.fault(c.doc.Errorf(or(at, n), "the condition %q is no refId of the rule", c.chain.Condition), suggest.Hint(c.chain.Condition, known))
		}
		return
	}
	c.visit(c.chain.Condition, map[string]int{})
}

// visit goes down from a refID through all that it rests on. seen tells what
// is being visited (1) and what has been (2).
func (c *chainLoader) visit(refID string, seen map[string]int) {
	for _, it := range c.items {
		if it.refID != refID || seen[refID] == 2 {
			continue
		}
		if seen[refID] == 1 {
			c.fault(c.doc.Errorf(it.node, "expression %s rests on itself", refID), "")
			return
		}
		seen[refID] = 1
		if c.reason == "" {
			c.reason = it.reason
		}
		for _, in := range it.inputs {
			c.visit(in.refID, seen)
		}
		seen[refID] = 2
	}
}
