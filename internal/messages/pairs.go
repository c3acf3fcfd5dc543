package messages

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/outcome"
)

// parseLogfmt reads a line of key=value pairs, with two at least:
//
//	time=2026-11-30T17:28:29Z level=info msg="Starting server" addr=:8080
func (r *Record) parseLogfmt(line []byte) bool {
	n, ok := r.pairs(line)
	if !ok || n < 2 {
		return false
	}
	r.Encoding = outcome.Logfmt
	r.assign()
	return true
}

// pairs reads key=value pairs and nothing else, and returns their number.
func (r *Record) pairs(b []byte) (n int, ok bool) {
	for i := blank(b, 0); i < len(b); i = blank(b, i) {
		from := i
		for i < len(b) && isKey(b[i]) {
			i++
		}
		if i == from || i == len(b) || b[i] != '=' || !isKeyStart(b[from]) {
			return n, false
		}
		f := Field{Name: b[from:i], Top: true}
		if i = pairValue(b, i+1, &f, n < maxFields); i < 0 {
			return n, false
		}
		r.add(f)
		n++
	}
	return n, true
}

func isKey(c byte) bool {
	return isKeyStart(c) || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '/'
}

func isKeyStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '@' || c >= 0x80
}

// maxObject bounds the bytes of an object in a pair, so that brackets without
// an end cost little.
const maxObject = 4096

// pairValue reads the value at b[i] into f and returns where it ends, or -1.
// Objects with blanks in them are read only if nested is set.
func pairValue(b []byte, i int, f *Field, nested bool) int {
	switch {
	case i == len(b) || b[i] == ' ':
		f.Type, f.Raw = String, b[i:i]
		return i
	case b[i] == '"':
		end, escaped := stringEnd(b, i+1)
		if end < 0 || end+1 < len(b) && b[end+1] != ' ' && b[end+1] != '\t' {
			return -1
		}
		f.Type, f.Raw, f.Escaped = String, b[i+1:end], escaped
		return end + 1
	case nested && (b[i] == '{' || b[i] == '['):
		// Klog writes objects as JSON or as Go does, with blanks in them.
		if end := skipNested(b[:min(len(b), i+maxObject)], i); end > 0 && (end == len(b) || b[end] == ' ') {
			f.Type, f.Raw = Object, b[i:end]
			if b[i] == '[' {
				f.Type = Array
			}
			return end
		}
	}
	end := i
	for end < len(b) && b[end] != ' ' && b[end] != '\t' {
		if b[end] == '"' {
			return -1
		}
		end++
	}
	f.Raw = b[i:end]
	if f.Type = literalType(f.Raw); string(f.Raw) == "<nil>" || string(f.Raw) == "nil" {
		f.Type = Null
	}
	return end
}

// cutPairs reads the pairs that a text ends with and returns what stands
// before them.
func (r *Record) cutPairs(text []byte) []byte {
	// The first word with a '=' after a name begins them, or there are none.
	for i := 0; i < len(text); {
		word := i
		for i < len(text) && isKey(text[i]) {
			i++
		}
		if i > word && i < len(text) && text[i] == '=' && isKeyStart(text[word]) && word > 0 {
			kept := len(r.Fields)
			if _, ok := r.pairs(text[word:]); ok {
				return bytes.TrimRight(text[:word], " \t")
			}
			r.Fields = r.Fields[:kept]
			return text
		}
		next := bytes.IndexByte(text[i:], ' ')
		if next < 0 {
			break
		}
		i = blank(text, i+next)
	}
	return text
}
