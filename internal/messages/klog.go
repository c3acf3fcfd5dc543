package messages

import (
	"bytes"

	"github.com/stillfires/stillfires/internal/outcome"
)

// parseKlog reads a line of klog: a header, then a quoted message with pairs,
// or text.
//
//	I1130 17:28:47.123456       1 schedule_one.go:99] "Attempting to schedule pod" pod="team-a/web-1"
//	I1130 17:28:31.927486    3199 flags.go:64] FLAG: --v="2"
func (r *Record) parseKlog(line []byte) bool {
	if len(line) < 24 || line[5] != ' ' || line[8] != ':' || line[11] != ':' || line[14] != '.' ||
		!isDigits(line[1:5]) || !isDigits(line[6:8]) || !isDigits(line[9:11]) || !isDigits(line[12:14]) {
		return false
	}
	switch line[0] {
	case 'I':
		r.Level = "info"
	case 'W':
		r.Level = "warn"
	case 'E':
		r.Level = "error"
	case 'F':
		r.Level = "fatal"
	case 'D':
		r.Level, r.Verbosity = "debug", 1
	default:
		return false
	}
	end := bytes.Index(line, []byte("] "))
	if end < 0 {
		if end = len(line) - 1; line[end] != ']' {
			return false
		}
	}
	place := line[:end]
	if !r.setPlace(place[bytes.LastIndexByte(place, ' ')+1:]) {
		return false
	}
	r.Encoding = outcome.Klog
	r.klogText(line[min(end+2, len(line)):])
	return true
}

func (r *Record) klogText(text []byte) {
	r.message = text
	if len(text) < 2 || text[0] != '"' {
		return
	}
	end, escaped := stringEnd(text, 1)
	if end < 0 {
		return
	}
	if _, ok := r.pairs(text[end+1:]); !ok {
		// A value may go on in the next line; what was read stays.
		r.Cut = true
	}
	r.message, r.messageEscaped = text[1:end], escaped
	for i := range r.Fields {
		if f := &r.Fields[i]; string(f.Name) == "logger" && f.Type == String {
			r.Logger, f.Role = f.Raw, Logger
		}
	}
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
