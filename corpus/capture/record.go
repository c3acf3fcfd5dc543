package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
)

// In a stream's file of a spool a record is a line: its time, a space and what
// was written; or, where it has metadata or holds newlines, a JSON object.
type jsonRecord struct {
	Time     time.Time   `json:"ts"`
	Line     *string     `json:"line,omitempty"`
	Base64   []byte      `json:"base64,omitempty"` // where the line is not valid UTF-8
	Metadata [][2]string `json:"metadata,omitempty"`
}

// maxSpoolLine bounds a line of a stream's file: a record of the largest size
// whose every byte is escaped.
const maxSpoolLine = 6*corpus.MaxRecord + 1<<20

// appendRecord writes a record as a line of a spool.
func appendRecord(b []byte, at time.Time, line []byte, metadata logs.Labels) ([]byte, error) {
	at = at.UTC()
	if len(metadata) == 0 && bytes.IndexByte(line, '\n') < 0 {
		b = at.AppendFormat(b, time.RFC3339Nano)
		b = append(b, ' ')
		b = append(b, line...)
		return append(b, '\n'), nil
	}
	r := jsonRecord{Time: at}
	for _, l := range metadata {
		if !utf8.ValidString(l.Name) || !utf8.ValidString(l.Value) {
			return b, fmt.Errorf("metadata %q=%q is not valid UTF-8", l.Name, l.Value)
		}
		r.Metadata = append(r.Metadata, [2]string{l.Name, l.Value})
	}
	if utf8.Valid(line) {
		text := string(line)
		r.Line = &text
	} else {
		r.Base64 = line
	}
	text, err := json.Marshal(&r)
	if err != nil {
		return b, err
	}
	return append(append(b, text...), '\n'), nil
}

// parseRecord reads a line of a spool. The record's line is valid as long as
// text is.
func parseRecord(text []byte) (Record, error) {
	if len(text) > 0 && text[0] == '{' {
		var j jsonRecord
		if err := json.Unmarshal(text, &j); err != nil {
			return Record{}, err
		}
		r := Record{Time: j.Time, Line: j.Base64}
		if j.Line != nil {
			r.Line = []byte(*j.Line)
		}
		var ls []logs.Label
		for _, m := range j.Metadata {
			ls = append(ls, logs.Label{Name: m[0], Value: m[1]})
		}
		if len(ls) > 0 {
			r.Metadata = logs.New(ls...)
		}
		return r, nil
	}
	stamp, line, ok := bytes.Cut(text, []byte(" "))
	if !ok {
		return Record{}, errors.New("a record without a time")
	}
	at, err := time.Parse(time.RFC3339Nano, string(stamp))
	if err != nil {
		return Record{}, errors.New("a record without a time")
	}
	return Record{Time: at, Line: line}, nil
}

// A recordReader reads a stream's file of a spool.
type recordReader struct {
	file  *os.File
	lines *lineScanner
	n     int64 // records read
	torn  bool  // something at the end was left out
}

// openRecords opens a file at an offset, where a record begins. A file that is
// not there holds nothing.
func openRecords(name string, offset int64) (*recordReader, error) {
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return &recordReader{}, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(offset, io.SeekStart); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &recordReader{file: f, lines: newLineScanner(f, maxSpoolLine)}, nil
}

// next returns the next record, valid until the next call, or io.EOF at the end
// of what is whole.
func (r *recordReader) next() (Record, error) {
	if r.file == nil || r.torn {
		return Record{}, io.EOF
	}
	text, err := r.lines.next()
	if errors.Is(err, errTorn) {
		r.torn = true
		return Record{}, io.EOF
	}
	if err != nil {
		return Record{}, err
	}
	rec, err := parseRecord(text)
	if err != nil {
		// A system that lost its power can leave a file with a hole. What
		// follows one is not known to be what was written.
		r.torn = true
		return Record{}, io.EOF
	}
	r.n++
	return rec, nil
}

func (r *recordReader) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
