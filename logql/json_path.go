package logql

import (
	"fmt"
	"strconv"
	"strings"
)

// A jsonStep goes from a JSON value to a part of it: to the member called
// name, or with name empty and index set, to an element of an array.
type jsonStep struct {
	name    string
	index   int
	isIndex bool
}

// A jsonPath names a value inside a JSON document.
type jsonPath []jsonStep

// compileJSONPath reads the path of `json label="path"`: names joined by dots,
// names in brackets and quotes, and indexes in brackets, as in
// req.headers["User-Agent"][0]. Blanks between the parts do not count.
func compileJSONPath(src string) (jsonPath, error) {
	p := jsonPathParser{src: src}
	var path jsonPath
	for {
		c := p.peek()
		switch {
		case c == 0 && len(path) > 0:
			return path, nil
		case c == 0:
			return nil, p.errorf("the path is empty")
		case c == '[':
			step, err := p.bracket()
			if err != nil {
				return nil, err
			}
			path = append(path, step)
			continue
		case c == '.' && len(path) > 0:
			p.pos++
			p.peek()
		case len(path) > 0:
			return nil, p.errorf("want '.', '[' or the end")
		}
		name := p.name()
		if name == "" {
			return nil, p.errorf(`want a name of letters, digits and '_'; write ["a name"] for any other`)
		}
		path = append(path, jsonStep{name: name})
	}
}

type jsonPathParser struct {
	src string
	pos int
}

func (p *jsonPathParser) errorf(what string) error {
	return fmt.Errorf("at offset %d: %s", p.pos, what)
}

// peek skips blanks and returns the byte after them, 0 at the end.
func (p *jsonPathParser) peek() byte {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; c {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return c
		}
	}
	return 0
}

func (p *jsonPathParser) name() string {
	start := p.pos
	for p.pos < len(p.src) && isNameByte[p.src[p.pos]] && !(p.pos == start && isDigit(p.src[p.pos])) {
		p.pos++
	}
	return p.src[start:p.pos]
}

// bracket reads an index or a quoted name in brackets.
func (p *jsonPathParser) bracket() (jsonStep, error) {
	p.pos++
	var step jsonStep
	switch c := p.peek(); {
	case c == '"':
		name, err := p.quoted()
		if err != nil {
			return step, err
		}
		step.name = name
	case isDigit(c):
		start := p.pos
		for p.pos < len(p.src) && isDigit(p.src[p.pos]) {
			p.pos++
		}
		n, err := strconv.Atoi(p.src[start:p.pos])
		if err != nil {
			return step, p.errorf("the index is too large")
		}
		step.index, step.isIndex = n, true
	default:
		return step, p.errorf("want an index or a quoted name after '['")
	}
	if p.peek() != ']' {
		return step, p.errorf("want ']'")
	}
	p.pos++
	return step, nil
}

// quoted reads a name in double quotes, in which \" and \\ stand for the
// quote and the backslash.
func (p *jsonPathParser) quoted() (string, error) {
	var b strings.Builder
	for p.pos++; p.pos < len(p.src); p.pos++ {
		c := p.src[p.pos]
		if c == '"' {
			p.pos++
			return b.String(), nil
		}
		if c == '\\' && p.pos+1 < len(p.src) && strings.IndexByte(`"\`, p.src[p.pos+1]) >= 0 {
			p.pos++
			c = p.src[p.pos]
		}
		b.WriteByte(c)
	}
	return "", p.errorf("the quoted name does not end")
}

// A jsonExtractor takes the values at some paths from JSON lines. It holds
// buffers that all lines share, so one extractor serves one goroutine at a
// time.
type jsonExtractor struct {
	root    jsonNode
	leaves  int
	scanner jsonScanner
	found   []bool // by path
	left    int    // paths not found yet
}

// A jsonNode is a place in the tree of all paths.
type jsonNode struct {
	step  jsonStep
	paths []int // that end here
	next  []*jsonNode
}

func newJSONExtractor(paths []jsonPath) *jsonExtractor {
	x := &jsonExtractor{leaves: len(paths), found: make([]bool, len(paths))}
	for i, path := range paths {
		n := &x.root
		for _, step := range path {
			n = n.child(step)
		}
		n.paths = append(n.paths, i)
	}
	return x
}

// child returns the node that step leads to, and makes it when it is new.
func (n *jsonNode) child(step jsonStep) *jsonNode {
	for _, c := range n.next {
		if c.step == step {
			return c
		}
	}
	c := &jsonNode{step: step}
	n.next = append(n.next, c)
	return c
}

// member returns the node of the member called name, or nil.
func (n *jsonNode) member(name []byte) *jsonNode {
	for _, c := range n.next {
		if !c.step.isIndex && c.step.name == string(name) {
			return c
		}
	}
	return nil
}

// element returns the node of the element at index, or nil.
func (n *jsonNode) element(index int) *jsonNode {
	for _, c := range n.next {
		if c.step.isIndex && c.step.index == index {
			return c
		}
	}
	return nil
}

// extractJSON calls emit for the paths that line has, as
// [jsonExtractor.extract] does.
func extractJSON(line []byte, paths []jsonPath, emit func(i int, value []byte)) error {
	return newJSONExtractor(paths).extract(line, emit)
}

// extract calls emit with the number of the path and the value for every path
// that line has: strings decoded, objects and arrays as their text, null as
// the empty value. Of two members with one name the first counts. The value is
// valid until emit returns. Paths that line lacks are not emitted.
//
// A line that does not begin like JSON (with {, [ or a quote) is an error, and
// so is a wanted value that is broken. A line that is broken elsewhere, even
// one that ends too early, is not: it has what comes before the break. The
// empty line has nothing.
func (x *jsonExtractor) extract(line []byte, emit func(i int, value []byte)) error {
	if len(line) == 0 {
		return nil
	}
	if c := line[0]; c != '{' && c != '[' && c != '"' {
		return errJSONNoObject
	}
	clear(x.found)
	x.left = x.leaves
	_, _, err := x.inside(line, 0, &x.root, 0, emit)
	return err
}

// inside looks for the paths below n in the value that begins at line[i]. It
// returns the place after the value and whether the line is sound up to there,
// which is when the search may go on.
func (x *jsonExtractor) inside(line []byte, i int, n *jsonNode, depth int, emit func(i int, value []byte)) (next int, sound bool, err error) {
	if depth >= maxJSONDepth {
		return i, false, errJSONDepth
	}
	switch line[i] {
	case '{':
		return x.object(line, i+1, n, depth, emit)
	case '[':
		return x.array(line, i+1, n, depth, emit)
	}
	next, err = jsonValueEnd(line, i)
	return next, err == nil, nil
}

func (x *jsonExtractor) object(line []byte, i int, n *jsonNode, depth int, emit func(i int, value []byte)) (next int, sound bool, err error) {
	for {
		name, value, err := x.scanner.member(line, i)
		if err != nil {
			return i, false, nil
		}
		if value < 0 {
			return skipJSONSpace(line, i) + 1, true, nil
		}
		if next, sound, err = x.value(line, value, n.member(name), depth, emit); err != nil || !sound {
			return next, sound, err
		}
		var last bool
		if i, last, err = jsonMemberEnd(line, next, '}'); err != nil || last {
			return i, last, nil
		}
	}
}

func (x *jsonExtractor) array(line []byte, i int, n *jsonNode, depth int, emit func(i int, value []byte)) (next int, sound bool, err error) {
	for index := 0; ; index++ {
		i = skipJSONSpace(line, i)
		if i >= len(line) {
			return i, false, nil
		}
		if line[i] == ']' {
			return i + 1, true, nil
		}
		if next, sound, err = x.value(line, i, n.element(index), depth, emit); err != nil || !sound {
			return next, sound, err
		}
		var last bool
		if i, last, err = jsonMemberEnd(line, next, ']'); err != nil || last {
			return i, last, nil
		}
	}
}

// value handles the value that begins at line[i] and stands at node n, nil
// when no path leads there.
func (x *jsonExtractor) value(line []byte, i int, n *jsonNode, depth int, emit func(i int, value []byte)) (next int, sound bool, err error) {
	if n == nil {
		next, err = jsonValueEnd(line, i)
		return next, err == nil, nil
	}
	if x.missing(n.paths) {
		next, err = jsonValueEnd(line, i)
		if err != nil {
			return i, false, err
		}
		text := x.text(line[i:next])
		for _, p := range n.paths {
			if !x.found[p] {
				x.found[p] = true
				x.left--
				emit(p, text)
			}
		}
		if x.left == 0 {
			return next, false, nil
		}
	}
	if len(n.next) == 0 {
		next, err = jsonValueEnd(line, i)
		return next, err == nil, nil
	}
	return x.inside(line, i, n, depth+1, emit)
}

func (x *jsonExtractor) missing(paths []int) bool {
	for _, p := range paths {
		if !x.found[p] {
			return true
		}
	}
	return false
}

// text returns what a label gets from the value written as raw.
func (x *jsonExtractor) text(raw []byte) []byte {
	switch raw[0] {
	case '"':
		_, escaped, high := jsonStringEnd(raw, 1)
		raw = raw[1 : len(raw)-1]
		if escaped || high {
			return x.scanner.text(raw, escaped)
		}
	case 'n':
		return nil
	}
	return raw
}
