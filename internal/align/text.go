package align

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/messages"
)

// mask stands for what varies in a text.
const mask = "<*>"

// Bounds of what is compared of a text: words between blanks, to tell whether
// two texts are one, and words of letters, to tell how alike they are.
const (
	maxTokens = 200
	maxWords  = 40
)

// tokens returns the words of a text between blanks. A word that varies, or
// has a digit, is a mask; letters before what varies stay, as in "state=<*>".
func tokens(text string) []string {
	out := strings.Fields(text)
	if len(out) > maxTokens {
		out = out[:maxTokens]
	}
	for i, t := range out {
		at := strings.Index(t, mask)
		switch {
		case at > 0 && hasLetter(t[:at]) && !strings.ContainsAny(t[:at], "0123456789"):
			out[i] = t[:at] + mask
		case at >= 0 || strings.ContainsAny(t, "0123456789"):
			out[i] = mask
		}
	}
	return out
}

func hasLetter(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) }

// alike returns the kind among list whose text is a pattern of the same texts.
func alike(list []*Kind, words []string) *Kind {
	for _, k := range list {
		if sameTokens(k.tokens, words) {
			return k
		}
	}
	return nil
}

// sameTokens reports whether two texts are equal, or one is a pattern that the
// other fits. A pattern of masks alone fits only itself.
func sameTokens(a, b []string) bool {
	return slices.Equal(a, b) || fits(a, b) || fits(b, a)
}

// fits reports whether words fit a pattern, whose masks stand for one word, or
// for several of which all but the first look like values. No mask stands for a
// word that says what happened: "crane <*> is up" is not "crane not is up".
func fits(pattern, words []string) bool {
	fixed := 0
	for _, p := range pattern {
		if p != mask {
			fixed++
		}
	}
	if !slices.ContainsFunc(pattern, masked) || fixed < 2 || 2*fixed < len(pattern) {
		return false
	}
	// The usual match of a pattern with stars: after a mismatch the last mask
	// takes one word more.
	p, w, star, from := 0, 0, -1, 0
	for w < len(words) {
		switch {
		case p < len(pattern) && pattern[p] == mask && !says(words[w]):
			star, from = p, w+1
			p, w = p+1, w+1
		case p < len(pattern) && pattern[p] != mask && fitsWord(pattern[p], words[w]):
			p, w = p+1, w+1
		case star >= 0 && !says(words[from]) && !isPlain(words[from]):
			from++
			p, w = star+1, from
		default:
			return false
		}
	}
	return p == len(pattern)
}

// isPlain reports whether a word is of letters alone, punctuation at its end aside.
func isPlain(word string) bool {
	word = strings.TrimRight(word, ".,:;!?")
	return word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

func masked(token string) bool { return strings.HasSuffix(token, mask) }

// fitsWord reports whether a word fits one of a pattern.
func fitsWord(pattern, word string) bool {
	if pattern == word {
		return true
	}
	head, ok := strings.CutSuffix(pattern, mask)
	rest, has := strings.CutPrefix(word, head)
	return ok && has && rest != "" && !says(rest)
}

// says reports whether a word, without the punctuation around it, says what
// happened or how something is, and so is no name.
func says(word string) bool {
	return messages.Telling([]byte(strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })))
}

// wordsOf returns the words of a text in lower case, without plural endings,
// masks and words with digits.
func wordsOf(text string) []string {
	var out []string
	text = strings.ReplaceAll(text, mask, " ")
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
		w = strings.Trim(strings.ToLower(w), "'")
		if w == "" || strings.ContainsAny(w, "0123456789") {
			continue
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		out = append(out, w)
		if len(out) == maxWords {
			break
		}
	}
	return out
}

// little are words that say little of what a message is about.
var little = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "be": true, "by": true, "for": true, "from": true,
	"has": true, "in": true, "is": true, "it": true, "of": true, "on": true, "or": true, "that": true, "the": true,
	"thi": true, "to": true, "wa": true, "was": true, "were": true, "with": true, "are": true,
}

// maxLineValues bounds the values that are taken from one line.
const maxLineValues = 100

// valuesOf returns the telling values of the JSON object in a line, ordered.
func valuesOf(line string) []string {
	var out []string
	i := strings.IndexByte(line, '{')
	if i < 0 || !gjson.Valid(line[i:]) {
		return nil
	}
	var walk func(v gjson.Result, depth int)
	walk = func(v gjson.Result, depth int) {
		v.ForEach(func(_, field gjson.Result) bool {
			switch {
			case field.IsObject() && depth < 4:
				walk(field, depth+1)
			case field.Type == gjson.String && telling(field.Str) && len(field.Str) < 256:
				out = append(out, field.Str)
			}
			return len(out) < maxLineValues
		})
	}
	walk(gjson.Parse(line[i:]), 0)
	slices.Sort(out)
	return slices.Compact(out)
}

// Says reports whether a text is what the kind says, names and numbers aside.
func (k *Kind) Says(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return sameTokens(k.tokens, tokens(first))
}

// Holds reports whether a line is one of the kind's, by the sentence in its
// field; of a kind without a field nothing tells.
func (k *Kind) Holds(line string) bool {
	i := strings.IndexByte(line, '{')
	if k.Field == "" || i < 0 || !gjson.Valid(line[i:]) {
		return false
	}
	text := gjson.Get(line[i:], gjson.Escape(k.Field))
	if !text.Exists() {
		text = gjson.Get(line[i:], k.Field)
	}
	first, _, _ := strings.Cut(text.String(), "\n")
	return sameTokens(k.tokens, tokens(first))
}
