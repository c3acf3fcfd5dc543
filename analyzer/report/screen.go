package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/stillfires/stillfires/internal/source"
)

// columns measures text without looking at the locale, so that a report does
// not depend on the machine.
var columns = &runewidth.Condition{}

// A screen lays out text in a fixed number of columns.
type screen struct {
	w     *bufio.Writer
	width int
	color bool
	all   bool
	t     *telling
	// base is the folder of all rules, told once so that places fit; empty
	// where they fit as they are.
	base string
}

func newScreen(w io.Writer, o Options, t *telling) *screen {
	return &screen{w: bufio.NewWriter(w), width: max(cmp.Or(o.Width, defaultWidth), narrowest), color: o.Color, all: o.All, t: t}
}

// part returns what f writes.
func (s *screen) part(f func()) string {
	var b strings.Builder
	whole := s.w
	s.w = bufio.NewWriter(&b)
	f()
	_ = s.w.Flush() // into memory: it cannot fail
	s.w = whole
	return b.String()
}

// place prints where a finding is.
func (s *screen) place(p source.Position) string {
	p.File = strings.TrimPrefix(p.File, s.base)
	return clean(p.String())
}

// The colours; a word says the same for those who do not see them.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
	bold   = "1"
	dim    = "2"
)

func (s *screen) paint(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// cut shortens text to n columns.
func cut(text string, n int) string { return columns.Truncate(text, max(n, 1), "…") }

// cutMiddle shortens a name to n columns and keeps both its ends, where names
// of one family differ.
func cutMiddle(text string, n int) string {
	w := columns.StringWidth(text)
	if w <= n {
		return text
	}
	tail := n / 2
	return columns.Truncate(text, n-tail-1, "") + columns.TruncateLeft(text, w-tail, "…")
}

func (s *screen) line(format string, args ...any) {
	fmt.Fprintf(s.w, format, args...)
	s.w.WriteByte('\n')
}

// wrap writes text in lines that begin with indent; of a list item the later
// ones begin below its text.
func (s *screen) wrap(indent, text string) { s.wrapFrom(indent, indent, text) }

// wrapFrom wraps text of which the first line begins with head, as wide as
// indent, and perhaps painted.
func (s *screen) wrapFrom(head, indent, text string) { s.wrapUpTo(0, head, indent, text) }

// wrapUpTo is [screen.wrapFrom] in so many lines at most, 0 being no bound: the
// last one then ends in "…".
func (s *screen) wrapUpTo(most int, head, indent, text string) {
	text = clean(text)
	item, room := "", s.width-len(indent)
	if strings.HasPrefix(text, "- ") {
		item = "  "
	}
	all := wrapped(text, room, room-len(item))
	if most > 0 && len(all) > most {
		all = all[:most]
		all[most-1] = cut(all[most-1]+" …", room-len(item))
	}
	for _, line := range all {
		s.line("%s%s", head, line)
		head = indent + item
	}
}

// wrapped breaks text into lines of so many columns, the first of first.
func wrapped(text string, first, next int) (out []string) {
	room := first
	flush := func(line string) {
		out = append(out, line)
		room = next
	}
	line, used := "", 0
	for word := range strings.FieldsSeq(text) {
		n := columns.StringWidth(word)
		if used > 0 && used+1+n > room {
			flush(line)
			line, used = "", 0
		}
		for used == 0 && n > room { // a word wider than the line is broken
			head := columns.Truncate(word, room, "")
			if head == "" {
				break
			}
			flush(head)
			word = word[len(head):]
			n = columns.StringWidth(word)
		}
		if used > 0 {
			line += " "
			used++
		}
		line += word
		used += n
	}
	if line != "" {
		flush(line)
	}
	return out
}

// more says how many of something are left out, and where they stand.
func (s *screen) more(n int, what string) {
	s.wrap("  ", fmt.Sprintf("… and %s (--all shows all)", plural(n, "more "+what)))
}

// cutLeft shortens a place at its beginning: the end holds line and column.
func cutLeft(text string, n int) string {
	if w := columns.StringWidth(text); w > n {
		return columns.TruncateLeft(text, w-n+1, "…")
	}
	return text
}

// field writes one labelled line, cut to the width.
func (s *screen) field(name, text string) {
	const indent = 13
	s.line("  %s%s", s.paint(dim, fmt.Sprintf("%-11s", name)), cut(clean(text), s.width-indent))
}

// list writes up to most texts.
func (s *screen) list(title string, texts []string, most int) {
	if len(texts) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, title))
	for i, t := range texts {
		if i == most && !s.all {
			s.line("  … and %d more (--all shows all)", len(texts)-i)
			return
		}
		s.wrap("  ", "- "+t)
	}
}
