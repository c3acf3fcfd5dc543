// Package yamlpos reads YAML and JSON files and keeps where everything stands, exact to
// the byte, also inside quoted, folded and multi-line scalars. A file is split
// into documents before it is parsed, so that a fault in one document leaves
// the others readable.
package yamlpos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
)

// A File is the text that documents are part of.
type File struct {
	Name  string
	Text  []byte
	lines []int // offset of the first byte of each line

	outer  *File  // of a nested file; else nil
	places Places // of Text in outer
}

// NewFile returns a file with the given text.
func NewFile(name string, text []byte) *File {
	f := &File{Name: name, Text: text, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Nested returns a text that is written within a scalar of a document as a file
// of its own, as JSON that a field holds as text. All that is said of it is said of
// the file that holds it.
func (d *Document) Nested(n *yaml.Node) *File {
	f := NewFile(d.File.Name, []byte(n.Value))
	f.outer, f.places = d.File, d.Scalar(n)
	return f
}

// Position returns the place of the byte at offset.
func (f *File) Position(offset int) source.Position {
	if f.outer != nil {
		return f.outer.Position(f.places.At(min(max(offset, 0), len(f.Text))))
	}
	offset = min(max(offset, 0), len(f.Text))
	line := lineOf(f.lines, offset)
	return source.Position{File: f.Name, Line: line + 1, Column: offset - f.lines[line] + 1}
}

// Errorf returns an error about the bytes [start, end). Texts and errors
// among args are clipped.
func (f *File) Errorf(start, end int, format string, args ...any) *source.Error {
	if f.outer != nil {
		start = min(max(start, 0), len(f.Text))
		from := f.places.At(start)
		to := from + 1
		if end = min(end, len(f.Text)); end > start {
			to = f.places.At(end-1) + 1
		}
		return f.outer.Errorf(from, to, format, args...)
	}
	return &source.Error{
		Pos:  f.Position(start),
		Msg:  source.Sprintf(format, args...),
		Show: f.Excerpt(start, end),
	}
}

// excerptWidth bounds how much of a line is shown on either side of a fault.
const excerptWidth = 120

// Excerpt returns the line that holds start with a caret below, cut where the
// line is very long.
func (f *File) Excerpt(start, end int) string {
	if f.outer != nil {
		from := f.places.At(start)
		return f.outer.Excerpt(from, max(f.places.At(end-1)+1, from+1))
	}
	start = min(max(start, 0), len(f.Text))
	line := lineOf(f.lines, start)
	from, to := f.lines[line], len(f.Text)
	if line+1 < len(f.lines) {
		to = f.lines[line+1] - 1
	}
	to = max(from+len(bytes.TrimRight(f.Text[from:to], "\r")), min(start, to))
	before, after := "", ""
	if start-from > excerptWidth {
		from, before = start-excerptWidth, "…"
	}
	if to-start > excerptWidth {
		to, after = start+excerptWidth, "…"
	}
	for from < start && !utf8.RuneStart(f.Text[from]) {
		from++
	}
	for to > start && to < len(f.Text) && !utf8.RuneStart(f.Text[to]) {
		to--
	}
	shown := before + string(f.Text[from:to]) + after
	start, end = start-from+len(before), min(end, to)-from+len(before)
	return source.Caret(shown, start, end)
}

// A Document is one YAML document of a file.
type Document struct {
	File *File
	Root *yaml.Node // nil when the document is empty

	json bool // the document is JSON
	base int  // offset of the document in the file
	end  int
	// lines holds the file offset of each line by the rules of YAML, which
	// knows more line ends than \n. Line numbers of nodes count these.
	lines []int
	// marks holds the file offset of every markEvery-th character of the
	// document, and first the number of the character with which each line
	// begins. A line can hold a whole file, so it is not walked from its start.
	marks, first []int
}

// markEvery is the number of characters between the marks of a document.
const markEvery = 256

// Parse splits text into documents and parses each. Documents with a syntax
// error, or a byte that is not UTF-8, are left out and reported; the others are
// returned in order.
func Parse(f *File) ([]*Document, []*source.Error) {
	if utf8.Valid(f.Text) {
		if d := wholeJSON(f); d != nil {
			return []*Document{d}, nil
		}
	}
	var docs []*Document
	var problems []*source.Error
	segments := split(f.Text)
	for _, s := range segments {
		if i := invalidUTF8(f.Text[s.start:s.end]); i >= 0 {
			what := "document"
			if len(segments) == 1 {
				what = "file"
			}
			problems = append(problems, &source.Error{Pos: f.Position(s.start + i), Msg: "the " + what + " is not UTF-8 text", Hint: "convert it to UTF-8"})
			continue
		}
		d := newDocument(f, s)
		root, err := parse(f.Text[s.start:s.end])
		if err != nil {
			problems = append(problems, d.syntaxError(err))
			continue
		}
		d.Root = root
		docs = append(docs, d)
	}
	return docs, problems
}

func newDocument(f *File, s segment) *Document {
	d := &Document{File: f, base: s.start, end: s.end, lines: yamlLines(f.Text, s.start, s.end)}
	d.mark()
	return d
}

// errTrailing is met where text follows a document that has ended.
var errTrailing = errors.New("yaml: text follows the end of the document")

// parse returns the root node of a text that holds at most one document.
func parse(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&more); err == nil {
		return nil, errTrailing
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// searchLimit bounds the documents in which the exact place of a syntax error
// is searched for: each step parses the document anew.
const searchLimit = 1 << 20

// syntaxError places an error of the YAML parser, or of the JSON parser in a
// file that is JSON by its name. The YAML parser names only the
// line where the surrounding block begins, so the shortest beginning of the
// document that gives the same error is sought; its last byte is the fault.
func (d *Document) syntaxError(err error) *source.Error {
	if e := d.jsonError(); e != nil {
		return e
	}
	text := d.File.Text[d.base:d.end]
	line, msg := splitError(err)
	at := d.lines[min(max(line-1, 0), len(d.lines)-1)]
	if len(text) <= searchLimit {
		low, high := 0, len(text) // text[:high] gives the error
		for low < high {
			mid := (low + high) / 2
			if _, e := parse(text[:mid]); e != nil && sameError(e, msg) {
				high = mid
			} else {
				low = mid + 1
			}
		}
		at = d.base + max(high-1, 0)
	} else {
		at = skipBlank(d.File.Text, at, d.end)
	}
	for at > d.base && !utf8.RuneStart(d.File.Text[at]) {
		at--
	}
	e := d.File.Errorf(at, at+1, "invalid YAML: %v", errors.New(msg))
	if at < d.end && d.File.Text[at] == '\t' {
		e.Hint = "indent with spaces, not tabs"
	}
	return e
}

// splitError takes the line number off a message of the YAML parser. It is 0
// where the message has none.
func splitError(err error) (line int, msg string) {
	msg = err.Error()
	if t, ok := errors.AsType[*yaml.TypeError](err); ok {
		msg = t.Errors[0]
	}
	msg = strings.TrimPrefix(msg, "yaml: ")
	if n, _ := fmt.Sscanf(msg, "line %d:", &line); n == 1 {
		_, msg, _ = strings.Cut(msg, ": ")
	}
	return line, msg
}

// Message returns an error of decoding a node without its line number, which
// counts from the start of the document.
func Message(err error) error {
	_, msg := splitError(err)
	return errors.New(msg)
}

func sameError(err error, msg string) bool {
	_, m := splitError(err)
	return m == msg
}

// Offset returns the file offset at which a node begins, its tag and anchor
// skipped.
func (d *Document) Offset(n *yaml.Node) int {
	at := d.start(n)
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 {
		return at
	}
	return skipProperties(d.File.Text, at, d.end)
}

// start returns the file offset of the first byte of a node.
func (d *Document) start(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(d.lines) {
		return d.base
	}
	char := d.first[n.Line-1] + max(n.Column-1, 0) // columns of nodes count characters
	nearest := min(char/markEvery, len(d.marks)-1)
	at := d.marks[nearest]
	for range char - nearest*markEvery {
		if at >= d.end {
			break
		}
		_, size := utf8.DecodeRune(d.File.Text[at:d.end])
		at += size
	}
	return at
}

// mark counts the characters of the document.
func (d *Document) mark() {
	char, line := 0, 0
	for at := d.base; ; char++ {
		for line < len(d.lines) && d.lines[line] <= at {
			d.first = append(d.first, char)
			line++
		}
		if char%markEvery == 0 {
			d.marks = append(d.marks, at)
		}
		if at >= d.end {
			return
		}
		_, size := utf8.DecodeRune(d.File.Text[at:d.end])
		at += size
	}
}

// Position returns the place at which a node begins.
func (d *Document) Position(n *yaml.Node) source.Position {
	return d.File.Position(d.Offset(n))
}

// Errorf returns an error about a node.
func (d *Document) Errorf(n *yaml.Node, format string, args ...any) *source.Error {
	at := d.Offset(n)
	end := at + 1
	if n.Kind == yaml.ScalarNode && strings.HasPrefix(string(d.File.Text[at:min(at+len(n.Value), d.end)]), n.Value) {
		end = at + len(n.Value)
	}
	return d.File.Errorf(at, end, format, args...)
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// Start returns the file offset at which the document begins.
func (d *Document) Start() int { return d.base }

// Offset returns the offset of a place in the file, the opposite of
// [File.Position]. What lies beyond the end is the end.
func (f *File) Offset(p source.Position) int {
	if p.Line < 1 || p.Line > len(f.lines) {
		return len(f.Text)
	}
	return min(f.lines[p.Line-1]+max(p.Column-1, 0), len(f.Text))
}
