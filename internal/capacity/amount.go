package capacity

import (
	"math/big"
	"strings"
)

// An Amount is an exact number. The zero Amount is 0.
type Amount struct{ rat *big.Rat }

// Units returns a whole number.
func Units(n int64) Amount { return Amount{new(big.Rat).SetInt64(n)} }

// Exactly returns the number r.
func Exactly(r *big.Rat) Amount {
	if r == nil {
		return Amount{}
	}
	return Amount{new(big.Rat).Set(r)}
}

func (a Amount) value() *big.Rat {
	if a.rat == nil {
		return new(big.Rat)
	}
	return a.rat
}

// Plus returns a+b.
func (a Amount) Plus(b Amount) Amount { return Amount{new(big.Rat).Add(a.value(), b.value())} }

// Minus returns a-b.
func (a Amount) Minus(b Amount) Amount { return Amount{new(big.Rat).Sub(a.value(), b.value())} }

// Times returns a·b.
func (a Amount) Times(b Amount) Amount { return Amount{new(big.Rat).Mul(a.value(), b.value())} }

// Over returns a/n.
func (a Amount) Over(n int64) Amount {
	return Amount{new(big.Rat).Quo(a.value(), new(big.Rat).SetInt64(n))}
}

// Of returns a/b, and false where b is 0.
func (a Amount) Of(b Amount) (Amount, bool) {
	if b.Sign() == 0 {
		return Amount{}, false
	}
	return Amount{new(big.Rat).Quo(a.value(), b.value())}, true
}

// Sign returns -1, 0 or 1.
func (a Amount) Sign() int { return a.value().Sign() }

// Compare returns -1, 0 or 1 as a is less than, equal to or more than b.
func (a Amount) Compare(b Amount) int { return a.value().Cmp(b.value()) }

// Equal reports whether both are the same number.
func (a Amount) Equal(b Amount) bool { return a.Compare(b) == 0 }

// Least returns the smaller of both.
func (a Amount) Least(b Amount) Amount {
	if a.Compare(b) <= 0 {
		return a
	}
	return b
}

// Float returns the nearest float64.
func (a Amount) Float() float64 {
	f, _ := a.value().Float64()
	return f
}

// Fixed returns the number with so many decimals, halves rounded away from 0.
func (a Amount) Fixed(decimals int) string {
	text := a.value().FloatString(decimals)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Text returns the number with at most so many decimals.
func (a Amount) Text(decimals int) string {
	text := a.Fixed(decimals)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Percent returns the number as a percentage, such as 60 %.
func (a Amount) Percent() string { return a.Times(Units(100)).Text(1) + " %" }

// String returns the number with at most three decimals.
func (a Amount) String() string { return a.Text(3) }
