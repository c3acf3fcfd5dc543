package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A MathExpr is a node of the language of Grafana's math expressions:
// "$A > 5 && abs($B) < 3". Exactly one of its forms is filled.
type MathExpr struct {
	Op   string // an operator with one or two Args, or a function with one
	Args []*MathExpr

	Var string // a refID, without the $

	// Number is a constant if Op and Var are empty; Null marks null.
	Number float64
	Null   bool

	Start, End int // bytes of the text
}

// A MathError is what is wrong in a math expression.
type MathError struct {
	Start, End int // bytes of the text
	Msg        string
}

// Error returns what is wrong.
func (e *MathError) Error() string { return e.Msg }

// Bounds of a math expression: bytes, and how deep it nests.
const (
	maxMath      = 16 << 10
	maxMathDepth = 200
)

// mathFunctions are the functions of one argument.
var mathFunctions = []string{"abs", "log", "round", "ceil", "floor", "is_nan", "is_null", "is_number", "is_inf"}

// mathLevels are the operators of two sides, from the loosest to the tightest.
var mathLevels = [][]string{
	{"||"},
	{"&&"},
	{"==", "!=", ">=", "<=", ">", "<"},
	{"+", "-"},
	{"*", "/", "%"},
}

// ParseMath reads a math expression. An error is a [*MathError].
//
// Operators, from the tightest: ! and - before an operand, **, then * / %,
// then + -, then comparisons, then &&, then ||. Those of one level are taken
// from the left. A chain of ** and a minus before one are refused, for it is
// not documented how they group.
func ParseMath(text string) (*MathExpr, error) {
	p := mathParser{text: text}
	if len(text) > maxMath {
		return nil, &MathError{0, 1, fmt.Sprintf("the expression is longer than %d bytes", maxMath)}
	}
	e := p.binary(0)
	if p.skip(); p.err == nil && p.at < len(text) {
		p.fail(p.at, p.at+1, "unexpected %q", text[p.at:p.at+1])
	}
	if p.err != nil {
		return nil, p.err
	}
	return e, nil
}

// A mathParser reads a text from the left. After the first error it makes no
// progress.
type mathParser struct {
	text  string
	at    int
	depth int
	err   *MathError
}

func (p *mathParser) fail(start, end int, format string, args ...any) *MathExpr {
	if p.err == nil {
		p.err = &MathError{start, min(max(end, start), len(p.text)), fmt.Sprintf(format, args...)}
	}
	return &MathExpr{}
}

func (p *mathParser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take reads the first of tokens that comes next.
func (p *mathParser) take(tokens ...string) string {
	p.skip()
	for _, t := range tokens {
		if strings.HasPrefix(p.text[p.at:], t) && !(t == "*" && strings.HasPrefix(p.text[p.at:], "**")) {
			p.at += len(t)
			return t
		}
	}
	return ""
}

// enter reports whether an expression may nest deeper.
func (p *mathParser) enter() bool {
	p.depth++
	if p.depth > maxMathDepth {
		p.fail(p.at, p.at+1, "the expression nests deeper than %d", maxMathDepth)
	}
	return p.err == nil
}

// binary reads operators of a level and of all tighter ones.
func (p *mathParser) binary(level int) *MathExpr {
	if level == len(mathLevels) {
		return p.power()
	}
	left := p.binary(level + 1)
	for p.err == nil {
		op := p.take(mathLevels[level]...)
		if op == "" {
			break
		}
		right := p.binary(level + 1)
		left = &MathExpr{Op: op, Args: []*MathExpr{left, right}, Start: left.Start, End: right.End}
	}
	return left
}

func (p *mathParser) power() *MathExpr {
	left := p.unary()
	if p.err != nil || p.take("**") == "" {
		return left
	}
	if left.Op == "-" && len(left.Args) == 1 && p.text[left.Start] == '-' {
		return p.fail(left.Start, left.End, "put the side of ** in parentheses, which has a minus before it")
	}
	right := p.unary()
	if p.err == nil && p.take("**") != "" {
		return p.fail(p.at-2, p.at, "put one ** of a chain in parentheses")
	}
	return &MathExpr{Op: "**", Args: []*MathExpr{left, right}, Start: left.Start, End: right.End}
}

func (p *mathParser) unary() *MathExpr {
	p.skip()
	start := p.at
	if strings.HasPrefix(p.text[p.at:], "!=") {
		return p.fail(p.at, p.at+2, "unexpected %q", "!=")
	}
	op := p.take("!", "-")
	if op == "" {
		return p.operand()
	}
	if !p.enter() {
		return &MathExpr{}
	}
	arg := p.unary()
	p.depth--
	return &MathExpr{Op: op, Args: []*MathExpr{arg}, Start: start, End: arg.End}
}

func (p *mathParser) operand() *MathExpr {
	p.skip()
	start := p.at
	if start == len(p.text) {
		return p.fail(start, start, "the expression ends where a value is due")
	}
	switch c := p.text[start]; {
	case c == '(':
		p.at++
		e := p.group(start)
		if p.err == nil {
			grouped := *e
			grouped.Start, grouped.End = start, p.at
			e = &grouped
		}
		return e
	case c == '$':
		return p.variable()
	case c >= '0' && c <= '9' || c == '.':
		return p.number()
	case nameByte(c):
		return p.function()
	default:
		return p.fail(start, start+1, "unexpected %q", p.text[start:start+1])
	}
}

// group reads what stands in parentheses, after the first of them.
func (p *mathParser) group(open int) *MathExpr {
	if !p.enter() {
		return &MathExpr{}
	}
	e := p.binary(0)
	p.depth--
	if p.err == nil && p.take(")") == "" {
		return p.fail(open, open+1, "the parenthesis is not closed")
	}
	return e
}

// variable reads $A, ${A} or ${a name}. A second $ is taken as the escape of
// provisioning files.
func (p *mathParser) variable() *MathExpr {
	start := p.at
	p.at++
	if strings.HasPrefix(p.text[p.at:], "$") {
		p.at++
	}
	if strings.HasPrefix(p.text[p.at:], "{") {
		name, _, closed := strings.Cut(p.text[p.at+1:], "}")
		if !closed {
			return p.fail(start, p.at+1, "the brace is not closed")
		}
		p.at += len(name) + 2
		if name == "" {
			return p.fail(start, p.at, "the refId is missing")
		}
		return &MathExpr{Var: name, Start: start, End: p.at}
	}
	from := p.at
	for p.at < len(p.text) && nameByte(p.text[p.at]) && p.text[p.at] != ':' {
		p.at++
	}
	if from == p.at {
		return p.fail(start, p.at, "a refId must follow the $")
	}
	return &MathExpr{Var: p.text[from:p.at], Start: start, End: p.at}
}

func (p *mathParser) number() *MathExpr {
	start := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		sign := (c == '+' || c == '-') && strings.IndexByte("eE", p.text[p.at-1]) >= 0 && !strings.HasPrefix(p.text[start:], "0x")
		if !sign && c != '.' && !(nameByte(c) && c != ':') {
			break
		}
		p.at++
	}
	text := p.text[start:p.at]
	v, err := strconv.ParseFloat(text, 64)
	if n, e := strconv.ParseInt(text, 0, 64); err != nil && e == nil && strings.HasPrefix(strings.ToLower(text), "0x") {
		v, err = float64(n), nil
	}
	if err != nil || strings.Contains(text, "_") {
		return p.fail(start, p.at, "%q is not a number", text)
	}
	return &MathExpr{Number: v, Start: start, End: p.at}
}

// function reads a function, or a constant, whose parentheses may be left out.
func (p *mathParser) function() *MathExpr {
	start := p.at
	for p.at < len(p.text) && nameByte(p.text[p.at]) && p.text[p.at] != ':' {
		p.at++
	}
	if p.at == start {
		return p.fail(start, start+1, "unexpected %q", p.text[start:start+1])
	}
	name := p.text[start:p.at]
	if e := mathConstant(name); e != nil {
		if p.take("(") != "" && p.take(")") == "" {
			return p.fail(start, p.at, "%s takes no argument", name)
		}
		e.Start, e.End = start, p.at
		return e
	}
	if !slices.Contains(mathFunctions, name) {
		return p.fail(start, p.at, "unknown function %q; known are %s", name, strings.Join(mathFunctions, ", "))
	}
	open := p.at
	if p.take("(") == "" {
		return p.fail(start, p.at, "the function %s needs its argument in parentheses", name)
	}
	arg := p.group(open)
	return &MathExpr{Op: name, Args: []*MathExpr{arg}, Start: start, End: p.at}
}

func mathConstant(name string) *MathExpr {
	switch name {
	case "nan":
		v, _ := strconv.ParseFloat("nan", 64)
		return &MathExpr{Number: v}
	case "inf":
		v, _ := strconv.ParseFloat("inf", 64)
		return &MathExpr{Number: v}
	case "infn":
		v, _ := strconv.ParseFloat("-inf", 64)
		return &MathExpr{Number: v}
	case "null":
		return &MathExpr{Null: true}
	}
	return nil
}

// Vars returns the refIDs that an expression names, each once, in order.
func (e *MathExpr) Vars() []string {
	var names []string
	var walk func(*MathExpr)
	walk = func(e *MathExpr) {
		if e.Var != "" && !slices.Contains(names, e.Var) {
			names = append(names, e.Var)
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	walk(e)
	return names
}
