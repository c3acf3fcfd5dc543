package repair

import (
	"math"
	"strconv"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// Thresholds returns the rule with another number to compare with: scaled as
// its values shrank from deployed to candidate, in the scenario where they
// shrank most. It returns nothing for a rule that compares with no number.
func Thresholds(rule *rules.Rule, deployed, candidate []*outcome.Headroom) []Edit {
	number := bound(rule.Expr)
	if number == nil {
		return nil
	}
	scale := math.Inf(1)
	for i, d := range deployed {
		c := candidate[i]
		if d == nil || c == nil {
			return nil
		}
		a, b := d.Value, c.Value
		if d.Operator == "<" || d.Operator == "<=" {
			a, b = c.Lowest, d.Lowest // the smaller one is wanted, so the bound must rise
		}
		if !(a > 0 && b > 0 && b < a) {
			return nil
		}
		scale = min(scale, b/a)
		if d.Operator != ">" && d.Operator != ">=" && d.Operator != "<" && d.Operator != "<=" {
			return nil
		}
	}
	if len(deployed) == 0 || number.Value <= 0 {
		return nil
	}
	value := number.Value * scale
	if op := deployed[0].Operator; op == "<" || op == "<=" {
		value = number.Value / scale
	}
	span := number.Span()
	part := rules.Replacement{Start: span.Start, End: span.End, Text: twoDigits(value)}
	if part.Text == rule.Expr[span.Start:span.End] {
		return nil
	}
	parts := []rules.Replacement{part}
	return []Edit{{Expr: rules.Apply(rule.Expr, parts), Parts: parts, Kind: KindThreshold}}
}

// twoDigits prints a number with two digits that matter, without an exponent.
func twoDigits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		rounded = v
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// bound returns the number that the whole query is compared with.
func bound(expr string) *syntax.NumberLit {
	e, err := syntax.Parse(expr)
	if err != nil {
		return nil
	}
	b, ok := e.(*syntax.BinaryExpr)
	if !ok || !b.Op.Comparison() || b.Bool {
		return nil
	}
	if n, ok := b.RHS.(*syntax.NumberLit); ok {
		return n
	}
	n, _ := b.LHS.(*syntax.NumberLit)
	return n
}
