package redact

import (
	"bytes"
	"regexp"
)

// maxLookahead bounds the bytes that are read to learn whether objects are
// Secrets, in one value of JSON. Beyond it they are taken to be.
const maxLookahead = 8 << 20

// isSecret reports whether the object that begins at start is of kind Secret.
func (w *jsonWalk) isSecret(start int) bool {
	i := start + 1
	for {
		i = w.space(i)
		keyEnd := closingQuote(w.b, i+1)
		if w.at(i) != '"' || keyEnd < 0 {
			return false
		}
		key := w.b[i+1 : keyEnd]
		i = w.space(keyEnd + 1)
		if w.at(i) != ':' {
			return false
		}
		i = w.space(i + 1)
		if string(key) == "kind" {
			return bytes.HasPrefix(w.b[i:], []byte(`"Secret"`))
		}
		from := i
		i = w.skip(i)
		if w.ahead += i - from; w.ahead > min(maxLookahead, 1<<16+16*len(w.b)) {
			return true
		}
		if w.at(i) != ',' {
			return false
		}
		i++
	}
}

// skip returns where the value at i ends.
func (w *jsonWalk) skip(i int) int {
	depth := 0
	for ; i < len(w.b); i++ {
		switch w.b[i] {
		case '"':
			end := closingQuote(w.b, i+1)
			if end < 0 {
				return len(w.b)
			}
			i = end
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
		case ',':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

var (
	secretObject = regexp.MustCompile(`kind\\*["']?\s*:\s*\\*["']?Secret\b`)
	secretBlock  = regexp.MustCompile(`(?:^|\n|\\n)[ -]*(?:data|stringData):[ \t]*(?:\r?\n|\\n)`)
	secretBraces = regexp.MustCompile(`(?:data|stringData)\\*["']?\s*:\s*\{`)
	bracedValue  = regexp.MustCompile(`:\s*\\*"([^"\\]+)`)
)

// secretBlocks marks the values of data and stringData in the text of a Secret
// that is YAML, or JSON that was cut.
func (s *textScan) secretBlocks() {
	if !bytes.Contains(s.text, []byte("Secret")) || !secretObject.Match(s.text) {
		return
	}
	until := 0
	for _, m := range secretBlock.FindAllIndex(s.text, -1) {
		if m[0] < until {
			continue
		}
		key := bytes.Index(s.text[m[0]:m[1]], []byte("ata:")) + m[0]
		until = s.deeper(s.lineEnd(key), s.lineStart(key), s.dataLine)
	}
	until = 0
	for _, m := range secretBraces.FindAllIndex(s.text, -1) {
		if m[0] < until {
			continue
		}
		end := len(s.text)
		if i := bytes.IndexByte(s.text[m[1]:], '}'); i >= 0 {
			end = m[1] + i
		}
		until = end
		for _, v := range bracedValue.FindAllSubmatchIndex(s.text[m[1]:end], -1) {
			s.add(m[1]+v[2], m[1]+v[3], kindSecretData)
		}
	}
}

// dataLine takes "name: value", or a line of a block.
func (s *textScan) dataLine(from, to int) {
	line := s.text[from:to]
	if isKeyLine(line) || bytes.Contains(line, []byte(": ")) {
		value := from + bytes.IndexByte(line, ':') + 1
		for value < to && s.text[value] == ' ' {
			value++
		}
		from = value
	}
	text := s.text[from:to]
	if len(text) > 1 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		from, to = from+1, to-1
	}
	if len(bytes.Trim(text, "|>+-0123456789")) == 0 && len(text) <= 2 {
		return // the head of a block
	}
	s.add(from, to, kindSecretData)
}
