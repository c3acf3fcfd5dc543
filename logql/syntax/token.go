package syntax

import (
	"fmt"
	"strings"
	"time"
)

// kind is the kind of a token.
type kind int

const (
	tEOF kind = iota
	tWord
	tString
	tNumber
	tDuration
	tBytes
	tRange // [5m], brackets included
	tFlag  // --strict
	tLBrace
	tRBrace
	tLParen
	tRParen
	tComma
	tPipe
	tPipeEq    // |=
	tPipeTilde // |~
	tPipeGT    // |>
	tBangGT    // !>
	tEq        // =
	tNeq       // !=
	tEqTilde   // =~
	tBangTilde // !~
	tEqEq      // ==
	tGT
	tGTE
	tLT
	tLTE
	tAdd
	tSub
	tMul
	tDiv
	tMod
	tPow
)

// symbols lists the tokens that are punctuation, those of two characters
// first so that the longest match wins.
var symbols = [...]struct {
	text string
	kind kind
}{
	{"|=", tPipeEq}, {"|~", tPipeTilde}, {"|>", tPipeGT}, {"!>", tBangGT},
	{"!=", tNeq}, {"!~", tBangTilde}, {"=~", tEqTilde}, {"==", tEqEq},
	{">=", tGTE}, {"<=", tLTE},
	{"{", tLBrace}, {"}", tRBrace}, {"(", tLParen}, {")", tRParen},
	{",", tComma}, {"|", tPipe}, {"=", tEq}, {">", tGT}, {"<", tLT},
	{"+", tAdd}, {"-", tSub}, {"*", tMul}, {"/", tDiv}, {"%", tMod}, {"^", tPow},
}

// A token is one word of the query.
type token struct {
	kind kind
	pos  Span
	text string        // as written
	str  string        // of tString: without quotes, escapes resolved
	dur  time.Duration // of tDuration and tRange
	size uint64        // of tBytes
}

// is reports whether t is the keyword, in any case.
func (t token) is(keyword string) bool {
	return t.kind == tWord && strings.EqualFold(t.text, keyword)
}

// label reports whether t can name a label.
func (t token) label() bool {
	return t.kind == tWord && !reserved[strings.ToLower(t.text)]
}

// describe names the token in an error message.
func (t token) describe() string {
	switch t.kind {
	case tEOF:
		return "the end of the query"
	case tString:
		return "the string " + shorten(t.text)
	case tNumber:
		return "the number " + t.text
	case tDuration:
		return "the duration " + t.text
	case tBytes:
		return "the size " + t.text
	case tRange:
		return "the range " + t.text
	case tWord:
		if reserved[strings.ToLower(t.text)] {
			return fmt.Sprintf("the keyword %q", t.text)
		}
		return fmt.Sprintf("%q", shorten(t.text))
	}
	return fmt.Sprintf("%q", t.text)
}

// shorten cuts a text that would make a message unreadable.
func shorten(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
