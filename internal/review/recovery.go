package review

import (
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// recoveryPart reads a part of the file that a profile has, too. What is wrong
// in it leaves open what is to be judged.
func recoveryPart[T any](r *reader, n *yaml.Node, name string, read func(*yamlpos.Document, *yaml.Node, string) (T, []*source.Error)) T {
	if n.ShortTag() == "!!null" {
		r.fail(n, "give it a value or leave it out", "%s is empty", name)
		var none T
		return none
	}
	part, errs := read(r.doc, n, name)
	r.errs = append(r.errs, errs...)
	return part
}
