package replay

import (
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// maxEvidenceLine bounds the bytes of a line that are shown.
const maxEvidenceLine = outcome.MaxLine

// evidence copies a line so that it is safe to show.
func evidence(stream logs.Labels, ts int64, line []byte) outcome.Evidence {
	return show(stream, ts, line, false)
}

// A seenLine is a copy of a line that may become evidence. Its memory is used
// again when a later line takes its place.
type seenLine struct {
	stream logs.Labels
	time   int64
	line   []byte // at most maxEvidenceLine
	cut    bool
}

func (s *seenLine) set(stream logs.Labels, e *logs.Entry) {
	s.stream, s.time, s.cut = stream, e.Time, len(e.Line) > maxEvidenceLine
	s.line = append(s.line[:0], e.Line[:min(len(e.Line), maxEvidenceLine)]...)
}

func (s *seenLine) evidence() outcome.Evidence { return show(s.stream, s.time, s.line, s.cut) }

func show(stream logs.Labels, ts int64, line []byte, cut bool) outcome.Evidence {
	return outcome.Show(stream, ts, line, cut)
}
