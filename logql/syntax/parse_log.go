package syntax

import (
	"fmt"
	"regexp"
	"strings"
)

// selector reads {name op "value", …}.
func (p *parser) selector() *Selector {
	s := &Selector{}
	start := p.tok.pos.Start
	p.expect(tLBrace, `a stream selector such as {app="kueue"}`, "")
	if p.tok.kind == tRBrace {
		p.fail(Span{start, p.tok.pos.End}, `add a matcher, for example {app=~".+"}`, "the selector has no matcher")
		return s
	}
	for {
		s.Matchers = append(s.Matchers, p.matcher("a label name"))
		if !p.accept(tComma) {
			break
		}
		if p.tok.kind == tRBrace {
			p.unexpected("another matcher", "leave out the comma before it")
		}
	}
	hint := ""
	switch {
	case p.tok.is("and"), p.tok.label() && matchOpOf(p.peek().kind) != 0:
		hint = "separate matchers with a comma"
	case p.tok.is("or"):
		hint = `for several values write one regexp: app=~"a|b"`
	}
	p.expect(tRBrace, `"," or "}" after the matcher`, hint)
	s.at = p.from(start)
	if p.err == nil && !selects(s) {
		p.fail(s.Pos, `add one such as app="kueue" or app=~".+"`, "no matcher of the selector requires a label to be present: all of them also match the empty string")
	}
	return s
}

// selects reports whether a matcher of s refuses the empty string, so that s
// cannot choose every stream there is.
func selects(s *Selector) bool {
	for _, m := range s.Matchers {
		empty := m.Value == ""
		if m.Op == MatchRegexp || m.Op == MatchNotRegexp {
			re, err := regexp.Compile("^(?s:" + m.Value + ")$")
			empty = err == nil && re.MatchString("")
		}
		if empty == (m.Op == MatchNotEqual || m.Op == MatchNotRegexp) {
			return true
		}
	}
	return false
}

// matcher reads name op "value".
func (p *parser) matcher(want string) *Matcher {
	name := p.label(want)
	m := &Matcher{Name: name.text}
	m.Op = p.matchOp(name)
	p.matcherValue(m)
	m.at = p.from(name.pos.Start)
	return m
}

func matchOpOf(k kind) MatchOp {
	switch k {
	case tEq:
		return MatchEqual
	case tNeq:
		return MatchNotEqual
	case tEqTilde:
		return MatchRegexp
	case tBangTilde:
		return MatchNotRegexp
	}
	return 0
}

func (p *parser) matchOp(name token) MatchOp {
	op := matchOpOf(p.tok.kind)
	switch {
	case op != 0:
		p.advance()
	case p.tok.kind == tEqEq:
		p.unexpected("=, !=, =~ or !~", `compare strings with one "="`)
	case p.tok.kind == tPipeEq || p.tok.kind == tPipeTilde:
		p.unexpected("=, !=, =~ or !~", "|= and |~ search the line; labels are compared with = and =~")
	default:
		hint := ""
		if p.tok.kind == tSub {
			hint = "a label name holds letters, digits and _ only; where a key has a hyphen, its label has _"
		}
		p.unexpected(fmt.Sprintf("=, !=, =~ or !~ after the label %s", shorten(name.text)), hint)
	}
	return op
}

// matcherValue reads the string of a matcher and checks a regexp.
func (p *parser) matcherValue(m *Matcher) {
	hint := ""
	switch p.tok.kind {
	case tWord:
		hint = fmt.Sprintf("put the value in quotes: %s%s%q", m.Name, m.Op, p.tok.text)
	case tNumber, tDuration, tBytes:
		hint = fmt.Sprintf("put the value in quotes: %s%s%q", m.Name, m.Op, p.tok.text)
	}
	value := p.tok
	p.expect(tString, `a string in double quotes or backticks after `+m.Op.String(), hint)
	if p.err != nil {
		return
	}
	m.Value, m.ValuePos = value.str, value.pos
	if m.Op == MatchRegexp || m.Op == MatchNotRegexp {
		p.checkRegexp(value)
	}
}

// checkRegexp refuses a string that is no regexp.
func (p *parser) checkRegexp(t token) *regexp.Regexp {
	re, err := regexp.Compile(t.str)
	if err == nil {
		return re
	}
	msg := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	hint := "see https://github.com/google/re2/wiki/Syntax"
	switch {
	case strings.Contains(msg, "(?=") || strings.Contains(msg, "(?!") || strings.Contains(msg, "(?<"):
		hint = "RE2 has no look-around: filter twice instead"
	case strings.Contains(msg, "missing argument to repetition"):
		hint = `"any text" is .*; a literal * + or ? needs a backslash`
	case strings.Contains(msg, "missing closing"), strings.Contains(msg, "unexpected )"):
		hint = "escape a literal bracket with a backslash"
	}
	p.fail(t.pos, hint, "the regexp is not valid: %s", msg)
	return nil
}

// logQuery reads a selector and its pipeline, as a whole query.
func (p *parser) logQuery() *LogQuery {
	start := p.tok.pos.Start
	q := &LogQuery{Selector: p.selector()}
	stages, unwrap := p.pipeline()
	q.Stages = stages
	q.at = p.from(start)
	p.refuseUnwrap(unwrap)
	return q
}

func (p *parser) refuseUnwrap(u *Unwrap) {
	if u != nil && p.err == nil {
		p.fail(u.Pos, "wrap the query: sum_over_time({…} | unwrap "+u.Label+" [5m])", "unwrap has no meaning without a range aggregation around the query")
	}
}

// pipeline reads stages as long as there are any. After an unwrap only label
// filters may follow; they belong to it.
func (p *parser) pipeline() ([]Stage, *Unwrap) {
	var stages []Stage
	for p.err == nil {
		start := p.tok.pos.Start
		if lineFilterOpOf(p.tok.kind) != 0 {
			stages = append(stages, p.lineFilter())
			continue
		}
		if !p.accept(tPipe) {
			break
		}
		if p.tok.is("unwrap") && !comparesLabel(p.peek().kind) {
			return stages, p.unwrap(start)
		}
		if s := p.stage(start); s != nil {
			stages = append(stages, s)
		}
	}
	return stages, nil
}

func lineFilterOpOf(k kind) LineFilterOp {
	switch k {
	case tPipeEq:
		return LineContains
	case tNeq:
		return LineNotContains
	case tPipeTilde:
		return LineMatches
	case tBangTilde:
		return LineNotMatches
	case tPipeGT:
		return LinePattern
	case tBangGT:
		return LineNotPattern
	}
	return 0
}

// lineFilter reads |= "a" or "b" and its like.
func (p *parser) lineFilter() *LineFilter {
	start := p.tok.pos.Start
	f := &LineFilter{Op: lineFilterOpOf(p.tok.kind)}
	p.advance()
	f.Operands = append(f.Operands, p.lineOperand(f.Op))
	for p.acceptWord("or") {
		if lineFilterOpOf(p.tok.kind) != 0 {
			p.unexpected("a string after or", `write the operator once: |= "a" or "b"`)
		}
		f.Operands = append(f.Operands, p.lineOperand(f.Op))
	}
	f.at = p.from(start)
	return f
}

func (p *parser) lineOperand(op LineFilterOp) LineOperand {
	t := p.tok
	if t.is("ip") && p.peek().kind == tLParen {
		if op != LineContains && op != LineNotContains {
			p.fail(t.pos, `write |= ip("…") or != ip("…")`, "%s does not take ip(…)", op)
		}
		addr := p.ip()
		return LineOperand{at: p.from(t.pos.Start), Value: addr.str, IP: true}
	}
	if t.kind == tEq {
		p.unexpected("a string after "+op.String(), "write |= or |~")
	}
	s := p.string("a string after " + op.String())
	return LineOperand{at: at{s.pos}, Value: s.str}
}

// ip reads ip("…") and returns the token of the address.
func (p *parser) ip() token {
	p.advance()
	p.expect(tLParen, `"(" after ip`, "")
	addr := p.string(`an address in quotes, such as "10.0.0.0/8"`)
	p.expect(tRParen, `")" after the address`, "")
	return addr
}
