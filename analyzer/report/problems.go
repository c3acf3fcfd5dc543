package report

import (
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
)

// Bounds on what is shown of an input that is not valid.
const (
	problemRows = 6
	excerpts    = 3 // of the first problems
)

func (s *screen) problems(r *analyzer.Report) {
	if len(r.Problems) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold+";"+red, "INVALID  "+plural(len(r.Problems), "item")))
	s.wrap("  ", "not looked at; exit code 2")
	for i, p := range r.Problems {
		if i == problemRows && !s.all {
			s.more(len(r.Problems)-i, "invalid item")
			return
		}
		s.wrap("  ", problem(p))
		if i < excerpts || s.all {
			s.excerpt(p)
		}
	}
}

// excerpt writes the faulty line with a caret below.
func (s *screen) excerpt(p *source.Error) {
	const indent = "      "
	text, caret := excerpt(p.Show, s.width-len(indent))
	if caret == "" {
		return
	}
	s.line("%s%s", indent, s.paint(dim, text))
	s.line("%s%s", indent, s.paint(red, caret))
}

// excerpt makes what [source.Caret] gives safe to show in so many columns:
// what the caret points at stays in sight, and below it the caret. Both are
// empty where show is nothing of the kind.
func excerpt(show string, room int) (text, caret string) {
	line, below, ok := strings.Cut(show, "\n")
	below, _, _ = strings.Cut(below, "\n")
	below = strings.TrimRight(below, " \t")
	marked := strings.TrimLeft(below, " \t")
	if !ok || marked == "" || strings.Trim(marked, "^") != "" {
		return "", ""
	}
	runes := []rune(line)
	from := min(len(below)-len(marked), len(runes))
	to := min(from+len(marked), len(runes))
	// Each part by itself, as cleaning and wide characters move columns.
	before := strings.TrimLeft(clean(string(runes[:from])), " ")
	inside, after := clean(string(runes[from:to])), clean(string(runes[to:]))
	before = cutLeft(before, max(room/2, 1))
	inside = cut(inside, max(room-columns.StringWidth(before), 1))
	width := min(max(columns.StringWidth(inside), 1), max(room-columns.StringWidth(before), 1))
	return cut(before+inside+after, room), strings.Repeat(" ", columns.StringWidth(before)) + strings.Repeat("^", width)
}
