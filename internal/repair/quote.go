package repair

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grafana/regexp"

	"github.com/stillfires/stillfires/analyzer"
)

// literal writes a value as the rule writes its own: in backquotes where the
// rule uses them or where quotes would need escapes, else in double quotes; tabs
// only there, where they can be seen.
func literal(like, value string) string {
	raw := strings.HasPrefix(like, "`") || strings.ContainsAny(value, `"\`)
	if raw && !strings.ContainsRune(value, '\t') && strconv.CanBackquote(value) && !strings.ContainsRune(value, utf8.RuneError) {
		return "`" + value + "`"
	}
	return strconv.Quote(value)
}

// sides returns both texts of a wording diff.
func sides(diff []analyzer.Edit) (deployed, candidate string) {
	for _, e := range diff {
		if e.Op != analyzer.Insert {
			deployed += e.Text
		}
		if e.Op != analyzer.Delete {
			candidate += e.Text
		}
	}
	return deployed, candidate
}

// regexpOf returns a regexp for a text: what varies in it may be anything.
func regexpOf(text string) string {
	var b strings.Builder
	at := 0
	any := func() {
		if !strings.HasSuffix(b.String(), ".*") {
			b.WriteString(".*")
		}
	}
	for _, w := range wordsOf(text) {
		if !w.varies {
			continue
		}
		if between := strings.Trim(text[at:w.start], `"`); between != "" {
			b.WriteString(regexp.QuoteMeta(between))
		}
		any()
		at = w.end
	}
	if rest := strings.Trim(text[at:], `"`); rest != "" {
		b.WriteString(regexp.QuoteMeta(rest))
	}
	return b.String()
}

// either returns a regexp for both of two texts, with what they share at both
// ends, in whole words, written once.
func either(a, b string) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && (n < len(a) && a[n-1] != ' ' || n < len(b) && b[n-1] != ' ') {
		n--
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	for m > 0 && isLetter(a[len(a)-m]) {
		m--
	}
	x, y := a[n:len(a)-m], b[n:len(b)-m]
	if n+m < 8 { // too little to be worth the brackets
		return regexp.QuoteMeta(a) + "|" + regexp.QuoteMeta(b)
	}
	return regexp.QuoteMeta(a[:n]) + "(" + regexp.QuoteMeta(x) + "|" + regexp.QuoteMeta(y) + ")" + regexp.QuoteMeta(a[len(a)-m:])
}

func isLetter(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
