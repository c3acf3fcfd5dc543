package redact

import (
	"bytes"
	"encoding/base64"
)

// bearer takes what follows "Bearer " or "Basic ".
func (s *textScan) bearer(at int) int {
	if at > 0 && isAlnum(s.text[at-1]) && (at < 2 || s.text[at-2] != '\\') {
		return at + 1
	}
	start := at + bytes.IndexByte(s.text[at:], ' ') + 1
	for start < len(s.text) && s.text[start] == ' ' {
		start++
	}
	end := start
	for end < len(s.text) && (isAlnum(s.text[end]) || bytes.IndexByte([]byte("-._~+/="), s.text[end]) >= 0) {
		end++
	}
	word := s.text[start:end]
	if lower[s.text[at+1]] == 'a' { // basic
		if !isBasic(word) {
			return start
		}
	} else if word = bytes.TrimRight(word, "."); isPlain(word) && len(word) < 20 || len(word) < 6 || bytes.IndexByte(word, '=') > 0 && !isRandom(word) {
		return start
	}
	s.add(start, start+len(word), kindBearer)
	return start + len(word)
}

// isBasic reports whether a word is user:password in base64.
func isBasic(word []byte) bool {
	text, err := base64.RawStdEncoding.DecodeString(string(bytes.TrimRight(word, "=")))
	return err == nil && bytes.IndexByte(text, ':') >= 0
}

func isBase64URL(c byte) bool { return isAlnum(c) || c == '-' || c == '_' }

// jwt takes a JSON web token at "eyJ": three parts, or five of one that is
// encrypted.
func (s *textScan) jwt(at int) int {
	if at > 0 && isBase64URL(s.text[at-1]) && (at < 2 || s.text[at-2] != '\\') {
		return at + 1
	}
	end, parts := at, 1
	for end < len(s.text) && (isBase64URL(s.text[end]) || s.text[end] == '.' && parts < 5) {
		if s.text[end] == '.' {
			parts++
		}
		end++
	}
	head, _, _ := bytes.Cut(s.text[at:end], []byte("."))
	text, err := base64.RawURLEncoding.DecodeString(string(head[:len(head)/4*4]))
	if err != nil || !bytes.HasPrefix(text, []byte(`{"`)) || len(head) < 12 || parts < 2 {
		return max(end, at+1)
	}
	end = at + len(bytes.TrimRight(s.text[at:end], "."))
	s.add(at, end, kindJWT)
	return end
}

// A cloudForm is the form of the keys of one kind that a provider issues: a
// text that they begin with, and how many bytes follow.
type cloudForm struct {
	prefix   string
	min, max int
	alphabet func(byte) bool
}

func upperDigit(c byte) bool { return isDigit(c) || c >= 'A' && c <= 'Z' }
func smallHex(c byte) bool   { return isDigit(c) || c >= 'a' && c <= 'f' }
func wordByte(c byte) bool   { return isAlnum(c) || c == '_' }
func dotted64(c byte) bool   { return isBase64URL(c) || c == '.' }
func base64Byte(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }
func pathByte(c byte) bool   { return isAlnum(c) || c == '/' }

// many is no bound on the length of a key.
const many = 1 << 20

var cloudForms = []cloudForm{
	{"AKIA", 16, 16, upperDigit}, {"ASIA", 16, 16, upperDigit}, {"ABIA", 16, 16, upperDigit}, {"ACCA", 16, 16, upperDigit},
	{"IQoJb3JpZ2lu", 80, many, base64Byte}, {"FwoGZXIvYXdz", 80, many, base64Byte}, // AWS sessions
	{"AIza", 35, 35, isBase64URL}, {"ya29.", 20, many, dotted64}, {"GOCSPX-", 20, 40, isBase64URL}, {"1//0", 40, many, isBase64URL},
	{"ghp_", 36, 251, isAlnum}, {"gho_", 36, 251, isAlnum}, {"ghu_", 36, 251, isAlnum}, {"ghs_", 36, 520, wordByte}, {"ghr_", 36, 251, isAlnum},
	{"github_pat_", 22, 255, wordByte},
	{"glpat-", 20, 300, dotted64}, {"glptt-", 20, 300, dotted64}, {"gldt-", 20, 300, dotted64}, {"glrt-", 20, 300, dotted64},
	{"glcbt-", 20, 300, dotted64}, {"glsoat-", 20, 300, dotted64}, {"glsa_", 32, 60, wordByte}, {"glc_", 32, 400, base64Byte},
	{"xoxb-", 20, 300, isBase64URL}, {"xoxp-", 20, 300, isBase64URL}, {"xoxa-", 20, 300, isBase64URL}, {"xoxr-", 20, 300, isBase64URL},
	{"xoxs-", 20, 300, isBase64URL}, {"xoxe.", 20, 600, dotted64}, {"xapp-", 20, 300, isBase64URL}, {"hooks.slack.com/services/", 20, 120, pathByte},
	{"sk_live_", 16, 255, wordByte}, {"sk_test_", 16, 255, wordByte}, {"rk_live_", 16, 255, wordByte}, {"whsec_", 24, 80, base64Byte},
	{"SG.", 60, 80, dotted64}, {"npm_", 36, 36, isAlnum}, {"pypi-AgE", 50, many, isBase64URL}, {"hf_", 30, 40, isAlnum},
	{"dckr_pat_", 20, 60, isBase64URL}, {"dop_v1_", 64, 64, smallHex}, {"shpat_", 32, 32, isAlnum}, {"sk-ant-", 20, 255, isBase64URL},
	{"sk-proj-", 20, 255, isBase64URL}, {"hvs.", 20, 300, isBase64URL}, {"hvb.", 20, 500, isBase64URL}, {"AGE-SECRET-KEY-1", 58, 58, upperDigit},
	{"NRAK-", 27, 27, upperDigit}, {"eyJrIjoi", 30, many, base64Byte},
}

// azureSecret is what stands within the secrets of Azure's applications, after
// three bytes and a digit.
const azureSecret = "Q~"

// cloudKey takes a key of a provider's form.
func (s *textScan) cloudKey(at int) int {
	for i := range cloudForms {
		f := &cloudForms[i]
		if !bytes.HasPrefix(s.text[at:], []byte(f.prefix)) || at > 0 && isAlnum(s.text[at-1]) && (at < 2 || s.text[at-2] != '\\') {
			continue
		}
		start := at + len(f.prefix)
		end := start
		for end < len(s.text) && f.alphabet(s.text[end]) {
			end++
		}
		end = start + len(bytes.TrimRight(s.text[start:end], "."))
		if n := end - start; n < f.min || n > f.max {
			continue
		}
		s.add(at, end, kindCloudKey)
		return end
	}
	return at + 1
}

// azure takes a secret of an Azure application at the digit before "Q~".
func (s *textScan) azure(at int) int {
	tail := func(c byte) bool { return isBase64URL(c) || c == '.' || c == '~' }
	start, rest := at-3, at+1+len(azureSecret)
	if start < 0 || !allOf(s.text[start:at], tail) || start > 0 && isAlnum(s.text[start-1]) {
		return at + 1
	}
	end := rest
	for end < len(s.text) && tail(s.text[end]) {
		end++
	}
	if n := end - rest; n < 31 || n > 34 {
		return at + 1
	}
	s.add(start, end, kindCloudKey)
	return end
}
