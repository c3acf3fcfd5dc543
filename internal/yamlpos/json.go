package yamlpos

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
)

// wholeJSON returns the document of a file that is JSON, and nil for one that is
// not. JSON is nearly YAML, but the YAML parser refuses the escapes \/ and
// \ud83d\ude00, and takes some characters for line ends that JSON keeps.
func wholeJSON(f *File) *Document {
	base := byteOrderMark(f.Text)
	text := f.Text[base:]
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) == 0 || start[0] != '{' && start[0] != '[' || !json.Valid(text) {
		return nil
	}
	d := newDocument(f, segment{base, len(f.Text)})
	d.json = true
	r := jsonReader{doc: d, dec: json.NewDecoder(bytes.NewReader(text))}
	r.dec.UseNumber()
	if d.Root = r.value(); r.err != nil {
		return nil
	}
	return d
}

// JSON reports whether the document was read as JSON, which knows no anchors.
func (d *Document) JSON() bool { return d.json }

// jsonError returns what is wrong in a document that is meant to be JSON by
// the name of its file, or nil.
func (d *Document) jsonError() *source.Error {
	if !strings.EqualFold(filepath.Ext(d.File.Name), ".json") {
		return nil
	}
	var v any
	wrong, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(d.File.Text[d.base:d.end], &v))
	if !ok {
		return nil
	}
	at := max(d.base, d.base+int(wrong.Offset)-1)
	return d.File.Errorf(at, at+1, "invalid JSON: %v", wrong)
}

// A jsonReader makes nodes as the YAML parser does.
type jsonReader struct {
	doc *Document
	dec *json.Decoder
	err error
}

// value reads one value or key.
func (r *jsonReader) value() *yaml.Node {
	n := r.node()
	token, err := r.dec.Token()
	if err != nil {
		r.err = err
		return n
	}
	switch v := token.(type) {
	case json.Delim:
		n.Kind, n.Tag, n.Style = yaml.SequenceNode, "!!seq", yaml.FlowStyle
		if v == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
		}
		for r.err == nil && r.dec.More() {
			n.Content = append(n.Content, r.value())
		}
		if r.err == nil {
			_, r.err = r.dec.Token()
		}
	case string:
		n.Value, n.Tag, n.Style = v, "!!str", yaml.DoubleQuotedStyle
	case json.Number:
		n.Value = v.String()
		n.Tag = n.ShortTag()
	case bool:
		n.Value, n.Tag = strconv.FormatBool(v), "!!bool"
	default:
		n.Value, n.Tag = "null", "!!null"
	}
	return n
}

// node returns a scalar node for the value that comes next.
func (r *jsonReader) node() *yaml.Node {
	d := r.doc
	at := d.base + int(r.dec.InputOffset())
	for at < d.end && strings.IndexByte(" \t\r\n,:", d.File.Text[at]) >= 0 {
		at++
	}
	line := lineOf(d.lines, at)
	nearest := sort.SearchInts(d.marks, at+1) - 1
	char := nearest*markEvery + utf8.RuneCount(d.File.Text[d.marks[nearest]:at])
	return &yaml.Node{Kind: yaml.ScalarNode, Line: line + 1, Column: char - d.first[line] + 1}
}

// jsonString is doubleQuoted for a string of JSON.
func (d *Document) jsonString(value string, at int) (Places, bool) {
	text := d.File.Text[:d.end]
	var q quoted
	for at < d.end && text[at] != '"' {
		if text[at] != '\\' {
			q.put(text[at], at)
			at++
			continue
		}
		out, n := jsonEscape(text[at:])
		if n == 0 {
			return nil, false
		}
		for i := range len(out) {
			q.put(out[i], at)
		}
		at += n
	}
	return q.places, string(q.value) == value
}

// jsonEscape is escape for JSON, where a character beyond 16 bits is written
// as two escapes. Half a pair stands for U+FFFD, as in encoding/json.
func jsonEscape(text []byte) (string, int) {
	out, n := escape(text)
	if n != 6 {
		return out, n
	}
	half := func(text []byte) rune {
		r, err := strconv.ParseUint(string(text[2:6]), 16, 16)
		if err != nil || text[0] != '\\' || text[1] != 'u' {
			return 0
		}
		return rune(r)
	}
	first := half(text)
	if !utf16.IsSurrogate(first) {
		return out, n
	}
	if len(text) >= 12 {
		if r := utf16.DecodeRune(first, half(text[6:])); r != utf8.RuneError {
			return string(r), 12
		}
	}
	return string(utf8.RuneError), n
}
