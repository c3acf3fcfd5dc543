package kube

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/stillfires/stillfires/corpus/capture"
)

// maxStamp is the most bytes of the time before a line, with the space.
const maxStamp = 40

// split takes the time off a line of a log.
func split(raw []byte) (at time.Time, line []byte, ok bool) {
	i := bytes.IndexByte(raw[:min(len(raw), maxStamp)], ' ')
	if i < 0 {
		// A line that holds nothing may come without the space.
		if i = len(raw); i > maxStamp {
			return time.Time{}, nil, false
		}
	}
	at, err := time.Parse(time.RFC3339Nano, string(raw[:i]))
	if err != nil {
		return time.Time{}, nil, false
	}
	return at.UTC(), raw[min(i+1, len(raw)):], true
}

// A wake is a body that notes when bytes come, so that a silent one can be
// ended.
type wake struct {
	io.Reader
	timer *time.Timer
	idle  time.Duration
}

// Read implements [io.Reader].
func (w *wake) Read(p []byte) (int, error) {
	w.timer.Reset(w.idle)
	return w.Reader.Read(p)
}

// newLines reads an answer of the API; lines may be longer than a record by
// their time.
func newLines(body io.Reader, maxLine int) *capture.LineReader {
	return capture.NewLineReader(body, maxLine+maxStamp)
}

var (
	errTorn    = errors.New("the answer broke off")
	errChanged = errors.New("the process is another one")
	errGone    = errors.New("the pod or the process is gone")
)
