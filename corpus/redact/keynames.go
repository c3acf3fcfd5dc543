package redact

import (
	"slices"
	"strings"
	"unicode"
)

// A keyClass says what the value of a key is, by the key's name.
type keyClass uint8

const (
	plainKey   keyClass = iota // nothing is known of the value
	weakKey                    // secret if it looks random, such as "auth"
	secretKey                  // secret, such as "password"
	counterKey                 // secret unless it is a number, such as "tokens"
	referKey                   // secret, or namespace/name of an object, such as "secret"
	headerKey                  // a header with a scheme before the secret: "Authorization"
	chosenKey                  // named by the policy, with all that is below it
)

// secretNouns are what the last word of a key ends with where its value is a
// secret.
var secretNouns = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "jwt", "credential", "creds",
	"apikey", "privatekey", "secretkey", "accesskey", "accountkey", "sharedkey", "masterkey", "signingkey",
	"encryptionkey", "bearer", "dockerconfigjson", "dockercfg",
}

var weakNouns = []string{"auth", "pass", "pwd", "session", "sessionid", "sid", "signature", "sig", "otp"}

var headerNouns = []string{"authorization", "cookie", "setcookie"}

// keyKinds are the words before "key" that make it a secret one. Others, such
// as "primary key", are names.
var keyKinds = []string{
	"api", "private", "secret", "access", "account", "shared", "master", "signing", "encryption", "ssh", "client",
	"auth", "hmac", "aes", "license", "storage", "subscription", "deploy", "webhook",
}

// formWords say in what form a key has its value; they are no part of its name.
var formWords = []string{
	"value", "data", "text", "plain", "plaintext", "raw", "base64", "b64", "encoded", "encrypted", "hash", "hashed",
	"str", "string", "old", "new", "current", "previous",
}

// classify judges a key by its name alone.
func classify(key string) keyClass {
	words := wordsOf(key)
	for len(words) > 1 && (has(formWords, words[len(words)-1]) || isNumber(words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return plainKey
	}
	last := words[len(words)-1]
	before := ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	singular := strings.TrimSuffix(last, "s")
	switch {
	case has(headerNouns, last), before == "set" && last == "cookie":
		return headerKey
	case singular == "key" && has(keyKinds, before):
		return secretKey
	case singular == "secret" && len(words) == 1, singular == "credential" && len(words) == 1:
		return referKey
	case has(weakNouns, last), before == "session" && last == "id":
		return weakKey
	}
	for _, noun := range secretNouns {
		if strings.HasSuffix(last, noun) {
			return secretKey
		}
		if strings.HasSuffix(singular, noun) {
			return counterKey
		}
	}
	return plainKey
}

func has(list []string, word string) bool {
	return slices.Contains(list, word)
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// wordsOf splits a name at marks and where a small letter is followed by a
// capital, or an abbreviation by a word: clientSecret, DB_PASSWORD, APIKey.
func wordsOf(key string) []string {
	var words []string
	runes := []rune(key)
	from := 0
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(string(runes[from:to])))
		}
		from = to
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			from = i + 1
		case i > from && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1])),
			i > from && unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]):
			cut(i)
		case i > from && unicode.IsDigit(r) && unicode.IsLower(runes[i-1]) && restDigits(runes[i:]):
			cut(i)
		}
	}
	cut(len(runes))
	return words
}

func restDigits(runes []rune) bool {
	for _, r := range runes {
		if !unicode.IsDigit(r) {
			return false
		}
	}
	return true
}
