package redact

import (
	"cmp"
	"slices"
)

// A kind is why something was replaced.
type kind uint8

const (
	kindSecretKey  kind = iota // the value of a key such as password
	kindField                  // of a field that the policy names
	kindSecretData             // in data or stringData of a Secret
	kindURL                    // user or password in a URL
	kindBearer                 // after Bearer or Basic
	kindJWT
	kindCloudKey // of a form that providers give their keys
	kindPrivateKey
	kindEmail
	kindIPv4
	kindIPv6
	kindPattern // and up: those of the policy, in order
)

// kindNames are the names of kinds in run.json and messages.
var kindNames = [...]string{
	"secret-key", "field", "secret-data", "url-credentials", "bearer", "jwt", "cloud-key", "private-key", "email", "ipv4", "ipv6",
}

// A span is a stretch of a text that a token takes the place of.
type span struct {
	start, end int
	kind       kind
	token      string
	quote      bool // the token needs quotes: it takes the place of a number of JSON
	level      int  // quoted texts that the span lies in
}

// appendTo appends what takes the place of the span.
func (s *span) appendTo(dst []byte) []byte {
	if !s.quote {
		return append(dst, s.token...)
	}
	// Each level of quoting doubles the backslashes and adds one.
	slashes := 1<<min(s.level, maxDepth) - 1
	for _, part := range []string{"", s.token} {
		dst = append(dst, part...)
		for range slashes {
			dst = append(dst, '\\')
		}
		dst = append(dst, '"')
	}
	return dst
}

// merge orders spans and joins those that overlap: of two the one that begins
// first, or else the longer, has the token.
func merge(spans []span) []span {
	if len(spans) < 2 {
		return spans
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	out := spans[:1]
	for _, s := range spans[1:] {
		last := &out[len(out)-1]
		switch {
		case s.start >= s.end:
		case s.start >= last.end:
			out = append(out, s)
		case s.end > last.end:
			last.end, last.quote = s.end, false
		}
	}
	return out
}

// replace appends text with the spans replaced.
func replace(dst, text []byte, spans []span) []byte {
	at := 0
	for i := range spans {
		s := &spans[i]
		dst = append(dst, text[at:s.start]...)
		dst = s.appendTo(dst)
		at = s.end
	}
	return append(dst, text[at:]...)
}
