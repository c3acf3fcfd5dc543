package yamlpos

import (
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
)

// A Field is one key of a mapping with its value. Value is never an alias.
type Field struct {
	Name       string
	Key, Value *yaml.Node
}

// Resolve returns the node that an alias stands for, or n itself.
func Resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// Fields returns the fields of a mapping in the order of the file. Fields
// that come in by a merge key follow the mapping's own, and do not replace
// them. A key that is given twice, and a key that is no text, is a problem;
// the first value of a key given twice is returned. Of a node that is no
// mapping it returns nothing.
func (d *Document) Fields(n *yaml.Node) ([]Field, []*source.Error) {
	m := merger{doc: d, taken: map[string]*yaml.Node{}, seen: map[*yaml.Node]bool{}}
	m.add(Resolve(n), false)
	return m.fields, m.problems
}

// Get returns the value of a mapping's field, or nil.
func (d *Document) Get(n *yaml.Node, name string) *yaml.Node {
	fields, _ := d.Fields(n)
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// merger gathers the fields of a mapping. Each mapping is visited once, so
// that merge keys that refer to one another cannot grow without bound.
type merger struct {
	doc      *Document
	fields   []Field
	taken    map[string]*yaml.Node
	seen     map[*yaml.Node]bool
	problems []*source.Error
}

func (m *merger) add(n *yaml.Node, merged bool) {
	if n == nil || n.Kind != yaml.MappingNode || m.seen[n] {
		return
	}
	m.seen[n] = true
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := Resolve(n.Content[i]), Resolve(n.Content[i+1])
		if key.Kind != yaml.ScalarNode {
			m.problems = append(m.problems, m.doc.Errorf(n.Content[i], "a key must be text"))
			continue
		}
		if key.ShortTag() == "!!merge" {
			merges = append(merges, value)
			continue
		}
		if first := m.taken[key.Value]; first != nil {
			if !merged {
				p := m.doc.Position(first)
				m.problems = append(m.problems, m.doc.Errorf(n.Content[i], "key %q is given twice, first in line %d", key.Value, p.Line))
			}
			continue
		}
		m.taken[key.Value] = n.Content[i]
		m.fields = append(m.fields, Field{Name: key.Value, Key: n.Content[i], Value: value})
	}
	for _, v := range merges {
		m.merge(v)
	}
}

// merge adds the fields of the value of a merge key: a mapping or a list of
// mappings, the first of which wins.
func (m *merger) merge(n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		m.add(n, true)
	case yaml.SequenceNode:
		for _, item := range n.Content {
			m.add(Resolve(item), true)
		}
	default:
		m.problems = append(m.problems, m.doc.Errorf(n, "a merge key needs a mapping or a list of mappings"))
	}
}
