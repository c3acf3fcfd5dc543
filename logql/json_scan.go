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

	// errJSONStop says that emit asked for no more. It never leaves scan.
	errJSONStop = errors.New("stop")
)

// A jsonScanner flattens JSON lines into fields. It holds the buffers that
// all lines share, so one scanner serves one goroutine at a time. The zero
// value is ready.
type jsonScanner struct {
	// want, when set, tells whether the field called key is of use. Fields
	// that are not are skipped without being decoded or emitted.
	want func(key []byte) bool

	key   []byte // name of the field in hand, the names around it first
	names int    // bytes of joined names so far
	val   []byte // string with its escapes resolved
	valid []byte // string without what is not UTF-8
	label []byte // label name of a packed field
}

// scanJSON calls emit for every field of line, as [jsonScanner.scan] does.
func scanJSON(line []byte, emit func(key, value []byte) bool) error {
	var s jsonScanner
	return s.scan(line, emit)
}

// scan calls emit for every scalar field of the object in line, in order.
// Names of nested objects are joined by '_' and made label names. Strings are
// decoded, numbers keep their spelling; null, arrays and fields with an empty
// name give nothing. Both slices are valid until emit returns; when it returns
// false the scan ends without an error.
//
// As Loki, it is lenient: what follows the object is not looked at, a comma
// may stand before a closing brace, anything that begins like a number is one,
// and a string with a broken escape is empty. After an error, the fields
// emitted so far stand; an object that never ends gives no fields.
func (s *jsonScanner) scan(line []byte, emit func(key, value []byte) bool) error {
	i := skipJSONSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return errJSONNoObject
	}
	s.names = 0
	_, err := s.object(line, i+1, 0, 0, emit)
	if err == errJSONStop {
		return nil
	}
	return err
}

// object scans the object whose first byte after the brace is line[i] and
// returns the place after its closing brace. The names around it are
// s.key[:prefix].
func (s *jsonScanner) object(line []byte, i, prefix, depth int, emit func(key, value []byte) bool) (int, error) {
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
		key, next, err := s.name(line, i+1, prefix)
		if err != nil {
			return next, err
		}
		i = skipJSONSpace(line, next)
		if i >= len(line) || line[i] != ':' {
			return i, errJSONColon
		}
		i = skipJSONSpace(line, i+1)
		if i >= len(line) {
			return i, errJSONTruncated
		}
		if i, err = s.value(line, i, key, depth, emit); err != nil {
			return i, err
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

// name reads the name whose first byte after the quote is line[i] and returns
// it as part of a label name, with the place after its closing quote. The
// result is a part of line when it can be, otherwise of s.key.
func (s *jsonScanner) name(line []byte, i, prefix int) ([]byte, int, error) {
	end := i
	for end < len(line) && isNameByte[line[end]] {
		end++
	}
	if end < len(line) && line[end] == '"' && end > i {
		raw := line[i:end]
		if prefix > 0 {
			s.key = append(append(s.key[:prefix], '_'), raw...)
			return s.key, end + 1, s.countName()
		}
		if !isDigit(raw[0]) {
			return raw, end + 1, nil
		}
	}
	end, escaped, _ := jsonStringEnd(line, end)
	if end < 0 {
		return nil, len(line), errJSONTruncated
	}
	raw := line[i:end]
	if escaped {
		var ok bool
		if s.val, ok = appendUnescaped(s.val[:0], raw, jsonEscapes); !ok {
			return nil, i, errJSONEscape
		}
		raw = s.val
	}
	s.key = s.key[:prefix]
	if raw = bytes.TrimSpace(raw); len(raw) > 0 {
		if prefix > 0 {
			s.key = append(s.key, '_')
		}
		s.key = appendLabelName(s.key, raw)
	}
	return s.key, end + 1, s.countName()
}

// countName counts the name in s.key.
func (s *jsonScanner) countName() error {
	if s.names += len(s.key); s.names > maxJSONNames {
		return errJSONNames
	}
	return nil
}

// value scans the value that begins at line[i], emits what it holds under
// key, and returns the place after it.
func (s *jsonScanner) value(line []byte, i int, key []byte, depth int, emit func(key, value []byte) bool) (int, error) {
	switch line[i] {
	case '"':
		end, escaped, high := jsonStringEnd(line, i+1)
		if end < 0 {
			return len(line), errJSONTruncated
		}
		if !s.wanted(key) {
			return end + 1, nil
		}
		value := line[i+1 : end]
		if escaped || high {
			value = s.text(value, escaped)
		}
		if !emit(key, value) {
			return end + 1, errJSONStop
		}
		return end + 1, nil
	case '{':
		if depth+1 >= maxJSONDepth {
			return i, errJSONDepth
		}
		// Only the outermost level needs the look ahead: what is inside
		// an object that ends, ends too.
		if depth == 0 && jsonBlockEnd(line, i) < 0 {
			return i, errJSONTruncated
		}
		s.key = append(s.key[:0], key...)
		return s.object(line, i+1, len(s.key), depth+1, emit)
	case '[':
		end := jsonBlockEnd(line, i)
		if end < 0 {
			return len(line), errJSONTruncated
		}
		return end, nil
	}
	end := jsonTokenEnd(line, i)
	token := line[i:end]
	if !isJSONScalar(token) {
		return i, errJSONValue
	}
	if token[0] != 'n' && s.wanted(key) && !emit(key, token) {
		return end, errJSONStop
	}
	return end, nil
}

func (s *jsonScanner) wanted(key []byte) bool {
	return len(key) > 0 && (s.want == nil || s.want(key))
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

// isJSONTokenEnd marks the bytes that end a number or literal.
var isJSONTokenEnd = [256]bool{' ': true, '\t': true, '\n': true, '\r': true, ',': true, '}': true, ']': true}

func jsonTokenEnd(line []byte, i int) int {
	for i < len(line) && !isJSONTokenEnd[line[i]] {
		i++
	}
	return i
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

// members calls fn for every member of the object in line, nested ones aside,
// with its name decoded and the text of its value. The name is valid until fn
// returns; when it returns false the walk ends without an error.
func (s *jsonScanner) members(line []byte, fn func(name, raw []byte) bool) error {
	i := skipJSONSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return errJSONNoObject
	}
	for i++; ; {
		name, value, err := s.member(line, i)
		if err != nil {
			return err
		}
		if value < 0 {
			return nil
		}
		end, err := jsonValueEnd(line, value)
		if err != nil {
			return err
		}
		if !fn(name, line[value:end]) {
			return nil
		}
		var last bool
		if i, last, err = jsonMemberEnd(line, end, '}'); err != nil || last {
			return err
		}
	}
}

// member reads the name of the member that begins at or after line[i] and
// returns it decoded, with the place of its value, -1 at the object's end.
func (s *jsonScanner) member(line []byte, i int) (name []byte, value int, err error) {
	i = skipJSONSpace(line, i)
	if i >= len(line) {
		return nil, 0, errJSONTruncated
	}
	if line[i] == '}' {
		return nil, -1, nil
	}
	if line[i] != '"' {
		return nil, 0, errJSONName
	}
	end, escaped, _ := jsonStringEnd(line, i+1)
	if end < 0 {
		return nil, 0, errJSONTruncated
	}
	name = line[i+1 : end]
	if escaped {
		var ok bool
		if s.key, ok = appendUnescaped(s.key[:0], name, jsonEscapes); !ok {
			return nil, 0, errJSONEscape
		}
		name = s.key
	}
	i = skipJSONSpace(line, end+1)
	if i >= len(line) || line[i] != ':' {
		return nil, 0, errJSONColon
	}
	if i = skipJSONSpace(line, i+1); i >= len(line) {
		return nil, 0, errJSONTruncated
	}
	return name, i, nil
}

// jsonMemberEnd reads what stands between two members or elements: it returns
// the place after the comma, or last when the object or array ends there.
func jsonMemberEnd(line []byte, i int, shut byte) (next int, last bool, err error) {
	i = skipJSONSpace(line, i)
	switch {
	case i >= len(line):
		return i, false, errJSONTruncated
	case line[i] == ',':
		return i + 1, false, nil
	case line[i] == shut:
		return i + 1, true, nil
	}
	return i, false, errJSONComma
}

// jsonValueEnd returns the place after the value that begins at line[i].
func jsonValueEnd(line []byte, i int) (int, error) {
	switch line[i] {
	case '"':
		end, _, _ := jsonStringEnd(line, i+1)
		if end < 0 {
			return 0, errJSONTruncated
		}
		return end + 1, nil
	case '{', '[':
		end := jsonBlockEnd(line, i)
		if end < 0 {
			return 0, errJSONTruncated
		}
		return end, nil
	}
	end := jsonTokenEnd(line, i)
	if !isJSONScalar(line[i:end]) {
		return 0, errJSONValue
	}
	return end, nil
}
