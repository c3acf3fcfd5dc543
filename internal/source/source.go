// Package source places text: it turns byte offsets into lines and columns,
// and shows a line with a caret under the part that matters.
package source

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Position is a place in a file. Line and column count from 1; the column
// counts bytes, as Go tools do. The zero Position is no place.
type Position struct {
	File   string
	Line   int
	Column int
}

// String returns file:line:column, leaving out what is unknown.
func (p Position) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.File == "":
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// An Error is a fault at a place in a file that a user can mend.
type Error struct {
	Pos  Position
	Msg  string // what is wrong, without the position
	Hint string // what to do; may be empty
	Show string // the line with a caret below, may be empty
}

// Error returns the position, what is wrong and what to do.
func (e *Error) Error() string {
	s := e.Msg
	if p := e.Pos.String(); p != "" {
		s = p + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// At returns the line and column of a byte offset in text. An offset past the
// end gives the place just after the last byte.
func At(text string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(text))
	before := text[:offset]
	line = 1 + strings.Count(before, "\n")
	return line, offset - strings.LastIndexByte(before, '\n')
}

// Caret returns the line of text that holds offset start and below it a caret
// line that underlines [start, end), tabs kept so that both lines align.
func Caret(text string, start, end int) string {
	start = min(max(start, 0), len(text))
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		to = start + i
	}
	var b strings.Builder
	b.WriteString(text[from:to])
	b.WriteByte('\n')
	for _, r := range text[from:start] {
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	width := utf8.RuneCountInString(text[start:max(start, min(end, to))])
	b.WriteString(strings.Repeat("^", max(width, 1)))
	return b.String()
}
