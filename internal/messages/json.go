package messages

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/outcome"
)

// parseJSON reads a line that is one object. Only its structure is checked.
func (r *Record) parseJSON(line []byte) bool {
	end := r.object(line, 0, nil, 0)
	if end < 0 || len(bytes.TrimSpace(line[end:])) > 0 || len(r.Fields) == 0 {
		return false
	}
	r.Encoding = outcome.JSON
	r.assign()
	if r.Level == "" && r.has([]byte("err")) && r.has([]byte("ts")) && r.has([]byte("caller")) {
		r.Level = "error" // klog's JSON gives errors no level
	}
	return true
}

// object reads the members of the object at line[i], which is '{', as fields
// within prefix. It returns where the object ends, or -1 if it is broken.
func (r *Record) object(line []byte, i int, prefix []byte, depth int) int {
	i = blank(line, i+1)
	if i < len(line) && line[i] == '}' {
		return i + 1
	}
	for {
		if i >= len(line) || line[i] != '"' {
			return -1
		}
		end, escaped := stringEnd(line, i+1)
		if end < 0 {
			return -1
		}
		name := r.join(prefix, line[i+1:end], escaped)
		i = blank(line, end+1)
		if i >= len(line) || line[i] != ':' {
			return -1
		}
		if i = r.member(line, blank(line, i+1), name, depth); i < 0 {
			return -1
		}
		i = blank(line, i)
		if i >= len(line) {
			return -1
		}
		switch line[i] {
		case '}':
			return i + 1
		case ',':
			i = blank(line, i+1)
		default:
			return -1
		}
	}
}

// join returns the name of a member of the object called prefix.
func (r *Record) join(prefix, name []byte, escaped bool) []byte {
	if len(prefix) == 0 && !escaped {
		return name
	}
	if len(prefix)+len(name) > maxName {
		name = name[:max(maxName-len(prefix), 0)]
	}
	from := len(r.names)
	if len(prefix) > 0 {
		r.names = append(append(r.names, prefix...), '.')
	}
	r.names = appendValue(r.names, name, escaped)
	return r.names[from:len(r.names):len(r.names)]
}

// maxName bounds the bytes of a joined name.
const maxName = 256

// member reads the value at line[i] and returns where it ends, or -1.
func (r *Record) member(line []byte, i int, name []byte, depth int) int {
	if i >= len(line) {
		return -1
	}
	f := Field{Name: name, Top: depth == 0}
	switch line[i] {
	case '"':
		end, escaped := stringEnd(line, i+1)
		if end < 0 {
			return -1
		}
		f.Type, f.Raw, f.Escaped = String, line[i+1:end], escaped
		r.add(f)
		return end + 1
	case '{':
		f.Type = Object
		at := len(r.Fields)
		if added := r.add(f); !added || depth+1 >= maxDepth {
			end := skipNested(line, i)
			if added && end > 0 {
				r.Fields[at].Raw = line[i:end]
			}
			return end
		}
		end := r.object(line, i, name, depth+1)
		if end > 0 {
			r.Fields[at].Raw = line[i:end]
		}
		return end
	case '[':
		end := skipNested(line, i)
		if end > 0 {
			f.Type, f.Raw = Array, line[i:end]
			r.add(f)
		}
		return end
	}
	end := i
	for end < len(line) && line[end] != ',' && line[end] != '}' && line[end] != ']' && line[end] > ' ' {
		end++
	}
	f.Raw = line[i:end]
	if f.Type = literalType(f.Raw); f.Type == String {
		return -1
	}
	r.add(f)
	return end
}

// literalType returns the type of a value that has no quotes; String if it is
// none that JSON knows.
func literalType(b []byte) Type {
	switch string(b) {
	case "true", "false":
		return Bool
	case "null":
		return Null
	}
	i := 0
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i == len(b) || b[i] < '0' || b[i] > '9' {
		return String
	}
	dot, exponent := false, false
	for _, c := range b[i:] {
		switch {
		case c >= '0' && c <= '9':
		case c == '.' && !dot && !exponent:
			dot = true
		case (c == 'e' || c == 'E') && !exponent:
			exponent = true
		case (c == '+' || c == '-') && exponent:
		default:
			return String
		}
	}
	return Number
}

func blank(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// stringEnd returns the index of the quote that ends the string whose first
// byte is line[i], or -1, and whether the string has escapes.
func stringEnd(line []byte, i int) (end int, escaped bool) {
	quote := bytes.IndexByte(line[i:], '"')
	if quote < 0 {
		return -1, false
	}
	quote += i
	for {
		slash := bytes.IndexByte(line[i:quote], '\\')
		if slash < 0 {
			return quote, escaped
		}
		escaped = true
		i += slash + 2
		if i <= quote {
			continue
		}
		next := bytes.IndexByte(line[min(i, len(line)):], '"')
		if next < 0 {
			return -1, true
		}
		quote = i + next
	}
}

// skipNested returns where the object or array at line[i] ends, or -1.
func skipNested(line []byte, i int) int {
	depth := 0
	for i < len(line) {
		switch line[i] {
		case '"':
			end, _ := stringEnd(line, i+1)
			if end < 0 {
				return -1
			}
			i = end
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}
