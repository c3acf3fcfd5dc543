package source

import (
	"fmt"
	"unicode/utf8"
)

// The characters that a message quotes of one text of the user, and of one
// message of a parser, which may quote in turn.
const (
	maxText    = 90
	maxMessage = 200
)

// Sprintf is [fmt.Sprintf] for messages about what users wrote, which can be of
// any length: strings and errors among args are clipped.
func Sprintf(format string, args ...any) string {
	clipped := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case string:
			clipped[i] = Clip(a, maxText)
		case error:
			clipped[i] = Clip(a.Error(), maxMessage)
		default:
			clipped[i] = a
		}
	}
	return fmt.Sprintf(format, clipped...)
}

// Clip returns a text that a message quotes, cut to at most n characters: of
// a longer text the beginning and the end are kept, with … between them.
func Clip(text string, n int) string {
	if len(text) <= n || utf8.RuneCountInString(text) <= n {
		return text
	}
	head, tail := 0, len(text)
	for range (n - 1) * 2 / 3 {
		_, size := utf8.DecodeRuneInString(text[head:])
		head += size
	}
	for range n - 1 - (n-1)*2/3 {
		_, size := utf8.DecodeLastRuneInString(text[:tail])
		tail -= size
	}
	return text[:head] + "…" + text[tail:]
}
