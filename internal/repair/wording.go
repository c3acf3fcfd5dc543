package repair

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stillfires/stillfires/internal/contrary"
)

// A word is one word of a text and where it stands.
type word struct {
	text       string // lower case
	start, end int
	varies     bool // a name, a number, or between quotes: not written by the programmer
}

const maxWords = 200

// wordsOf returns the words of a text. A hyphen or an underscore between two
// letters is a part of the word, as is the apostrophe of "can't".
func wordsOf(text string) []word {
	var out []word
	quoted := false
	start := -1
	flush := func(end int) {
		if start >= 0 && len(out) < maxWords {
			w := strings.ToLower(text[start:end])
			out = append(out, word{w, start, end, quoted || strings.ContainsFunc(w, unicode.IsDigit)})
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || start >= 0 && (r == '_' || r == '-' || r == '\'' && letterAt(text, i+1)):
			if start < 0 {
				start = i
			}
		default:
			flush(i)
			if r == '"' {
				quoted = !quoted
			}
		}
	}
	flush(len(text))
	return out
}

func letterAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.IsLetter(r)
}

// key is equal for texts that differ only in what varies.
func key(text string) string {
	var out []string
	for _, w := range wordsOf(text) {
		if !w.varies && len(w.text) > 1 {
			out = append(out, w.text)
		}
	}
	return strings.Join(out, " ")
}

// constant returns the words that do not vary.
func constant(words []word) []string {
	var out []string
	for _, w := range words {
		if !w.varies {
			out = append(out, w.text)
		}
	}
	return out
}

// likeness compares two texts by their constant words: Dice's coefficient, and
// the number of words in both.
func likeness(a, b string) (float64, int) {
	x, y := constant(wordsOf(a)), constant(wordsOf(b))
	shared := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			shared++
		}
	}
	if len(x)+len(y) == 0 {
		return 0, 0
	}
	return 2 * float64(shared) / float64(len(x)+len(y)), shared
}

// opposed reports whether one text denies what the other says.
func opposed(a, b string) bool { return contrary.Opposed(constant(wordsOf(a)), constant(wordsOf(b))) }

// aligned returns the part of the text b that stands where text a has its part
// [start, end), by the words that both have in the same order. What varies is
// cut off at both ends.
func aligned(a string, start, end int, b string) string {
	x, y := wordsOf(a), wordsOf(b)
	first, last := -1, -1 // words of a in the part
	for i, w := range x {
		if w.end > start && w.start < end {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 || len(y) == 0 {
		return ""
	}
	from, to := 0, len(y)
	for _, p := range common(x, y) {
		if p[0] < first {
			from = p[1] + 1
		}
		if p[0] > last {
			to = p[1]
			break
		}
	}
	return withoutNames(b, y, from, to)
}

// withoutNames returns the longest stretch of constant words among
// words[from:to] of a text.
func withoutNames(text string, words []word, from, to int) string {
	best, at := "", -1
	for i := from; i <= to; i++ {
		if i < to && !words[i].varies {
			if at < 0 {
				at = i
			}
			continue
		}
		if at >= 0 {
			if part := text[words[at].start:words[i-1].end]; len(part) > len(best) {
				best = part
			}
		}
		at = -1
	}
	return best
}

// common returns the pairs of indices of a longest common subsequence of two
// lists of words, in order.
func common(x, y []word) [][2]int {
	n := make([][]int, len(x)+1)
	for i := range n {
		n[i] = make([]int, len(y)+1)
	}
	for i, u := range slices.Backward(x) {
		for j, v := range slices.Backward(y) {
			if u.text == v.text {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i].text == y[j].text:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case n[i+1][j] >= n[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
