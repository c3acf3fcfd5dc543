package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// withoutNearest returns the message without the nearest line, which stands
// below it as a diff.
func withoutNearest(f *analyzer.Finding) string {
	if len(f.Nearest) == 0 {
		return f.Message
	}
	if i := strings.LastIndex(f.Message, "; nearest: "); i >= 0 {
		return f.Message[:i]
	}
	return f.Message
}

// evidence writes a log line so that what it says is in sight: a JSON line
// often begins with a screenful of other fields.
func (s *screen) evidence(role string, e *outcome.Evidence, said string) {
	if e == nil {
		return
	}
	at := clock(e.Time)
	text := clean(e.Line)
	room := s.width - 13 - len(at) - 1
	// JSON escapes quotes and line ends: look for what comes before them.
	said, _, _ = strings.Cut(said, "\n")
	said, _, _ = strings.Cut(said, `"`)
	if i := strings.Index(text, clean(said)); i > 0 && columns.StringWidth(text) > room {
		text = from(text, i, room)
	}
	s.field(role, at+" "+text)
}

// from cuts the beginning of text so that what stands at offset i is in sight.
func from(text string, i, room int) string {
	start := max(i-8, 0)
	for start > 0 && text[start]&0xc0 == 0x80 {
		start--
	}
	// Do not cut more than it takes to show the end.
	for start > 0 && columns.StringWidth(text[start:]) < room-1 {
		start--
		for start > 0 && text[start]&0xc0 == 0x80 {
			start--
		}
	}
	if start == 0 {
		return text
	}
	return "…" + text[start:]
}

// diff writes the nearest line of the candidate as a wording diff.
func (s *screen) diff(n *analyzer.Near) {
	const indent = 13
	room := s.width - indent
	var b strings.Builder
	for _, e := range n.Diff {
		text, code := clean(e.Text), ""
		switch e.Op {
		case analyzer.Delete:
			text, code = "[-"+text+"-]", red
		case analyzer.Insert:
			text, code = "{+"+text+"+}", green
		}
		w := columns.StringWidth(text)
		if w > room {
			if room > 0 {
				b.WriteString(s.paint(code, cut(text, room)))
			}
			break
		}
		room -= w
		if code != "" {
			text = s.paint(code, text)
		}
		b.WriteString(text)
	}
	s.line("  %s%s", s.paint(dim, fmt.Sprintf("%-11s", "nearest")), b.String())
	s.line("  %-11s%s", "", s.paint(dim, cut(clean(whereNear(n)), s.width-indent)))
}
