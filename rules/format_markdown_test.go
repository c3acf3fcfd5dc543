package rules

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad_Markdown(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // name, place and expression of queries; problems
	}{
		{"marks", "```logql\n{a=\"1\"}\n```\n~~~ PromQL x=y\nup\n~~~\n````{.logql #id}\n{a=\"2\"}\n````\n```logql{1}\n{a=\"3\"}\n```\n``` sql\n{a=\"4\"}\n```\n",
			[]string{`r 1 2:1 {a="1"}`, `r 2 5:1 up`, `r 3 8:1 {a="2"}`, `r 4 11:1 {a="3"}`}},
		{"headings", "```promql\na\n```\n# One #\n```promql\nb\n```\n```promql\nc\n```\n## `Two` x\n```promql\nd\n```\n#No heading\n# One\n```promql\ne\n```\nThree\n===\n```promql\nf\n```\n",
			[]string{"r 1 2:1 a", "One 1 6:1 b", "One 2 9:1 c", "Two x 1 13:1 d", "One 3 18:1 e", "Three 1 23:1 f"}},
		{"lists", "- a\n  - b\n\n    ```promql\n    x\n      + y\n    ```\n10. ```promql\n    z\n    ```\n\ntext\n\n    ```promql\n    code\n    ```\n",
			[]string{"r 1 5:5 x\n  + y", "r 2 9:5 z"}},
		{"quotes", "> > ```promql\n> > x +\n> > y\n> > ```\n", []string{"r 1 2:5 x +\ny"}},
		{"fences in others", "````md\n```promql\nx\n```\n````\n~~~\n```promql\ny\n```\n~~~\n```promql\nz\n````\n", []string{"r 1 12:1 z"}},
		{"inline", "```promql x``` is code\n", nil},
		{"comments", "<!-- ```promql\nx\n```\n-->\n<!-- a -->\n```promql\n# c\n\ny # d\n```\n", []string{"r 1 9:1 y # d"}},
		{"carriage returns", "# H\r\n```promql\r\nx +\r\n  y\r\n```\r\n", []string{"H 1 3:1 x +\n  y"}},
		{"byte order mark", "\ufeff# H\n```promql\nx\n```\n", []string{"H 1 3:1 x"}},
		{"tabs", "-\ta\n\n\t```promql\n\tx\n\t```\n", []string{"r 1 4:2 x"}},
		{"two queries", "```promql\nx\n\ny\n```\n```promql\nz\n```\n", []string{"r 2 7:1 z", `4:1: query "r 1" is not valid PromQL: unexpected identifier "y"; write one query a block`}},
		{"no query", "```promql\n# x\n```\n", []string{"1:1: the block holds no query; write one query; lines that begin with # are comments"}},
		{"open at the end", "~~~~promql\nx\n~~~", []string{"1:1: the block is not closed; end it with a line ~~~~"}},
	} {
		set := loadString(t, "r.md", c.text)
		var got []string
		for i := range set.Rules {
			r := &set.Rules[i]
			got = append(got, fmt.Sprintf("%s %d:%d %s", r.Name, r.Pos.Line, r.Pos.Column, r.Expr))
			checkPositionsIn(t, r, c.text)
		}
		for _, p := range set.Problems {
			if !strings.Contains(p.Msg, "holds no rules") {
				got = append(got, strings.TrimPrefix(p.Error(), "r.md:"))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// checkPositionsIn is checkPositions for a text that is not a file.
func checkPositionsIn(t *testing.T, r *Rule, text string) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	for i := range len(r.Expr) {
		if c := r.Expr[i]; c != ' ' && c != '\n' {
			if pos := r.Position(i); lines[pos.Line-1][pos.Column-1] != c {
				t.Errorf("byte %d of %q is said to stand at %v", i, r.Expr, pos)
			}
		}
	}
}
