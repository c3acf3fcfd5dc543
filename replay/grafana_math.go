package replay

import (
	"fmt"
	"math"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/rules"
)

// A number is one item of a set of numbers: a reduced series, or one of an
// instant answer. null is no number at all, unlike NaN.
type number struct {
	labels logs.Labels
	v      float64
	null   bool
	shown  float64 // what was compared, for reports
}

// numbers is what an expression yields at one instant. A scalar has one item
// without labels. None at all is "no data".
type numbers []number

// maxMathPairs bounds the pairs of numbers that one operation looks at.
const maxMathPairs = 1_000_000

// calculate evaluates a math expression. Without data on either side of an
// operator there is none.
func calculate(e *rules.MathExpr, vars map[string]numbers) (numbers, error) {
	switch {
	case e.Var != "":
		return vars[e.Var], nil
	case e.Op == "":
		return numbers{{v: e.Number, null: e.Null, shown: e.Number}}, nil
	}
	left, err := calculate(e.Args[0], vars)
	if err != nil || len(e.Args) == 1 {
		return unary(e.Op, left), err
	}
	right, err := calculate(e.Args[1], vars)
	if err != nil {
		return nil, err
	}
	return join(e, left, right)
}

// unary applies a function, or an operator of one side.
func unary(op string, in numbers) numbers {
	out := make(numbers, len(in))
	for i, n := range in {
		out[i] = n
		switch {
		case op == "is_null":
			out[i].v, out[i].null = truth(n.null), false
		case op == "is_nan":
			out[i].v, out[i].null = truth(!n.null && math.IsNaN(n.v)), false
		case op == "is_inf":
			out[i].v, out[i].null = truth(!n.null && math.IsInf(n.v, 0)), false
		case op == "is_number":
			out[i].v, out[i].null = truth(!n.null && !math.IsNaN(n.v) && !math.IsInf(n.v, 0)), false
		case !n.null:
			out[i].v = function(op, n.v)
		}
		if op != "!" && op[0] != 'i' { // the answer to a question is shown by what was asked of
			out[i].shown = out[i].v
		}
	}
	return out
}

func function(op string, v float64) float64 {
	switch op {
	case "-":
		return -v
	case "!":
		return truth(v == 0)
	case "abs":
		return math.Abs(v)
	case "log":
		return math.Log(v)
	case "round":
		return math.Round(v)
	case "ceil":
		return math.Ceil(v)
	case "floor":
		return math.Floor(v)
	}
	panic("replay: unknown function " + op)
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// join applies an operator to the items of both sides that belong together:
// those whose labels are equal, or where the labels of one are among those of
// the other. One without labels belongs to all.
func join(e *rules.MathExpr, left, right numbers) (numbers, error) {
	var out numbers
	byKey := map[string]int{}
	if len(left) > 1 && len(right) > 1 {
		for i, r := range right {
			byKey[r.labels.String()] = i
		}
	}
	if len(left)*len(right) > maxMathPairs {
		return nil, fmt.Errorf("the two sides of %s have %d and %d numbers, which are too many to match", e.Op, len(left), len(right))
	}
	for _, l := range left {
		if i, ok := byKey[l.labels.String()]; ok {
			out = append(out, combine(e.Op, l, right[i]))
			continue
		}
		for _, r := range right {
			if subset(l.labels, r.labels) || subset(r.labels, l.labels) {
				out = append(out, combine(e.Op, l, r))
			}
		}
	}
	if len(out) == 0 && len(left) > 0 && len(right) > 0 {
		return nil, fmt.Errorf("the two sides of %s have no labels in common: %v and %v", e.Op, left[0].labels, right[0].labels)
	}
	return out, nil
}

// subset reports whether all labels of a are in b.
func subset(a, b logs.Labels) bool {
	if len(a) > len(b) {
		return false
	}
	for _, l := range a {
		if v, ok := b.Lookup(l.Name); !ok || v != l.Value {
			return false
		}
	}
	return true
}

func combine(op string, l, r number) number {
	out := number{labels: l.labels, null: l.null || r.null}
	side := l // which a comparison is about: the one with more labels
	if len(r.labels) > len(l.labels) {
		out.labels, side = r.labels, r
	}
	if out.null {
		return out
	}
	out.v = operate(op, l.v, r.v)
	switch op {
	case "+", "-", "*", "/", "%", "**":
		out.shown = out.v
	default:
		out.shown = side.shown
	}
	return out
}

func operate(op string, l, r float64) float64 {
	switch op {
	case "+":
		return l + r
	case "-":
		return l - r
	case "*":
		return l * r
	case "/":
		return l / r
	case "%":
		return math.Mod(l, r)
	case "**":
		return math.Pow(l, r)
	case "==":
		return truth(l == r)
	case "!=":
		return truth(l != r)
	case ">":
		return truth(l > r)
	case "<":
		return truth(l < r)
	case ">=":
		return truth(l >= r)
	case "<=":
		return truth(l <= r)
	case "&&":
		return truth(l != 0 && r != 0)
	case "||":
		return truth(l != 0 || r != 0)
	}
	panic("replay: unknown operator " + op)
}
