package outcome

import (
	"strings"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/logs"
)

// MaxLine bounds the bytes of a line in evidence.
const MaxLine = 4 << 10

// Show copies a line so that it is safe to show. Cut says that the line is only
// the beginning of the one that was logged.
func Show(stream logs.Labels, ts int64, line []byte, cut bool) Evidence {
	ev := Evidence{Stream: stream, Time: ts, Truncated: cut}
	if len(line) > MaxLine {
		line, ev.Truncated = line[:MaxLine], true
	}
	ev.Line = strings.ToValidUTF8(string(line), "\uFFFD")
	for len(ev.Line) > MaxLine { // replacement characters are longer
		_, n := utf8.DecodeLastRuneInString(ev.Line)
		ev.Line, ev.Truncated = ev.Line[:len(ev.Line)-n], true
	}
	return ev
}
