package logql

import (
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
)

func TestJSONStage(t *testing.T) {
	test := func(query, line string, want ...string) {
		t.Helper()
		checkLines(t, `{app="a"} `+query+` | line_format "."`, lines(line), want...)
	}
	test(`| json`, `{"x":1,"y":{"z":"b"},"arr":[1],"n":null}`, `{x="1", y_z="b"} .`)
	test(`| json`, `{"app":"b","x":"first","x":"second"}`, `{app_extracted="b", x="first"} .`)
	test(`| json`, `not JSON`, `{__error__="JSONParserErr"} .`)
	test(`| json | x="1"`, `{"x":"1"}`, `{x="1"} .`)
	test(`| json x, second="arr[1]", w`, `{"x":1,"arr":[1,2]}`, `{second="2", w="", x="1"} .`)
	test(`| json app, x="app"`, `{"app":"b"}`, `{app_extracted="b", x="b"} .`)
	test(`| json app`, `{}`, `{} .`) // an absent field leaves the stream's label alone
	test(`| json x`, ``, `{} .`)
	test(`| json | json`, `{"x":1}`, `{x="1"} .`)
	// What an earlier parser found stays.
	test(`| pattern "<x> <rest>" | line_format "{{.rest}}" | json`, `1 {"x":2,"y":3}`, `{rest="{\"x\":2,\"y\":3}", x="1", y="3"} .`)
}

func TestLogfmtStage(t *testing.T) {
	test := func(query, line string, want ...string) {
		t.Helper()
		checkLines(t, `{app="a"} `+query+` | line_format "."`, lines(line), want...)
	}
	test(`| logfmt`, `x=1 y="a b" empty= bare app=b`, `{app_extracted="b", x="1", y="a b"} .`)
	test(`| logfmt --keep-empty`, `x=1 empty= bare`, `{bare="", empty="", x="1"} .`)
	test(`| logfmt`, `x=1 =2 y=3`, `{x="1", y="3"} .`)
	test(`| logfmt --strict`, `x=1 =2 y=3`, `{__error__="LogfmtParserErr", x="1"} .`)
	test(`| logfmt`, `x=1 x=2`, `{x="1"} .`)
	test(`| logfmt x, y="z"`, `x=1 x=2 z=3 w=4`, `{x="2", y="3"} .`)
	test(`| logfmt w`, `x=1`, `{w=""} .`)
	test(`| logfmt y="x"`, `y=7`, `{y="7"} .`)
}

func TestPatternAndRegexpStage(t *testing.T) {
	checkLines(t, "{app=\"a\"} | pattern `<ip> - <_> \"<req>\"`", lines(`1.2.3.4 - bob "GET /"`, `nothing`),
		`{ip="1.2.3.4", req="GET /"} 1.2.3.4 - bob "GET /"`, `{ip="nothing"} nothing`)
	checkLines(t, "{app=\"a\"} | regexp `(?P<app>\\w+)=(?P<v>\\d+)?`", lines(`k=1`, `k=`, `-`),
		`{app_extracted="k", v="1"} k=1`, `{app_extracted="k", v=""} k=`, `{} -`)
}

// Captures replace what was parsed before them.
func TestPatternAndRegexpStage_Replace(t *testing.T) {
	const q = `{app="a"} | json | line_format "{{.msg}}" `
	checkLines(t, q+"| pattern `<msg> <n>`", lines(`{"msg":"x y","k":"1"}`), `{k="1", msg="x", n="y"} x y`)
	checkLines(t, q+"| regexp `(?P<k>x)`", lines(`{"msg":"x y","k":"1"}`), `{k="x", msg="x y"} x y`)
	checkLines(t, q+"| regexp `(?P<k>x)` | k=\"x\" | drop k", lines(`{"msg":"x y","k":"1"}`), `{msg="x y"} x y`)
}

func TestUnpackStage(t *testing.T) {
	checkLines(t, `{app="a"} | unpack`, lines(`{"pod":"p","app":"b","_entry":"x y"}`, `{"pod":"p"}`, `plain`),
		`{app_extracted="b", pod="p"} x y`, `{} {"pod":"p"}`, `{__error__="JSONParserErr"} plain`)
}

func TestMetadata(t *testing.T) {
	entries := []testEntry{{1, `{"k":"line","app":"x"}`, logs.New(
		logs.Label{Name: "app", Value: "meta"}, logs.Label{Name: "k", Value: "v"}, logs.Label{Name: "tr-ace.id", Value: "7"})}}
	checkLines(t, `{app="a"} | tr_ace_id="7" | line_format "."`, entries, `{app_extracted="meta", k="v", tr_ace_id="7"} .`)
	checkLines(t, `{app="a"} | json | k="v" | line_format "."`, entries,
		`{app_extracted="x", k="v", k_extracted="line", tr_ace_id="7"} .`)
	checkLines(t, `{app="meta"}`, entries)
	checkInstant(t, `sum by (k) (count_over_time({app="a"}[5s]))`, 2, entries, `{k="v"} 1`)
}

func TestDecolorizeStage(t *testing.T) {
	entries := lines("\x1b[31mred\x1b[0m", "plain")
	checkLines(t, `{app="a"} | decolorize`, entries, "{} red", "{} plain")
	// Line filters look at the line as it was before.
	checkLines(t, `{app="a"} | decolorize |= "\x1b"`, entries, "{} red")
	checkLines(t, `{app="a"} | decolorize | line_format "{{__line__}}!" |= "\x1b"`, entries)
}
