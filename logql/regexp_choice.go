package logql

import (
	"regexp/syntax"
	"unicode/utf8"
)

// choiceOf returns the texts that a concatenation of regexps matches, if these
// are few, none is empty, and either all or none are without regard to case:
// of "evic(ted|ting)" they are "evicted" and "evicting".
func choiceOf(subs []*syntax.Regexp) ([]lineText, bool) {
	c, ok := choiceOfAll(subs)
	if !ok {
		return nil, false
	}
	var out []lineText
	for _, text := range c.texts {
		if text == "" {
			return nil, false
		}
		t := lineText{text: []byte(text), fold: c.fold == anyCase}
		if t.fold {
			t.text, _ = appendLower(nil, t.text)
		}
		out = append(out, t)
	}
	return out, true
}

// A foldKind says whether texts are without regard to case.
type foldKind int

const (
	noCase    foldKind = iota // has no letters
	givenCase                 // as written
	anyCase                   // and ASCII
)

// A choice is the texts that a regexp matches.
type choice struct {
	texts []string
	fold  foldKind
}

// join returns what is common to two kinds.
func (k foldKind) join(other foldKind) (foldKind, bool) {
	switch {
	case k == noCase:
		return other, true
	case other == noCase:
		return k, true
	}
	return k, k == other
}

func choiceOfAll(subs []*syntax.Regexp) (choice, bool) {
	all := choice{texts: []string{""}}
	for _, sub := range subs {
		c, ok := choiceOfOne(sub)
		if !ok || len(all.texts)*len(c.texts) > maxRequired {
			return choice{}, false
		}
		if all.fold, ok = all.fold.join(c.fold); !ok {
			return choice{}, false
		}
		var texts []string
		for _, a := range all.texts {
			for _, b := range c.texts {
				texts = append(texts, a+b)
			}
		}
		all.texts = texts
	}
	return all, true
}

func choiceOfOne(re *syntax.Regexp) (choice, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return choice{texts: []string{""}}, true
	case syntax.OpLiteral:
		t, ok := literalText(re)
		c := choice{texts: []string{string(t.text)}, fold: givenCase}
		switch {
		case t.fold:
			c.fold = anyCase
		case !hasLetters(c.texts[0]):
			c.fold = noCase
		}
		return c, ok
	case syntax.OpCharClass:
		return choiceOfClass(re.Rune)
	case syntax.OpCapture:
		return choiceOfOne(re.Sub[0])
	case syntax.OpConcat:
		return choiceOfAll(re.Sub)
	case syntax.OpQuest:
		c, ok := choiceOfOne(re.Sub[0])
		c.texts = append(c.texts, "")
		return c, ok
	case syntax.OpAlternate:
		var all choice
		for _, sub := range re.Sub {
			c, ok := choiceOfOne(sub)
			if !ok || len(all.texts)+len(c.texts) > maxRequired {
				return choice{}, false
			}
			if all.fold, ok = all.fold.join(c.fold); !ok {
				return choice{}, false
			}
			all.texts = append(all.texts, c.texts...)
		}
		return all, true
	}
	return choice{}, false
}

// choiceOfClass is for a class of characters, given as pairs of the first and
// last of a range.
func choiceOfClass(ranges []rune) (choice, bool) {
	c := choice{fold: noCase}
	for i := 0; i < len(ranges); i += 2 {
		if int(ranges[i+1]-ranges[i])+len(c.texts) >= maxRequired {
			return choice{}, false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if r == utf8.RuneError {
				return choice{}, false
			}
			c.texts = append(c.texts, string(r))
			if hasLetters(string(r)) {
				c.fold = givenCase
			}
		}
	}
	return c, len(c.texts) > 0
}

// hasLetters reports whether text has bytes that may be part of a letter.
func hasLetters(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; 'a' <= c && c <= 'z' || text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}
