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
	var texts [][]byte
	for _, t := range requiredLineTexts(re, false) {
		texts = append(texts, t.text)
	}
	return texts
}

// requiredLineTexts is requiredTexts that with folds set takes texts without
// regard to case too. These follow only for lines without letters that
// [hasOddLetter] finds.
func requiredLineTexts(re *syntax.Regexp, folds bool) []lineText {
	texts := required(re, folds)
	if len(texts) > maxRequired {
		return nil
	}
	return texts
}

func required(re *syntax.Regexp, folds bool) []lineText {
	switch re.Op {
	case syntax.OpLiteral:
		if text, ok := literalText(re); ok && (folds || !text.fold) {
			return []lineText{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0], folds)
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0], folds)
		}
	case syntax.OpConcat:
		var best []lineText
		for _, sub := range re.Sub {
			if texts := required(sub, folds); rulesOutMore(texts, best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all []lineText
		for _, sub := range re.Sub {
			texts := required(sub, folds)
			if texts == nil {
				return nil
			}
			all = append(all, texts...)
		}
		return all
	}
	return nil
}

// literalText returns the text of a literal. There is none for one beyond
// ASCII that is matched in any case, nor for one with the replacement
// character, which stands for broken UTF-8 too.
func literalText(re *syntax.Regexp) (lineText, bool) {
	var b []byte
	for _, r := range re.Rune {
		if r == utf8.RuneError {
			return lineText{}, false
		}
		b = utf8.AppendRune(b, r)
	}
	if re.Flags&syntax.FoldCase == 0 {
		return lineText{text: b}, true
	}
	lower, ascii := appendLower(nil, b)
	return lineText{text: lower, fold: true}, ascii
}

// rulesOutMore reports whether texts a rule out more lines than texts b: by
// the shortest of each, then by their number.
func rulesOutMore(a, b []lineText) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	if x, y := shortestText(a), shortestText(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortestText(texts []lineText) int {
	n := len(texts[0].text)
	for _, t := range texts[1:] {
		n = min(n, len(t.text))
	}
	return n
}

func shortest(texts [][]byte) int {
	n := len(texts[0])
	for _, t := range texts[1:] {
		n = min(n, len(t))
	}
	return n
}
