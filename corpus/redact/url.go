package redact

import (
	"bytes"
	"net/url"
)

// urlDepth is what a URL adds to the depth of a text: one within another is
// searched, but not many.
const urlDepth = maxDepth / 4

// maxURL bounds what is read as one URL, in bytes.
const maxURL = 8 << 10

// urlPart stands for a key where parts of URLs are searched: none is called so.
var urlPart = []byte("\x00")

// urlKeys are keys of queries that hold secrets there, though they mean other
// things elsewhere.
var urlKeys = map[string]bool{
	"key": true, "sig": true, "code": true, "signature": true, "x-goog-signature": true, "x-amz-signature": true,
	"x-amz-credential": true, "x-goog-credential": true, "auth": true, "pass": true, "pwd": true, "sid": true, "session": true,
}

// url takes user and password, and secrets of the query, at "://". It returns
// where the URL ends.
func (s *textScan) url(at int) int {
	start := at + len("://")
	if s.depth+urlDepth > maxDepth {
		return start
	}
	end := s.urlEnd(start)
	host := s.userinfo(start, end)
	query := end
	if i := bytes.IndexAny(s.text[host:end], "?#"); i >= 0 {
		query = host + i
	}
	s.sub(host, query)
	for i := query; i < end; {
		next := end
		if n := bytes.IndexAny(s.text[i+1:end], "&;#"); n >= 0 {
			next = i + 1 + n
		}
		s.parameter(i+1, next)
		i = next
	}
	return max(end, start)
}

// urlEnd returns where the URL ends that goes on at i.
func (s *textScan) urlEnd(i int) int {
	end := i
	for end < min(len(s.text), i+maxURL) && s.text[end] > ' ' && bytes.IndexByte([]byte("\"'<>`\\|^"), s.text[end]) < 0 {
		end++
	}
	return i + len(bytes.TrimRight(s.text[i:end], ",;.)]}"))
}

// userinfo takes user:password before the host and returns where the host
// begins.
func (s *textScan) userinfo(start, end int) int {
	authority := end
	if i := bytes.IndexAny(s.text[start:end], "/?#"); i >= 0 {
		authority = start + i
	}
	at := bytes.LastIndexByte(s.text[start:authority], '@')
	if at < 0 && s.brokenPassword(start, authority) {
		at = bytes.LastIndexByte(s.text[start:end], '@')
	}
	if at < 0 {
		return start
	}
	user, host := s.text[start:start+at], start+at+1
	if i := bytes.IndexByte(user, ':'); i >= 0 {
		s.addDecoded(start+i+1, start+at)
		user = user[:i]
	}
	if string(user) != "git" {
		s.addDecoded(start, start+len(user))
	}
	return host
}

// brokenPassword reports whether what seems to be host and port is rather a
// user and the beginning of a password that holds one of / ? #.
func (s *textScan) brokenPassword(start, end int) bool {
	i := bytes.IndexByte(s.text[start:end], ':')
	if i < 0 || s.text[start] == '[' {
		return false
	}
	port := s.text[start+i+1 : end]
	return len(port) > 0 && !allOf(port, isDigit) && bytes.IndexByte([]byte("$%{<*"), port[0]) < 0
}

// addDecoded marks a part of a URL; its value is without percent signs.
func (s *textScan) addDecoded(start, end int) {
	if value := s.decoded(start, end); start < end && !saysNothing(value) {
		s.addValue(start, end, kindURL, value)
	}
}

func (s *textScan) decoded(start, end int) []byte {
	raw := s.text[start:end]
	if bytes.IndexByte(raw, '%') < 0 {
		return raw
	}
	text, err := url.PathUnescape(string(raw))
	if err != nil {
		return raw
	}
	return []byte(text)
}

// parameter takes one name=value of a query.
func (s *textScan) parameter(start, end int) {
	i := bytes.IndexByte(s.text[start:max(start, end)], '=')
	if i < 0 {
		s.sub(start, end)
		return
	}
	name, value := bytes.ToLower(s.decoded(start, start+i)), start+i+1
	class := s.c.classOf(s.decoded(start, start+i))
	if class == plainKey && urlKeys[string(name)] {
		class = weakKey
	}
	if class == plainKey {
		s.sub(start, value-1)
		s.sub(value, end)
		return
	}
	text := s.decoded(value, end)
	if _, _, ok := s.c.secretIn(text, class); !ok {
		s.sub(value, end)
		return
	}
	k := kindURL
	if class == chosenKey {
		k = kindField
	}
	s.addValue(value, end, k, text)
}

// sub searches a part of the text for itself. What is a secret only without
// percent signs is taken as a whole.
func (s *textScan) sub(start, end int) {
	if start >= end {
		return
	}
	part := s.text[start:end]
	spans, _ := s.c.scanText(part, s.depth+urlDepth, urlPart)
	for _, x := range spans {
		x.start, x.end = x.start+start, x.end+start
		s.spans = append(s.spans, x)
	}
	if len(spans) > 0 || bytes.IndexByte(part, '%') < 0 {
		return
	}
	text := s.decoded(start, end)
	if spans, _ = s.c.scanText(text, s.depth+urlDepth, urlPart); len(spans) == 0 {
		return
	}
	s.addValue(start, end, spans[0].kind, text)
}
