package logql

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/grafana/regexp"
)

func TestLineFilter(t *testing.T) {
	entries := lines("error: disk full", "Error: DISK", "debug", "from 10.0.0.7 port 22", "")
	test := func(filter string, want ...string) {
		t.Helper()
		for i := range want {
			want[i] = "{} " + want[i]
		}
		checkLines(t, `{app="a"} `+filter, entries, want...)
	}
	test(`|= "error"`, "error: disk full")
	test(`|= "disk" or "debug"`, "error: disk full", "debug")
	test(`!= "disk" or "debug"`, "Error: DISK", "from 10.0.0.7 port 22", "")
	test(`|= "" or "debug"`, "debug")
	test(`|~ "debug" or ".*"`, "debug")
	test(`|~ ".*"`, "error: disk full", "Error: DISK", "debug", "from 10.0.0.7 port 22", "")
	test(`|= ""`, "error: disk full", "Error: DISK", "debug", "from 10.0.0.7 port 22", "")
	test(`!= ""`)
	test(`|~ "(?i)disk"`, "error: disk full", "Error: DISK")
	test(`!~ "(?i)disk|debug"`, "from 10.0.0.7 port 22", "")
	test(`|~ "^d.*g$"`, "debug")
	test(`|~ "port \\d+"`, "from 10.0.0.7 port 22")
	test(`|~ "^$"`, "")
	test(`|> "<_>: disk <_>"`, "error: disk full")
	test(`!> "<_>: disk <_>"`, "Error: DISK", "debug", "from 10.0.0.7 port 22", "")
	test(`|= ip("10.0.0.0/8")`, "from 10.0.0.7 port 22")
	test(`!= ip("10.0.0.0/8") |= "d"`, "error: disk full", "debug")
}

func TestLineFilter_FoldBeyondASCII(t *testing.T) {
	entries := lines("straße 1", "STRASSE 2", "ÜBER 3", "über 4")
	checkLines(t, `{app="a"} |~ "(?i)STRA"`, entries, "{} straße 1", "{} STRASSE 2")
	checkLines(t, `{app="a"} |~ "(?i)straße"`, entries, "{} straße 1")
	checkLines(t, `{app="a"} |~ "(?i)Über"`, entries, "{} ÜBER 3", "{} über 4")
}

// TestLineRegexp_EqualsRegexp compares the ways around regexps with regexps.
func TestLineRegexp_EqualsRegexp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	word := func() string {
		letters := "abAB sSkK.\nſéK"
		b := []rune(letters)
		var s strings.Builder
		for range 1 + rnd.IntN(3) {
			s.WriteRune(b[rnd.IntN(len(b))])
		}
		return s.String()
	}
	patterns := func() string {
		w := func() string { return regexp.QuoteMeta(word()) }
		switch rnd.IntN(12) {
		case 0:
			return w()
		case 1:
			return "(?i)" + w()
		case 2:
			return w() + "|" + w()
		case 3:
			return "(?i)" + w() + "|" + w()
		case 4:
			return ".*" + w() + ".*"
		case 5:
			return "(" + w() + "|(?i)" + w() + ")"
		case 6:
			return w() + "+" + w() + "?" + w()
		case 7:
			return "^" + w() + ".*" + w() + "$"
		case 8:
			return w() + ".*" + w() + ".*?" + w()
		case 9:
			return "(?i)" + w() + ".*(" + w() + "|" + w() + ")"
		case 10:
			return w() + "[ab]" + w() + "?.*(?i:" + w() + ")"
		case 11:
			return w() + "(" + w() + "|" + w() + "|)" + w() + "|(?s)" + w() + ".*" + w()
		}
		return w() + "(" + w() + "|" + w() + "){1,2}"
	}
	for range 3000 {
		pattern, line := patterns(), []byte(word()+word()+word()+word())
		m, err := compileLineRegexp(pattern)
		if err != nil {
			t.Fatal(err)
		}
		want := regexp.MustCompile(pattern).Match(line)
		e := &entry{lineState: stateOfLine(&streamState{}, line), line: line}
		if got := m.match(e, line); got != want {
			t.Fatalf("%q on %q = %v; want %v", pattern, line, got, want)
		}
		gates := &gates{known: make(map[string]int32)}
		n := &node{stage: &lineFilterStage{operands: []lineMatcher{m}}}
		gates.add(n)
		e.texts = newTextIndex(gates.texts)
		if got := n.gate.pass(e); got != want {
			t.Fatalf("%q on %q with an index = %v; want %v", pattern, line, got, want)
		}
	}
}
