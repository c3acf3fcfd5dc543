package yamlpos

import "go.yaml.in/yaml/v3"

// Below returns a document whose root is a node of d, such as one object of a
// list of objects.
func (d *Document) Below(n *yaml.Node) *Document {
	below := *d
	below.Root = Resolve(n)
	return &below
}
