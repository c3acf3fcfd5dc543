package redact

// A trigger is a text at which a detector looks closer.
type trigger uint8

const (
	onNothing trigger = iota
	onKey             // a word of a key that may have a secret
	onScheme          // "://"
	onAt              // "@"
	onDot             // between digits
	onColon           // after a hexadecimal digit or a colon
	onBearer          // "bearer ", "basic "
	onJWT             // "eyJ"
	onCloud           // a prefix of cloud keys
	onPEM             // "-----BEGIN"
	onPEM64           // the same in base64
	onEscape          // "\u00" or "\/": may hide any of these
	onAzure           // "Q~"
	onQuote           // '"'
	onBrace           // '{' or '['
)

// keyTexts are the beginnings of the nouns of keys, and what is long enough of
// the others to be rare.
var keyTexts = []string{
	"passw", "passphr", "passcode", "secret", "token", "jwt", "credential", "creds", "bearer", "authorization", "cookie",
	"dockerc", "session", "signature", "apikey", "api_key", "api-key", "api.key",
	"auth\"", "auth=", "auth:", "auth\\", "pass\"", "pass=", "pass:", "pass\\", "pwd", "sid\"", "sid=", "sig=", "sig\"", "otp\"", "otp=",
}

// An index finds triggers in one look over a text. Texts are found in any
// case. Not changed once it is made.
type index struct {
	bits  [1 << 16 / 64]uint64 // of hashes of the first three bytes of texts
	texts map[uint32][]triggerText
	bytes [256]trigger
}

type triggerText struct {
	text  string // in small letters, three bytes or more
	then  trigger
	exact bool // in this case only; text is then as written
}

func (x *index) add(then trigger, texts ...string) {
	for _, text := range texts {
		x.addText(triggerText{text: lowerText(text), then: then})
	}
}

func (x *index) addText(t triggerText) {
	if x.texts == nil {
		x.texts = map[uint32][]triggerText{}
	}
	v := uint32(lower[t.text[0]])<<16 | uint32(lower[t.text[1]])<<8 | uint32(lower[t.text[2]])
	x.texts[v] = append(x.texts[v], t)
	h := hash3(v)
	x.bits[h/64] |= 1 << (h % 64)
}

func hash3(v uint32) uint32 { return (v * 0x9E3779B1) >> 16 }

// lower maps ASCII letters to small ones.
var lower = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
		if i >= 'A' && i <= 'Z' {
			t[i] += 'a' - 'A'
		}
	}
	return t
}()

func lowerText(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lower[b[i]]
	}
	return string(b)
}

// next finds the first trigger at or after from. Structural says whether
// quotes and braces are among them. It returns where the text begins.
func (x *index) next(text []byte, from int, structural bool) (int, trigger) {
	v := uint32(0)
	for i := from; i < len(text); i++ {
		c := text[i]
		if then := x.bytes[c]; then != onNothing && x.isByte(text, i, then, structural) {
			return i, then
		}
		v = (v<<8 | uint32(lower[c])) & 0xffffff
		if h := hash3(v); i >= from+2 && x.bits[h/64]&(1<<(h%64)) != 0 {
			if then := x.textAt(text, i-2, v); then != onNothing {
				return i - 2, then
			}
		}
	}
	return -1, onNothing
}

func (x *index) isByte(text []byte, i int, then trigger, structural bool) bool {
	switch then {
	case onDot:
		return i > 0 && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1])
	case onColon:
		return i+1 < len(text) && (text[i+1] == ':' || i > 0 && hexDigit(text[i-1]) >= 0 && hexDigit(text[i+1]) >= 0)
	case onQuote, onBrace:
		return structural
	}
	return true
}

func (x *index) textAt(text []byte, at int, v uint32) trigger {
	for _, t := range x.texts[v] {
		if len(text)-at < len(t.text) {
			continue
		}
		if t.exact {
			if string(text[at:at+len(t.text)]) == t.text {
				return t.then
			}
			continue
		}
		if equalFold(text[at:at+len(t.text)], t.text) {
			return t.then
		}
	}
	return onNothing
}

// equalFold compares with a text in small letters of the same length.
func equalFold(text []byte, small string) bool {
	for i := range small {
		if lower[text[i]] != small[i] {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool { return isDigit(c) || lower[c] >= 'a' && lower[c] <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
