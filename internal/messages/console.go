package messages

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/outcome"
)

// parseConsole reads zap's columns, of which all but level and message may be
// missing:
//
//	2026-11-30T17:28:29.863Z	INFO	setup	cmd/main.go:42	Starting manager	{"addr": ":8080"}
func (r *Record) parseConsole(line []byte) bool {
	first, rest, ok := bytes.Cut(line, []byte{'\t'})
	if !ok {
		return false
	}
	if len(first) > 0 && len(first) <= 40 && first[0] >= '0' && first[0] <= '9' {
		if first, rest, ok = bytes.Cut(rest, []byte{'\t'}); !ok {
			return false
		}
	}
	if r.Level, r.Verbosity, ok = levelOf(uncoloured(first)); !ok {
		return false
	}
	r.Encoding = outcome.Console
	if i := bytes.Index(rest, []byte("\t{")); i >= 0 || len(rest) > 0 && rest[0] == '{' {
		if end := r.object(rest, i+1, nil, 0); end == len(rest) {
			rest = rest[:max(i, 0)]
		} else {
			r.Fields = r.Fields[:0]
		}
	}
	r.columns(rest)
	return true
}

// columns reads those between the level and the fields: a logger, the place of
// the call, and the message.
func (r *Record) columns(b []byte) {
	r.message = b
	first, rest, more := bytes.Cut(b, []byte{'\t'})
	if !more {
		return
	}
	if r.setPlace(first) {
		r.message = rest
		return
	}
	if len(first) == 0 || bytes.IndexByte(first, ' ') >= 0 {
		return
	}
	r.Logger, r.message = first, rest
	if second, rest, more := bytes.Cut(rest, []byte{'\t'}); more {
		if r.setPlace(second) {
			r.message = rest
		}
	}
}

// uncoloured cuts the codes that colour a level on a terminal.
func uncoloured(b []byte) []byte {
	if len(b) == 0 || b[0] != 0x1b {
		return b
	}
	if i := bytes.IndexByte(b, 'm'); i >= 0 {
		b = b[i+1:]
	}
	if i := bytes.IndexByte(b, 0x1b); i >= 0 {
		b = b[:i]
	}
	return b
}
