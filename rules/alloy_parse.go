package rules

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/yamlpos"
)

// A block is one block of a configuration of Alloy:
//
//	name "label" { attribute = value, name { … } }
type block struct {
	name    string
	label   string
	at, end int // of the name
	args    []entry
	blocks  []block
}

// maxBlockDepth bounds blocks and values within others.
const maxBlockDepth = 64

// An alloyReader reads a configuration of Alloy. It goes on after a fault: it
// wants only pipelines and values that are written out.
type alloyReader struct {
	*found
	file  *yamlpos.File
	text  string
	at    int
	depth int
}

// body reads attributes and blocks up to the brace that closes them, or the
// end of the file.
func (r *alloyReader) body(b *block, inner bool) {
	for {
		r.space(true)
		switch {
		case r.at >= len(r.text):
			if inner {
				r.faultAt(b.at, b.end, "block "+b.name+" is not closed", "end it with }")
			}
			return
		case r.text[r.at] == '}':
			if inner {
				r.at++
				return
			}
			r.faultAt(r.at, r.at+1, "there is no block to close", "")
			r.at++
		default:
			r.statement(b)
		}
		if *r.budget < 0 {
			r.at = len(r.text)
			return
		}
	}
}

// statement reads an attribute or a block.
func (r *alloyReader) statement(b *block) {
	start := r.at
	if r.spent(start) {
		return
	}
	name := r.word(true)
	if name == "" {
		r.faultAt(start, start+1, "neither an attribute nor a block begins here", "")
		r.line()
		return
	}
	end := r.at
	r.space(false)
	switch {
	case r.peek('='):
		r.at++
		e := entry{name: name, at: start, end: end, places: yamlpos.Places{{At: start}}}
		e.value = r.value(false)
		b.args = append(b.args, e)
	case r.peek('{') || r.peek('"'):
		inner := block{name: name, at: start, end: end}
		if r.peek('"') {
			inner.label = r.quoted().text
			r.space(false)
		}
		if !r.peek('{') {
			r.faultAt(r.at, r.at+1, "block "+name+" has no body", "begin it with {")
			r.line()
			return
		}
		r.at++
		if r.depth++; r.depth > maxBlockDepth {
			r.faultAt(start, end, "blocks stand too deep in others: the rest is not read", "")
			r.at = len(r.text)
			return
		}
		r.body(&inner, true)
		r.depth--
		b.blocks = append(b.blocks, inner)
	default:
		r.faultAt(start, end, name+" has neither a value nor a body", "write "+name+" = … or "+name+" { … }")
		r.line()
	}
}

func (r *alloyReader) spent(at int) bool {
	*r.budget--
	if *r.budget == -1 {
		r.faultAt(at, at+1, "the file is too large: the rest is not read", "split it")
	}
	return *r.budget < 0
}

func (r *alloyReader) faultAt(start, end int, msg, hint string) {
	r.fault(r.file.Errorf(min(start, len(r.text)), min(max(end, start+1), len(r.text)+1), "%s", msg), hint)
}

func (r *alloyReader) peek(c byte) bool { return r.at < len(r.text) && r.text[r.at] == c }

// line skips the rest of a line, but not a brace that closes a block.
func (r *alloyReader) line() {
	for r.at < len(r.text) && r.text[r.at] != '\n' && r.text[r.at] != '}' {
		r.at++
	}
}

// space skips spaces and comments, and line ends too if lines is set.
func (r *alloyReader) space(lines bool) {
	for r.at < len(r.text) {
		rest := r.text[r.at:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n' && lines:
			r.at++
		case strings.HasPrefix(rest, "\ufeff"):
			r.at += len("\ufeff")
		case strings.HasPrefix(rest, "//"):
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				r.faultAt(r.at, r.at+2, "the comment is not closed", "end it with */")
				r.at = len(r.text)
				return
			}
			r.at += 2 + end + 2
		default:
			return
		}
	}
}

// word reads a name; the name of a block may have dots.
func (r *alloyReader) word(dots bool) string {
	start := r.at
	for r.at < len(r.text) && (nameByte(r.text[r.at]) && r.text[r.at] != ':' || dots && r.text[r.at] == '.') {
		r.at++
	}
	return r.text[start:r.at]
}

// value reads a value. Within brackets it may stand on several lines. What is
// not written out, such as a reference or a sum, is skipped.
func (r *alloyReader) value(inner bool) setting {
	r.space(inner)
	start := r.at
	s := setting{form: formComputed, at: start, end: start + 1}
	if r.at >= len(r.text) || r.spent(start) {
		return s
	}
	if r.depth++; r.depth > maxBlockDepth {
		r.faultAt(start, start+1, "values stand too deep in others: the rest is not read", "")
		r.at = len(r.text)
	}
	defer func() { r.depth-- }()
	switch c := r.text[min(r.at, len(r.text)-1)]; {
	case r.at >= len(r.text):
		return s
	case c == '"' || c == '`':
		s = r.quoted()
	case c == '{':
		s = r.object()
	case c == '[':
		s = r.list()
	case nameByte(c) || c == '-' || c == '.':
		s = r.plain()
	}
	if r.ends(inner) {
		return s
	}
	r.skip(inner)
	return setting{form: formComputed, at: start, end: max(r.at, start+1)}
}

// ends reports whether a value ends here.
func (r *alloyReader) ends(inner bool) bool {
	r.space(inner)
	return r.at >= len(r.text) || strings.IndexByte("\n,}])", r.text[r.at]) >= 0
}

// skip skips to where a value ends.
func (r *alloyReader) skip(inner bool) {
	open := 0
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '"' || c == '`':
			r.quoted()
			continue
		case open == 0 && (c == ',' || c == '\n' && !inner || c == '}' || c == ']' || c == ')'):
			return
		case c == '(' || c == '[' || c == '{':
			open++
		case c == ')' || c == ']' || c == '}':
			open--
		case c == '/':
			if at := r.at; strings.HasPrefix(r.text[at:], "//") || strings.HasPrefix(r.text[at:], "/*") {
				r.space(false)
				continue
			}
		}
		r.at++
	}
}

// plain reads a number, true, false or null. Other words are references.
func (r *alloyReader) plain() setting {
	start := r.at
	for r.at < len(r.text) && (nameByte(r.text[r.at]) || strings.IndexByte("+-.", r.text[r.at]) >= 0) {
		r.at++
	}
	text := r.text[start:r.at]
	s := setting{form: formScalar, text: text, at: start, end: r.at, places: yamlpos.Places{{At: start}}}
	switch _, err := strconv.ParseFloat(text, 64); {
	case text == "null":
		return setting{at: start, end: r.at}
	case text == "true" || text == "false" || err == nil:
		return s
	}
	return setting{form: formComputed, at: start, end: r.at}
}

// quoted reads a string.
func (r *alloyReader) quoted() setting {
	start, mark := r.at, r.text[r.at]
	r.at++
	s := setting{form: formScalar, at: start}
	var value []byte
	for r.at < len(r.text) && r.text[r.at] != mark && (mark == '`' || r.text[r.at] != '\n') {
		at := r.at
		if mark == '"' && r.text[at] == '\\' {
			c, multibyte, tail, err := strconv.UnquoteChar(r.text[at:], '"')
			if err == nil {
				piece := string([]byte{byte(c)})
				if multibyte || c < utf8.RuneSelf {
					piece = string(c)
				}
				for i := range len(piece) { // all stand where the escape begins
					s.places = append(s.places, yamlpos.Place{Offset: len(value) + i, At: at})
				}
				value = append(value, piece...)
				r.at = len(r.text) - len(tail)
				s.places = append(s.places, yamlpos.Place{Offset: len(value), At: r.at})
				continue
			}
			r.faultAt(at, at+2, "the string has an escape that does not exist", "write a backslash twice")
		}
		if len(s.places) == 0 {
			s.places = append(s.places, yamlpos.Place{Offset: 0, At: at})
		}
		value = append(value, r.text[at])
		r.at++
	}
	if len(s.places) == 0 {
		s.places = yamlpos.Places{{At: r.at}}
	}
	if !r.peek(mark) {
		r.faultAt(start, start+1, "the string is not closed", "")
	} else {
		r.at++
	}
	s.text, s.end = string(value), r.at
	return s
}

// object reads { name = value, "name" = value }.
func (r *alloyReader) object() setting {
	s := setting{form: formMapping, at: r.at}
	r.at++
	for {
		r.space(true)
		if r.at >= len(r.text) {
			r.faultAt(s.at, s.at+1, "the object is not closed", "end it with }")
			break
		}
		if r.peek('}') {
			r.at++
			break
		}
		if r.peek(',') {
			r.at++
			continue
		}
		start := r.at
		e := entry{at: start, places: yamlpos.Places{{At: start}}}
		if r.peek('"') {
			key := r.quoted()
			e.name, e.places, e.at = key.text, key.places, key.places.At(0)
		} else {
			e.name = r.word(false)
		}
		e.end = r.at
		r.space(true)
		if !r.peek('=') || r.at == start || *r.budget < 0 {
			r.faultAt(start, start+1, "a name and = are missing in the object", "write name = value")
			r.skip(true)
			if r.at < len(r.text) && r.text[r.at] != '}' && r.text[r.at] != ',' {
				r.at++
			}
			continue
		}
		r.at++
		e.value = r.value(true)
		s.entries = append(s.entries, e)
		if !r.ends(true) {
			r.skip(true)
		}
		if r.peek(']') || r.peek(')') {
			r.at++ // it closes nothing
		}
	}
	s.end = r.at
	return s
}

// list reads [value, value].
func (r *alloyReader) list() setting {
	s := setting{form: formList, at: r.at}
	r.at++
	for {
		r.space(true)
		switch {
		case r.at >= len(r.text):
			r.faultAt(s.at, s.at+1, "the list is not closed", "end it with ]")
			return s
		case r.peek(']'):
			r.at++
			s.end = r.at
			return s
		case r.peek(','), r.peek('}'), r.peek(')'):
			r.at++
			continue
		}
		s.items = append(s.items, r.value(true))
	}
}
