package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// MaxQueryLen is the longest query that is parsed, in bytes.
	MaxQueryLen = 128 << 10
	// MaxDepth is how deep brackets, and the tree that they and chains of
	// operators make, may be nested.
	MaxDepth = 1000
)

// Parse reads a query. The error, if any, is an *[Error] with the phase
// [PhaseParse]: text that the grammar does not take, or whose regexps and
// patterns for labels are not valid. What only running the query needs (line
// filter regexps, templates, JSON paths, addresses) is not checked here.
func Parse(query string) (Expr, error) {
	p, err := newParser(query)
	if err != nil {
		return nil, err
	}
	e := p.expr(1)
	p.end()
	return e, p.result(e)
}

// ParseSelector reads a stream selector: {app="kueue"}. Errors are as those
// of [Parse].
func ParseSelector(text string) (*Selector, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	s := p.selector()
	p.end()
	if p.err != nil {
		return nil, p.err
	}
	return s, nil
}

// ParsePipeline reads stages without a selector before them: |= "x" | json.
// The empty text gives no stages. Errors are as those of [Parse].
func ParsePipeline(text string) ([]Stage, error) {
	p, err := newParser(text)
	if err != nil {
		return nil, err
	}
	stages, unwrap := p.pipeline()
	p.refuseUnwrap(unwrap)
	p.end()
	q := &LogQuery{Stages: stages}
	if err := p.result(q); err != nil {
		return nil, err
	}
	return stages, nil
}

// A parser reads tokens by recursive descent. The first error stops it: from
// then on every token is the end of the query, so that all loops end, and
// what they return is thrown away.
type parser struct {
	lex   lexer
	tok   token // not yet taken
	prev  token // the last one taken
	depth int
	err   *Error
}

func newParser(query string) (*parser, error) {
	p := &parser{lex: lexer{query: query}}
	nul := strings.IndexByte(query, 0)
	switch {
	case len(query) > MaxQueryLen:
		p.fail(Span{MaxQueryLen, len(query)}, "", "the query is longer than %d bytes", MaxQueryLen)
	case nul >= 0:
		p.fail(Span{nul, nul + 1}, `write it as "\x00"`, "the query holds a NUL character")
	case !utf8.ValidString(query):
		at := invalidUTF8(query)
		p.fail(Span{at, at + 1}, `write the byte as "\x.." in a string`, "the query is not valid UTF-8")
	}
	if p.err != nil {
		return nil, p.err
	}
	if strings.HasPrefix(query, "\ufeff") { // a byte order mark
		p.lex.pos = len("\ufeff")
	}
	p.advance()
	return p, nil
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return len(s)
}

// result returns the error to report for the parsed node, nil if it is good.
func (p *parser) result(n Node) error {
	if p.err == nil && len(p.lex.query) > MaxDepth {
		if deep := tooDeep(n); deep != nil {
			p.failDepth(deep.Span())
		}
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

// fail records the first error and ends the parse.
func (p *parser) fail(at Span, hint, format string, args ...any) {
	if p.err == nil {
		p.stop(NewError(PhaseParse, p.lex.query, at, fmt.Sprintf(format, args...), hint))
	}
}

func (p *parser) stop(err *Error) {
	p.err = err
	p.lex.pos = len(p.lex.query)
	p.tok = token{kind: tEOF, pos: Span{p.lex.pos, p.lex.pos}}
}

// unexpected refuses the next token.
func (p *parser) unexpected(want, hint string) {
	if hint == "" {
		hint = p.unitHint()
	}
	p.fail(p.tok.pos, hint, "expected %s, found %s", want, p.tok.describe())
}

// unitHint explains a word that sticks to the number before it.
func (p *parser) unitHint() string {
	switch p.prev.kind {
	case tNumber, tDuration, tBytes:
	default:
		return ""
	}
	if p.tok.kind != tWord || p.tok.pos.Start != p.prev.pos.End {
		return ""
	}
	if strings.Contains(p.prev.text, ".") && strings.Contains("dwy", p.tok.text[:1]) {
		return fmt.Sprintf("%s%s: days, weeks and years are whole; write hours, such as 36h", p.prev.text, shorten(p.tok.text))
	}
	return fmt.Sprintf("%s%s is neither a duration (ns, us, ms, s, m, h, d, w, y) nor a size (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB)",
		p.prev.text, shorten(p.tok.text))
}

// advance takes the next token.
func (p *parser) advance() {
	if p.err != nil {
		return
	}
	p.prev = p.tok
	t, err := p.lex.next()
	if err != nil {
		p.stop(err)
		return
	}
	p.tok = t
}

// peek returns the token after the next one.
func (p *parser) peek() token {
	ahead := p.lex
	t, err := ahead.next()
	if err != nil || p.err != nil {
		return token{kind: tEOF}
	}
	return t
}

// accept takes the next token if it is of kind k.
func (p *parser) accept(k kind) bool {
	if p.err != nil || p.tok.kind != k {
		return false
	}
	p.advance()
	return true
}

// acceptWord takes the next token if it is the keyword.
func (p *parser) acceptWord(keyword string) bool {
	if p.err != nil || !p.tok.is(keyword) {
		return false
	}
	p.advance()
	return true
}

// expect takes a token of kind k or refuses the query.
func (p *parser) expect(k kind, want, hint string) {
	if !p.accept(k) {
		p.unexpected(want, hint)
	}
}

// string takes a string and returns its token.
func (p *parser) string(want string) token {
	t := p.tok
	if t.kind != tString {
		hint := ""
		if t.kind == tWord && !reserved[strings.ToLower(t.text)] {
			hint = fmt.Sprintf("put it in quotes: %q", t.text)
		}
		p.unexpected(want, hint)
		return token{}
	}
	p.advance()
	return t
}

// label takes a label name and returns its token.
func (p *parser) label(want string) token {
	t := p.tok
	if !t.label() {
		p.badLabel(want)
		return token{}
	}
	p.advance()
	return t
}

func (p *parser) badLabel(want string) {
	switch {
	case p.tok.kind == tWord && labelFollower(p.peek().kind):
		name := strings.ToLower(p.tok.text)
		p.fail(p.tok.pos, fmt.Sprintf("take a field of that name under another one: | json %s_=%q", name, name),
			"%q is a keyword of LogQL and cannot name a label", p.tok.text)
	case p.tok.kind == tString:
		p.unexpected(want, "label names are written without quotes")
	case p.prev.kind == tComma:
		p.unexpected(want, "leave out the comma before it")
	default:
		p.unexpected(want, "")
	}
}

// labelFollower reports whether a token often stands after a label, so that a
// keyword before it was most likely meant as one.
func labelFollower(k kind) bool {
	switch k {
	case tEq, tNeq, tEqTilde, tBangTilde, tEqEq, tGT, tGTE, tLT, tLTE, tComma, tRParen, tRBrace, tRange, tEOF:
		return true
	}
	return false
}

// end refuses what stands after the query.
func (p *parser) end() {
	if p.err == nil && p.tok.kind != tEOF {
		p.trailing()
	}
}

// enter counts a level of nesting; leave must follow.
func (p *parser) enter() {
	if p.depth++; p.depth > MaxDepth {
		p.failDepth(p.tok.pos)
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) failDepth(at Span) {
	p.fail(at, "", "the query is nested deeper than %d levels", MaxDepth)
}

// from returns the place from start to the last token taken.
func (p *parser) from(start int) at {
	return at{Span{start, max(start, p.prev.pos.End)}}
}
