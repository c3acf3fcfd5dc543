package source

import (
	"strings"
	"testing"
)

func TestClip(t *testing.T) {
	f := func(text string, n int, want string) {
		t.Helper()
		if got := Clip(text, n); got != want {
			t.Errorf("Clip(%q, %d) = %q; want %q", text, n, got, want)
		}
	}
	f("", 5, "")
	f("abcde", 5, "abcde")
	f("abcdef", 5, "ab…ef")
	f("ééééé", 5, "ééééé")
	f("aébcdéf", 4, "aé…f")
	f("ab", 1, "…")
	f("\xff\xff\xff\xff\xff", 3, "\xff…\xff")
	f(strings.Repeat("x", 4000), 10, "xxxxxx…xxx")
}
