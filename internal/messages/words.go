package messages

import "bytes"

// lowered returns b in lower case in the memory given; nil if it is too long
// to be a word.
func lowered(buf *[24]byte, b []byte) []byte {
	if len(b) > len(buf) {
		return nil
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return buf[:len(b)]
}

// isTerm reports whether a word with a digit is a term, not a value.
func isTerm(w []byte) bool {
	var buf [24]byte
	switch string(lowered(&buf, w)) {
	case "k8s", "ipv4", "ipv6", "http2", "http3", "h2c", "sha1", "sha256", "sha512", "md5", "base64",
		"utf8", "utf-8", "utf16", "oauth2", "x509", "x.509", "s3", "ec2", "i18n", "l7", "l4", "p2p", "log4j", "e2e":
		return true
	}
	return false
}

// isSlashed reports whether a word with a slash is a phrase, not a path.
func isSlashed(w []byte) bool {
	var buf [24]byte
	switch string(bytes.TrimRight(lowered(&buf, w), ".,")) {
	case "and/or", "i/o", "n/a", "tcp/ip", "read/write", "input/output", "client/server", "yes/no", "on/off", "true/false", "/":
		return true
	}
	return false
}

// Telling reports whether a word of letters says what happened to something or
// how it is: such a word is never a value.
func Telling(w []byte) bool { return isTelling(w) || bytes.HasSuffix(w, []byte("n't")) }

// isTelling reports whether a word says what happened to something or how it
// is. Such words tell messages apart; they are never taken for values.
func isTelling(w []byte) bool {
	var buf [24]byte
	low := lowered(&buf, w)
	if low == nil || !isAlpha(low) {
		return false
	}
	if hasEnding(low) {
		return true
	}
	switch string(low) {
	case "is", "not", "no", "none", "never", "cannot", "neither", "nor", "nothing", "hardly", "non", "un", "without", "with", "yes", "true", "false", "null", "nil",
		"on", "off", "up", "down", "in", "out", "to", "from", "before", "after", "first", "last", "all", "any",
		"add", "remove", "delete", "create", "update", "patch", "get", "list", "watch", "put", "post", "head", "options",
		"start", "stop", "begin", "end", "open", "close", "read", "write", "lock", "unlock", "load", "unload", "join", "leave",
		"attach", "detach", "bind", "unbind", "mount", "unmount", "connect", "disconnect", "enable", "disable", "allow",
		"deny", "accept", "reject", "admit", "evict", "suspend", "resume", "pause", "retry", "abort", "cancel", "skip",
		"success", "successful", "failure", "fail", "error", "errors", "ok", "okay", "pass", "panic", "fatal", "warning",
		"active", "inactive", "alive", "dead", "ready", "unready", "notready", "healthy", "unhealthy", "online", "offline",
		"valid", "invalid", "known", "unknown", "found", "lost", "new", "old", "same", "full", "empty", "idle", "busy",
		"present", "absent", "stale", "fresh", "final", "partial", "complete", "incomplete", "pending", "done", "only",
		"high", "low", "max", "min", "more", "less", "minimum", "maximum", "leader", "follower", "primary", "secondary", "standby",
		"master", "replica", "begun", "began", "bound", "unbound", "broke", "broken", "shut", "shown", "hidden", "died", "rose", "risen", "fell", "fallen",
		"grew", "grown", "shrank", "shrunk", "froze", "frozen", "sent", "set", "unset", "reset", "won", "held", "kept", "left", "right", "gone", "here":
		return true
	}
	return false
}

// hasEnding reports whether a word in lower case ends like a verb or an
// adjective.
func hasEnding(low []byte) bool {
	for _, end := range [...]string{"ed", "ing", "able", "ible", "less", "ful", "ive", "ally"} {
		if len(low) >= len(end)+3 && string(low[len(low)-len(end):]) == end {
			return true
		}
	}
	return false
}

// A wordClass says how readily a word of a template is taken for a value.
type wordClass uint8

const (
	fixed wordClass = iota // never
	plain                  // once very many words stand in its place
	named                  // once a few do
)

// classify looks at one word of a template. Names have punctuation within, but
// none of their parts is a telling word. The name of a flag is what the text is
// about.
func classify(w []byte) wordClass {
	if bytes.HasPrefix(w, []byte("--")) {
		return fixed
	}
	w = w[leadingMarks(w):]
	w = w[:len(w)-trailingMarks(w)]
	if len(w) == 0 || string(w) == mask {
		return fixed
	}
	parts, letters := 0, false
	for i := 0; i < len(w); {
		end := i
		for end < len(w) && isLetter(w[end]) {
			end++
		}
		if end == i {
			i++
			continue
		}
		letters = true
		parts++
		if anyTelling(w[i:end]) {
			return fixed
		}
		i = end
	}
	switch {
	case !letters:
		return fixed
	case isAlpha(w) || bytes.IndexByte(w, '\'') >= 0:
		return plain
	}
	return named
}

// anyTelling reports whether a word, or one of the words that make it up with
// capitals, is telling.
func anyTelling(w []byte) bool {
	if isTelling(w) {
		return true
	}
	from := 0
	for i := 1; i <= len(w); i++ {
		if i == len(w) || w[i] >= 'A' && w[i] <= 'Z' {
			if from > 0 || i < len(w) {
				if isTelling(w[from:i]) {
					return true
				}
			}
			from = i
		}
	}
	return false
}

func leadingMarks(w []byte) int {
	n := 0
	for n < len(w) && !isLetter(w[n]) && w[n] != '<' {
		n++
	}
	return n
}

func trailingMarks(w []byte) int {
	n := 0
	for n < len(w) && !isLetter(w[len(w)-1-n]) && w[len(w)-1-n] != '>' {
		n++
	}
	return n
}
