package local

import "go.yaml.in/yaml/v3"

// Texts is a text or a list of texts.
type Texts []string

// UnmarshalYAML reads a text or a list of texts.
func (t *Texts) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		var s string
		err := n.Decode(&s)
		*t = Texts{s}
		return err
	}
	var list []string
	err := n.Decode(&list)
	*t = list
	return err
}
