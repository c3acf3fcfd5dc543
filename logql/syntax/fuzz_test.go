package syntax

import (
	"errors"
	"os"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// seeds are queries of every construct, good and bad.
var seeds = []string{
	`{app="x", b!="y", c=~"z.*", d!~"w+"}`,
	"{app=`x`} |= \"a\" or \"b\" != ip(\"10.0.0.0/8\") |~ `\\d` !~ \"x\" |> \"<_>x\" !> \"y<_>\"",
	`{a="b"} | json | json x, y="a[0].b" | logfmt --strict --keep-empty z | unpack`,
	"{a=\"b\"} | pattern `<x> <_>` | regexp `(?P<r>\\d)` | decolorize",
	`{a="b"} | x="y" or n>=1.5 and d<1h30m, s!=1.5KiB (i=ip("::1") or j!~"k") | z=-5`,
	`{a="b"} | line_format "{{.x}}" | label_format a=b, c="{{.d}}" | drop x, y="z" | keep a`,
	`sum by (a, b) (count_over_time({a="b"}[5m] offset -1h)) / on (a) group_left (c) (1 + 2 ^ 3)`,
	`quantile_over_time(0.99, {a="b"} | unwrap duration(x) | __error__="" [5m]) without (y)`,
	`topk(3, rate(({a="b"} | json)[1w2d])) > bool 1 or vector(0) unless ignoring () vector(1)`,
	`label_replace(absent_over_time({a="b"}[1m]), "x", "$1", "y", "(.*)") # comment`,
	"{a=\"b\"} /* c */ |= `x\n` // d", `- 1 + +2 % 0x1p4`, `((1))`, `{a="b"} | 0B`,
	`{a='b'}`, `{a="\q"}`, `{`, `"`, "`", `/*`, `[`, `sum(`, `{a="b"} | `, `1e`, `{a="b"} | x > 09`,
}

// FuzzParse checks that no text makes the parser panic, and that what it
// takes prints as text which it takes as the same.
func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	if r, err := os.Open(shared.Path(f, "conformance", "cases.jsonl")); err == nil { // more seeds, where they are at hand
		defer r.Close()
		cases, err := readCases(r)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range cases {
			if c.Kind == "parse" {
				f.Add(c.Query)
			}
		}
	}
	f.Fuzz(func(t *testing.T, query string) {
		e, err := Parse(query)
		if err != nil {
			checkError(t, query, err)
			return
		}
		checkRoundTrip(t, query, e)
		checkSpans(t, query, e)
	})
}

// FuzzParsePipeline does the same for stages alone.
func FuzzParsePipeline(f *testing.F) {
	f.Add(`|= "x" or "y" | json | x="y" or z > 1`)
	f.Add(`| unwrap x`)
	f.Fuzz(func(t *testing.T, text string) {
		stages, err := ParsePipeline(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		printed := (&LogQuery{Stages: stages}).String()
		again, err := ParsePipeline(printed)
		if err != nil {
			t.Fatalf("ParsePipeline(%q) prints as %q, which does not parse: %v", text, printed, err)
		}
		if !Equal(&LogQuery{Stages: stages}, &LogQuery{Stages: again}) {
			t.Errorf("ParsePipeline(%q) prints as %q, which parses to other stages", text, printed)
		}
	})
}

// checkError checks what every error promises.
func checkError(t *testing.T, query string, err error) {
	t.Helper()
	e := &Error{}
	ok := errors.As(err, &e)
	if !ok {
		t.Fatalf("Parse(%q) gives a %T", query, err)
	}
	if e.Msg == "" || e.Query != query || e.Phase != PhaseParse || e.Line < 1 || e.Column < 1 {
		t.Errorf("Parse(%q) gives the incomplete error %+v", query, e)
	}
	if e.Span.Start < 0 || e.Span.Start > e.Span.End || e.Span.End > len(query) {
		t.Errorf("Parse(%q) gives an error outside of the query: %v", query, e.Span)
	}
	_ = e.Caret() // must not panic
}

// checkSpans checks that nodes lie in the query and in the node above them.
func checkSpans(t *testing.T, query string, e Expr) {
	t.Helper()
	var check func(n Node, outer Span)
	check = func(n Node, outer Span) {
		s := n.Span()
		if s.Start < outer.Start || s.End > outer.End || s.Start >= s.End {
			t.Errorf("Parse(%q): the %T %s has the span %v outside of %v", query, n, n, s, outer)
		}
		for _, c := range children(n) {
			check(c, s)
		}
	}
	check(e, Span{0, len(query)})
}
