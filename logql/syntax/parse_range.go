package syntax

import "fmt"

// rangeAgg reads the arguments of a range aggregation and its grouping.
func (p *parser) rangeAgg(op RangeOp, name token) Expr {
	info := rangeOps[op]
	a := &RangeAgg{Op: op}
	if g := p.grouping(); g != nil {
		hint := fmt.Sprintf("write sum by (…) (%s(…))", op)
		if info.group {
			hint = fmt.Sprintf("write it after the bracket: %s(…) %s", op, g)
		}
		p.fail(g.Pos, hint, "%s takes no grouping before its argument", op)
	}
	p.expect(tLParen, fmt.Sprintf(`"(" after %s`, op), "")
	if op == QuantileOverTime {
		a.Param = p.quantile()
	}
	body := p.rangeBody(op)
	a.Range = body.r
	if p.err == nil && !body.windowed {
		p.noRange(op, a.Range.Query)
	}
	p.expect(tRParen, `")" after the range`, p.rangeEndHint(op))
	p.checkUnwrap(a, name)
	if p.tok.is("by") || p.tok.is("without") {
		p.rangeGrouping(a)
	}
	a.at = p.from(name.pos.Start)
	return a
}

func (p *parser) rangeEndHint(op RangeOp) string {
	switch {
	case p.tok.kind == tPipe || lineFilterOpOf(p.tok.kind) != 0:
		return "write the range after the last stage"
	case p.tok.kind == tRange:
		return "write one range only"
	case p.tok.kind == tEOF:
		return `add the closing ")"`
	case p.tok.kind == tComma:
		return fmt.Sprintf("%s works on one log range", op)
	case p.tok.is("by") || p.tok.is("without"):
		return fmt.Sprintf("close the bracket first: %s(…[5m]) by (…)", op)
	case p.binaryOp() != 0:
		return "close the bracket before the operator"
	}
	return ""
}

// noRange refuses what stands in place of a range.
func (p *parser) noRange(op RangeOp, q *LogQuery) {
	t := p.tok
	switch {
	case t.kind == tRParen || t.kind == tEOF:
		p.fail(q.Pos, "add one before the closing bracket, for example [5m]", "%s needs a range", op)
	case t.kind == tDuration:
		p.unexpected("a range", "put it in square brackets: ["+t.text+"]")
	case t.is("offset"):
		p.unexpected("a range such as [5m]", "the offset follows the range: [5m] offset 1h")
	}
	p.unexpected("a stage or a range such as [5m]", "")
}

// rangeGrouping reads the grouping after a range aggregation.
func (p *parser) rangeGrouping(a *RangeAgg) {
	g := p.grouping()
	if p.err == nil && !rangeOps[a.Op].group {
		p.fail(g.Pos, fmt.Sprintf("write sum %s (%s(…))", g, a.Op), "%s takes no grouping", a.Op)
	}
	a.Grouping = g
}

// checkUnwrap refuses an unwrap that the function does not take, or its
// absence.
func (p *parser) checkUnwrap(a *RangeAgg, name token) {
	if p.err != nil {
		return
	}
	u := a.Range.Unwrap
	switch rule := rangeOps[a.Op].unwrap; {
	case rule == unwrapRefused && u != nil:
		p.fail(u.Pos, "leave out unwrap, or aggregate its values with sum_over_time and the like", "%s works on lines and takes no unwrap", a.Op)
	case rule == unwrapNeeded && u == nil:
		p.fail(name.pos, "add | unwrap label before the range; to count lines use count_over_time", "%s works on values and needs an unwrap", a.Op)
	}
}

// quantile reads the first argument of quantile_over_time and the comma.
func (p *parser) quantile() float64 {
	t := p.tok
	if t.kind != tNumber {
		p.unexpected("a number without sign as first argument", "write quantile_over_time(0.99, {…} | unwrap x [5m])")
		return 0
	}
	p.advance()
	p.expect(tComma, `"," after the quantile`, "")
	return p.float(t)
}

// A rangeText is a log range while it is read.
type rangeText struct {
	r        *LogRange
	windowed bool // the range has been read
}

// rangeBody reads a log query with a range. The range stands after the
// selector or after the last stage; brackets may be around all of it or
// around what precedes the range.
func (p *parser) rangeBody(op RangeOp) rangeText {
	start := p.tok.pos.Start
	p.enter()
	defer p.leave()
	if p.accept(tLParen) {
		body := p.rangeBody(op)
		p.expect(tRParen, `")"`, "")
		if !body.windowed && p.tok.kind == tRange {
			p.window(&body)
			if len(body.r.Query.Stages) == 0 && body.r.Unwrap == nil {
				p.rangeStages(body.r)
			}
		}
		body.r.at = p.from(start)
		return body
	}
	if p.err == nil && p.tok.kind != tLBrace {
		p.noSelector(op)
	}
	body := rangeText{r: &LogRange{Query: &LogQuery{}}}
	body.r.Query.Selector = p.selector()
	body.r.Query.at = p.from(start)
	p.window(&body)
	p.rangeStages(body.r)
	p.window(&body)
	body.r.at = p.from(start)
	return body
}

// rangeStages reads the stages of a log range.
func (p *parser) rangeStages(r *LogRange) {
	q := r.Query
	q.Stages, r.Unwrap = p.pipeline()
	if n := len(q.Stages); n > 0 {
		q.Pos.End = q.Stages[n-1].Span().End
	}
}

// window reads a range and its offset, if they stand next.
func (p *parser) window(body *rangeText) {
	t := p.tok
	if body.windowed || t.kind != tRange {
		return
	}
	p.advance()
	body.windowed = true
	body.r.Range, body.r.RangePos = t.dur, t.pos
	p.offset(body.r)
}
