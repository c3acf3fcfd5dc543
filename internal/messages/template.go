package messages

import (
	"bytes"
	"unicode/utf8"
)

// Bounds of a template, and of a word in it.
const (
	maxText = 512
	maxWord = 64
)

// mask stands for what varies.
const mask = "<*>"

// AppendTemplate appends the first line of a text to dst with what looks like
// a value masked: parts of words that have digits, paths, addresses, quoted
// names. Neighbours that are masked become one. The result is valid UTF-8 and
// not much longer than 512 bytes.
func AppendTemplate(dst, text []byte) []byte {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	t := template{out: dst, from: len(dst)}
	if open := frameArguments(text); open > 0 {
		t.word(bytes.TrimLeft(text[:open], " \t"))
		t.out = append(t.out, "("+mask+")"...)
		return t.out
	}
	for {
		word, after := firstWord(text)
		if len(word) == 0 {
			break
		}
		if len(t.out)-t.from >= maxText {
			break
		}
		if len(t.out) > t.from {
			t.out = append(t.out, ' ')
		}
		t.word(word)
		text = after
	}
	return t.out
}

// frameArguments returns where the arguments begin in the line of a stack that
// names a function, and 0 for any other text:
//
//	example.com/app.(*server).serve(0xc000112000, {0x1a2b3c?, 0x4d})
func frameArguments(text []byte) int {
	text = bytes.TrimRight(text, " \t\r")
	if len(text) < 4 || text[len(text)-1] != ')' {
		return 0
	}
	open := bytes.LastIndexByte(text, '(')
	if open <= 0 || open+2 == len(text) || !isLetter(text[open-1]) && text[open-1] != ']' && !hasDigit(text[open-1:open]) {
		return 0
	}
	for _, arg := range bytes.FieldsFunc(text[open+1:len(text)-1], func(r rune) bool { return r < 0x80 && bytes.IndexByte([]byte("{}?, "), byte(r)) >= 0 }) {
		if !bytes.HasPrefix(arg, []byte("0x")) && string(arg) != "..." && string(arg) != "_" {
			return 0
		}
	}
	function := bytes.TrimLeft(text[:open], " \t")
	if bytes.IndexByte(function, ' ') >= 0 || bytes.IndexByte(function, '.') < 0 && string(function) != "panic" {
		return 0
	}
	return open
}

// A template is one that is written.
type template struct {
	out  []byte
	from int // where it begins
}

// word writes one word, part by part.
func (t *template) word(w []byte) {
	if i := bytes.Index(w, []byte("://")); i > 0 {
		for i > 0 && isLetter(w[i-1]) {
			i--
		}
		t.parts(w[:i])
		w = w[i:]
		end := trimmed(w)
		t.mask()
		t.parts(w[end:])
		return
	}
	t.parts(w)
}

// parts writes what stands between the punctuation of a word.
func (t *template) parts(w []byte) {
	for i := 0; i < len(w) && len(t.out)-t.from < maxText; {
		c := w[i]
		if isQuote(c) && (i == 0 || !isLetter(w[i-1])) {
			if n := bytes.IndexByte(w[i+1:], c); n > 0 {
				t.out = append(t.out, c)
				t.quoted(w[i+1 : i+1+n])
				t.out = append(t.out, c)
				i += n + 2
				continue
			}
		}
		if isDelimiter(c) || isQuote(c) {
			t.out = append(t.out, c)
			i++
			continue
		}
		end := i + 1
		for end < len(w) && !isDelimiter(w[end]) && (!isQuote(w[end]) || w[end] == '\'') {
			end++
		}
		if slash := bytes.IndexByte(w[i:end], '/'); slash >= 0 && !isSlashed(w[i:end]) && end-i > 1 {
			end = i + max(trimmed(w[i:]), slash+1)
			t.mask()
		} else {
			t.part(w[i:end])
		}
		i = end
	}
}

// quoted writes a quoted name without blanks, which is a value unless it is a
// word that says how something is.
func (t *template) quoted(name []byte) {
	if isTelling(name) {
		t.copy(name)
		return
	}
	t.mask()
}

func (t *template) part(p []byte) {
	end := len(p)
	for end > 0 && len(p) <= maxWord && (p[end-1] == '.' || p[end-1] == '!' || p[end-1] == '?') {
		end--
	}
	if isValue(p[:end]) {
		t.mask()
	} else {
		t.copy(p[:end])
	}
	t.out = append(t.out, p[end:]...)
}

func (t *template) copy(b []byte) {
	if utf8.Valid(b) {
		t.out = append(t.out, b...)
		return
	}
	t.out = append(t.out, bytes.ToValidUTF8(b, []byte("\uFFFD"))...)
}

// mask writes the mask, unless only punctuation that lists have lies between it
// and the one before.
func (t *template) mask() {
	out := t.out[t.from:]
	end := len(out)
	for end > 0 && bytes.IndexByte([]byte(" ,:/"), out[end-1]) >= 0 {
		end--
	}
	if len(out)-end <= 2 && bytes.HasSuffix(out[:end], []byte(mask)) {
		t.out = t.out[:t.from+end]
		return
	}
	t.out = append(t.out, mask...)
}

// trimmed returns the length of a word without the punctuation at its end.
func trimmed(w []byte) int {
	end := len(w)
	for end > 0 && (isDelimiter(w[end-1]) || isQuote(w[end-1]) || bytes.IndexByte([]byte(".!?"), w[end-1]) >= 0) {
		end--
	}
	return end
}

// isValue reports whether a word, alone, looks like the value of something.
func isValue(w []byte) bool {
	switch {
	case len(w) == 0:
		return false
	case len(w) > maxWord:
		return true
	case hasDigit(w):
		return !isTerm(w)
	}
	letters := 0
	for _, c := range w {
		switch {
		case c == '@' || c == '\\':
			return len(w) > 1
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			letters++
		}
	}
	return letters == len(w) && len(w) >= 8 || isRandom(w)
}

// isRandom reports whether a name ends as those that Kubernetes makes: five
// letters or more without vowels, so that they spell no word.
func isRandom(w []byte) bool {
	i := bytes.LastIndexByte(w, '-')
	last := w[i+1:]
	if i <= 0 || len(last) < 5 {
		return false
	}
	return !bytes.ContainsAny(last, "aeiouyAEIOUY") && isAlpha(last)
}

func isDelimiter(c byte) bool {
	switch c {
	case '(', ')', '[', ']', '{', '}', '<', '>', '=', ',', ';', ':', '|':
		return true
	}
	return false
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isAlpha(b []byte) bool {
	for _, c := range b {
		if !isLetter(c) {
			return false
		}
	}
	return len(b) > 0
}
