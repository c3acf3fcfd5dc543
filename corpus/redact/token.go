package redact

import (
	"encoding/base32"
	"hash"
)

// A token is tokenPrefix, valueChars that are a keyed hash of the value, and
// checkChars that are a keyed hash of those. The check tells a token from a
// secret that only looks like one, as far as it was made with the same key.
//
// The alphabet is that of words in every syntax: no quote, escape, separator
// or sign is in it, and the first letter keeps it from being a number.
const (
	tokenPrefix = "redacted"
	valueChars  = 16 // 80 bits
	checkChars  = 6  // 30 bits
	tokenLen    = len(tokenPrefix) + valueChars + checkChars
)

var tokenAlphabet = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// maxMemory bounds the tokens that a tokenizer keeps; values that are longer
// than maxKept are not kept.
const (
	maxMemory = 1 << 14
	maxKept   = 256
)

// A tokenizer makes tokens with one key. Not for concurrent use.
type tokenizer struct {
	mac  hash.Hash
	kept map[string]string
	good map[string]bool // texts of the form of a token: is it one?
	sum  []byte
}

func newTokenizer(k *Key) *tokenizer {
	return &tokenizer{mac: k.mac(), kept: map[string]string{}, good: map[string]bool{}}
}

// token returns the token of a value.
func (t *tokenizer) token(value []byte) string {
	if tok, ok := t.kept[string(value)]; ok {
		return tok
	}
	text := make([]byte, 0, tokenLen)
	text = append(text, tokenPrefix...)
	text = t.hash(text, "value\x00", value, valueChars)
	text = t.hash(text, "check\x00", text[len(tokenPrefix):], checkChars)
	tok := string(text)
	if len(t.good) < maxMemory {
		t.good[tok] = true
	}
	if len(value) <= maxKept {
		if len(t.kept) >= maxMemory {
			clear(t.kept)
		}
		t.kept[string(value)] = tok
	}
	return tok
}

func (t *tokenizer) hash(dst []byte, purpose string, value []byte, chars int) []byte {
	t.mac.Reset()
	t.mac.Write([]byte(purpose))
	t.mac.Write(value)
	t.sum = t.mac.Sum(t.sum[:0])
	var text [8 * sha256Chars]byte
	tokenAlphabet.Encode(text[:], t.sum)
	return append(dst, text[:chars]...)
}

// sha256Chars is more than an eighth of the characters of an encoded hash.
const sha256Chars = 7

// isToken reports whether text is a token of the key.
func (t *tokenizer) isToken(text []byte) bool {
	if len(text) != tokenLen || string(text[:len(tokenPrefix)]) != tokenPrefix {
		return false
	}
	good, ok := t.good[string(text)]
	if !ok {
		value := text[len(tokenPrefix) : len(tokenPrefix)+valueChars]
		check := t.hash(nil, "check\x00", value, checkChars)
		good = string(check) == string(text[len(text)-checkChars:])
		if len(t.good) >= maxMemory {
			clear(t.good)
		}
		t.good[string(text)] = good
	}
	return good
}
