package syntax

import (
	"fmt"
	"math"
	"strconv"
)

// expr reads operands joined by binary operators of at least this precedence.
func (p *parser) expr(prec int) Expr {
	start := p.tok.pos.Start
	p.enter()
	defer p.leave()
	lhs := p.operand()
	for p.err == nil {
		op := p.binaryOp()
		if op == 0 || binaryOps[op].prec < prec {
			break
		}
		b := &BinaryExpr{Op: op, OpPos: p.tok.pos, LHS: lhs}
		p.checkOperand(b, lhs)
		p.advance()
		p.modifiers(b)
		next := binaryOps[op].prec + 1
		if op == OpPow { // right-associative
			next--
		}
		b.RHS = p.expr(next)
		p.checkOperand(b, b.RHS)
		b.at = p.from(start)
		lhs = b
	}
	return lhs
}

// binaryOp returns the operator that stands next, 0 if there is none.
func (p *parser) binaryOp() BinaryOp {
	switch p.tok.kind {
	case tWord:
		for op := OpOr; op <= OpUnless; op++ {
			if p.tok.is(binaryOps[op].name) {
				return op
			}
		}
	case tEqEq:
		return OpEqual
	case tNeq:
		return OpNotEqual
	case tGT:
		return OpGreater
	case tGTE:
		return OpGreaterEqual
	case tLT:
		return OpLess
	case tLTE:
		return OpLessEqual
	case tAdd:
		return OpAdd
	case tSub:
		return OpSub
	case tMul:
		return OpMul
	case tDiv:
		return OpDiv
	case tMod:
		return OpMod
	case tPow:
		return OpPow
	}
	return 0
}

// checkOperand refuses an operand that the operator cannot take.
func (p *parser) checkOperand(b *BinaryExpr, e Expr) {
	if p.err != nil {
		return
	}
	if _, ok := e.(*LogQuery); ok {
		p.fail(b.OpPos, p.joinHint(b.Op), "%s cannot join log queries", b.Op)
		return
	}
	if b.Op.Set() && scalar(e) {
		p.fail(e.Span(), "write vector(…) around the number", "%s joins vectors, and this is a number", b.Op)
	}
}

// joinHint says what to write in place of an operator after a log query.
func (p *parser) joinHint(op BinaryOp) string {
	switch {
	case op == OpUnless && p.tok.is("unless"):
		return "label filters are joined by and and or; negate a comparison with != or !~"
	case op == OpAnd && p.tok.is("and") && p.prev.kind == tString:
		return `to require two texts write two line filters: |= "a" |= "b"`
	}
	return "join metric queries, for example count_over_time({…}[5m]); to select more streams use one selector with =~"
}

// scalar reports whether e is made of numbers only.
func scalar(e Expr) bool {
	switch e := e.(type) {
	case *NumberLit:
		return true
	case *BinaryExpr:
		return scalar(e.LHS) && scalar(e.RHS)
	}
	return false
}

// modifiers reads bool, on (…) and the like after an operator.
func (p *parser) modifiers(b *BinaryExpr) {
	if p.acceptWord("bool") {
		b.Bool = b.Op.Comparison() // elsewhere it is taken but means nothing
	}
	start := p.tok.pos.Start
	if !p.tok.is("on") && !p.tok.is("ignoring") {
		if p.tok.is("group_left") || p.tok.is("group_right") {
			p.unexpected("on or ignoring before "+p.tok.text, "say which labels to match: on (…) group_left (…)")
		}
		return
	}
	m := &VectorMatching{On: p.tok.is("on")}
	p.advance()
	m.Labels, _ = p.labelList()
	switch {
	case p.acceptWord("group_left"):
		m.Card = ManyToOne
	case p.acceptWord("group_right"):
		m.Card = OneToMany
	}
	if m.Card != OneToOne && p.tok.kind == tLParen {
		m.Include, _ = p.labelList()
	}
	if b.Op.Set() { // matching many to many is what they do in any case
		m.Card, m.Include = ManyToMany, nil
	}
	m.at = p.from(start)
	b.Matching = m
}

// labelList reads a bracketed list of labels, which may be empty.
func (p *parser) labelList() (names []string, pos []Span) {
	hint := ""
	if p.tok.label() {
		hint = fmt.Sprintf("put the labels in brackets: (%s)", shorten(p.tok.text))
	}
	p.expect(tLParen, `"(" before the labels`, hint)
	if p.accept(tRParen) {
		return nil, nil
	}
	for {
		t := p.label("a label name")
		names, pos = append(names, t.text), append(pos, t.pos)
		if !p.accept(tComma) {
			break
		}
		if p.tok.kind == tRParen {
			p.unexpected("another label", "leave out the comma before it")
		}
	}
	p.expect(tRParen, `"," or ")" after the label`, "")
	return names, pos
}

// operand reads an expression without binary operators.
func (p *parser) operand() Expr {
	t := p.tok
	switch t.kind {
	case tLBrace:
		return p.logQuery()
	case tLParen:
		p.advance()
		e := p.expr(1)
		p.expect(tRParen, `")"`, p.closeHint())
		return e
	case tNumber:
		p.advance()
		return &NumberLit{p.from(t.pos.Start), p.float(t)}
	case tAdd, tSub:
		return p.signed()
	case tWord:
		return p.call()
	}
	p.noOperand()
	return nil
}

func (p *parser) closeHint() string {
	if p.tok.kind == tEOF {
		return `add the closing ")"`
	}
	return ""
}

// signed reads a number with a sign. A server takes no other operand here.
func (p *parser) signed() Expr {
	sign := p.tok
	p.advance()
	t := p.tok
	if t.kind != tNumber {
		hint := ""
		if sign.kind == tSub && (t.kind == tWord || t.kind == tLParen) {
			hint = "negate a vector with 0 - … or -1 * …"
		}
		p.unexpected("a number after "+sign.text, hint)
		return nil
	}
	p.advance()
	v := p.float(t)
	if sign.kind == tSub {
		v = -v
	}
	return &NumberLit{p.from(sign.pos.Start), v}
}

// float returns the value of a number outside of label filters.
func (p *parser) float(t token) float64 {
	v, err := strconv.ParseFloat(t.text, 64)
	if math.IsInf(v, 0) {
		p.fail(t.pos, "", "the number %s is out of range", shorten(t.text))
	}
	if err != nil {
		hint := ""
		if n, ok := parseFilterNumber(t.text); ok {
			hint = "write " + formatNumber(n)
		}
		p.fail(t.pos, hint, "%s is no decimal number", shorten(t.text))
	}
	return v
}

// metric reads an expression that must not be a log query: an argument of
// the named function.
func (p *parser) metric(function string) Expr {
	start := p.tok.pos
	e := p.expr(1)
	q, ok := e.(*LogQuery)
	if !ok || p.err != nil {
		return e
	}
	window := "[5m]"
	if p.tok.kind == tRange {
		window = p.tok.text
	}
	param := ""
	if op, ok := vectorOpNamed(function); ok && vectorOps[op].param {
		param = "3, "
	}
	hint := fmt.Sprintf("write %s(%scount_over_time({…}%s))", function, param, window)
	if function == Count.String() {
		hint = fmt.Sprintf("to count lines write count_over_time({…}%s)", window)
	}
	p.fail(Span{start.Start, q.Pos.End}, hint, "%s works on a metric query, and this is a log query", function)
	return e
}

// call reads a function and its arguments.
func (p *parser) call() Expr {
	name := p.tok
	if op, ok := rangeOpNamed(name.text); ok {
		p.advance()
		return p.rangeAgg(op, name)
	}
	if op, ok := vectorOpNamed(name.text); ok {
		p.advance()
		return p.vectorAgg(op, name)
	}
	switch {
	case name.is("label_replace"):
		p.advance()
		return p.labelReplace(name)
	case name.is("vector"):
		p.advance()
		return p.vector(name)
	}
	p.noFunction()
	return nil
}

// vector reads the argument of vector(1), a number without sign.
func (p *parser) vector(name token) Expr {
	p.expect(tLParen, `"(" after vector`, "")
	t := p.tok
	if t.kind != tNumber {
		hint := "write vector(1)"
		if t.kind == tSub {
			hint = "write 0 - vector(…) for a negative one"
		}
		p.unexpected("a number without sign", hint)
		return nil
	}
	p.advance()
	p.expect(tRParen, `")" after the number`, "")
	return &VectorFunc{p.from(name.pos.Start), p.float(t)}
}

// labelReplace reads (expr, "dst", "replacement", "src", "regexp").
func (p *parser) labelReplace(name token) Expr {
	const usage = `write label_replace(v, "dst", "$1", "src", "(.*)")`
	r := &LabelReplace{}
	p.expect(tLParen, `"(" after label_replace`, "")
	if p.tok.kind == tString {
		p.unexpected("a metric query as first argument", usage)
	}
	r.Expr = p.metric("label_replace")
	var args [4]token
	for i, what := range [...]string{"the new label", "its value", "the source label", "the regexp"} {
		p.expect(tComma, `"," and `+what+" in quotes", usage)
		args[i] = p.string(what + " in quotes")
	}
	p.expect(tRParen, `")" after the regexp`, usage)
	r.Dst, r.Replacement, r.Src = args[0].str, args[1].str, args[2].str
	r.Regexp, r.RegexpPos = args[3].str, args[3].pos
	if p.err == nil {
		p.checkRegexp(args[3])
	}
	r.at = p.from(name.pos.Start)
	return r
}

// vectorAgg reads [grouping] ([param,] expr) [grouping].
func (p *parser) vectorAgg(op VectorOp, name token) Expr {
	info := vectorOps[op]
	a := &VectorAgg{Op: op}
	a.Grouping = p.grouping()
	p.expect(tLParen, fmt.Sprintf(`"(" after %s`, info.name), p.bracketHint(info.name))
	if info.param {
		a.Param = p.count(info.name)
		p.expect(tComma, `"," after the count`, "")
	}
	a.Expr = p.metric(info.name)
	if p.tok.kind == tComma {
		p.unexpected(`")"`, fmt.Sprintf("%s has one metric query as argument", info.name))
	}
	p.expect(tRParen, `")"`, p.closeHint())
	if p.tok.is("by") || p.tok.is("without") {
		if a.Grouping != nil {
			p.fail(p.tok.pos, "write all labels in one list", "%s is already grouped", info.name)
		}
		a.Grouping = p.grouping()
	}
	if a.Grouping != nil && !info.group {
		p.fail(a.Grouping.Pos, "group inside: "+info.name+"(sum by (…) (…))", "%s takes no grouping", info.name)
	}
	a.at = p.from(name.pos.Start)
	return a
}

// bracketHint explains a function without brackets.
func (p *parser) bracketHint(function string) string {
	if p.tok.label() {
		return fmt.Sprintf("put the argument in brackets: %s(%s…)", function, shorten(p.tok.text))
	}
	return ""
}

// count reads the whole number above 0 that topk and its like begin with.
func (p *parser) count(function string) int {
	t := p.tok
	n, err := strconv.Atoi(t.text)
	if t.kind != tNumber || err != nil || n < 1 {
		p.fail(t.pos, fmt.Sprintf("write %s(3, …)", function), "%s needs a whole number above 0 first, found %s", function, t.describe())
		return 0
	}
	p.advance()
	return n
}

// grouping reads by (…) or without (…); nil if neither stands next.
func (p *parser) grouping() *Grouping {
	if p.err != nil || !p.tok.is("by") && !p.tok.is("without") {
		return nil
	}
	start := p.tok.pos.Start
	g := &Grouping{Without: p.tok.is("without")}
	p.advance()
	g.Labels, g.LabelPos = p.labelList()
	g.at = p.from(start)
	return g
}

// offset reads offset 5m, offset -5m.
func (p *parser) offset(r *LogRange) {
	if !p.acceptWord("offset") {
		return
	}
	start := p.tok.pos.Start
	negative := p.accept(tSub)
	t := p.tok
	p.expect(tDuration, "a duration after offset", "write offset 5m")
	if r.Offset = t.dur; negative {
		r.Offset = -t.dur
	}
	r.OffsetPos = p.from(start).Pos
}
