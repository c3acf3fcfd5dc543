package query

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	test := func(in string, bare, isLog bool) {
		t.Helper()
		q, err := parse(in)
		if err != nil {
			t.Errorf("parse(%q): %v", in, err)
			return
		}
		if q.bare != bare || q.IsLog() != isLog {
			t.Errorf("parse(%q) is bare %t, log %t; want %t, %t", in, q.bare, q.IsLog(), bare, isLog)
		}
	}
	test(`{app="x"}`, false, true)
	test(`|= "x"`, true, true)
	test(" \n!= \"x\" | json", true, true)
	test(`| json | level="error"`, true, true)
	test(`rate({app="x"}[1m])`, false, false)
	test(`1 + 2`, false, false)
}

func TestParse_Errors(t *testing.T) {
	test := func(in string, want ...string) {
		t.Helper()
		_, err := parse(in)
		if err == nil {
			t.Errorf("parse(%q) succeeded", in)
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("parse(%q) = %v; want %q in it", in, err, w)
			}
		}
	}
	test("error", "query:1:1:", `write: |= "error"`)
	test("connection lost", `write: |= "connection lost"`)
	test(`| json | status > `, "query:1:")
	test("|= \"a\"\n| regexp \"(\"", "query:2:", "\n  ")
	// The place of a fault that is found only when the query is compiled.
	test("|= \"a\"\n| line_format \"{{ nope }}\"", "query:2:15:", "\n  | line_format")
	test(`|~ "("`, "query:1:4:")
	test(`| unwrap x`, "query:1:")
}

func TestUsesTime(t *testing.T) {
	test := func(in string, want bool) {
		t.Helper()
		q, err := parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.usesTime(); got != want {
			t.Errorf("usesTime of %s = %t; want %t", in, got, want)
		}
	}
	test(`|= "now"`, false)
	test(`| line_format "{{ __line__ }}"`, false)
	test(`| line_format "{{ __timestamp__ }}"`, true)
	test(`| label_format t="{{ now }}"`, true)
}

// FuzzParse: a query is read or refused with a place, never more.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`|= "x" | json`, "|= \"a\"\n| line_format \"{{ nope }}\"", `{app="x"}`, `!~ "("`, "error", "| unwrap x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := parse(s); err != nil && !strings.HasPrefix(err.Error(), "query:") {
			t.Errorf("parse(%q) = %v; want a place", s, err)
		}
	})
}
