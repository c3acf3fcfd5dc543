package syntax

import (
	"fmt"
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	e := mustParse(t, `sum by (x) (rate({a="b"} |= "c" | json d, e="f" | g=1 or h="i" | drop j, k="l" [5m])) + on (m) vector(1)`)
	var got []string
	Walk(e, func(n Node) bool {
		got = append(got, strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", n), "*"), "syntax."))
		return true
	})
	want := "BinaryExpr VectorAgg Grouping RangeAgg LogRange LogQuery Selector Matcher LineFilter LineOperand " +
		"JSONStage Extraction Extraction LabelFilterStage LabelBinary LabelNumber LabelString Matcher " +
		"DropStage LabelItem LabelItem Matcher VectorMatching VectorFunc"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("Walk visits\n     %s\nwant %s", s, want)
	}
}

func TestWalk_Prune(t *testing.T) {
	e := mustParse(t, `rate({a="b"} |= "c" [5m])`)
	n := 0
	Walk(e, func(n1 Node) bool {
		n++
		_, query := n1.(*LogQuery)
		return !query
	})
	if n != 3 { // RangeAgg, LogRange, LogQuery
		t.Errorf("Walk visits %d nodes; want 3", n)
	}
	Walk(nil, func(Node) bool { t.Error("Walk visits a nil node"); return true })
}

func TestEqual(t *testing.T) {
	f := func(a, b string, want bool) {
		t.Helper()
		if got := Equal(mustParse(t, a), mustParse(t, b)); got != want {
			t.Errorf("Equal(%s, %s) = %v; want %v", a, b, got, want)
		}
	}
	f(`{a="b"}`, "{ a=`b` } # c", true)
	f(`{a="b"}`, `{a="c"}`, false)
	f(`{a="b"}`, `{a!="b", c="d"}`, false)
	f(`{a="b"} | x=1`, `{a="b"} | x=1.0`, true)
	f(`{a="b"} | x=1`, `{a="b"} | x=1s`, false)
	f(`{a="b"} | x="1" y="2"`, `{a="b"} | x="1" and y="2"`, true)
	f(`{a="b"} | x="1" or y="2"`, `{a="b"} | x="1" and y="2"`, false)
	f(`rate({a="b"}[5m] | json)`, `rate({a="b"} | json [300s])`, true)
	f(`rate({a="b"}[5m])`, `rate({a="b"}[5m] offset 1m)`, false)
	f(`sum(vector(1))`, `sum by () (vector(1))`, false)
	f(`sum(vector(1)) by (x)`, `sum by (x) (vector(1))`, true)
	f(`1 + 2`, `2 + 1`, false)
	f(`1 + 2`, `1`, false)

	if !Equal(nil, nil) || Equal(nil, &NumberLit{}) {
		t.Error("Equal does not know nil")
	}
}
