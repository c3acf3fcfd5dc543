package source

import "unicode/utf8"

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
