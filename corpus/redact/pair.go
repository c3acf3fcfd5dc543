package redact

import (
	"bytes"
	"regexp"
)

// maxName bounds what is read of a key on either side of its telling word.
const maxName = 128

// A pair is a key in a text, and where what follows it begins.
type pair struct {
	start, end int // of the key
	class      keyClass
	quoted     bool // the key stands between quotes
	sep        byte // '=', ':', '>' of <key>, ' ' after a flag; 0: no value follows
	spaced     bool // there is space after the separator
	value      int  // where the value begins
}

func isKeyByte(c byte) bool {
	return isAlnum(c) || c == '_' || c == '-' || c == '.' || c >= 0x80
}

// onKey looks at the key that holds the telling word at a place. It returns
// where to go on.
func (s *textScan) onKey(at int) int {
	p := s.keyAround(at)
	if p.end == s.lastKey.end && p.start == s.lastKey.start {
		return at + 1 // another telling word of the same key
	}
	s.lastKey = p
	if !s.askedData {
		s.askedData = true
		s.secretBlocks()
	}
	if p.class == plainKey {
		return at + 1
	}
	s.separator(&p)
	switch {
	case p.sep == 0:
		return at + 1
	case p.value >= len(s.text):
		s.dangling = true
		return at + 1
	}
	return s.pairValue(&p)
}

// keyAround finds the bounds of the key that has a byte at a place.
func (s *textScan) keyAround(at int) pair {
	p := pair{start: at, end: at}
	for p.start > max(0, at-maxName) && isKeyByte(s.text[p.start-1]) {
		p.start--
	}
	for p.end < min(len(s.text), at+maxName) && isKeyByte(s.text[p.end]) {
		p.end++
	}
	if p.start > 0 && p.start < at && s.text[p.start-1] == '\\' && isEscapeLetter(s.text[p.start]) {
		p.start++ // of \n, where escapes are not taken away
	}
	p.class = s.c.classOf(bytes.Trim(s.text[p.start:p.end], "-."))
	return p
}

func isEscapeLetter(c byte) bool { return c == 'n' || c == 't' || c == 'r' }

// separator reads what stands between a key and its value.
func (s *textScan) separator(p *pair) {
	i := p.end
	for i < len(s.text) && s.text[i] == '\\' {
		i++
	}
	if i < len(s.text) && (s.text[i] == '"' || s.text[i] == '\'') {
		p.quoted = true
		i++
	} else {
		i = p.end
	}
	after := i
	for i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '\t') {
		i++
	}
	if i >= len(s.text) {
		return
	}
	switch c := s.text[i]; {
	case c == '=' && i+1 < len(s.text) && s.text[i+1] == '>':
		p.sep = '='
		i += 2
	case c == ':' && i+1 < len(s.text) && s.text[i+1] == '=':
		p.sep = '='
		i += 2
	case c == '=' || c == ':':
		p.sep = c
		i++
	case c == '>' && p.start > 0 && s.text[p.start-1] == '<':
		p.sep = c
		i++
	case c == ',' && p.quoted:
		s.nextText(p, i+1)
		return
	case i > after && !p.quoted && s.text[p.start] == '-' && c != '-':
		p.sep, p.value = ' ', i
		return
	default:
		return
	}
	value := i
	for value < len(s.text) && (s.text[value] == ' ' || s.text[value] == '\t') {
		value++
	}
	p.spaced = value > i
	p.value = value
}

// valueKey is what follows a name in {"name":"DB_PASSWORD","value":"…"}.
var valueKey = regexp.MustCompile(`^\\*"value\\*"\s*:\s*`)

// nextText finds the value of a quoted key after a comma: of a flag the next
// text of the list, of a name what stands under "value".
func (s *textScan) nextText(p *pair, i int) {
	for i < len(s.text) && isSpace(s.text[i]) {
		i++
	}
	if m := valueKey.FindIndex(s.text[i:min(len(s.text), i+maxName)]); m != nil {
		p.sep, p.value = '=', i+m[1]
		return
	}
	quote := i
	for quote < len(s.text) && s.text[quote] == '\\' {
		quote++
	}
	if s.text[p.start] == '-' && quote+1 < len(s.text) && s.text[quote] == '"' && s.text[quote+1] != '-' {
		p.sep, p.value = '=', i
	}
}

// pairValue marks the value of a pair if it is a secret. It returns where to go
// on: within the value if it is none.
func (s *textScan) pairValue(p *pair) int {
	i := p.value
	switch c := s.text[i]; {
	case c == '"':
		end := closingQuote(s.text, i+1)
		if end < 0 {
			return s.cutValue(p, i+1)
		}
		return s.quotedValue(p, i+1, end, 1)
	case c == '\\':
		return s.escapedValue(p, i)
	case c == '\'' && i >= s.openUntil:
		end, closed := closingApostrophe(s.text, i+1)
		if closed {
			return s.quotedValue(p, i+1, end, 0)
		}
		s.openUntil = end
	case c == '[':
		return s.listValue(p, i)
	case c == '{':
		return i
	case (c == '|' || c == '>') && p.sep == ':':
		if end := s.blockValue(p, i); end > 0 {
			return end
		}
	}
	if p.class == headerKey {
		return s.headerValue(p, i)
	}
	return s.bareValue(p, i)
}

// structured reports whether a key is one by its form and not only a word
// before a colon.
func (s *textScan) structured(p *pair) bool {
	switch {
	case p.quoted, p.sep != ':':
		return true
	case p.start == 0 || !p.spaced:
		return false
	}
	return s.text[p.start-1] == '{'
}

// quotedValue takes a value between quotes; levels is how often escapes are
// taken away from it.
func (s *textScan) quotedValue(p *pair, start, end, levels int) int {
	value := s.text[start:end]
	for range levels {
		if bytes.IndexByte(value, '\\') < 0 {
			break
		}
		value = unescape(nil, value)
	}
	from, to, ok := s.c.secretIn(value, p.class)
	if !ok || !s.structured(p) && allPlain(value) {
		return start - 1 // its quotes are looked into as any others
	}
	if from > 0 && from <= end-start && bytes.Equal(s.text[start:start+from], value[:from]) {
		start += from
	}
	s.addValue(start, end, s.kindOf(p), value[from:to])
	return end
}

func (s *textScan) kindOf(p *pair) kind {
	if p.class == chosenKey {
		return kindField
	}
	return kindSecretKey
}

// cutValue takes a quoted value that was cut: it has no closing quote.
func (s *textScan) cutValue(p *pair, start int) int {
	return s.quotedValue(p, start, len(s.text), 1)
}

// escapedValue takes a value between quotes that are escaped themselves, as in
// JSON that lost what was around it.
func (s *textScan) escapedValue(p *pair, i int) int {
	start := i
	for start < len(s.text) && s.text[start] == '\\' {
		start++
	}
	slashes := start - i
	if start >= len(s.text) || s.text[start] != '"' {
		return i + 1
	}
	start++
	end, run := start, 0
	for ; end < len(s.text); end++ {
		if s.text[end] == '\\' {
			run++
			continue
		}
		if s.text[end] == '"' && run <= slashes {
			break
		}
		run = 0
	}
	if end == len(s.text) {
		run = 0
	}
	levels := 1
	for n := slashes; n > 0; n /= 2 {
		levels++
	}
	return max(s.quotedValue(p, start, max(start, end-run), levels), start)
}

// closingApostrophe returns where text in single quotes ends; two of them are
// one of the text, as in YAML. It reports false, and where the line ends, if it
// does not on its line.
func closingApostrophe(text []byte, from int) (int, bool) {
	i := from
	for ; i < len(text) && text[i] != '\n'; i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' && i > from {
			i++
			continue
		}
		return i, true
	}
	return i, false
}

// listValue takes [value value], as Go prints it, and ["value", …].
func (s *textScan) listValue(p *pair, i int) int {
	end := i + 1
	for end < len(s.text) && s.text[end] != ']' && s.text[end] != '\n' {
		if s.text[end] != '"' {
			end++
			continue
		}
		to := closingQuote(s.text, end+1)
		if to < 0 {
			break
		}
		s.quotedValue(p, end+1, to, 1)
		end = to + 1
	}
	inner := s.text[i+1 : end]
	if bytes.IndexByte(inner, '"') >= 0 || len(inner) == 0 {
		return i + 1
	}
	return s.quotedValue(p, i+1, end, 0)
}

// headerValue takes the rest of a line after the name of a header.
func (s *textScan) headerValue(p *pair, i int) int {
	if i < s.plainUntil {
		return i
	}
	end := i
	for end < len(s.text) && s.text[end] != '\n' && s.text[end] != '\r' && s.text[end] != '"' && s.text[end] != '\\' {
		if s.text[end] == '\'' && p.start > 0 && s.text[p.start-1] == '\'' {
			break
		}
		if s.text[end] == ']' || s.text[end] == '}' {
			break
		}
		end++
	}
	value := bytes.TrimRight(s.text[i:end], " ")
	if p.sep == '=' {
		// A header is written with a colon; here one word is the value, or two.
		from := schemeEnd(value)
		if n := bytes.IndexByte(value[from:], ' '); n >= 0 {
			value = value[:from+n]
		}
	}
	from, to, ok := s.c.secretIn(value, p.class)
	if !ok {
		s.plainUntil = end
		return i
	}
	s.add(i+from, i+to, s.kindOf(p))
	return i + to
}

// bareValue takes a value without quotes.
func (s *textScan) bareValue(p *pair, i int) int {
	prose := p.sep == ':' && !s.structured(p)
	if prose && !p.spaced && p.start > 0 && bytes.IndexByte([]byte(" {[(,&\"'\n\t|;"), s.text[p.start-1]) < 0 {
		return i
	}
	end := s.bareEnd(i, p)
	if rest := s.yamlLine(p, i); rest > end {
		end = rest
	} else if rest < 0 && prose && isProse(s.text[i:end]) {
		return i
	}
	value := s.text[i:end]
	from, to, ok := s.c.secretIn(value, p.class)
	if !ok {
		return i
	}
	s.add(i+from, i+to, s.kindOf(p))
	if n := len(s.spans); n > 0 && p.quoted && isJSONNumber(value) && s.spans[n-1].start == i && s.text[i-1] != '\'' {
		s.spans[n-1].quote = true
	}
	return i + to
}

// isProse reports whether what follows "key: " is rather the rest of a sentence.
func isProse(value []byte) bool {
	return len(value) < 4 || isPlain(value) || value[0] == '/' || bytes.Contains(value, []byte("://")) || bytes.IndexByte(value, '"') >= 0
}

// bareEnd returns where a value without quotes ends.
func (s *textScan) bareEnd(i int, p *pair) int {
	end, most := i, len(s.text)
	if p.class == weakKey {
		most = min(most, i+maxRandom)
	}
	if s.text[i] == '$' {
		if n := bytes.IndexAny(s.text[i:min(most, i+maxName)], ")}"); n > 0 && saysNothing(s.text[i:i+n+1]) {
			return i + n + 1 // names where the value comes from
		}
	}
	for ; end < most; end++ {
		c := s.text[end]
		if isSpace(c) || c == '"' || p.quoted && (c == ',' || c == '}' || c == ']') || p.sep == '>' && c == '<' {
			break
		}
		if c == '\\' && end+1 < len(s.text) && (isEscapeLetter(s.text[end+1]) || s.text[end+1] == '"' || s.text[end+1] == '\\') {
			break
		}
		if (c == ';' || c == '&' || c == ',') && s.pairFollows(end+1) || c == '<' && end+1 < len(s.text) && s.text[end+1] == '/' {
			break
		}
	}
	return i + len(bytes.TrimRight(s.text[i:end], ",;)]}>'"))
}

// pairFollows reports whether name= stands at i.
func (s *textScan) pairFollows(i int) bool {
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	from := i
	for i < min(len(s.text), from+64) && (isKeyByte(s.text[i]) || s.text[i] == ' ') {
		i++
	}
	return i > from && i < len(s.text) && s.text[i] == '='
}
