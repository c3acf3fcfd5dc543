package logql

import (
	"regexp/syntax"
	"unicode/utf8"
)

// maxRequired bounds the texts that are looked for before a regexp: beyond it
// the regexp itself is as fast.
const maxRequired = 16

// requiredTexts returns texts of which every match of the regexp holds at
// least one: of "^panic: |Observed a panic" these are "panic: " and
// "Observed a panic". None are returned where none are known; then nothing
// follows.
func requiredTexts(re *syntax.Regexp) [][]byte {
	texts := required(re)
	if len(texts) > maxRequired {
		return nil
	}
	return texts
}

func required(re *syntax.Regexp) [][]byte {
	switch re.Op {
	case syntax.OpLiteral:
		return requiredLiteral(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best [][]byte
		for _, sub := range re.Sub {
			if texts := required(sub); rulesOutMore(texts, best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all [][]byte
		for _, sub := range re.Sub {
			texts := required(sub)
			if texts == nil {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// requiredLiteral returns the bytes of a literal. Nothing follows from one
// that is matched in any case, nor from the replacement character, which
// stands for broken UTF-8 too.
func requiredLiteral(re *syntax.Regexp) [][]byte {
	if re.Flags&syntax.FoldCase != 0 {
		return nil
	}
	var b []byte
	for _, r := range re.Rune {
		if r == utf8.RuneError {
			return nil
		}
		b = utf8.AppendRune(b, r)
	}
	return [][]byte{b}
}

// rulesOutMore reports whether texts a rule out more lines than texts b: by
// the shortest of each, then by their number.
func rulesOutMore(a, b [][]byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(texts [][]byte) int {
	n := len(texts[0])
	for _, t := range texts[1:] {
		n = min(n, len(t))
	}
	return n
}
