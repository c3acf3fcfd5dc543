package logqltest

import "fmt"

// logConstructs are those of selectors and pipelines.
func logConstructs() []ConstructGroup {
	return []ConstructGroup{
		selectorConstructs(), lineFilterConstructs(), parserConstructs(), labelFilterConstructs(), stageConstructs(),
	}
}

func selectorConstructs() ConstructGroup {
	g := ConstructGroup{Title: "Stream selectors", Constructs: []Construct{
		{Name: "selector", Feature: "node Selector", Example: `{app="x", pod=~"a.+"}`},
		{Name: "comment", Example: "{app=\"x\"} # the rest of the line\n|= \"y\""},
		{Name: "backquoted text", Example: "{app=`x`}"},
	}}
	for op, example := range map[string]string{
		"=": `{app="x"}`, "!=": `{app="x", pod!="y"}`, "=~": `{app=~"x|y"}`, "!~": `{app="x", pod!~"y.*"}`,
	} {
		g.Constructs = append(g.Constructs, Construct{Name: "matcher " + op, Feature: "matcher " + op, Example: example})
	}
	return g.sorted()
}

func lineFilterConstructs() ConstructGroup {
	g := ConstructGroup{Title: "Line filters", Constructs: []Construct{
		{Name: `or`, Feature: "line filter or", Example: `{app="x"} |= "a" or "b"`},
		{Name: `ip("…")`, Feature: "line filter ip", Example: `{app="x"} |= ip("10.0.0.0/8")`},
	}}
	for op, text := range map[string]string{"|=": "a", "!=": "a", "|~": "a.b", "!~": "a.b", "|>": "<_>a<_>", "!>": "<_>a<_>"} {
		g.Constructs = append(g.Constructs, Construct{Name: op, Feature: "line filter " + op, Example: fmt.Sprintf(`{app="x"} %s %q`, op, text)})
	}
	return g.sorted()
}

func parserConstructs() ConstructGroup {
	return ConstructGroup{Title: "Parsers", Constructs: []Construct{
		{Name: "json", Feature: "json all", Example: `{app="x"} | json`},
		{Name: "json with paths", Feature: "json expressions", Example: `{app="x"} | json first="a.b[0]", level`},
		{Name: "logfmt", Feature: "logfmt all", Example: `{app="x"} | logfmt`},
		{Name: "logfmt with keys", Feature: "logfmt expressions", Example: `{app="x"} | logfmt lvl="level", msg`},
		{Name: "logfmt --strict", Feature: "logfmt strict", Example: `{app="x"} | logfmt --strict`},
		{Name: "logfmt --keep-empty", Feature: "logfmt keep-empty", Example: `{app="x"} | logfmt --keep-empty`},
		{Name: "pattern", Feature: "node PatternStage", Example: `{app="x"} | pattern "<ip> - <_>"`},
		{Name: "regexp", Feature: "node RegexpStage", Example: `{app="x"} | regexp "(?P<code>[0-9]+)"`},
		{Name: "unpack", Feature: "node UnpackStage", Example: `{app="x"} | unpack`},
	}}
}

func labelFilterConstructs() ConstructGroup {
	g := ConstructGroup{Title: "Label filters", Constructs: []Construct{
		{Name: "number", Feature: "node LabelNumber", Example: `{app="x"} | json | status >= 500`},
		{Name: "duration", Feature: "node LabelDuration", Example: `{app="x"} | json | took > 1.5s`},
		{Name: "size in bytes", Feature: "node LabelBytes", Example: `{app="x"} | json | size > 20KB`},
		{Name: `= ip("…")`, Feature: "ip =", Example: `{app="x"} | json | addr = ip("10.0.0.0/8")`},
		{Name: `!= ip("…")`, Feature: "ip !=", Example: `{app="x"} | json | addr != ip("10.0.0.1-10.0.0.9")`},
		{Name: "and, comma, blank", Feature: "filters and", Example: `{app="x"} | json | a="1" and b="2", c="3" d="4"`},
		{Name: "or", Feature: "filters or", Example: `{app="x"} | json | a="1" or b="2"`},
		{Name: "__error__", Feature: "__error__", Example: `{app="x"} | json | __error__=""`},
	}}
	for op, text := range map[string]string{"=": "a", "!=": "a", "=~": "a|b", "!~": "a|b"} {
		g.Constructs = append(g.Constructs, Construct{Name: "text " + op, Feature: "label filter " + op, Example: fmt.Sprintf(`{app="x"} | json | level%s%q`, op, text)})
	}
	for _, op := range []string{"==", "!=", ">", ">=", "<", "<="} {
		g.Constructs = append(g.Constructs, Construct{Name: "comparison " + op, Feature: "comparison " + op, Example: fmt.Sprintf(`{app="x"} | json | status %s 500`, op)})
	}
	return g.sorted()
}

func stageConstructs() ConstructGroup {
	return ConstructGroup{Title: "Other stages", Constructs: []Construct{
		{Name: "line_format", Feature: "node LineFormat", Example: `{app="x"} | json | line_format "{{ .msg }}"`},
		{Name: "label_format, template", Feature: "label_format template", Example: `{app="x"} | json | label_format msg="{{ .a }}-{{ .b }}"`},
		{Name: "label_format, rename", Feature: "label_format rename", Example: `{app="x"} | json | label_format lvl=level`},
		{Name: "decolorize", Feature: "node Decolorize", Example: `{app="x"} | decolorize`},
		{Name: "drop", Feature: "drop name", Example: `{app="x"} | json | drop a, b`},
		{Name: "drop with matcher", Feature: "drop matcher", Example: `{app="x"} | json | drop level="debug"`},
		{Name: "keep", Feature: "keep name", Example: `{app="x"} | json | keep a, b`},
		{Name: "keep with matcher", Feature: "keep matcher", Example: `{app="x"} | json | keep level="error"`},
	}}
}
