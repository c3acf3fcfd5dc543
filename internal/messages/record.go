package messages

import (
	"bytes"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A Type is what kind of value a field holds. Klog and logfmt do not write
// types: there a value without quotes is what JSON would call it.
type Type uint8

// The types.
const (
	String Type = iota + 1
	Number
	Bool
	Null
	Object
	Array
	numTypes
)

// String returns the name that [outcome.Key] has for the type.
func (t Type) String() string {
	return [numTypes]string{"", "string", "number", "bool", "null", "object", "array"}[t]
}

// A Role is what a field means to its logger.
type Role uint8

// The roles.
const (
	Plain Role = iota
	Time
	Level
	Message
	Logger
	Caller
	numRoles
)

// String returns the name that [outcome.Key] has for the role.
func (r Role) String() string {
	return [numRoles]string{"", "time", "level", "message", "logger", "caller"}[r]
}

// A Field is one field of a record. Its memory belongs to the record and its
// line.
type Field struct {
	// Name is the path, parts of nested objects joined by dots.
	Name []byte
	// Raw is the value as written; strings without their quotes.
	Raw  []byte
	Type Type
	Role Role
	Top  bool // not within another field
	// Escaped says that Raw holds escapes; Append resolves them.
	Escaped bool
}

// Append appends the value to dst: a string without escapes, anything else as
// it is written.
func (f *Field) Append(dst []byte) []byte { return appendValue(dst, f.Raw, f.Escaped) }

func appendValue(dst, raw []byte, escaped bool) []byte {
	if escaped {
		return appendUnescaped(dst, raw)
	}
	return append(dst, raw...)
}

// Bounds of a record: fields kept, and nested objects followed.
const (
	maxFields = 256
	maxDepth  = 8
)

// A Record is one line taken apart. Parse fills it; what it holds is valid
// until the next Parse and as long as the line is not changed. The zero Record
// is ready to use, and uses its memory again.
type Record struct {
	// Encoding is that of this line: a line that is not well formed is Text.
	Encoding outcome.Encoding
	// Level and Verbosity are as in [outcome.Message].
	Level     string
	Verbosity int
	// Logger is the name of the logger, Function the source file of the call
	// with its folder, without the line; empty: not written.
	Logger, Function []byte
	// Place is the file of the call as in Function, with the line.
	Place []byte
	// Fields are those with a name, in the order written, nested ones after
	// the one that they are in. Of a name that is written twice the first is
	// kept. Cut says that there are more.
	Fields []Field
	Cut    bool

	message        []byte // as written
	messageEscaped bool
	names          []byte // memory of joined names
	text           []byte // memory of Message
}

// Message returns the text that the call gave, without escapes.
func (r *Record) Message() []byte {
	if !r.messageEscaped {
		return r.message
	}
	r.text = appendUnescaped(r.text[:0], r.message)
	return r.text
}

// Said returns what the logging call of a line said, as valid UTF-8; empty:
// nothing.
func Said(line string) string {
	var r Record
	r.Parse([]byte(line))
	return strings.ToValidUTF8(string(r.Message()), "\uFFFD")
}

// Parse takes a line apart.
func (r *Record) Parse(line []byte) {
	r.reset()
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	if r.parseEncoded(line) {
		return
	}
	// A transport may have put its own time in front.
	if rest, ok := afterTransport(line); ok {
		if r.parseEncoded(rest) {
			return
		}
		r.parseText(rest)
		return
	}
	r.parseText(line)
}

func (r *Record) reset() {
	*r = Record{Fields: r.Fields[:0], names: r.names[:0], text: r.text}
}

// parseEncoded tries what has a form of its own.
func (r *Record) parseEncoded(line []byte) bool {
	if len(line) < 2 {
		return false
	}
	var ok bool
	switch {
	case line[0] == '{':
		ok = r.parseJSON(line)
	case r.parseKlog(line):
		return true
	default:
		ok = r.parseConsole(line) || r.parseLogfmt(line)
	}
	if !ok {
		r.reset()
	}
	return ok
}

// has reports whether a field of that name is there.
func (r *Record) has(name []byte) bool {
	for i := range r.Fields {
		if len(r.Fields[i].Name) == len(name) && bytes.Equal(r.Fields[i].Name, name) {
			return true
		}
	}
	return false
}

// add adds a field that has no place yet; false: there was one, or no room.
func (r *Record) add(f Field) bool {
	if len(r.Fields) >= maxFields {
		r.Cut = true
		return false
	}
	if r.has(f.Name) {
		return false
	}
	r.Fields = append(r.Fields, f)
	return true
}

// assign finds out what the top-level fields mean to the logger, by their
// names and values.
func (r *Record) assign() {
	message, rank := -1, 0
	var verbosity *Field
	letters := r.has([]byte("L")) && r.has([]byte("M"))
	for i := range r.Fields {
		f := &r.Fields[i]
		if !f.Top {
			continue
		}
		role, n := roleOf(f.Name)
		if letters && len(f.Name) == 1 {
			role, n = letterRole(f.Name[0])
		}
		switch role {
		case Message:
			if f.Type == String && n > rank {
				message, rank = i, n
			}
		case Level:
			if n == 1 {
				verbosity = f
			} else if r.Level == "" && r.setLevel(f) {
				f.Role = Level
			}
		case Logger:
			if f.Type == String && len(r.Logger) == 0 {
				r.Logger, f.Role = f.Raw, Logger
			}
		case Caller:
			r.setCaller(f)
		case Time:
			if f.Type == String && hasDigit(f.Raw) || f.Type == Number {
				f.Role = Time
			}
		case Plain:
		}
	}
	if message >= 0 {
		f := &r.Fields[message]
		f.Role, r.message, r.messageEscaped = Message, f.Raw, f.Escaped
	}
	if r.Level == "" && verbosity != nil && verbosity.Type == Number {
		// Klog's JSON writes the verbosity in place of a level.
		if n, ok := integer(verbosity.Raw); ok && n >= 0 && n < 10 {
			r.Level, r.Verbosity, _ = numericLevel(n)
			verbosity.Role = Level
		}
	}
}

// roleOf returns what a field of that name may mean. Of messages the one with
// the highest rank counts; rank 1 of a level is klog's verbosity.
func roleOf(name []byte) (Role, int) {
	switch string(name) {
	case "msg":
		return Message, 5
	case "message":
		return Message, 4
	case "@message":
		return Message, 3
	case "event":
		return Message, 2
	case "level", "lvl", "severity", "loglevel", "log.level", "levelname", "@level", "LEVEL", "severity_text":
		return Level, 0
	case "v":
		return Level, 1
	case "logger", "logger_name", "loggerName", "log.logger", "@module":
		return Logger, 0
	case "caller", "source", "file", "@caller":
		return Caller, 0
	case "ts", "time", "timestamp", "@timestamp", "Timestamp", "asctime", "t":
		return Time, 0
	}
	return Plain, 0
}

// letterRole returns what zap's development keys mean: one capital letter each.
func letterRole(c byte) (Role, int) {
	switch c {
	case 'M':
		return Message, 1
	case 'L':
		return Level, 0
	case 'N':
		return Logger, 0
	case 'C':
		return Caller, 0
	case 'T':
		return Time, 0
	}
	return Plain, 0
}

func (r *Record) setLevel(f *Field) (ok bool) {
	switch f.Type {
	case String:
		r.Level, r.Verbosity, ok = levelOf(f.Raw)
	case Number:
		if n, is := integer(f.Raw); is {
			r.Level, r.Verbosity, ok = numericLevel(n)
		}
	default:
	}
	return ok
}

// setCaller takes "folder/file.go:12", or slog's object of function, file and
// line.
func (r *Record) setCaller(f *Field) {
	if len(r.Function) > 0 {
		return
	}
	switch f.Type {
	case String:
		if r.setPlace(f.Raw) {
			f.Role = Caller
		}
	case Object:
		var file, line []byte
		for i := range r.Fields {
			rest, ok := bytes.CutPrefix(r.Fields[i].Name, f.Name)
			switch {
			case !ok || len(rest) == 0 || rest[0] != '.':
			case string(rest) == ".file":
				file = r.Fields[i].Raw
			case string(rest) == ".line":
				line = r.Fields[i].Raw
			}
		}
		if len(file) == 0 || len(line) == 0 {
			return
		}
		r.Function, f.Role = lastFolder(file), Caller
		from := len(r.names)
		r.names = append(append(append(r.names, r.Function...), ':'), line...)
		r.Place = r.names[from:len(r.names):len(r.names)]
		for i := range r.Fields {
			if rest, ok := bytes.CutPrefix(r.Fields[i].Name, f.Name); ok && len(rest) > 0 && rest[0] == '.' {
				r.Fields[i].Role = Caller
			}
		}
	default:
	}
}

// setPlace takes "folder/file.go:12" as the place of the call.
func (r *Record) setPlace(b []byte) bool {
	file, ok := sourceFile(b)
	if ok {
		r.Function, r.Place = file, lastFolder(b)
	}
	return ok
}

// sourceFile reads "folder/file.go:12" and returns the file without the line.
func sourceFile(b []byte) ([]byte, bool) {
	colon := bytes.LastIndexByte(b, ':')
	if colon < 3 || colon+1 == len(b) || len(b) > 512 {
		return nil, false
	}
	for _, c := range b[colon+1:] {
		if c < '0' || c > '9' {
			return nil, false
		}
	}
	file := b[:colon]
	dot := bytes.LastIndexByte(file, '.')
	if dot <= 0 || dot+1 == len(file) || len(file)-dot > 8 {
		return nil, false
	}
	for _, c := range file[dot+1:] {
		if (c|0x20) < 'a' || (c|0x20) > 'z' {
			return nil, false
		}
	}
	if bytes.ContainsAny(file, " \t=\"") {
		return nil, false
	}
	return lastFolder(file), true
}

// lastFolder shortens a path to its file and the folder that it is in.
func lastFolder(path []byte) []byte {
	i := bytes.LastIndexAny(path, `/\`)
	if i <= 0 {
		return path
	}
	return path[bytes.LastIndexAny(path[:i], `/\`)+1:]
}

func hasDigit(b []byte) bool {
	for _, c := range b {
		if c >= '0' && c <= '9' {
			return true
		}
	}
	return false
}
