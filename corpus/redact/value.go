package redact

import (
	"bytes"
)

// secretIn reports whether a value, complete and without quotes, is secret
// under a key of the class, and which part of it.
func (c *Cleaner) secretIn(value []byte, class keyClass) (from, to int, secret bool) {
	from, to = 0, len(value)
	if to == 0 || class == chosenKey {
		return from, to, to > 0
	}
	if class == plainKey {
		return from, to, true // in data of a Secret
	}
	if saysNothing(value) {
		return from, to, false
	}
	switch class {
	case weakKey:
		return from, to, isRandom(value)
	case referKey:
		if isReference(value) {
			return from, to, false
		}
	case counterKey:
		if len(bytes.Trim(value, "0123456789.")) == 0 {
			return from, to, false
		}
	case headerKey:
		if from = schemeEnd(value); from > 0 && schemes[lowerText(string(value[:from-1]))] {
			return from, to, bytes.IndexByte(value[from:], ' ') < 0 || !allPlain(value[from:])
		}
		word, _, _ := bytes.Cut(value[from:], []byte(" "))
		return from, to, !isProse(word) && (from == 0 || len(word) >= 6)
	case plainKey, secretKey, chosenKey:
	}
	if n := schemeEnd(value); n > 0 && (equalFold(value[:n-1], "bearer") || equalFold(value[:n-1], "basic")) {
		from = n
	}
	return from, to, true
}

// schemes are those of the header Authorization.
var schemes = map[string]bool{
	"bearer": true, "basic": true, "digest": true, "negotiate": true, "token": true, "apikey": true, "aws4-hmac-sha256": true, "ntlm": true,
}

// schemeEnd returns where the credentials of a header begin, after the word
// that names their scheme; 0 if there is no such word.
func schemeEnd(value []byte) int {
	i := 0
	for i < len(value) && (isAlnum(value[i]) || value[i] == '-') {
		i++
	}
	if i == 0 || i+1 >= len(value) || value[i] != ' ' || value[i+1] == ' ' {
		return 0
	}
	return i + 1
}

// nothings are values that give nothing away.
var nothings = map[string]bool{
	"null": true, "nil": true, "<nil>": true, "none": true, "undefined": true, "true": true, "false": true, "yes": true,
	"no": true, "~": true, "redacted": true, "<redacted>": true, "[redacted]": true, "hidden": true, "<hidden>": true,
	"{}": true, "[]": true, "<none>": true, "<set>": true, "<unset>": true, "<masked>": true, "-": true,
}

// saysNothing reports whether a value stands for none, was blanked already, or
// names where the value comes from, such as $(PASSWORD).
func saysNothing(value []byte) bool {
	if len(value) <= 12 && nothings[string(bytes.ToLower(value))] {
		return true
	}
	if len(bytes.Trim(value, "*")) == 0 || len(bytes.Trim(value, "xX")) == 0 || len(bytes.Trim(value, ".")) == 0 {
		return true
	}
	n := len(value)
	return n > 3 && value[0] == '$' && (value[1] == '(' && value[n-1] == ')' || value[1] == '{' && value[n-1] == '}') &&
		allOf(value[2:n-1], func(c byte) bool { return isAlnum(c) || c == '_' })
}

func allOf(text []byte, f func(byte) bool) bool {
	for _, c := range text {
		if !f(c) {
			return false
		}
	}
	return true
}

// maxRandom bounds what is taken for a value that a machine drew, in bytes.
const maxRandom = 1 << 10

// isRandom reports whether a value looks like one that a machine drew.
func isRandom(value []byte) bool {
	if len(value) < 12 || len(value) > maxRandom {
		return false
	}
	digits, letters := 0, 0
	for _, c := range value {
		switch {
		case isDigit(c):
			digits++
		case isAlnum(c):
			letters++
		case c == '+' || c == '/' || c == '=' || c == '_' || c == '-' || c == '.' || c == '~' || c == '%':
		default:
			return false
		}
	}
	return digits > 0 && letters > 0
}

// isReference reports whether a value is namespace/name of an object.
func isReference(value []byte) bool {
	slash := bytes.IndexByte(value, '/')
	return slash > 0 && slash < len(value)-1 && len(value) <= 317 && isObjectName(value[:slash]) && isObjectName(value[slash+1:])
}

func isObjectName(name []byte) bool {
	return isAlnum(name[0]) && isAlnum(name[len(name)-1]) && allOf(name, func(c byte) bool {
		return isDigit(c) || c >= 'a' && c <= 'z' || c == '-' || c == '.'
	})
}

// isPlain reports whether a word is one of a language rather than a secret: of
// letters alone, capitals at most at its beginning or throughout, perhaps with
// a mark at its end.
func isPlain(word []byte) bool {
	word = bytes.TrimRight(word, ".,;:!?)")
	if len(word) == 0 {
		return true
	}
	capitals := 0
	for i, c := range word {
		switch {
		case c >= 'A' && c <= 'Z':
			capitals++
			if i > 0 && capitals != i+1 {
				return false
			}
		case c >= 'a' && c <= 'z':
			if capitals > 1 {
				return false
			}
		case c == '-' || c == '\'' || c >= 0x80:
		default:
			return false
		}
	}
	return true
}

func allPlain(text []byte) bool {
	for word := range bytes.FieldsSeq(text) {
		if !isPlain(word) {
			return false
		}
	}
	return true
}
