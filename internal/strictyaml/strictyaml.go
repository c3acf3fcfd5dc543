// Package strictyaml decodes YAML that people write, with the place of every
// fault: unknown keys are errors and come with the key that was likely meant.
package strictyaml

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
)

// maxNodes bounds the values of a file, aliases followed.
const maxNodes = 1 << 20

// Decode decodes the one document in text into v, a pointer to a struct. File
// names it in errors, which are *[source.Error], joined if there are several.
func Decode(file string, text []byte, v any) error {
	doc, err := parse(file, text)
	if err != nil {
		return err
	}
	c := &checker{file: file, text: string(text)}
	c.check(doc, reflect.TypeOf(v).Elem(), "")
	if len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	if err := doc.Decode(v); err != nil {
		return located(file, err)
	}
	return nil
}

// parse reads the one document of a file.
func parse(file string, text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(strings.NewReader(string(text)))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, &source.Error{Pos: source.Position{File: file}, Msg: "is empty"}
		}
		return nil, located(file, err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		if err != nil {
			return nil, located(file, err)
		}
		return nil, &source.Error{Pos: source.Position{File: file, Line: more.Line, Column: more.Column}, Msg: "a second document; one is read"}
	}
	return doc.Content[0], nil
}

type checker struct {
	file  string
	text  string
	nodes int
	errs  []error
}

func (c *checker) fail(n *yaml.Node, whatToDo, format string, args ...any) {
	e := &source.Error{
		Pos:  source.Position{File: c.file, Line: n.Line, Column: n.Column},
		Msg:  fmt.Sprintf(format, args...),
		Hint: whatToDo,
	}
	if len(c.errs) < 20 {
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
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
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
		c.mapping(n, path, func(key, value *yaml.Node) {
			names, types := fields(t)
			i := slices.Index(names, key.Value)
			if i < 0 {
				c.fail(key, hint(key.Value, names), "unknown key %q%s", key.Value, in(path))
				return
			}
			c.check(value, types[i], join(path, key.Value))
		})
	case reflect.Map:
		c.mapping(n, path, func(key, value *yaml.Node) { c.check(value, t.Elem(), join(path, key.Value)) })
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

func (c *checker) mapping(n *yaml.Node, path string, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		c.fail(n, "", "%s: want keys and values", strings.TrimPrefix(path, "."))
		return
	}
	seen := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			c.fail(key, "", "keys must be plain%s", in(path))
			continue
		}
		if seen[key.Value] {
			c.fail(key, "", "key %q twice%s", key.Value, in(path))
			continue
		}
		seen[key.Value] = true
		each(key, n.Content[i+1])
	}
}

var atLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// leaf decodes a value alone, to learn whether it can be.
func (c *checker) leaf(n *yaml.Node, t reflect.Type, path string) {
	if err := n.Decode(reflect.New(t).Interface()); err != nil {
		msg := err.Error()
		c.fail(n, "", "%s: %s", path, msg[len(atLine.FindString(msg)):])
	}
}

// located turns an error of the YAML package into one with a place.
func located(file string, err error) error {
	msg := err.Error()
	m := atLine.FindStringSubmatch(msg)
	line, _ := strconv.Atoi(m[1]) // 0 where there is none
	return &source.Error{Pos: source.Position{File: file, Line: line}, Msg: msg[len(m[0]):]}
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
