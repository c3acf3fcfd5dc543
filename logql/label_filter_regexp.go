package logql

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// bare returns re without the parentheses around it.
func bare(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re
}

// A textMatch is a simple condition on a label's value.
type textMatch struct {
	text     string
	contains bool // anywhere in the value; otherwise the value is the text
	fold     bool // without regard to case
}

func (m *textMatch) match(value []byte) bool {
	switch {
	case m.fold:
		v := strings.ToLower(string(value))
		if m.contains {
			return strings.Contains(v, m.text)
		}
		return strings.EqualFold(string(value), m.text)
	case m.contains:
		return strings.Contains(string(value), m.text)
	}
	return string(value) == m.text
}

// simpleMatches returns the alternatives of the regexp of a label filter, if
// all are simple: a text, or a text with ".*" before it, after it or both.
//
// The regexp of a label filter should match the whole value. But Loki takes
// "text.*" and ".*text" as "the value contains text", also "e.*" for "debug".
// So do we, for the sake of equal answers.
func simpleMatches(pattern string) ([]textMatch, bool) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, false
	}
	re = bare(re)
	alternatives := []*syntax.Regexp{re}
	if re.Op == syntax.OpAlternate {
		alternatives = re.Sub
	}
	var out []textMatch
	for _, a := range alternatives {
		m, ok := simpleMatch(bare(a))
		if !ok {
			return nil, false
		}
		out = append(out, m)
	}
	return out, true
}

func simpleMatch(re *syntax.Regexp) (textMatch, bool) {
	var m textMatch
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = slices.DeleteFunc(slices.Clone(re.Sub), isAnything)
		m.contains = len(parts) < len(re.Sub)
	}
	if len(parts) != 1 {
		return m, false
	}
	text := bare(parts[0])
	if text.Op != syntax.OpLiteral {
		return m, false
	}
	m.text, m.fold = string(text.Rune), text.Flags&syntax.FoldCase != 0
	if m.fold {
		m.text = strings.ToLower(m.text)
	}
	return m, true
}

// isAnything reports whether re is ".*".
func isAnything(re *syntax.Regexp) bool {
	return re.Op == syntax.OpStar && (re.Sub[0].Op == syntax.OpAnyChar || re.Sub[0].Op == syntax.OpAnyCharNotNL)
}
