// Package strictyaml decodes YAML that people write, with the place of every
// fault: unknown keys are errors and come with the key that was likely meant.
package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

const (
	maxNodes  = 1 << 20 // values of a file, aliases followed
	maxErrors = 20      // that are kept
)

// Decode decodes the one document in text into v, a pointer to a struct. File
// names it in errors, which are *[source.Error], joined if there are several.
func Decode(file string, text []byte, v any) error {
	f := yamlpos.NewFile(file, text)
	docs, problems := yamlpos.Parse(f)
	switch {
	case len(problems) > 0:
		return problems[0]
	case len(docs) == 0 || docs[0].Root == nil:
		return &source.Error{Pos: source.Position{File: file}, Msg: "is empty"}
	case len(docs) > 1:
		return f.Errorf(docs[1].Start(), docs[1].Start()+3, "a second document; one is read")
	}
	c := &checker{doc: docs[0]}
	c.check(c.doc.Root, reflect.TypeOf(v).Elem(), "")
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	if err := c.doc.Root.Decode(v); err != nil {
		return c.doc.Errorf(c.doc.Root, "%v", yamlpos.Message(err))
	}
	return nil
}

// DecodeNode decodes a value of a document, at path, into v, a pointer. It is
// [Decode] for a reader that walks the rest of the document itself.
func DecodeNode(doc *yamlpos.Document, n *yaml.Node, path string, v any) error {
	c := &checker{doc: doc}
	c.check(n, reflect.TypeOf(v).Elem(), path)
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	if err := n.Decode(v); err != nil {
		return doc.Errorf(n, "%s: %v", path, yamlpos.Message(err))
	}
	return nil
}

type checker struct {
	doc   *yamlpos.Document
	nodes int
	errs  []error
}

func (c *checker) fail(n *yaml.Node, whatToDo, format string, args ...any) {
	e := c.doc.Errorf(n, format, args...)
	e.Hint = whatToDo
	c.add(e)
}

func (c *checker) add(e *source.Error) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, e)
	}
}

var unmarshaler = reflect.TypeFor[yaml.Unmarshaler]()

// check holds the node to the type it will be decoded into. Path names it.
func (c *checker) check(n *yaml.Node, t reflect.Type, path string) {
	if c.nodes++; c.nodes > maxNodes {
		if c.nodes == maxNodes+1 {
			c.fail(n, "", "holds more than %d values", maxNodes)
		}
		return
	}
	n = yamlpos.Resolve(n)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) || t.PkgPath() == "time" {
		c.leaf(n, t, path)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		names, types := fields(t)
		c.mapping(n, path, func(f yamlpos.Field) {
			i := slices.Index(names, f.Name)
			if i < 0 {
				c.fail(f.Key, hint(f.Name, names), "unknown key %q%s", f.Name, in(path))
				return
			}
			c.check(f.Value, types[i], join(path, f.Name))
		})
	case reflect.Map:
		c.mapping(n, path, func(f yamlpos.Field) { c.check(f.Value, t.Elem(), join(path, f.Name)) })
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			c.fail(n, "", "%s: want a list", path)
			return
		}
		for i, item := range n.Content {
			c.check(item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		c.leaf(n, t, path)
	}
}

func (c *checker) mapping(n *yaml.Node, path string, each func(yamlpos.Field)) {
	if n.Kind != yaml.MappingNode {
		c.fail(n, "", "%s: want keys and values", cmp.Or(path, "the document"))
		return
	}
	fields, problems := c.doc.Fields(n)
	for _, p := range problems {
		c.add(p)
	}
	for _, f := range fields {
		each(f)
	}
}

// leaf decodes a value alone, to learn whether it can be.
func (c *checker) leaf(n *yaml.Node, t reflect.Type, path string) {
	if err := n.Decode(reflect.New(t).Interface()); err != nil {
		c.fail(n, "", "%s: %v", path, yamlpos.Message(err))
	}
}

// fields returns the keys of a struct and their types.
func fields(t reflect.Type) (names []string, types []reflect.Type) {
	for f := range t.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			n, ts := fields(f.Type)
			names, types = append(names, n...), append(types, ts...)
		case tag != "" && tag != "-":
			names, types = append(names, tag), append(types, f.Type)
		}
	}
	return names, types
}

func in(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// hint returns the name nearest to key, or all names.
func hint(key string, names []string) string {
	if h := suggest.Hint(key, names); h != "" {
		return h
	}
	return "the keys are " + strings.Join(names, ", ")
}
