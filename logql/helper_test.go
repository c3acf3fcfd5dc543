package logql

import "github.com/stillfires/stillfires/internal/logs"

// stateOfLine returns the state of a line outside of a run.
func stateOfLine(stream *streamState, line []byte) *lineState {
	if stream.route == nil {
		stream.route = new(route)
	}
	s := newLineState()
	s.begin(stream, &logs.Entry{Line: line})
	return s
}
