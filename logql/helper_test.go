package logql

import "github.com/stillfires/stillfires/internal/logs"

// newLineState returns the state of a line outside of a run.
func newLineState(stream *streamState, line []byte) *lineState {
	if stream.route == nil {
		stream.route = new(route)
	}
	s := &lineState{extractors: make(map[*jsonPathStage]*jsonExtractor)}
	s.begin(stream, &logs.Entry{Line: line})
	return s
}
