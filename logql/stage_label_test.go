package logql

import "testing"

func TestLabelFilter(t *testing.T) {
	entries := lines("level=info status=200 took=1.5s size=2KB ip=10.0.0.7",
		"level=debug status=503 took=20ms size=1MiB ip=192.168.0.1",
		"level=error status=bad took=soon size=big ip=none")
	test := func(filter string, want ...string) {
		t.Helper()
		checkLines(t, `{app="a"} | logfmt | `+filter+` | keep level | line_format "."`, entries, want...)
	}
	const (
		info, debug = `{level="info"} .`, `{level="debug"} .`
		errored     = `{__error__="LabelFilterErr", level="error"} .`
		err         = `{level="error"} .`
	)
	test(`level="info"`, info)
	test(`level!="info"`, debug, err)
	test(`nope=""`, info, debug, err)
	test(`level=~"inf."`, info)
	test(`level=~"info|error"`, info, err)
	test(`level=~"inf"`)
	test(`level=~"e.*"`, debug, err) // as in Loki: the value contains "e"
	test(`level!~"e.*"`, info)
	test(`level=~"E.*"`)
	test(`level=~"(?i)E.*"`, debug, err)
	test(`status>=500`, debug, errored)
	test(`status!=200`, debug, errored)
	test(`nope!=200`)
	test(`took>1s`, info, errored)
	test(`size<=2KB`, info, errored)
	test(`ip=ip("10.0.0.0/8")`, info)
	test(`ip!=ip("10.0.0.0/8")`, debug, err)
	test(`level="info" or status>400 and took<1s`, info, debug, errored)
	test(`level="debug", status=200`)
	test(`(level="debug" or level="info") status=200`, info)
	test(`status>400 | __error__=""`, debug)
	test(`status>400 | __error__="LabelFilterErr"`, errored)
}

func TestLabelFilter_AfterError(t *testing.T) {
	// Where an earlier stage failed, an address always passes.
	checkLines(t, `{app="a"} | json | ip=ip("10.0.0.1")`, lines("plain"), `{__error__="JSONParserErr"} plain`)
	checkLines(t, `{app="a"} | json | n=1`, lines("plain"))
	// A field called __error__ is not an error, though it is shown.
	checkLines(t, `{app="a"} | logfmt | __error__=""`, lines("__error__=forged"), `{__error__="forged"} __error__=forged`)
	checkInstant(t, `count_over_time({app="a"} | logfmt | __error__="" [5s])`, 2, lines("__error__=forged"),
		`{__error__="forged", app="a"} 1`)
}

func TestLineFormat(t *testing.T) {
	checkLines(t, `{app="a"} | logfmt | line_format "{{.x}} {{.app}} {{__line__}}"`, lines("x=1", "y=2"), `{x="1"} 1 a x=1`, `{y="2"}  a y=2`)
	checkLines(t, "{app=\"a\"} | line_format `{{ duration \"soon\" }}`", lines("x"), `{__error__="TemplateFormatErr"} x`)
}

func TestLabelFormat(t *testing.T) {
	test := func(format, want string) {
		t.Helper()
		checkLines(t, `{app="a"} | logfmt | label_format `+format+` | line_format "."`, lines("x=1 y=2"), want)
	}
	test(`z=x`, `{y="2", z="1"} .`)
	test(`z=nope`, `{x="1", y="2"} .`)
	test(`x=y, z=x`, `{z="2"} .`)                      // renames see those before them
	test(`x="{{.y}}", y="{{.x}}"`, `{x="2", y="1"} .`) // templates do not
	test(`z=""`, `{x="1", y="2", z=""} .`)
	test(`app="b"`, `{app="b", x="1", y="2"} .`)
}

func TestDropAndKeep(t *testing.T) {
	test := func(stage, want string) {
		t.Helper()
		checkLines(t, `{app="a"} | logfmt | `+stage+` | line_format "."`, lines("x=1 y=2"), want)
	}
	test(`drop x`, `{y="2"} .`)
	test(`drop x="2", y=~"[0-9]"`, `{x="1"} .`)
	test(`keep x`, `{x="1"} .`)
	test(`keep x!="1", y`, `{y="2"} .`)
	test(`keep x | label_format x="3", w="4"`, `{w="4", x="3"} .`)
	test(`keep x | x="1" | y="" | app=""`, `{x="1"} .`)
	test(`keep x | logfmt`, `{x="1", y="2"} .`)
	checkLines(t, `{app="a"} | json | keep x`, lines("plain"), `{__error__="JSONParserErr"} plain`)
	checkLines(t, `{app="a"} | json | drop __error__`, lines("plain"), `{} plain`)
}
