package redact

import (
	"bytes"
)

// maxDepth bounds texts within quoted texts. Each level of quotes doubles
// their backslashes, so that no record has more.
const maxDepth = 28

// maxTries bounds the objects of JSON that are begun in a long text and are
// none; a short one may have more.
const maxTries = 4

// A textScan is the search through one text that is not known to be JSON.
type textScan struct {
	c     *Cleaner
	text  []byte
	depth int
	key   []byte // under which the text stands in JSON
	spans []span

	structural bool // look for quotes and braces
	flatUntil  int  // none before here
	tries      int  // of JSON that were none
	lastKey    pair // found last
	dangling   bool // the text ends where a value was to follow a key
	openUntil  int  // no quote with ' is closed before here
	plainUntil int  // no header has a secret before here
	askedData  bool
	yaml       uint8 // 0: not known, 1: no, 2: yes
}

// scanText returns what is to be replaced in a text, in order.
func (c *Cleaner) scanText(text []byte, depth int, key []byte) (spans []span, dangling bool) {
	s := &textScan{c: c, text: text, depth: depth, key: key, structural: depth < maxDepth}
	if c.pem.open {
		s.openPEM()
	}
	for i := 0; i < len(text); {
		at, then := c.r.index.next(text, i, s.structural && i >= s.flatUntil)
		if then == onNothing {
			break
		}
		i = max(s.look(at, then), at+1)
	}
	for i := range c.r.patterns {
		s.pattern(i)
	}
	return c.drop(merge(s.spans), text), s.dangling
}

// look calls the detector of a trigger. It returns where to go on.
func (s *textScan) look(at int, then trigger) int {
	switch then {
	case onKey:
		return s.onKey(at)
	case onScheme:
		return s.url(at)
	case onAt:
		return s.email(at)
	case onDot:
		return s.ipv4(at)
	case onColon:
		return s.ipv6(at)
	case onBearer:
		return s.bearer(at)
	case onJWT:
		return s.jwt(at)
	case onCloud:
		return s.cloudKey(at)
	case onPEM:
		return s.pem(at)
	case onPEM64:
		return s.pem64(at)
	case onQuote:
		return s.quoted(at)
	case onBrace:
		return s.brace(at)
	case onAzure:
		return s.azure(at)
	case onNothing, onEscape:
	}
	return at + 1
}

// add marks a stretch of the text as a value of a kind.
func (s *textScan) add(start, end int, k kind) {
	s.addValue(start, end, k, s.text[start:end])
}

func (s *textScan) addValue(start, end int, k kind, value []byte) {
	if start >= end || s.c.tokens.isToken(value) {
		return
	}
	s.spans = append(s.spans, span{start: start, end: end, kind: k, token: s.c.tokens.token(value)})
}

// drop leaves out spans that hold a token and nothing else.
func (c *Cleaner) drop(spans []span, text []byte) []span {
	out := spans[:0]
	for _, s := range spans {
		if !c.tokens.isToken(text[s.start:s.end]) {
			out = append(out, s)
		}
	}
	return out
}

// quoted looks into "…" with escapes, as klog and logfmt write it: what it
// stands for is searched. Without escapes the search just goes on.
func (s *textScan) quoted(at int) int {
	end := closingQuote(s.text, at+1)
	if end < 0 {
		s.structural = false
		return at + 1
	}
	inner := s.text[at+1 : end]
	if bytes.IndexByte(inner, '\\') < 0 {
		return at + 1
	}
	spans, dangling := s.c.scanQuoted(inner, s.depth, s.key)
	for _, x := range spans {
		x.start, x.end = x.start+at+1, x.end+at+1
		s.spans = append(s.spans, x)
	}
	if dangling {
		// The quotes may be paired the other way round.
		s.flatUntil = end + 1
		return at + 1
	}
	return end + 1
}

// scanQuoted searches what an escaped text stands for.
func (c *Cleaner) scanQuoted(inner []byte, depth int, key []byte) ([]span, bool) {
	spans, dangling := c.scanText(unescape(nil, inner), depth+1, key)
	mapBack(inner, spans)
	return spans, dangling
}

// closingQuote returns where the quote that was opened before from is closed;
// -1 if it is not.
func closingQuote(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// brace reads JSON in the middle of a text.
func (s *textScan) brace(at int) int {
	i := at + 1
	for i < len(s.text) && isSpace(s.text[i]) {
		i++
	}
	if s.tries >= maxTries+min(64, 1<<20/len(s.text)) || i >= len(s.text) || s.text[i] != '"' && s.text[i] != '{' && s.text[i] != '[' {
		return at + 1
	}
	spans, end, ok := s.c.scanJSON(s.text[at:], s.depth)
	if !ok {
		s.tries++
		return at + 1
	}
	for _, x := range spans {
		x.start, x.end = x.start+at, x.end+at
		s.spans = append(s.spans, x)
	}
	return at + end
}

// pattern marks what a pattern of the policy matches.
func (s *textScan) pattern(i int) {
	p := &s.c.r.patterns[i]
	for _, m := range p.match.FindAllSubmatchIndex(s.text, -1) {
		start, end := m[2*p.group], m[2*p.group+1]
		if start < 0 {
			start, end = m[0], m[1]
		}
		s.add(start, end, kindPattern+kind(i))
	}
}
