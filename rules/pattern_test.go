package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad_PatternCounts(t *testing.T) {
	lines := []string{
		`{"level":"error","msg":"lost a.c","code":500,"ok":true,"o":{"k":["x","y"]}}`,
		`{"level":"info","msg":"ab+c (x)","code":"none","ok":false}`,
		`Lost a+c or x|y`,
		`gone abc [1]`,
		`{"msg":null,"code":-7}`,
	}
	for _, c := range []struct {
		tool, text string
		want       []int
		why        string
	}{
		{"regexp", `a.c$`, []int{}, ""},
		{"regexp", `a.c\b`, []int{0, 2, 3}, ""},

		{"grep", `a.c`, []int{0, 2, 3}, ""},
		{"grep", `a\.c`, []int{0}, ""},
		{"grep", `ab+c (x)`, []int{1}, ""},
		{"grep", `x|y`, []int{2}, ""},
		{"grep", `gone\|Lost`, []int{2, 3}, ""},
		{"grep", `\(ab\)\{1\}c`, []int{3}, ""},
		{"grep", `ab\+`, []int{1, 3}, ""},
		{"grep", `a^b*$c`, []int{}, ""},
		{"grep", `*gone`, []int{}, ""},
		{"grep", `[[:digit:]]\]`, []int{3}, ""},
		{"grep", `[]1]]`, []int{3}, ""},
		{"grep", `[^\]c`, []int{0, 1, 2, 3, 4}, ""},
		{"grep", `-E x|gone`, []int{0, 1, 2, 3}, ""},
		{"grep", `-F a.c`, []int{0}, ""},
		{"grep", `-i 'LOST a'`, []int{0, 2}, ""},
		{"grep", `-v -e code`, []int{2, 3}, ""},
		{"grep", `-ivE "lost|code"`, []int{3}, ""},
		{"grep", `-w go`, []int{}, ""},
		{"grep", `-w gone`, []int{3}, ""},
		{"grep", `-x 'gone abc .*'`, []int{3}, ""},
		{"grep", `-P \bgo(?!x)`, nil, "the regexp is one of Perl that RE2 does not take: invalid or unsupported Perl syntax: `(?!`"},
		{"grep", `\(a\)\1`, nil, "RE2 has no references back to groups"},
		{"grep", `-A3 a`, nil, "option -A3 of grep is not known here"},
		{"grep", `[a`, nil, "the brackets are not closed"},

		{"jq", `select(.level=="error")`, []int{0}, ""},
		{"jq", `select(.level != "error")`, []int{1, 4}, ""},
		{"jq", ` select ( .level == "error" and .msg == "lost a.c" ) | .msg `, []int{0}, ""},
		{"jq", `select(.level=="error" or .code == -7)`, []int{0, 4}, ""},
		{"jq", `select(.level=="error" or .code == -7 | not)`, []int{1}, ""},
		{"jq", `select((.level=="error" or .code == -7) | not)`, []int{1}, ""},
		{"jq", `select(.code >= 500)`, []int{0, 1}, ""}, // to jq texts are above numbers
		{"jq", `select(.code < 1)`, []int{4}, ""},
		{"jq", `select(.code != 500)`, []int{1, 4}, ""},
		{"jq", `select(.ok)`, []int{0}, ""},
		{"jq", `select(.ok | not)`, []int{1, 4}, ""},
		{"jq", `select(.ok == false)`, []int{1}, ""},
		{"jq", `select(.msg == null)`, []int{4}, ""},
		{"jq", `select(.msg | test("a.c"))`, []int{0}, ""},
		{"jq", `select(.msg | contains("+c ("))`, []int{1}, ""},
		{"jq", `select(.msg | startswith("lost"))`, []int{0}, ""},
		{"jq", `select(.msg | endswith(")"))`, []int{1}, ""},
		{"jq", `select(.o.k[1] == "y")`, []int{0}, ""},
		{"jq", `select(.["o"]["k"][0] == "x") | select(."level"=="error")`, []int{0}, ""},
		{"jq", `select(.level=="error") | .level as $l | $l`, nil, `LogQL has no equal of this filter of jq, from "as $l | $l" on`},
		{"jq", `.level`, nil, `LogQL has no equal of this filter of jq, from ".level" on`},
		{"jq", `select(.a == .b)`, nil, `LogQL has no equal of this filter of jq, from ".b)" on`},
		{"jq", `select(.a > "x")`, nil, `LogQL has no equal of this filter of jq: > with "x"`},
		{"jq", `select(.a == "\(.b)")`, nil, `LogQL has no equal of this filter of jq, from "\"\\(.b)\")" on`},
		{"jq", `select(any(.a[]; . == 1))`, nil, `LogQL has no equal of this filter of jq, from "any(.a[]; . == 1))" on`},
	} {
		set := loadString(t, "stillfires.yaml", "version: 1\npatterns:\n- name: p\n  "+c.tool+": |-\n    "+c.text+"\n")
		if len(set.Problems) > 0 || len(set.Rules) != 1 {
			t.Errorf("%s %s: %v", c.tool, c.text, set.Problems)
			continue
		}
		r := &set.Rules[0]
		var want []string
		for i, line := range lines {
			for _, w := range c.want {
				if w == i {
					want = append(want, line)
				}
			}
		}
		expect := strings.Join(want, "\n")
		if c.why != "" {
			expect = "not evaluated: " + c.why
		}
		if diff := cmp.Diff(expect, counted(t, r, lines)); diff != "" {
			t.Errorf("%s %s: %s (-want +got):\n%s", c.tool, c.text, r.Expr, diff)
		}
		if r.Pos.Line != 5 || r.Pos.Column < 5 {
			t.Errorf("%s %s stands at %v", c.tool, c.text, r.Pos)
		}
	}
}

func TestLoad_PatternFaults(t *testing.T) {
	for _, c := range []struct{ item, want string }{
		{"{grep: a}", "s.yaml:3:3: the pattern has no name; add the field name"},
		{"{name: x}", `s.yaml:3:3: the pattern "x" says not what is looked for; add one of grep, regexp and jq`},
		{"{name: x, grep: a, regexp: b}", `s.yaml:3:22: the pattern "x" has both grep and regexp; keep one of them`},
		{"{name: x, regexp: '('}", "s.yaml:3:22: pattern \"x\" is not valid: missing closing ): `(`; write it as RE2 takes it"},
		{"{name: x, grep: a, selector: '{a=b}'}", `s.yaml:3:36: the selector is not valid: expected a string in double quotes or backticks after =, found "b"; put the value in quotes: a="b"`},
		{"{name: x, gerp: a}", `s.yaml:3:13: unknown field "gerp"; did you mean grep?`},
		{"{name: x, grep: ''}", `s.yaml:3:19: the pattern "x" is empty`},
		{"x", "s.yaml:3:3: a pattern must have the fields name and one of grep, regexp and jq"},
	} {
		set := loadString(t, "s.yaml", "version: 1\npatterns:\n- "+c.item+"\n- {name: kept, grep: a}\n")
		var got []string
		for _, p := range set.Problems {
			got = append(got, p.Error())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.item, diff)
		}
		if len(set.Rules) != 1 || set.Rules[0].Name != "kept" {
			t.Errorf("%s hides the pattern after it", c.item)
		}
	}
}
