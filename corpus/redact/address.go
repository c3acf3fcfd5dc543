package redact

import (
	"bytes"
	"net/netip"
)

// Bounds of the two sides of an email address, in bytes.
const (
	maxLocal  = 64
	maxDomain = 255
)

// unitSuffixes end names of systemd units, such as user@1000.service.
var unitSuffixes = []string{"service", "socket", "slice", "timer", "mount", "scope", "swap", "device", "automount", "target"}

// email takes an address at "@". It returns where to go on.
func (s *textScan) email(at int) int {
	if !s.c.r.policy.Emails {
		return at + 1
	}
	start := at
	for start > max(0, at-maxLocal) && isLocalByte(s.text[start-1]) {
		start--
	}
	if start > 0 && start < at && s.text[start-1] == '\\' && isEscapeLetter(s.text[start]) {
		start++
	}
	for start < at && (s.text[start] == '.' || s.text[start] == '-') {
		start++
	}
	end, dot := at+1, 0
	for end < min(len(s.text), at+maxDomain) && (isAlnum(s.text[end]) || s.text[end] == '-' || s.text[end] >= 0x80 || s.text[end] == '.' && end > dot+1 && end > at+1) {
		if s.text[end] == '.' {
			dot = end
		}
		end++
	}
	for end > at+1 && (s.text[end-1] == '.' || s.text[end-1] == '-') {
		end--
	}
	domain := s.text[at+1 : end]
	if start == at || !isMailDomain(domain) || string(s.text[start:at]) == "git" {
		return at + 1
	}
	if s.c.tokens.isToken(s.text[start:at]) {
		return at + 1
	}
	s.add(start, end, kindEmail)
	return end
}

func isLocalByte(c byte) bool {
	return isAlnum(c) || c >= 0x80 || bytes.IndexByte([]byte("._%+-~!#$*^"), c) >= 0
}

// isMailDomain reports whether mail can go to a domain: not to a version, a
// digest or a unit of systemd.
func isMailDomain(domain []byte) bool {
	i := bytes.LastIndexByte(domain, '.')
	if i <= 0 {
		return false
	}
	top := domain[i+1:]
	if len(top) < 2 || !allOf(top, func(c byte) bool { return isAlnum(c) && !isDigit(c) || c >= 0x80 }) && !bytes.HasPrefix(top, []byte("xn--")) {
		return false
	}
	if domain[0] == 'v' && len(domain) > 1 && isDigit(domain[1]) {
		return false // module@v1.2.3-rc.one
	}
	return !has(unitSuffixes, string(top))
}

// ipv4 takes an address at the first dot between digits. It returns where to go
// on.
func (s *textScan) ipv4(at int) int {
	start := at
	for start > 0 && (isDigit(s.text[start-1]) || s.text[start-1] == '.') && at-start < 32 {
		start--
	}
	end := at
	for end < len(s.text) && (isDigit(s.text[end]) || s.text[end] == '.' && end+1 < len(s.text) && isDigit(s.text[end+1])) {
		end++
	}
	if end-start > len("255.255.255.255") {
		return end
	}
	addr, err := netip.ParseAddr(string(s.text[start:end]))
	if err != nil || s.c.r.keeps(addr) || !s.standsAlone(start, end) {
		return end
	}
	s.addValue(start, end, kindIPv4, s.text[start:end])
	return end
}

// fileEndings follow versions in names of files.
var fileEndings = []string{"tgz", "tar", "gz", "zip", "deb", "rpm", "whl", "jar", "so", "dll", "exe", "apk", "iso", "img"}

// standsAlone reports whether four numbers are an address and no version, part
// of a name or of a longer number.
func (s *textScan) standsAlone(start, end int) bool {
	if start > 0 {
		switch c := s.text[start-1]; {
		case isAlnum(c):
			if start < 2 || s.text[start-2] != '\\' || !isEscapeLetter(c) {
				return false
			}
		case c == '_', c == '.', c >= 0x80:
			return false
		case c == '-':
			if start > 1 && !isDigit(s.text[start-2]) && isAlnum(s.text[start-2]) {
				return false // name-1.2.3.4
			}
		case c == '/':
			// A product with its version, or a name with its address and port.
			if start > 1 && isAlnum(s.text[start-2]) && !isDigit(s.text[start-2]) && (end >= len(s.text) || s.text[end] != ':') {
				return false
			}
		case c == ' ' || c == '=' || c == ':' || c == '"':
			if s.afterVersionWord(start - 1) {
				return false
			}
		}
	}
	if end >= len(s.text) {
		return true
	}
	next := byte(' ')
	if end+1 < len(s.text) {
		next = s.text[end+1]
	}
	switch c := s.text[end]; {
	case isAlnum(c), c == '_', c == '+', c >= 0x80:
		return false
	case c == '-':
		return isDigit(next) || !isAlnum(next)
	case c == '.':
		word := end + 1
		for word < len(s.text) && isAlnum(s.text[word]) {
			word++
		}
		return !has(fileEndings, string(s.text[end+1:word]))
	}
	return true
}

// afterVersionWord reports whether the word before i says that a version
// follows.
func (s *textScan) afterVersionWord(i int) bool {
	for i > 0 && bytes.IndexByte([]byte(" =:\"'\\"), s.text[i-1]) >= 0 {
		i--
	}
	end := i
	for i > 0 && end-i < 32 && isAlnum(s.text[i-1]) {
		i--
	}
	word := lowerText(string(s.text[i:end]))
	return word == "v" || word == "ver" || word == "release" || word == "rev" || len(word) >= 7 && word[len(word)-7:] == "version"
}

// ipv6 takes an address at a colon. It returns where to go on.
func (s *textScan) ipv6(at int) int {
	start := at
	for start > 0 && at-start <= 4 && hexDigit(s.text[start-1]) >= 0 {
		start--
	}
	end := at
	for end < len(s.text) && (hexDigit(s.text[end]) >= 0 || s.text[end] == ':' || s.text[end] == '.' && end+1 < len(s.text) && isDigit(s.text[end+1])) {
		end++
	}
	for end > at+2 && s.text[end-1] == ':' && s.text[end-2] != ':' {
		end-- // a colon after the address
	}
	text := s.text[start:end]
	if len(text) < 3 || len(text) > 45 {
		return end
	}
	addr, err := netip.ParseAddr(string(text))
	if err != nil || !addr.Is6() || s.c.r.keeps(addr) || !isAddress6(text) {
		return end
	}
	if start > 0 {
		switch c := s.text[start-1]; {
		case isAlnum(c) && (start < 2 || s.text[start-2] != '\\' || !isEscapeLetter(c)), c == '_', c == ':', c == '.', c >= 0x80:
			return end
		}
	}
	if end < len(s.text) && (isAlnum(s.text[end]) || s.text[end] == '_' || s.text[end] >= 0x80) {
		return end
	}
	value := text
	if !s.c.exact {
		value = []byte(addr.Unmap().String()) // the same address may be written in several ways
	}
	s.addValue(start, end, kindIPv6, value)
	return end
}

// isAddress6 tells an address from names with :: between them and from
// identifiers of hardware.
func isAddress6(text []byte) bool {
	if bytes.Contains(text, []byte("::")) {
		return bytes.ContainsAny(text, "0123456789") || bytes.Count(text, []byte(":")) >= 4
	}
	for group := range bytes.SplitSeq(text, []byte(":")) {
		if len(group) != 2 {
			return true
		}
	}
	return false
}
