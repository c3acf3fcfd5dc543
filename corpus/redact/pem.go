package redact

import (
	"bytes"
	"encoding/base64"
)

const (
	pemBegin = "-----BEGIN "
	pemEnd   = "-----END"
	// pemBase64 begins what is -----BEGIN in base64, as in a kubeconfig.
	pemBase64 = "LS0tLS1CRUdJTi"
	// maxPEM is the number of records in which a private key goes on; a larger
	// one has fewer lines by far.
	maxPEM = 512
)

// A pemState says whether a private key goes on in the next record.
type pemState struct {
	open   bool
	key    []byte // of JSON, under which it stands
	column int    // where it began in its text
	left   int    // records
}

// pem takes the lines of a private key; its first and last line stay.
func (s *textScan) pem(at int) int {
	i := at + len(pemBegin)
	dashes := bytes.Index(s.text[i:min(len(s.text), i+80)], []byte("-----"))
	if dashes < 0 || !bytes.Contains(s.text[i:i+dashes], []byte("PRIVATE KEY")) {
		return i
	}
	i += dashes + len("-----")
	end := len(s.text)
	if n := bytes.Index(s.text[i:], []byte(pemEnd)); n >= 0 {
		end = i + n
	} else {
		s.c.pem = pemState{open: true, key: bytes.Clone(s.key), column: at - s.lineStart(at), left: maxPEM}
	}
	s.pemBody(i, end)
	return end
}

// pemBody takes each word between the first and the last line.
func (s *textScan) pemBody(i, end int) {
	for i < end {
		from := i
		for from < end && !isPEMByte(s.text[from]) {
			from++
			if s.text[from-1] == '\\' && from < end && isEscapeLetter(s.text[from]) {
				from++
			}
		}
		to := from
		for to < end && isPEMByte(s.text[to]) {
			to++
		}
		if from < to {
			s.add(from, to, kindPrivateKey)
		}
		i = max(to, from)
	}
}

func isPEMByte(c byte) bool { return base64Byte(c) || c == '-' || c == ':' || c == ',' }

// openPEM takes what of a private key that began in a record before stands in
// this text.
func (s *textScan) openPEM() {
	st := &s.c.pem
	if !bytes.Equal(s.key, st.key) {
		return
	}
	if n := bytes.Index(s.text, []byte(pemEnd)); n >= 0 {
		from := min(st.column, n)
		if i := bytes.LastIndexByte(s.text[:n], '\n'); i < 0 && len(bytes.TrimSpace(s.text[from:n])) == 0 {
			from = n
		}
		s.pemWords(from, n)
		st.open = false
		return
	}
	for from := 0; from < len(s.text); {
		end := s.lineEnd(from)
		line := bytes.TrimSpace(s.text[from:end])
		if len(line) > 0 && allOf(line, base64Byte) {
			start := from + bytes.Index(s.text[from:end], line)
			s.add(start, start+len(line), kindPrivateKey)
		} else if start := from + st.column; start < end && !s.pemColumn(start, end) {
			s.pemWords(start, end)
		}
		from = s.nextLine(end)
	}
}

// pemColumn takes the word that stands where the first line of the key stood in
// its record, as when each line is logged by itself and between quotes.
func (s *textScan) pemColumn(start, end int) bool {
	to := start
	for to < end && base64Byte(s.text[to]) {
		to++
	}
	closed := to == end || s.text[to] == '"' || s.text[to] == '\\'
	if start == 0 || base64Byte(s.text[start-1]) || to-start < 16 && (!closed || to == start || (to-start)%4 != 0) {
		return false
	}
	s.add(start, to, kindPrivateKey)
	return true
}

// pemWords takes the last word of a stretch, or all if there is nothing but
// words of base64.
func (s *textScan) pemWords(from, end int) {
	text := bytes.TrimRight(s.text[from:end], " \t\r\n\"'")
	start := bytes.LastIndexAny(text, " \t\"'\n\\") + 1
	word := text[start:]
	if len(word) == 0 || !allOf(word, base64Byte) {
		return
	}
	if start > 0 && len(word) < 16 && len(bytes.Fields(text)) > 1 {
		return
	}
	s.add(from+start, from+len(text), kindPrivateKey)
}

// pem64 takes a private key of which the PEM is in base64.
func (s *textScan) pem64(at int) int {
	end := at
	for end < len(s.text) && base64Byte(s.text[end]) {
		end++
	}
	n := min(end-at, 120) / 4 * 4
	text, err := base64.StdEncoding.DecodeString(string(s.text[at : at+n]))
	if err != nil || !bytes.Contains(text, []byte("PRIVATE KEY")) {
		return end
	}
	s.add(at, end, kindPrivateKey)
	return end
}
