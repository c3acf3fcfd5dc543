package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer cuts a query into tokens on demand. It is a plain value: a copy
// looks ahead without moving the original.
type lexer struct {
	query string
	pos   int
}

// next returns the token after the last one, at the end of the query tEOF.
func (l *lexer) next() (token, *Error) {
	if err := l.skipBlanks(); err != nil {
		return token{}, err
	}
	start := l.pos
	if start == len(l.query) {
		return l.token(tEOF, start), nil
	}
	rest := l.query[start:]
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == '"' || r == '`':
		return l.string(byte(r))
	case isDigit(r), r == '.' && len(rest) > 1 && isDigit(rune(rest[1])):
		return l.number()
	case r == '[':
		return l.rangeToken()
	case isWordStart(r):
		l.pos += len(rest) - len(strings.TrimLeftFunc(rest, isWordPart))
		return l.token(tWord, start), nil
	}
	if len(rest) > 2 && rest[:2] == "--" && isWordStart(rune(rest[2])) {
		l.pos += 2
		l.pos += len(l.query[l.pos:]) - len(strings.TrimLeftFunc(l.query[l.pos:], func(r rune) bool { return r == '-' || isWordPart(r) }))
		return l.token(tFlag, start), nil
	}
	if err := l.foreignSymbol(rest); err != nil {
		return token{}, err
	}
	for _, s := range symbols {
		if strings.HasPrefix(rest, s.text) {
			l.pos += len(s.text)
			return l.token(s.kind, start), nil
		}
	}
	return token{}, l.badCharacter(r)
}

func (l *lexer) token(k kind, start int) token {
	return token{kind: k, pos: Span{start, l.pos}, text: l.query[start:l.pos]}
}

func (l *lexer) errorf(start, end int, hint, format string, args ...any) *Error {
	return NewError(PhaseParse, l.query, Span{start, end}, fmt.Sprintf(format, args...), hint)
}

// skipBlanks moves to the next token. Comments are # and // to the end of the
// line and /* … */; the last two are undocumented, but a server takes them.
func (l *lexer) skipBlanks() *Error {
	for l.pos < len(l.query) {
		rest := l.query[l.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			l.pos++
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.pos += end
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return l.errorf(l.pos, l.pos+2, "close it with */", "this comment never ends")
			}
			l.pos += 2 + end + 2
		default:
			return nil
		}
	}
	return nil
}

// string reads a string: "…" with Go escapes, or raw in backticks.
func (l *lexer) string(quote byte) (token, *Error) {
	start := l.pos
	for i := start + 1; i < len(l.query); i++ {
		switch c := l.query[i]; {
		case c == quote:
			l.pos = i + 1
			t := l.token(tString, start)
			s, err := strconv.Unquote(t.text)
			if err != nil {
				return token{}, l.badEscape(start, l.pos)
			}
			t.str = s
			return t, nil
		case quote == '"' && c == '\\':
			i++
		case quote == '"' && c == '\n':
			return token{}, l.errorf(start, i, `close it with " on the same line, write a newline as \n, or use backticks`, "this string never ends")
		}
	}
	return token{}, l.errorf(start, len(l.query), fmt.Sprintf("add the closing %c", quote), "this string never ends")
}

// badEscape finds the escape for which the string at [start, end) is refused.
func (l *lexer) badEscape(start, end int) *Error {
	s := l.query[start+1 : end-1]
	for at := start + 1; s != ""; {
		_, _, tail, err := strconv.UnquoteChar(s, '"')
		if err != nil {
			stop := min(at+2, end)
			hint := `write a backslash as \\, or put the text in backticks`
			return l.errorf(at, stop, hint, "%s is no escape of a double-quoted string", l.query[at:stop])
		}
		at += len(s) - len(tail)
		s = tail
	}
	return l.errorf(start, end, "", "this string is not valid")
}

// rangeToken reads the window of a range aggregation. Blanks inside the
// brackets are refused, as by a server.
func (l *lexer) rangeToken() (token, *Error) {
	start := l.pos
	n := strings.IndexByte(l.query[start:], ']')
	if n < 0 {
		return token{}, l.errorf(start, start+1, "write a range as [5m]", `"[" without "]"`)
	}
	l.pos = start + n + 1
	t := l.token(tRange, start)
	d, problem := parseRange(t.text[1:n])
	if problem != "" {
		return token{}, l.errorf(start, l.pos, rangeHint(t.text[1:n]), "the range %s %s", shorten(t.text), problem)
	}
	t.dur = d
	return t, nil
}

func rangeHint(text string) string {
	trimmed := strings.TrimSpace(text)
	if _, problem := parseRange(trimmed); problem == "" {
		return fmt.Sprintf("write [%s] without blanks", trimmed)
	}
	switch {
	case strings.Contains(text, "$"):
		return "put a duration in the variable's place, for example [5m]"
	case strings.Contains(text, ":"):
		return "LogQL has no subqueries: leave out the part from the colon"
	case strings.HasPrefix(trimmed, "-"):
		return "to look into the past write [5m] offset 10m"
	}
	return "write whole numbers with the units y, w, d, h, m, s, ms, larger ones first, for example [1h30m]"
}

// foreignSymbol recognises operators of other languages.
func (l *lexer) foreignSymbol(rest string) *Error {
	for _, f := range [...]struct{ text, hint string }{
		{"&&", `write "and"`},
		{"||", `write "or" between two conditions, and one | before a stage`},
		{"=>", `write ">="`},
		{"=<", `write "<="`},
		{"<>", `write "!="`},
		{"=!", `write "!="`},
		{":=", `write "="`},
	} {
		if strings.HasPrefix(rest, f.text) {
			return l.errorf(l.pos, l.pos+len(f.text), f.hint, "%q is no operator of LogQL", f.text)
		}
	}
	return nil
}

func (l *lexer) badCharacter(r rune) *Error {
	hint := ""
	switch r {
	case '\'':
		hint = `put strings in double quotes or backticks`
	case '“', '”', '„', '‘', '’':
		hint = `put strings in plain double quotes: "`
	case '$':
		hint = "put a value in the variable's place"
	case ';':
		hint = "write one query only, without a semicolon"
	case '@':
		hint = "the @ modifier is PromQL; LogQL has only offset"
	case '!':
		hint = `negation is part of an operator: !=, !~ or !>`
	case ']':
		hint = `there is no "[" before it`
	case '.':
		hint = "a label name holds letters, digits and _ only; where a key has a dot, its label has _"
	case '~':
		hint = "write =~ for a label, |~ for a line"
	case '&':
		hint = `write "and"`
	}
	return l.errorf(l.pos, l.pos+utf8.RuneLen(r), hint, "unexpected character %q", r)
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// isWordStart and isWordPart take letters of any script: a server does so for
// label names.
func isWordStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }
func isWordPart(r rune) bool  { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
