package rules

import (
	"fmt"
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	// f loads alerts with these expressions as one group and compares the
	// languages: l, p, or upper case when the expression is refused.
	f := func(want string, exprs ...string) {
		t.Helper()
		var drafts []*draft
		for i, e := range exprs {
			drafts = append(drafts, &draft{rule: Rule{Kind: Alert, Name: fmt.Sprint("A", i), Group: "g", Expr: e}})
		}
		if got := languages(drafts); got != want {
			t.Errorf("%.300q are %s; want %s (%s)", exprs, got, want, drafts[0].rule.LanguageReason)
		}
	}
	const logQL = `rate({a="b"} |= "x" [5m])`
	const promQL = `rate(up{a="b"}[5m])`
	f("l", logQL)
	f("p", promQL)
	f("p", "up == 0")
	f("p", "absent(up)")
	f("l", `sum by (x) (count_over_time({a="b"} | json [5m]))`)

	// Both languages can read these.
	const labels = `count_over_time({app="x"}[5m])`
	f("l", labels)
	f("p", `count_over_time({__name__="x"}[5m])`)
	f("p", `count_over_time({__name__=~"x.*",a="b"}[5m]) > 0`)
	f("ll", labels, logQL)
	f("pp", labels, promQL)
	f("llp", labels, logQL, promQL)
	for _, constant := range []string{"vector(1)", "vector(1) > 0", "42"} {
		f("l", constant)
		f("ll", constant, logQL)
		f("pp", constant, promQL)
		f("lpl", constant, promQL, logQL)
	}
	// Only one of them can read these, but constants tell nothing.
	f("l", "1 > 0")
	f("Pp", "1 > 0", promQL)
	f("lpl", "1 > 0", promQL, logQL)
	f("p", "vector(time())")
	f("Ll", "vector(time())", logQL)

	// Log queries as alerts.
	f("p", `{app="x"}`)
	f("Ll", `{app="x"}`, logQL)
	f("pp", `{app="x"}`, promQL)
	f("L", `{app="x"} |= "y"`)

	// Neither can read these.
	f("L", `rate({a="b"} |= [5m])`)
	f("L", `sum(rate({a="b"}[5m])`)
	f("P", `sum(rate(up{a="b"}[5m])`)
	f("P", `foo bar`)
	f("Ll", `foo bar`, logQL)
	f("Pp", `sum(rate({a="b"}[5m])`, promQL)
	f("P", `sum(up{a="|"}`)
	f("P", "sum(up # |\n")
	f("L", `sum(up | json)`)
	f("Pl", `sum(rate(up{a="b"}[5m])`, logQL)
	f("L", strings.Repeat(`sum(`, 20_000)+`{`)
	f("P", strings.Repeat(`sum(`, 40_000)) // longer than is read
}

func TestTokens(t *testing.T) {
	f := func(expr string, want int) {
		t.Helper()
		if got := tokens(expr); got != want {
			t.Errorf("tokens(%q) = %d; want %d", expr, got, want)
		}
	}
	f("", 0)
	f("1+1", 3)
	f(`sum(up{a="b c"}) # d e`, 9)
	f("a\n or `b", 3)
}

// The time of PromQL's parser grows with the square of a chain.
func TestLoad_LongChain(t *testing.T) {
	set := loadString(t, "r.yaml", wrapRule("alert: X\nexpr: up"+strings.Repeat("+up", 6000)))
	want := `r.yaml:6:11: alert "X" is not valid PromQL: the expression has more than 10000 tokens`
	if got := problemTexts(set); len(got) != 1 || got[0] != want {
		t.Errorf("problems %.200q; want %q", got, want)
	}
	if got := ruleNames(set); got != "First Last" {
		t.Errorf("rules are %q; want the two others", got)
	}
}

func languages(drafts []*draft) string {
	for _, d := range drafts {
		d.place(newFile(d.rule.Expr), startPlaces)
	}
	decide(drafts)
	var got strings.Builder
	for _, d := range drafts {
		s := map[Language]string{LogQL: "l", PromQL: "p"}[d.rule.Language]
		if d.fault != nil {
			s = strings.ToUpper(s)
		}
		got.WriteString(s)
		if d.rule.LanguageReason == "" {
			got.WriteString("(no reason)")
		}
	}
	return got.String()
}

// The rules of a file tell where those of a group do not.
func TestDecide_File(t *testing.T) {
	f := func(want string, groupsAndExprs ...string) {
		t.Helper()
		var drafts []*draft
		for i := 0; i < len(groupsAndExprs); i += 2 {
			drafts = append(drafts, &draft{rule: Rule{Kind: Alert, Name: "A", Group: groupsAndExprs[i], Expr: groupsAndExprs[i+1]}})
		}
		if got := languages(drafts); got != want {
			t.Errorf("%q are %s; want %s", groupsAndExprs, got, want)
		}
	}
	f("pp", "g", "vector(1)", "h", "up == 0")
	f("lpl", "g", "vector(1)", "h", "up == 0", "g", `rate({a="b"} |= "x" [5m])`)
	f("lpl", "g", "vector(1)", "h", "up == 0", "h", `rate({a="b"} |= "x" [5m])`)
}

func TestLoad_LanguageReason(t *testing.T) {
	set := loadString(t, "q.yaml", `queries:
- {name: a, expr: '{app="x"}'}
- {name: b, expr: '{app="x"}', language: promql}
- {name: c, expr: 'vector(1)'}
- {name: d, expr: 'up', owner: me}
`)
	want := []string{
		"logql: both languages can read it, and it selects by labels alone",
		"promql: the saved query says so",
		"promql: both languages can read it, and the other rules of its file are PromQL",
		"promql: only PromQL can read it",
	}
	if len(set.Rules) != len(want) {
		t.Fatalf("problems %v", problemTexts(set))
	}
	// Query a stands beside PromQL queries only, so it is one, too.
	want[0] = "promql: both languages can read it, and the other rules of its file are PromQL"
	for i, r := range set.Rules {
		if got := r.Language.String() + ": " + r.LanguageReason; got != want[i] {
			t.Errorf("%s is %s; want %s", r.Name, got, want[i])
		}
	}
}
