package analyzer

import (
	"strings"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// maxDiffWords bounds each side of a wording diff.
const maxDiffWords = 300

// wordDiff compares two texts word by word.
func wordDiff(deployed, candidate string) []Edit {
	// Each distinct word becomes one rune, so that the library compares words.
	// The range of runes has no gap below this many words.
	const first = 0x4E00
	codes := map[string]rune{}
	var table []string
	encode := func(text string) []rune {
		var out []rune
		for _, w := range splitWords(text) {
			r, ok := codes[w]
			if !ok {
				r = first + rune(len(table))
				codes[w] = r
				table = append(table, w)
			}
			out = append(out, r)
		}
		return out
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // a clock would make the result depend on the machine
	diffs := dmp.DiffMainRunes(encode(deployed), encode(candidate), false)
	diffs = dmp.DiffCleanupSemantic(diffs)
	var out []Edit
	for _, d := range diffs {
		var text strings.Builder
		for _, r := range d.Text {
			text.WriteString(table[r-first])
		}
		op := Keep
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			op = Delete
		case diffmatchpatch.DiffInsert:
			op = Insert
		}
		out = append(out, Edit{op, text.String()})
	}
	return out
}

// splitWords cuts text into words and what stands between them; joined they
// are the text again. What exceeds the bound is one last part.
func splitWords(text string) []string {
	var out []string
	for start := 0; start < len(text); {
		if len(out) == maxDiffWords {
			return append(out, text[start:])
		}
		r, size := utf8.DecodeRuneInString(text[start:])
		end := start + size
		for isWord(r) && end < len(text) {
			next, size := utf8.DecodeRuneInString(text[end:])
			if !isWord(next) {
				break
			}
			end += size
		}
		out = append(out, text[start:end])
		start = end
	}
	return out
}
