package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// TestTerminal_Width: no line is wider than asked for, and without colour no
// escape character gets out.
func TestTerminal_Width(t *testing.T) {
	for _, fx := range fixtures {
		for _, width := range []int{40, 61, 80, 100, 200} {
			out := string(render(t, "terminal", fx.report(), Options{Width: width}))
			again := &Again{Program: "stillfires", Args: []string{"-f", "größer als \x1b[31m.yaml", "--rules", "日本 語"}}
			out += string(render(t, "terminal", fx.report(), Options{Width: width, All: true, Again: again}))
			for line := range strings.SplitSeq(out, "\n") {
				if n := columns.StringWidth(line); n > width {
					t.Errorf("%s at width %d: a line of %d columns: %q", fx.name, width, n, line)
				}
			}
			if strings.ContainsAny(out, "\x1b\a\x00\r\u202e\u2066\u200b") || !utf8.ValidString(out) {
				t.Errorf("%s at width %d: unsafe characters get out", fx.name, width)
			}
		}
	}
}

// TestTerminal_Color: colour adds nothing but colour.
func TestTerminal_Color(t *testing.T) {
	for _, fx := range fixtures {
		plain := render(t, "terminal", fx.report(), Options{Width: 80})
		colored := string(render(t, "terminal", fx.report(), Options{Width: 80, Color: true}))
		var b strings.Builder
		for i := 0; i < len(colored); {
			if n := ansi(colored[i:]); n > 0 {
				i += n
				continue
			}
			b.WriteByte(colored[i])
			i++
		}
		if b.String() != string(plain) {
			t.Errorf("%s: the coloured report without its colours differs from the plain one", fx.name)
		}
	}
}

// TestTerminal_Bounded: hundreds of broken rules do not scroll away the
// verdict.
func TestTerminal_Bounded(t *testing.T) {
	out := string(render(t, "terminal", analyzer.Compare(many(300)), Options{Width: 100}))
	if n := strings.Count(out, "\n"); n > 60 {
		t.Errorf("300 broken rules take %d lines", n)
	}
	if !strings.HasPrefix(out, "FAIL") || !strings.Contains(out, "more broken rules (--all shows all)") {
		t.Errorf("the report does not say what it leaves out:\n%s", out)
	}
}

func TestClean(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := clean(in); got != want {
			t.Errorf("clean(%q) = %q; want %q", in, got, want)
		}
	}
	f("plain", "plain")
	f("größer 日本", "größer 日本")
	f("a\tb\nc\r\nd", "a b c  d")
	f("\x1b[1;31mred\x1b[0m", "red")
	f("\x1b]0;title\aafter", "after")
	f("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link")
	f("\u009b31mred", "red")
	f("\x1b", "")
	f("\x1b[", "")
	f("a\x1b[12", "a")
	f("\x1b[31\x01m", "m")
	f("\xffx", "\uFFFDx")
	f("\u202egpj.exe\u2066\u2069\u200f\u061c", "gpj.exe")
	f("z\u200be\u200cr\u200do\ufeff\u2060", "zero")
	f("a\U000e0041b\ufe0fc", "abc")
	f("x\u2028y\u2029z", "x y z")
	f("\x00\x08\x7f\u0085", "")
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[31mred\x1b[0m")
	f.Add("\x1b]0;t\a\u009b\xff\u202e")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x00\n\r\a\u009b\u202e") {
			t.Errorf("clean(%q) = %q", s, got)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) = %q; again %q", s, got, again)
		}
	})
}

func TestCutMiddle(t *testing.T) {
	f := func(in string, n int, want string) {
		t.Helper()
		if got := cutMiddle(in, n); got != want {
			t.Errorf("cutMiddle(%q, %d) = %q; want %q", in, n, got, want)
		}
	}
	f("short", 5, "short")
	f("ordinary-reconnect-console", 15, "ordinar…console")
	f("ordinary-reconnect", 15, "ordinar…connect")
	f("日本語日本語", 7, "日… 語")
}

// TestTerminal_WarningsWhole: with room to spare a warning says all it has to.
func TestTerminal_WarningsWhole(t *testing.T) {
	in := newInput("drill")
	in.add(alert("A", dispatched), [2]outcome.Outcome{fired(42, reservation), withoutLines()})
	out := string(render(t, "terminal", analyzer.Compare(in.Input), Options{Width: 60}))
	if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text, `no line contains "got reservation on" (of 2400)`) {
		t.Errorf("the warning is cut:\n%s", out)
	}
}
