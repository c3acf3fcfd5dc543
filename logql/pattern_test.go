package logql

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPatternFilter(t *testing.T) {
	f := func(pattern, line string, want bool) {
		t.Helper()
		p, err := compilePatternFilter(pattern)
		if err != nil {
			t.Errorf("compilePatternFilter(%q): %v", pattern, err)
			return
		}
		if got := p.match([]byte(line)); got != want {
			t.Errorf("%q matches %q: %v; want %v", pattern, line, got, want)
		}
	}
	// Without <_> the whole line.
	f("", "", true)
	f("", "x", false)
	f("map", "map", true)
	f("map", "a map", false)
	f("map", "map b", false)
	f("<x", "<x", true)
	// With <_> anchored at the end only.
	f("<_>", "x", true)
	f("<_>", "", false)
	f("error: con<_>", "fatal error: concurrent", true)
	f("error: con<_>", "fatal error: con", false)
	f("<_>map", "concurrent map writes", false)
	f("<_>map", "the map", true)
	f("<_>map", "map", false)
	f("<_>map", "a map and a map", false)
	f("a<_>b<_>c", "a1b2c", true)
	f("a<_>b<_>c", "ab2c", false)
	f("<<_>>1 <_> ok", "<13>1 x ok", true)
	f("{<_>}", `{"a":{"b":1}}`, false)
	f("{<_>}", `{"a":1}`, true)
	f("日<_>語", "日本語", true)

	for _, pattern := range []string{"x <name>", "<_><_>", "<a>"} {
		if _, err := compilePatternFilter(pattern); err == nil {
			t.Errorf("compilePatternFilter(%q) is accepted", pattern)
		}
	}
}

func TestPatternParser(t *testing.T) {
	f := func(pattern, line string, want ...string) {
		t.Helper()
		p, err := compilePatternParser(pattern)
		if err != nil {
			t.Errorf("compilePatternParser(%q): %v", pattern, err)
			return
		}
		var got []string
		p.parse([]byte(line), func(name string, value []byte) {
			got = append(got, name+"="+string(value))
		})
		if diff := cmp.Diff(want, got); diff != "" && len(want)+len(got) > 0 {
			t.Errorf("%q on %q (-want +got)\n%s", pattern, line, diff)
		}
	}
	f(`<a>`, `x y`, "a=x y")
	f(`<a>`, ``)
	f(`<a> <b>`, `x y z`, "a=x", "b=y z")
	f(`<a> <b>`, `x`, "a=x")
	f(`<a> <b>`, `x `, "a=x", "b=")
	f(`<a>=<b> <_>`, `=v `, "a=", "b=v")
	f(`<ip> - alice <rest>`, `::1 - bob x`, "ip=::1 - bob x")
	f(`<_> <app>`, `a b`, "app=b")
	f(`<_>eventID="<id>"] <_>`, `no such text`)
	f(`<_>eventID="<id>"] <_>`, `x eventID="1"] y`, "id=1")
	f(`E<_> <src>.go:<line>] <msg>`, `E0101 x.go:5] hello`, "src=x", "line=5", "msg=hello")
	f(`E<_> <src>.go:<line>] <msg>`, `I0101 E x.go:5] hello`)
	f(`<<pri>>1 <rest>`, `<13>1 x`, "pri=13", "rest=x")
	f(`<<x>>`, `<y>`, "x=y")
	f(`{<body>}`, `{"a":{"b":1}}`, `body="a":{"b":1`)
	f(`<a>日本<b>`, `x日本y`, "a=x", "b=y")
	f(`<1a> <b>`, `<1a> x`, "b=x")

	for _, pattern := range []string{"", "x", "x>", "<_> <_>", "<a><b>", "<a><_>", "<a> <a>", "<>", "<é>"} {
		if _, err := compilePatternParser(pattern); err == nil {
			t.Errorf("compilePatternParser(%q) is accepted", pattern)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add(`<a> - <_> "<b>"`, []byte(`x - y "z"`))
	f.Add(`<_>x`, []byte(`xx`))
	f.Fuzz(func(t *testing.T, pattern string, line []byte) {
		if p, err := compilePatternFilter(pattern); err == nil {
			p.match(line)
		}
		p, err := compilePatternParser(pattern)
		if err != nil {
			return
		}
		n, total := 0, 0
		p.parse(line, func(name string, value []byte) {
			if n >= len(p.names) {
				t.Fatalf("more values than names")
			}
			n++
			total += len(value)
		})
		if total > len(line) {
			t.Errorf("captures overlap")
		}
	})
}
