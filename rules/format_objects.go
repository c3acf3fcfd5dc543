package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// maxObjectDepth bounds lists of objects within lists, and ConfigMaps within
// ConfigMaps.
const maxObjectDepth = 4

// holdsObjectList recognises a list of Kubernetes objects, such as kubectl prints.
func holdsObjectList(d *yamlpos.Document) bool {
	if d.Root == nil || d.Root.Kind != yaml.MappingNode || !strings.HasSuffix(value(d.Get(d.Root, "kind")), "List") {
		return false
	}
	items := d.Get(d.Root, "items")
	return value(d.Get(d.Root, "apiVersion")) != "" && items != nil && items.Kind == yaml.SequenceNode
}

// loadObjectList loads the objects of a list.
func loadObjectList(p *part) found {
	f := found{budget: p.budget, nothing: true}
	for _, item := range p.doc.Get(p.doc.Root, "items").Content {
		if f.spend(p.doc, item, 1) {
			break
		}
		if p.depth >= maxObjectDepth {
			f.fault(p.doc.Errorf(item, "objects stand more than %d deep in others: these are not read", maxObjectDepth), "")
			f.nothing = false
			break
		}
		inner := *p
		inner.doc, inner.depth = p.doc.Below(item), p.depth+1
		if f.add(&inner) {
			f.nothing = false
		} else {
			f.skip(p.doc, item, "the object holds no rules")
		}
	}
	return f
}

// holdsConfigMap recognises a ConfigMap.
func holdsConfigMap(d *yamlpos.Document) bool { return isObject(d, "", "ConfigMap") }

// loadConfigMap loads the texts that a ConfigMap holds, each as a file.
func loadConfigMap(p *part) found {
	f := found{budget: p.budget, nothing: true}
	data := p.doc.Get(p.doc.Root, "data")
	fields, problems := p.doc.Fields(data)
	for _, field := range fields {
		if f.spend(p.doc, field.Value, work("")+len(field.Value.Value)/64) {
			break
		}
		if field.Value.Kind != yaml.ScalarNode {
			problems = append(problems, p.doc.Errorf(field.Value, "the value of key %q must be text", field.Name))
			continue
		}
		if p.depth >= maxObjectDepth {
			f.skip(p.doc, field.Key, "objects stand more than four deep in others")
			continue
		}
		if f.addText(p.doc.Nested(field.Value), textOptions{name: field.Name, depth: p.depth + 1}) {
			f.nothing = false
		} else {
			f.skip(p.doc, field.Key, "key "+field.Name+" holds no rules")
		}
	}
	if !f.nothing {
		f.problems = append(f.problems, problems...)
	}
	binary, _ := p.doc.Fields(p.doc.Get(p.doc.Root, "binaryData"))
	for _, field := range binary {
		f.skip(p.doc, field.Key, "key "+field.Name+" is binaryData, which is not read: put it under data to have it read")
	}
	if len(binary) > 0 {
		f.nothing = false // so that what was left out is listed
	}
	return f
}
