package logql

import (
	"errors"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/logql/syntax"
)

func TestParseAndCompile_Errors(t *testing.T) {
	test := func(query, at, part string) {
		t.Helper()
		_, err := ParseAndCompile(query)
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v; want a *syntax.Error", query, err)
			return
		}
		if e.Phase != syntax.PhaseCompile {
			t.Errorf("%s: refused in phase %v; want compile", query, e.Phase)
		}
		if !strings.HasPrefix(err.Error(), at+": ") {
			t.Errorf("%s: error %q; want it at %s", query, err, at)
		}
		if got := query[e.Span.Start:e.Span.End]; got != part {
			t.Errorf("%s: error points at %q; want %q", query, got, part)
		}
	}
	test(`{a="b"} |~ "x" or "["`, "1:19", `"["`)
	test("{a=\"b\"}\n  |> \"<name>\"", "2:6", `"<name>"`)
	test(`{a="b"} |= ip("nope")`, "1:12", `ip("nope")`)
	test(`{a="b"} | json x="a..b"`, "1:18", `"a..b"`)
	test(`{a="b"} | logfmt x="y z"`, "1:20", `"y z"`)
	test(`{a="b"} | x=ip("nope")`, "1:16", `"nope"`)
	test(`{a="b"} | line_format "{{.x}"`, "1:23", `"{{.x}"`)
	test(`sum(rate({a="b"} | label_format x="{{nope}}" [1m]))`, "1:35", `"{{nope}}"`)
	test(`{a="b"} | label_format x="a",x="b"`, "1:30", `x="b"`)
}

func TestCompile_ErrorsAreAboutThePrintedText(t *testing.T) {
	expr, err := syntax.Parse("\n\n  {a=\"b\"}   |~   \"[\"")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile(expr)
	var e *syntax.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v; want a *syntax.Error", err)
	}
	if got := e.Query[e.Span.Start:e.Span.End]; got != `"["` || e.Line != 1 {
		t.Errorf("error at %d:%d about %q; want line 1 and \"[\"", e.Line, e.Column, got)
	}
}

func TestQuery_IsScalar(t *testing.T) {
	for text, want := range map[string]bool{
		`1 + 2`: true, `1 > bool 2`: true, `vector(1)`: false, `vector(1) + 1`: false, `rate({a="b"}[1m])`: false, `{a="b"}`: false,
	} {
		if got := compileAll(t, text)[0].IsScalar(); got != want {
			t.Errorf("IsScalar of %s = %v; want %v", text, got, want)
		}
	}
}

func TestQuery_Pipelines(t *testing.T) {
	text := `sum(rate({a="b"} |= "x" [1m])) / sum(sum_over_time({c="d"} | json | unwrap  y | z="1" [1m]))`
	var got []string
	for _, p := range compileAll(t, text)[0].Pipelines() {
		for _, s := range p.Steps {
			got = append(got, text[s.Span.Start:s.Span.End])
		}
	}
	want := `{a="b"}, |= "x", {c="d"}, | json, | unwrap  y, | z="1"`
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("spans of the steps are %s; want %s", s, want)
	}
}
