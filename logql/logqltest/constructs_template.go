package logqltest

import "fmt"

// templateCalls are examples of what templates can call or do, by name.
var templateCalls = [][2]string{
	{"if", `if eq .level "error" }}!{{ end`}, {"range", `range $i, $x := fromJson .list }}{{ $x }},{{ end`},
	{"with", `with .msg }}{{ . }}{{ end`}, {"variable", `$m := .msg }}{{ $m`},
	{"__line__", `__line__`}, {"__timestamp__", `__timestamp__`}, {"now", `now`}, {"date", `date "2006-01-02" now`},
	{"ToLower", `ToLower .msg`}, {"ToUpper", `ToUpper .msg`}, {"Replace", `Replace .msg "a" "b" -1`},
	{"Trim", `Trim .msg "-"`}, {"TrimLeft", `TrimLeft .msg "-"`}, {"TrimRight", `TrimRight .msg "-"`},
	{"TrimPrefix", `TrimPrefix .msg "-"`}, {"TrimSuffix", `TrimSuffix .msg "-"`}, {"TrimSpace", `TrimSpace .msg`},
	{"lower", `.msg | lower`}, {"upper", `.msg | upper`}, {"title", `.msg | title`}, {"trunc", `.msg | trunc 5`},
	{"substr", `.msg | substr 0 5`}, {"replace", `.msg | replace "a" "b"`}, {"trim", `.msg | trim`},
	{"trimAll", `.msg | trimAll "-"`}, {"trimPrefix", `.msg | trimPrefix "-"`}, {"trimSuffix", `.msg | trimSuffix "-"`},
	{"alignLeft", `alignLeft 5 .msg`}, {"alignRight", `alignRight 5 .msg`}, {"indent", `.msg | indent 2`},
	{"nindent", `.msg | nindent 2`}, {"repeat", `.msg | repeat 2`}, {"contains", `contains "a" .msg`},
	{"hasPrefix", `hasPrefix "a" .msg`}, {"hasSuffix", `hasSuffix "a" .msg`}, {"fromJson", `fromJson .doc`},
	{"default", `default "-" .msg`}, {"b64enc", `.msg | b64enc`}, {"b64dec", `.msg | b64dec`},
	{"urlencode", `.msg | urlencode`}, {"urldecode", `.msg | urldecode`},
	{"regexReplaceAll", `regexReplaceAll "(a+)" .msg "${1}b"`}, {"regexReplaceAllLiteral", `regexReplaceAllLiteral "a+" .msg "b"`},
	{"count", `count "a" .msg`},
	{"int", `int .n`}, {"float64", `float64 .n`}, {"add", `add .n 1`}, {"sub", `sub .n 1`}, {"mul", `mul .n 2`},
	{"div", `div .n 2`}, {"mod", `mod .n 2`}, {"max", `max .n 1`}, {"min", `min .n 1`}, {"addf", `addf .n 1.5`},
	{"subf", `subf .n 1.5`}, {"mulf", `mulf .n 1.5`}, {"divf", `divf .n 1.5`}, {"maxf", `maxf .n 1.5`},
	{"minf", `minf .n 1.5`}, {"ceil", `ceil .n`}, {"floor", `floor .n`}, {"round", `round .n 2`},
	{"toDate", `toDate "2006-01-02" .day`}, {"toDateInZone", `toDateInZone "2006-01-02" "Europe/Berlin" .day`},
	{"unixEpoch", `unixEpoch now`}, {"unixEpochMillis", `unixEpochMillis now`}, {"unixEpochNanos", `unixEpochNanos now`},
	{"unixToTime", `unixToTime .n`}, {"duration", `duration .took`}, {"duration_seconds", `duration_seconds .took`},
	{"bytes", `bytes .size`},
	{"print", `print .a .b`}, {"println", `println .a`}, {"printf", `printf "%5s" .a`}, {"html", `html .a`},
	{"js", `js .a`}, {"urlquery", `urlquery .a`}, {"len", `len .a`}, {"index", `index (fromJson .doc) "a"`},
	{"slice", `slice .a 1 2`}, {"and", `and .a .b`}, {"or", `or .a .b`}, {"not", `not .a`}, {"eq", `eq .a .b`},
	{"ne", `ne .a .b`}, {"lt", `lt .a .b`}, {"le", `le .a .b`}, {"gt", `gt .a .b`}, {"ge", `ge .a .b`},
}

// templateConstructs are those of line_format and label_format.
func templateConstructs() ConstructGroup {
	g := ConstructGroup{Title: "Templates"}
	for _, call := range templateCalls {
		c := Construct{Name: call[0], Feature: "template " + call[0], Example: fmt.Sprintf("{app=\"x\"} | line_format `{{ %s }}`", call[1])}
		if call[0] == "now" {
			c.Differs = "the time of the entry, not of the clock, so that an answer stays the same"
		}
		g.Constructs = append(g.Constructs, c)
	}
	return g
}
