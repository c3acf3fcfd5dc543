package panics

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A record is a line taken apart as far as panics ask.
type record struct {
	text   string // the line without what a transport put before it
	level  string // in lower case; empty: not known
	msg    string
	msgKey string // of an object: the key of msg
	fields []field
	// structured says that it is no bare text: no part of a dump.
	structured bool
}

// A field is one value of a record; the keys of nested objects are joined by
// dots. A key may occur again.
type field struct {
	key, value string
	isText     bool // a string, as opposed to a number, true, false, null
}

// parse takes a line apart. It never fails: what it cannot read is text.
func parse(line string) record {
	text, level, klog := unwrap(line)
	r := record{text: text, level: level, msg: text, structured: klog}
	switch {
	case strings.HasPrefix(text, "{"):
		s := jsonScan{text: text}
		s.object("", 0)
		if len(s.fields) == 0 {
			return r
		}
		r.structured, r.fields, r.msg = true, s.fields, ""
		r.read()
	case klog && strings.HasPrefix(text, `"`):
		var n int
		r.msg, n = quoted(text, 0)
		r.fields = pairs(text[n:])
	default:
		r.console()
		if !r.structured && len(text) < maxLine && looksLogfmt(text) {
			r.logfmt()
		}
	}
	return r
}

// messageKeys are keys of the message, the first of which that has one counts:
// of loggers, and of collectors that put each line into an object of its own.
var messageKeys = []string{"msg", "message", "log", "@message", "textpayload", "jsonpayload.message", "body", "body.stringvalue"}

// read looks for the message and the level among the fields of an object.
func (r *record) read() {
	for _, f := range r.fields {
		key := strings.ToLower(f.key)
		switch {
		case !f.isText:
		case r.msgKey == "" && slices.Contains(messageKeys, key):
			r.msg, r.msgKey = f.value, f.key
		case r.level == "":
			switch key {
			case "level", "severity", "lvl", "@level", "log.level":
				r.level = strings.ToLower(f.value)
			}
		}
	}
	if r.level != "" && r.msgKey != "textPayload" || strings.Contains(r.msg, "\n") {
		return
	}
	// What a collector wrapped may be a record itself.
	switch in := parse(r.msg); {
	case in.structured:
		*r = in
	default:
		r.msg = in.msg
	}
}

// console takes apart a line of columns: time, level, logger, caller, message,
// an object.
func (r *record) console() {
	cols := strings.SplitN(r.text, "\t", 8)
	if len(cols) < 3 || !strings.ContainsAny(cols[0], "0123456789") || strings.ContainsAny(cols[0], "()") || !isLevel(cols[1]) {
		return
	}
	r.structured, r.level = true, strings.ToLower(cols[1])
	cols = cols[2:]
	for i, c := range cols {
		if strings.HasPrefix(c, "{") && i > 0 {
			s := jsonScan{text: strings.Join(cols[i:], "\t")}
			s.object("", 0)
			r.fields, cols = s.fields, cols[:i]
			break
		}
	}
	r.msg = cols[len(cols)-1]
}

func isLevel(s string) bool {
	switch strings.ToLower(s) {
	case "debug", "info", "warn", "warning", "error", "dpanic", "panic", "fatal", "trace":
		return true
	}
	return len(s) > 6 && strings.EqualFold(s[:6], "level(")
}

// looksLogfmt reports whether a text begins with a key and has the keys of a
// log line.
func looksLogfmt(s string) bool {
	eq := strings.IndexByte(s, '=')
	return eq > 0 && strings.IndexByte(s[:eq], ' ') < 0 &&
		(strings.Contains(s, "msg=") || strings.Contains(s, "level=") || strings.Contains(s, "message="))
}

func (r *record) logfmt() {
	r.structured, r.fields, r.msg = true, pairs(r.text), ""
	for _, f := range r.fields {
		switch f.key {
		case "msg", "message":
			r.msg = f.value
		case "level", "lvl", "severity":
			r.level = strings.ToLower(f.value)
		}
	}
}

// pairs reads key=value, key="value" one after the other.
func pairs(s string) []field {
	var out []field
	for i := 0; i < len(s) && len(out) < maxScanned; {
		if s[i] == ' ' {
			i++
			continue
		}
		from := i
		for i < len(s) && s[i] != '=' && s[i] != ' ' {
			i++
		}
		if i == len(s) || s[i] == ' ' {
			continue
		}
		f := field{key: s[from:i]}
		i++
		if i < len(s) && s[i] == '"' {
			f.isText = true
			f.value, i = quoted(s, i)
		} else {
			from = i
			for i < len(s) && s[i] != ' ' {
				i++
			}
			f.value = s[from:i]
			f.isText = !isLiteral(f.value)
		}
		if f.value == "<" { // klog: the value follows in lines of its own
			continue
		}
		out = append(out, f)
	}
	return out
}

func isLiteral(s string) bool {
	switch s {
	case "", "true", "false", "null", "nil", "<nil>":
		return true
	}
	return strings.Trim(s, "0123456789.-+eE") == ""
}

// quoted reads the string in quotes at s[i] and returns where it ends. An end
// that is missing is that of s.
func quoted(s string, i int) (string, int) {
	i++
	from := i
	for i < len(s) && s[i] != '"' && s[i] != '\\' {
		i++
	}
	if i >= len(s) {
		return s[min(from, len(s)):], len(s)
	}
	if s[i] == '"' {
		return s[from:i], i + 1
	}
	var b strings.Builder
	b.WriteString(s[from:i])
	for i < len(s) && s[i] != '"' {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		i = escape(&b, s, i+1)
	}
	return b.String(), min(i+1, len(s))
}

// escape writes what the escape at s[i], after the backslash, stands for.
func escape(b *strings.Builder, s string, i int) int {
	switch c := s[i]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b', 'f':
		b.WriteByte(' ')
	case 'u':
		r, n := rune(0), 0
		for n < 4 && i+1+n < len(s) {
			d := strings.IndexByte("0123456789abcdef", s[i+1+n]|0x20)
			if d < 0 || s[i+1+n] < '0' {
				break
			}
			r, n = r<<4|rune(d), n+1
		}
		if n < 4 {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		return i + 1 + n
	default:
		b.WriteByte(c)
	}
	return i + 1
}

// A jsonScan reads the fields of an object. It bears with what is broken or
// cut: a stack that a limit cut is still a stack.
type jsonScan struct {
	text   string
	at     int
	fields []field
}

func (j *jsonScan) more() bool { return j.at < len(j.text) && len(j.fields) < maxScanned }

// object reads from "{" to the "}" that ends it.
func (j *jsonScan) object(prefix string, depth int) {
	for j.at++; j.more(); {
		switch j.text[j.at] {
		case '}':
			j.at++
			return
		case '"':
			key, end := quoted(j.text, j.at)
			j.at = end
			for j.at < len(j.text) && (j.text[j.at] == ' ' || j.text[j.at] == ':') {
				j.at++
			}
			if prefix != "" {
				key = prefix + "." + key
			}
			j.value(key, depth)
		default:
			j.at++
		}
	}
}

func (j *jsonScan) value(key string, depth int) {
	if !j.more() {
		return
	}
	switch c := j.text[j.at]; {
	case c == '"':
		v, end := quoted(j.text, j.at)
		j.at = end
		j.fields = append(j.fields, field{bound(key, maxName), v, true})
	case c == '{' && depth < maxDepth:
		j.object(key, depth+1)
	case c == '[', c == '{':
		j.skip()
	default:
		from := j.at
		for j.at < len(j.text) && strings.IndexByte(",}] \t\r\n", j.text[j.at]) < 0 {
			j.at++
		}
		if j.at > from {
			j.fields = append(j.fields, field{bound(key, maxName), j.text[from:j.at], false})
		}
	}
}

// skip passes over a list, or an object that is nested too deep.
func (j *jsonScan) skip() {
	depth := 0
	for j.at < len(j.text) {
		switch j.text[j.at] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '"':
			_, j.at = quoted(j.text, j.at)
			continue
		}
		j.at++
		if depth == 0 {
			return
		}
	}
}
