package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// MinKey is the length of the shortest key that is taken, in bytes. With a
// shorter one tokens could be turned back by trying keys.
const MinKey = 16

// A Key makes tokens. It is never written anywhere.
type Key struct {
	secret []byte
	id     string
}

// NewKey returns the key with this secret. White space around it, such as the
// newline that ends a file, is no part of it.
func NewKey(secret []byte) (*Key, error) {
	text := strings.TrimSpace(string(secret))
	if len(text) < MinKey {
		return nil, fmt.Errorf("the key has %d bytes; it needs %d or more that nobody can guess, such as the output of: openssl rand -hex 32", len(text), MinKey)
	}
	return newKey([]byte(text)), nil
}

// RandomKey returns a key that nobody has.
func RandomKey() *Key {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return newKey(secret[:])
}

func newKey(secret []byte) *Key {
	k := &Key{secret: secret}
	mac := k.mac()
	mac.Write([]byte("stillfires/redact/key-id"))
	k.id = hex.EncodeToString(mac.Sum(nil)[:8])
	return k
}

// ID tells keys apart and reveals none: it is a keyed hash of a fixed text.
func (k *Key) ID() string { return k.id }

// String returns the ID, so that a key that is printed is not given away.
func (k *Key) String() string { return "key " + k.id }

func (k *Key) mac() hash.Hash { return hmac.New(sha256.New, k.secret) }
