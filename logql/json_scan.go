package logql

import (
	"bytes"
	"errors"
)

// maxJSONDepth bounds how deep objects may nest before a line counts as
// broken. It keeps a hostile line from filling the stack.
const maxJSONDepth = 512

// maxJSONNames bounds the bytes of all joined names of a line. A long name
// around many fields would else turn a line into its square.
const maxJSONNames = 4 << 20

// What a line that is not the JSON we take is told.
var (
	errJSONNoObject  = errors.New("line is not a JSON object")
	errJSONTruncated = errors.New("JSON object ends too early")
	errJSONName      = errors.New("JSON object lacks a quoted name")
	errJSONColon     = errors.New("JSON name lacks a colon after it")
	errJSONComma     = errors.New("JSON value lacks a comma or brace after it")
	errJSONValue     = errors.New("JSON value is none of the known kinds")
	errJSONEscape    = errors.New("JSON name has a broken escape")
	errJSONDepth     = errors.New("JSON objects nest too deep")
	errJSONNames     = errors.New("JSON names are too long once joined")
)

// A jsonScanner flattens JSON lines into fields. It holds the buffers that
// all lines share, so one scanner serves one goroutine at a time. The zero
// value is ready.
type jsonScanner struct {
	// want, when set, is the names of the fields that are of use. Others are
	// skipped without being decoded or emitted; they must be sound all the
	// same.
	want *nameSet
	// arena holds what is not a part of a line. Its owner resets it.
	arena arena

	emit  func(key, value []byte)
	held  []label // fields of an object that may turn out not to end
	hold  bool
	odd   bool   // the object in hand has what brackets can hide in
	key   []byte // name of the field in hand, the names around it first
	names int    // bytes of joined names so far
	val   []byte // string with its escapes resolved
	valid []byte // string without what is not UTF-8
	label []byte // label name of a packed field
}

// scanJSON calls emit for every field of line, as [jsonScanner.scan] does.
func scanJSON(line []byte, emit func(key, value []byte)) error {
	var s jsonScanner
	return s.scan(line, emit)
}

// scan calls emit for every scalar field of the object in line, in order.
// Names of nested objects are joined by '_' and made label names. Strings are
// decoded, numbers keep their spelling; null, arrays and fields with an empty
// name give nothing. Both slices last as long as line and the arena.
//
// As Loki, it is lenient: what follows the object is not looked at, a comma
// may stand before a closing brace, anything that begins like a number is one,
// and a string with a broken escape is empty. After an error, the fields
// emitted so far stand; an object that never ends gives no fields.
func (s *jsonScanner) scan(line []byte, emit func(key, value []byte)) error {
	i := skipJSONSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return errJSONNoObject
	}
	s.names, s.emit, s.hold = 0, emit, false
	_, err := s.object(line, i+1, 0, 0, s.want)
	return err
}

// object scans the object whose first byte after the brace is line[i] and
// returns the place after its closing brace. The names around it are
// s.key[:prefix].
func (s *jsonScanner) object(line []byte, i, prefix, depth int, want *nameSet) (int, error) {
	around := 0 // bytes that are put before names
	if prefix > 0 {
		around = prefix + 1
	}
	for {
		i = skipJSONSpace(line, i)
		if i >= len(line) {
			return i, errJSONTruncated
		}
		if line[i] != '"' {
			if line[i] == '}' {
				return i + 1, nil
			}
			return i, errJSONName
		}
		// Nearly all names are plain, and most are not wanted: they are not
		// even joined to those around them.
		from := i + 1
		end, escaped, high := jsonStringEnd(line, from)
		if end < 0 {
			return len(line), errJSONTruncated
		}
		var wanted, joined bool
		if raw := line[from:end]; !escaped && !high && isPlainName(raw, around) {
			wanted = want.mayHave(around+len(raw), asNameByte(raw[len(raw)-1]))
			if around > 0 {
				s.names += around + len(raw)
			}
		} else {
			if err := s.oddName(raw, escaped, prefix); err != nil {
				return from, err
			}
			wanted, joined = len(s.key) > 0, true
		}
		if s.names > maxJSONNames {
			return from, errJSONNames
		}
		i = skipJSONSpace(line, end+1)
		if i >= len(line) || line[i] != ':' {
			return i, errJSONColon
		}
		i = skipJSONSpace(line, i+1)
		if i >= len(line) {
			return i, errJSONTruncated
		}
		if line[i] == '"' && !wanted {
			if i = jsonStringSkip(line, i+1); i < 0 {
				return len(line), errJSONTruncated
			}
		} else {
			var err error
			name := jsonName{line[from:end], prefix, joined, wanted}
			if i, err = s.value(line, i, &name, depth, want); err != nil {
				return i, err
			}
		}
		i = skipJSONSpace(line, i)
		if i >= len(line) {
			return i, errJSONTruncated
		}
		switch line[i] {
		case ',':
			i++
		case '}':
			return i + 1, nil
		default:
			return i, errJSONComma
		}
	}
}

// isPlainName reports whether a name without escapes, in ASCII, is as long as
// the label name that it gives, after so many bytes around it.
func isPlainName(raw []byte, around int) bool {
	n := len(raw)
	return n > 0 && raw[0] > ' ' && raw[n-1] > ' ' && (around > 0 || !isDigit(raw[0]))
}

// asNameByte returns c as it stands in a label name.
func asNameByte(c byte) byte {
	if isNameByte[c] {
		return c
	}
	return '_'
}

// A jsonName is a name as it stands in a line.
type jsonName struct {
	raw    []byte
	prefix int  // length of the names around it
	joined bool // they stand in s.key, with this one
	wanted bool // the field may be of use
}

// oddName makes s.key the label name of a field whose name is not plain.
func (s *jsonScanner) oddName(raw []byte, escaped bool, prefix int) error {
	if escaped {
		var ok bool
		if s.val, ok = appendUnescaped(s.val[:0], raw, jsonEscapes); !ok {
			return errJSONEscape
		}
		raw = s.val
	}
	s.join(prefix, bytes.TrimSpace(raw))
	s.names += len(s.key)
	return nil
}

// join makes s.key the label name of a field called raw.
func (s *jsonScanner) join(prefix int, raw []byte) {
	s.key = s.key[:prefix]
	if len(raw) == 0 {
		return
	}
	if prefix > 0 {
		s.key = append(s.key, '_')
	}
	s.key = appendLabelName(s.key, raw)
}

// labelName returns the label name of a field; joined tells that it is s.key.
func (s *jsonScanner) labelName(name *jsonName) (key []byte, joined bool) {
	if name.joined {
		return s.key, true
	}
	if name.prefix == 0 && isLabelName(name.raw) {
		return name.raw, false
	}
	s.join(name.prefix, name.raw)
	return s.key, true
}

// value scans the value that begins at line[i], emits what it holds under
// its name, and returns the place after it.
func (s *jsonScanner) value(line []byte, i int, name *jsonName, depth int, want *nameSet) (int, error) {
	switch line[i] {
	case '"':
		end, escaped, high := jsonStringEnd(line, i+1)
		if end < 0 {
			return len(line), errJSONTruncated
		}
		if key := s.wantedKey(name, want); key != nil {
			value := line[i+1 : end]
			if escaped || high {
				value = s.arena.copy(s.text(value, escaped))
			}
			s.field(key, value)
		}
		return end + 1, nil
	case '{':
		if depth+1 >= maxJSONDepth {
			return i, errJSONDepth
		}
		key, joined := s.labelName(name)
		if !joined {
			s.key = append(s.key[:0], key...)
		}
		want = want.inside(s.key)
		if depth == 0 {
			return s.outerObject(line, i, want)
		}
		return s.object(line, i+1, len(s.key), depth+1, want)
	case '[':
		end := jsonBlockEnd(line, i)
		if end < 0 {
			return len(line), errJSONTruncated
		}
		s.odd = s.odd || bytes.ContainsAny(line[i:end], "{}")
		return end, nil
	}
	end, odd := jsonTokenEnd(line, i)
	token := line[i:end]
	if !isJSONScalar(token) {
		return i, errJSONValue
	}
	s.odd = s.odd || odd
	if token[0] != 'n' && name.wanted {
		if key := s.wantedKey(name, want); key != nil {
			s.field(key, token)
		}
	}
	return end, nil
}

// outerObject scans the object called s.key at line[i], which stands in the
// outermost one. If it never ends none of its fields stands. What is inside
// an object that ends, ends too, so only here the fields are held back.
func (s *jsonScanner) outerObject(line []byte, i int, want *nameSet) (int, error) {
	s.odd = false
	s.hold, s.held = true, s.held[:0]
	end, err := s.object(line, i+1, len(s.key), 1, want)
	s.hold = false
	// Whether an object ends is told by its braces alone. Those in odd places
	// are not seen by a scan that goes well.
	if (err != nil || s.odd) && jsonBlockEnd(line, i) < 0 {
		return i, errJSONTruncated
	}
	for _, f := range s.held {
		s.emit(f.name, f.value)
	}
	return end, err
}

// wantedKey returns the label name of a field, in memory that lasts, or nil
// if it is of no use.
func (s *jsonScanner) wantedKey(name *jsonName, want *nameSet) []byte {
	if !name.wanted {
		return nil
	}
	key, joined := s.labelName(name)
	switch {
	case want != nil:
		return want.find(key)
	case len(key) == 0:
		return nil
	case joined:
		return s.arena.copy(key)
	}
	return key
}

// field emits a field, or holds it back.
func (s *jsonScanner) field(key, value []byte) {
	if s.hold {
		s.held = append(s.held, label{key, value})
		return
	}
	s.emit(key, value)
}

// text decodes the inside of a string into the scanner's buffer.
func (s *jsonScanner) text(raw []byte, escaped bool) []byte {
	if escaped {
		var ok bool
		if s.val, ok = appendUnescaped(s.val[:0], raw, jsonEscapes); !ok {
			return s.val[:0]
		}
		raw = s.val
	}
	if !hasRuneError(raw) {
		return raw
	}
	s.valid = appendValidUTF8(s.valid[:0], raw)
	return s.valid
}

func skipJSONSpace(line []byte, i int) int {
	for i < len(line) && line[i] <= ' ' {
		switch line[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

const (
	endsJSONToken = 1
	oddJSONToken  = 2
)

// jsonTokenByte marks the bytes that end a number or literal, and those that
// look as if something began in it.
var jsonTokenByte = [256]uint8{
	' ': endsJSONToken, '\t': endsJSONToken, '\n': endsJSONToken, '\r': endsJSONToken,
	',': endsJSONToken, '}': endsJSONToken, ']': endsJSONToken,
	'{': oddJSONToken, '"': oddJSONToken,
}

// jsonTokenEnd returns the place after the number or literal at line[i], and
// whether there are braces or quotes in it.
func jsonTokenEnd(line []byte, i int) (end int, odd bool) {
	var seen uint8
	for i < len(line) && jsonTokenByte[line[i]] != endsJSONToken {
		seen |= jsonTokenByte[line[i]]
		i++
	}
	return i, seen != 0
}

// isJSONScalar reports whether token is a literal or begins like a number.
func isJSONScalar(token []byte) bool {
	if len(token) == 0 {
		return false
	}
	switch token[0] {
	case 't':
		return string(token) == "true"
	case 'f':
		return string(token) == "false"
	case 'n':
		return string(token) == "null"
	}
	return token[0] == '-' || isDigit(token[0])
}

// jsonBlockEnd returns the place after the bracket or brace that closes the
// one at line[i], or -1. Only brackets of that kind count; those in strings do
// not.
func jsonBlockEnd(line []byte, i int) int {
	open := line[i]
	shut := open + 2 // in ASCII, '[' '\\' ']' and '{' '|' '}'
	depth := 0
	for i < len(line) {
		switch line[i] {
		case '"':
			end, _, _ := jsonStringEnd(line, i+1)
			if end < 0 {
				return -1
			}
			i = end
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
