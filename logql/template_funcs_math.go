package logql

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"text/template"
)

var (
	errTemplateDivide = errors.New("division by zero")
	errTemplateNumber = errors.New("infinity and NaN cannot be calculated with")
)

// addNumberFuncs adds the functions on numbers. They take text too; text that
// is no number counts as 0.
func addNumberFuncs(m template.FuncMap) {
	add := func(name string, f any) { m[name] = f }
	add("int", func(v any) int { return int(toInt(v)) })
	add("float64", toFloat)

	add("add", func(vs ...any) int64 {
		var sum int64
		for _, v := range vs {
			sum += toInt(v)
		}
		return sum
	})
	add("sub", func(a, b any) int64 { return toInt(a) - toInt(b) })
	add("mul", func(a any, vs ...any) int64 {
		product := toInt(a)
		for _, v := range vs {
			product *= toInt(v)
		}
		return product
	})
	add("div", func(a, b any) (int64, error) { return divide(a, b, func(a, b int64) int64 { return a / b }) })
	add("mod", func(a, b any) (int64, error) { return divide(a, b, func(a, b int64) int64 { return a % b }) })
	add("max", func(a any, vs ...any) int64 {
		return foldNumbers(toInt, a, vs, func(a, b int64) int64 { return max(a, b) })
	})
	add("min", func(a any, vs ...any) int64 {
		return foldNumbers(toInt, a, vs, func(a, b int64) int64 { return min(a, b) })
	})

	add("addf", func(vs ...any) (float64, error) { return decimals(0.0, vs, (*big.Rat).Add) })
	add("subf", func(a any, vs ...any) (float64, error) { return decimals(a, vs, (*big.Rat).Sub) })
	add("mulf", func(a any, vs ...any) (float64, error) { return decimals(a, vs, (*big.Rat).Mul) })
	add("divf", divideDecimals)
	add("maxf", func(a any, vs ...any) float64 { return foldNumbers(toFloat, a, vs, math.Max) })
	add("minf", func(a any, vs ...any) float64 { return foldNumbers(toFloat, a, vs, math.Min) })

	add("ceil", func(v any) float64 { return math.Ceil(toFloat(v)) })
	add("floor", func(v any) float64 { return math.Floor(toFloat(v)) })
	add("round", roundTo)
}

func divide(a, b any, f func(a, b int64) int64) (int64, error) {
	d := toInt(b)
	if d == 0 {
		return 0, errTemplateDivide
	}
	return f(toInt(a), d), nil
}

func foldNumbers[N any](conv func(any) N, first any, rest []any, f func(a, b N) N) N {
	n := conv(first)
	for _, v := range rest {
		n = f(n, conv(v))
	}
	return n
}

// decimals calculates with the decimal numbers that the floats print as, so
// that addf 0.1 0.2 is 0.3.
func decimals(first any, rest []any, f func(z, x, y *big.Rat) *big.Rat) (float64, error) {
	z, err := toRat(first)
	if err != nil {
		return 0, err
	}
	for _, v := range rest {
		y, err := toRat(v)
		if err != nil {
			return 0, err
		}
		// The range of a float bounds the digits of each operand, and
		// going back to one bounds those of the result.
		if z = f(new(big.Rat), z, y); z.Num().BitLen()+z.Denom().BitLen() > 1<<16 {
			return 0, errTemplateNumber
		}
	}
	n, _ := z.Float64()
	return n, nil
}

// divideDecimals divides by one number after the other, each time rounding to
// 16 digits after the point.
func divideDecimals(first any, rest ...any) (float64, error) {
	zero := false
	n, err := decimals(first, rest, func(z, x, y *big.Rat) *big.Rat {
		if y.Sign() == 0 {
			zero = true
			return x
		}
		z.Quo(x, y)
		z.SetString(z.FloatString(16))
		return z
	})
	if zero {
		return 0, errTemplateDivide
	}
	return n, err
}

func toRat(v any) (*big.Rat, error) {
	f := toFloat(v)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errTemplateNumber
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		return nil, errTemplateNumber
	}
	return r, nil
}

// roundTo rounds v to places digits after the point. The part beyond them is
// rounded up when it reaches the threshold, 0.5 unless given. Below zero that
// part is negative and never reaches it, as in the library that Loki uses.
func roundTo(v any, places int, threshold ...float64) float64 {
	limit := 0.5
	if len(threshold) > 0 {
		limit = threshold[0]
	}
	scale := math.Pow(10, float64(places))
	scaled := toFloat(v) * scale
	if _, part := math.Modf(scaled); part >= limit {
		return math.Ceil(scaled) / scale
	}
	return math.Floor(scaled) / scale
}

// toInt returns v as a whole number: decimal text without what follows its
// point, text with 0x, 0o or 0b, a number cut to its whole part, true as 1.
// Anything else is 0.
func toInt(v any) int64 {
	if s, ok := v.(string); ok {
		return textToInt(s)
	}
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
		return 0
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return int64(r.Uint())
	case r.CanFloat():
		return int64(r.Float())
	case r.Kind() == reflect.Bool && r.Bool():
		return 1
	}
	return 0
}

func textToInt(s string) int64 {
	if whole, part, ok := strings.Cut(s, "."); ok && isDecimal(whole) && strings.Trim(part, "0123456789") == "" {
		s = whole
		if strings.Trim(s, "+-") == "" {
			return 0
		}
	}
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		return 0
	}
	return n
}

// isDecimal reports whether s is digits after a sign, both of which may be
// missing.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return strings.Trim(s, "0123456789") == ""
}

// toFloat returns v as a number, 0 when it is none.
func toFloat(v any) float64 {
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return 0
		}
		return f
	}
	r := reflect.ValueOf(v)
	switch {
	case !r.IsValid():
		return 0
	case r.CanInt():
		return float64(r.Int())
	case r.CanUint():
		return float64(r.Uint())
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.Bool && r.Bool():
		return 1
	}
	return 0
}
