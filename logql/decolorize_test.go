package logql

import (
	"bytes"
	"testing"
)

func TestDecolorize(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		if got := decolorize(nil, []byte(line)); string(got) != want {
			t.Errorf("decolorize(%q) = %q; want %q", line, got, want)
		}
		if got := decolorize([]byte("> "), []byte(line)); string(got) != "> "+want {
			t.Errorf("decolorize(%q) after a text = %q; want %q", line, got, "> "+want)
		}
	}
	f("", "")
	f("no colour [31m literal", "no colour [31m literal")
	f("\x1b[31mERR\x1b[0m x", "ERR x")
	f("\x1b[38;5;101mlevel=inf\x1b[0m took", "level=inf took")
	f("\x1b[1m\x1b[1;35mDBG\x1b[0m\x1b[0m", "DBG")
	f("\x1b[2K\r\x1b[1Gprogress 10%\x1b[K", "\rprogress 10%")
	f("\x1b[?25lx\x1b[?25h", "x")
	f("\u009b31mx", "x")
	f("\x1b]0;title\ax", "x")
	f("\x1b", "\x1b")
	f("\x1b ~", "\x1b ~")
	f("\x1b[", "\x1b[")
	f("\x1b[31 x", " x")
	f("\x1b[12345m", "m")
	f("\x1b[1;!", ";!")
	f("é\x1b[0m日", "é日")
}

func FuzzDecolorize(f *testing.F) {
	f.Add([]byte("\x1b[31mERR\x1b[0m"))
	f.Fuzz(func(t *testing.T, line []byte) {
		before := bytes.Clone(line)
		got := decolorize(nil, line)
		if len(got) > len(line) {
			t.Errorf("%q grows to %q", line, got)
		}
		if !bytes.Equal(line, before) {
			t.Errorf("%q is changed in place to %q", before, line)
		}
	})
}
