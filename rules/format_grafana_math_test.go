package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// spelled prints a math expression with all its parentheses.
func spelled(e *MathExpr) string {
	switch {
	case e.Var != "":
		return "$" + e.Var
	case e.Op == "" && e.Null:
		return "null"
	case e.Op == "":
		return fmt.Sprint(e.Number)
	case len(e.Args) == 1:
		return e.Op + "(" + spelled(e.Args[0]) + ")"
	}
	return "(" + spelled(e.Args[0]) + " " + e.Op + " " + spelled(e.Args[1]) + ")"
}

func TestParseMath(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		e, err := ParseMath(text)
		if err != nil {
			t.Errorf("ParseMath(%q): %v", text, err)
			return
		}
		if got := spelled(e); got != want {
			t.Errorf("ParseMath(%q) = %s; want %s", text, got, want)
		}
	}
	f("$A > 5 && $B < 3", "(($A > 5) && ($B < 3))")
	f("$A||$B&&!$C", "($A || ($B && !($C)))")
	f("1 - 2 - 3 * 4 % 5", "((1 - 2) - ((3 * 4) % 5))")
	f("$A ** 2 * -3", "(($A ** 2) * -(3))")
	f("(-$A) ** 2", "(-($A) ** 2)")
	f("2 ** -1", "(2 ** -(1))")
	f("${my query} >= .5e-1", "($my query >= 0.05)")
	f("$$A != 0x10", "($A != 16)")
	f("abs($A - $B) == ceil(1.2)", "(abs(($A - $B)) == ceil(1.2))")
	f("is_nan(nan()) || is_inf(inf) || is_null(null) || infn() < 0", "(((is_nan(NaN) || is_inf(+Inf)) || is_null(null)) || (-Inf < 0))")
	f("!!$A", "!(!($A))")
	f("1 < 2 == 1", "((1 < 2) == 1)")
	f(" ( ( $A ) ) ", "$A")
}

func TestParseMath_Errors(t *testing.T) {
	f := func(text string, start, end int, want string) {
		t.Helper()
		_, err := ParseMath(text)
		wrong, ok := errors.AsType[*MathError](err)
		if !ok || wrong.Start != start || wrong.End != end || wrong.Msg != want {
			t.Errorf("ParseMath(%q) gives %+v; want %q at %d to %d", text, err, want, start, end)
		}
	}
	f("", 0, 0, "the expression ends where a value is due")
	f("$A >", 4, 4, "the expression ends where a value is due")
	f("$A 5", 3, 4, `unexpected "5"`)
	f("($A", 0, 1, "the parenthesis is not closed")
	f("$ > 5", 0, 1, "a refId must follow the $")
	f("${A > 5", 0, 2, "the brace is not closed")
	f("${}", 0, 3, "the refId is missing")
	f("1.2.3", 0, 5, `"1.2.3" is not a number`)
	f("sqrt($A)", 0, 4, `unknown function "sqrt"; known are abs, log, round, ceil, floor, is_nan, is_null, is_number, is_inf`)
	f("abs $A", 0, 4, "the function abs needs its argument in parentheses")
	f("nan(1)", 0, 4, "nan takes no argument")
	f("-$A ** 2", 0, 3, "put the side of ** in parentheses, which has a minus before it")
	f("$A ** 2 ** 3", 8, 10, "put one ** of a chain in parentheses")
	f("!= 3", 0, 2, `unexpected "!="`)
	f("1 = 2", 2, 3, `unexpected "="`)
	f(strings.Repeat("(", 300), 201, 202, "the expression nests deeper than 200")
	f(strings.Repeat("1", maxMath+1), 0, 1, "the expression is longer than 16384 bytes")
}

func FuzzParseMath(f *testing.F) {
	for _, s := range []string{"$A > 5 && ${b c} < 3", "-abs($A) ** 2", "nan() % 0x1f", "!(1 || null)", "1e+5-.3", "é:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseMath(text)
		if err != nil {
			if wrong, ok := errors.AsType[*MathError](err); !ok || wrong.Start < 0 || wrong.End > max(len(text), 1) || wrong.Start > wrong.End {
				t.Fatalf("ParseMath(%q): %+v", text, err)
			}
			return
		}
		again, err := ParseMath(strings.NewReplacer("NaN", "nan", "+Inf", "inf", "-Inf", "infn").Replace(math(e)))
		if err != nil || spelled(again) != spelled(e) {
			t.Fatalf("%q is %s, which is read as %v, %v", text, spelled(e), again, err)
		}
	})
}

// math is spelled for texts that are read again.
func math(e *MathExpr) string {
	switch {
	case e.Var != "":
		return "${" + e.Var + "}"
	case len(e.Args) == 1:
		return e.Op + "(" + math(e.Args[0]) + ")"
	case len(e.Args) == 2:
		return "((" + math(e.Args[0]) + ") " + e.Op + " (" + math(e.Args[1]) + "))"
	}
	return spelled(e)
}
