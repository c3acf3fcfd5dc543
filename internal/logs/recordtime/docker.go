package recordtime

import (
	"bytes"
	"encoding/json"
	"strings"
)

// takeDocker takes a line out of a log of Docker's json-file driver:
//
//	{"log":"what the process wrote\n","stream":"stderr","time":"2026-11-30T17:28:29.863123456Z"}
//
// A long line is cut into pieces, of which the last alone ends in a newline.
func takeDocker(line []byte) (piece, bool) {
	if len(line) == 0 || line[0] != '{' || !bytes.Contains(line, []byte(`"log"`)) {
		return piece{}, false
	}
	var r struct {
		Log    *string `json:"log"`
		Stream string  `json:"stream"`
		Time   string  `json:"time"`
	}
	if json.Unmarshal(line, &r) != nil || r.Log == nil {
		return piece{}, false
	}
	s, ok := text([]byte(r.Time))
	if !ok || s.Number || s.NoZone {
		return piece{}, false
	}
	p := piece{stamp: s}
	switch r.Stream {
	case "stdout":
		p.output = 'o'
	case "stderr":
		p.output = 'e'
	default: // a process can have a key "log" in its own records
		return piece{}, false
	}
	whole, ended := strings.CutSuffix(*r.Log, "\n")
	p.line, p.partial = []byte(whole), !ended
	return p, true
}
