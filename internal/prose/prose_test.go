package prose_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/prose"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"plain", 10, "plain"},
		{"two\nlines\tand\x7fdel", 99, "two lines and del"},
		{"bad \xff byte", 99, "bad \ufffd byte"},
		{"grüße", 3, "gr…"}, // never half a letter
		{strings.Repeat("a", 11), 10, strings.Repeat("a", 10) + "…"},
	} {
		if got := prose.Line(tt.text, tt.most); got != tt.want {
			t.Errorf("Line(%q, %d) = %q; want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.0 s", 48 * time.Second: "48.0 s", 144400 * time.Millisecond: "2m24s", 2 * time.Minute: "2m",
		-1500 * time.Millisecond: "-1.5 s", time.Hour: "1h0m",
	} {
		if got := prose.Seconds(d); got != want {
			t.Errorf("Seconds(%d) = %q; want %q", d, got, want)
		}
	}
}
