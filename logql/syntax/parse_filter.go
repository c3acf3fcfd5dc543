package syntax

import "fmt"

// labelFilter reads conditions joined by or, and, commas or nothing. All but
// or mean and, and bind tighter.
func (p *parser) labelFilter() LabelFilter {
	start := p.tok.pos.Start
	p.enter()
	defer p.leave()
	f := p.labelAnd(start, "a label name after |")
	for p.acceptWord("or") {
		rhs := p.labelAnd(p.tok.pos.Start, "a condition after or")
		f = &LabelBinary{p.from(start), true, f, rhs}
	}
	return f
}

func (p *parser) labelAnd(start int, want string) LabelFilter {
	f := p.labelCondition(want)
	for p.err == nil {
		switch {
		case p.acceptWord("and"):
			want = "a condition after and"
		case p.accept(tComma):
			want = "a condition after the comma"
		case p.tok.kind == tLParen, p.tok.label() && p.unitHint() == "":
			want = "a condition"
		default:
			return f
		}
		rhs := p.labelCondition(want)
		f = &LabelBinary{p.from(start), false, f, rhs}
	}
	return f
}

// labelCondition reads one comparison or a bracket.
func (p *parser) labelCondition(want string) LabelFilter {
	start := p.tok.pos.Start
	if p.accept(tLParen) {
		f := p.labelFilter()
		p.expect(tRParen, `")"`, "")
		return f
	}
	name := p.tok
	if !name.label() {
		p.badCondition(want)
		return nil
	}
	p.advance()
	op := p.tok
	p.advance()
	switch op.kind {
	case tEq, tNeq, tEqTilde, tBangTilde, tEqEq, tGT, tGTE, tLT, tLTE:
		return p.labelValue(start, name, op)
	}
	p.noComparison(name, op)
	return nil
}

func (p *parser) badCondition(want string) {
	hint := ""
	switch p.tok.kind {
	case tNumber, tDuration, tBytes:
		hint = "write the label first: status >= 400"
	case tComma:
		hint = "leave out one comma"
	case tEOF, tPipe, tRange:
		if p.prev.kind == tComma {
			hint = "leave out the comma before it"
		}
	case tWord:
		p.badLabel(want)
		return
	}
	p.unexpected(want, hint)
}

// noComparison refuses a label that no comparison follows: often a stage that
// does not exist.
func (p *parser) noComparison(name, op token) {
	p.tok = op
	if p.prev = name; p.err != nil {
		return
	}
	if hint := stageHint(name, op); hint != "" {
		p.fail(name.pos, hint, "%q is no stage, and no comparison follows it", name.text)
		return
	}
	if op.kind == tSub && op.pos.Start == name.pos.End {
		p.unexpected(fmt.Sprintf("a comparison after the label %s", shorten(name.text)), "a label name holds letters, digits and _ only; where a key has a hyphen, its label has _")
	}
	p.unexpected(fmt.Sprintf("a comparison after the label %s", shorten(name.text)), "compare it, for example "+shorten(name.text)+`="…", or `+shorten(name.text)+" > 1")
}

// labelValue reads the right side of a comparison.
func (p *parser) labelValue(start int, name, op token) LabelFilter {
	t := p.tok
	switch {
	case t.kind == tString:
		return p.labelString(start, name, op)
	case t.is("ip") && p.peek().kind == tLParen:
		if op.kind != tEq && op.kind != tNeq {
			p.fail(op.pos, "compare addresses with = or !=", "%s does not take ip(…)", op.text)
		}
		addr := p.ip()
		return &LabelIP{p.from(start), name.text, matchOpOf(op.kind), addr.str, addr.pos}
	case op.kind == tEqTilde || op.kind == tBangTilde:
		p.unexpected("a regexp in quotes after "+op.text, quoteHint(name, op, t))
		return nil
	}
	return p.labelQuantity(start, name, op)
}

func quoteHint(name, op, value token) string {
	switch value.kind {
	case tWord, tNumber, tDuration, tBytes:
		return fmt.Sprintf("put it in quotes: %s%s%q", shorten(name.text), op.text, shorten(value.text))
	}
	return ""
}

func (p *parser) labelString(start int, name, op token) LabelFilter {
	m := &Matcher{Name: name.text, Op: matchOpOf(op.kind)}
	switch {
	case op.kind == tEqEq:
		p.fail(op.pos, `compare strings with one "="`, "%s compares numbers, not strings", op.text)
	case m.Op == 0:
		p.fail(p.tok.pos, "leave out the quotes to compare numbers, durations or sizes", "%s compares numbers, not strings", op.text)
	}
	p.matcherValue(m)
	m.at = p.from(start)
	return &LabelString{m.at, m}
}

// labelQuantity reads a number, duration or size.
func (p *parser) labelQuantity(start int, name, op token) LabelFilter {
	first, negative, signed := p.tok, false, false
	if p.tok.kind == tSub || p.tok.kind == tAdd {
		negative, signed = p.tok.kind == tSub, true
		p.advance()
	}
	t := p.tok
	cmp := compareOpOf(op.kind)
	switch {
	case t.kind == tNumber:
		v, ok := parseFilterNumber(t.text)
		if !ok {
			p.fail(t.pos, "", "the number %s is out of range", shorten(t.text))
		}
		if negative {
			v = -v
		}
		p.advance()
		return &LabelNumber{p.from(start), name.text, cmp, v}
	case t.kind == tDuration:
		d := t.dur
		if negative {
			d = -d
		}
		p.advance()
		return &LabelDuration{p.from(start), name.text, cmp, d}
	case t.kind == tBytes && signed:
		p.fail(Span{first.pos.Start, t.pos.End}, "leave out the sign", "a size has no sign")
		return nil
	case t.kind == tBytes:
		p.advance()
		return &LabelBytes{p.from(start), name.text, cmp, t.size}
	}
	p.unexpected("a string, number, duration or size after "+op.text, quoteHint(name, op, t))
	return nil
}

func compareOpOf(k kind) CompareOp {
	switch k {
	case tEq, tEqEq:
		return CompareEqual
	case tNeq:
		return CompareNotEqual
	case tGT:
		return CompareGreater
	case tGTE:
		return CompareGreaterEqual
	case tLT:
		return CompareLess
	case tLTE:
		return CompareLessEqual
	}
	return 0
}
