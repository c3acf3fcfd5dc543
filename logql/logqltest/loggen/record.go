package loggen

import (
	"strconv"
	"time"
)

// A record is what a program gave to its logger.
type record struct {
	level, logger, caller, message string
	time                           int64
	fields                         []field
}

// A field is a key with a value of one of four kinds.
type field struct {
	key  string
	kind kind
	text string  // of a text, or of a number as it is written
	sub  []field // of an object, or of a list, whose keys do not count
}

type kind uint8

const (
	textKind kind = iota
	plainKind
	objectKind
	listKind
)

func text(key, value string) field { return field{key: key, text: value} }

func number(key string, value int) field {
	return field{key: key, kind: plainKind, text: strconv.Itoa(value)}
}

// decimal is a number with three digits after the point, given in thousandths.
func decimal(key string, thousandths int) field {
	return field{key: key, kind: plainKind, text: strconv.FormatFloat(float64(thousandths)/1000, 'f', -1, 64)}
}

func flag(key string, value bool) field {
	return field{key: key, kind: plainKind, text: strconv.FormatBool(value)}
}

func object(key string, fields ...field) field {
	return field{key: key, kind: objectKind, sub: fields}
}

func list(key string, values ...field) field {
	return field{key: key, kind: listKind, sub: values}
}

func texts(key string, values ...string) field {
	l := field{key: key, kind: listKind}
	for _, v := range values {
		l.sub = append(l.sub, text("", v))
	}
	return l
}

func appendTime(b []byte, ns int64) []byte {
	return time.Unix(0, ns).UTC().AppendFormat(b, time.RFC3339Nano)
}

func appendJSON(b []byte, r *record) []byte {
	b = append(b, `{"level":"`...)
	b = append(b, r.level...)
	b = append(b, `","ts":"`...)
	b = appendTime(b, r.time)
	b = append(b, `","logger":"`...)
	b = append(b, r.logger...)
	b = append(b, `","caller":"`...)
	b = append(b, r.caller...)
	b = append(b, `","msg":`...)
	b = appendQuoted(b, r.message)
	for i := range r.fields {
		b = append(b, ',')
		b = appendQuoted(b, r.fields[i].key)
		b = append(b, ':')
		b = r.fields[i].appendJSON(b)
	}
	return append(b, '}')
}

func (f *field) appendJSON(b []byte) []byte {
	switch f.kind {
	case textKind:
		return appendQuoted(b, f.text)
	case plainKind:
		return append(b, f.text...)
	}
	open, end := byte('{'), byte('}')
	if f.kind == listKind {
		open, end = '[', ']'
	}
	b = append(b, open)
	for i := range f.sub {
		if i > 0 {
			b = append(b, ',')
		}
		if f.kind == objectKind {
			b = appendQuoted(b, f.sub[i].key)
			b = append(b, ':')
		}
		b = f.sub[i].appendJSON(b)
	}
	return append(b, end)
}

func appendLogfmt(b []byte, r *record) []byte {
	b = append(b, "level="...)
	b = append(b, r.level...)
	b = append(b, " ts="...)
	b = appendTime(b, r.time)
	b = append(b, " logger="...)
	b = append(b, r.logger...)
	b = append(b, " caller="...)
	b = append(b, r.caller...)
	b = append(b, " msg="...)
	b = appendValue(b, r.message)
	for i := range r.fields {
		b = r.fields[i].appendLogfmt(b, "")
	}
	return b
}

func (f *field) appendLogfmt(b []byte, prefix string) []byte {
	if f.kind == objectKind {
		for i := range f.sub {
			b = f.sub[i].appendLogfmt(b, prefix+f.key+"_")
		}
		return b
	}
	b = append(b, ' ')
	b = append(b, prefix...)
	b = append(b, f.key...)
	b = append(b, '=')
	switch f.kind {
	case textKind:
		return appendValue(b, f.text)
	case listKind:
		return appendValue(b, string(f.appendJSON(nil)))
	}
	return append(b, f.text...)
}

// appendValue quotes a value of logfmt only where it has to.
func appendValue(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c == '"' || c == '=' || c == '\\' {
			return appendQuoted(b, s)
		}
	}
	return append(b, s...)
}

// appendQuoted appends a text in the quotes of JSON. The texts of the
// templates hold no control bytes but newline and tab.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
