package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Phase tells how far a query came before it was refused.
type Phase int

const (
	// PhaseParse: the query breaks a rule of the grammar, or one that can be
	// checked on its text alone.
	PhaseParse Phase = iota + 1
	// PhaseCompile: the grammar takes the query, but a part of it (a regexp
	// of a line filter, a template, a JSON path, an address) is not valid.
	PhaseCompile
)

// String returns "parse" or "compile".
func (p Phase) String() string {
	switch p {
	case PhaseParse:
		return "parse"
	case PhaseCompile:
		return "compile"
	}
	return "?"
}

// An Error says where and why a query is refused, and what to write instead.
type Error struct {
	Phase  Phase
	Query  string // the whole text
	Span   Span   // the part at fault
	Line   int    // of Span.Start, from 1
	Column int    // of Span.Start in characters, from 1
	Msg    string // what is wrong
	Hint   string // what to do; may be empty
}

// NewError returns an error about a part of query. A span beyond the query is
// cut to it.
func NewError(phase Phase, query string, span Span, msg, hint string) *Error {
	span.Start = min(max(span.Start, 0), len(query))
	span.End = min(max(span.End, span.Start), len(query))
	e := &Error{Phase: phase, Query: query, Span: span, Msg: msg, Hint: hint}
	before := query[:span.Start]
	e.Line = 1 + strings.Count(before, "\n")
	e.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return e
}

// Error returns "line:column: message; hint".
func (e *Error) Error() string {
	s := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Msg)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// caretBefore and caretAfter bound how much of a long line Caret shows around
// the fault, in characters.
const (
	caretBefore = 60
	caretAfter  = 60
)

// Caret returns the line of the query that holds the fault and below it a
// line of carets under the faulty part. Control characters are shown as
// blanks or "?", and a long line is cut around the fault. There is no newline
// at the end.
func (e *Error) Caret() string {
	start := strings.LastIndexByte(e.Query[:e.Span.Start], '\n') + 1
	end := len(e.Query)
	if i := strings.IndexByte(e.Query[e.Span.Start:], '\n'); i >= 0 {
		end = e.Span.Start + i
	}
	before := []rune(e.Query[start:e.Span.Start])
	fault := []rune(e.Query[e.Span.Start:min(e.Span.End, end)])
	after := []rune(e.Query[min(e.Span.End, end):end])

	lead, tail := "", ""
	if len(before) > caretBefore {
		before, lead = before[len(before)-caretBefore:], "…"
	}
	if len(fault) > caretAfter {
		fault, after, tail = fault[:caretAfter], nil, "…"
	}
	if len(after) > caretAfter {
		after, tail = after[:caretAfter], "…"
	}
	pad := strings.Repeat(" ", utf8.RuneCountInString(lead)+len(before))
	return lead + printable(before) + printable(fault) + printable(after) + tail + "\n" +
		pad + strings.Repeat("^", max(1, len(fault)))
}

// printable replaces what would move the cursor of a terminal, one character
// for one, so that the carets stay in place.
func printable(text []rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, string(text))
}
