// Package prose makes what records hold fit to stand in a sentence for people.
package prose

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Line returns a text on one line, as valid UTF-8 and of at most most bytes; a
// longer one ends in "…".
func Line(s string, most int) string {
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Seconds returns a length of time: in seconds below a minute, such as
// "48.0 s", else as "2m30s".
func Seconds(d time.Duration) string {
	if d < 0 {
		return "-" + Seconds(-d)
	}
	if d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

// Counted returns a number with its noun.
func Counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
