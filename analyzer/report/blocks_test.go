package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// brokenRule is an alert or query that loses its lines at the stage given.
func brokenRule(in *input, kind rules.Kind, name, stage string) {
	r := alert(name, dispatched)
	r.Kind = kind
	d, c := fired(42, reservation), silent()
	if kind != rules.Alert {
		d.State, c.State = outcome.Matched, outcome.None
	}
	for _, o := range []*outcome.Outcome{&d, &c} {
		o.Funnel[1].Stage = stage
	}
	d.Evidence[0].Line = fmt.Sprintf(`{"msg":"It failed","because":%q}`, stage)
	in.add(r, [2]outcome.Outcome{d, c})
}

// TestTerminal_Order: declared promises come first, then alerts, and no alert
// stands below a query that breaks by the same cause.
func TestTerminal_Order(t *testing.T) {
	in := newInput("drill")
	brokenRule(in, rules.Query, "QueryOfA", `|= "a"`)
	brokenRule(in, rules.Query, "QueryOfB", `|= "b"`)
	brokenRule(in, rules.Alert, "AlertOfA", `|= "a"`)
	brokenRule(in, rules.Panel, "DeclaredOfC", `|= "c"`)
	in.expect["DeclaredOfC/drill"] = analyzer.MustFire
	out := string(render(t, "terminal", analyzer.Compare(in.Input), Options{Width: 80}))
	var heads []string
	for line := range strings.SplitSeq(out, "\n") {
		if strings.HasPrefix(line, "BREAK") {
			heads = append(heads, strings.Fields(line)[2])
		}
	}
	if got := strings.Join(heads, " "); got != "DeclaredOfC AlertOfA QueryOfB" {
		t.Errorf("blocks of %s; want DeclaredOfC AlertOfA QueryOfB:\n%s", got, out)
	}
	if !strings.Contains(out, "also       match-lost  QueryOfA  rules/kueue-multikueue.rules.yaml:8:17") && !strings.Contains(out, "also       QueryOfA :8") {
		t.Errorf("QueryOfA is not named with its place:\n%s", out)
	}
}

// TestTerminal_CausesApart: rules that part at one stage in different ways
// have different causes.
func TestTerminal_CausesApart(t *testing.T) {
	in := newInput("drill")
	brokenRule(in, rules.Alert, "Gone", `| level="error"`)
	brokenRule(in, rules.Alert, "TooFew", `| level="error"`)
	o := &in.Candidate.Runs[0].Outcomes[1]
	o.Nothing, o.Lines, o.Funnel[1].Lines = outcome.BelowThreshold, 7, 7
	o.Headroom = &outcome.Headroom{Value: 7, Operator: ">", Threshold: 20}
	out := string(render(t, "terminal", analyzer.Compare(in.Input), Options{Width: 100}))
	if n := strings.Count(out, "\nBREAK"); n != 2 {
		t.Errorf("%d blocks; want 2:\n%s", n, out)
	}
}

// TestTerminal_EveryBreak: with causes, rules and widths as they come, each
// broken rule is named or counted, and what breaks stands on the first screen.
func TestTerminal_EveryBreak(t *testing.T) {
	for _, causes := range []int{1, 3, 5, 12, 16, 40} {
		for _, each := range []int{1, 2, 5, 9} {
			for _, width := range []int{40, 80, 120} {
				in := newInput("drill")
				for i := range causes * each {
					brokenRule(in, []rules.Kind{rules.Alert, rules.Query}[i%2], fmt.Sprintf("Rule%03d", i), fmt.Sprintf("|= %q", fmt.Sprint(i%causes)))
				}
				out := string(render(t, "terminal", analyzer.Compare(in.Input), Options{Width: width}))
				breaks, _, ok := strings.Cut(out, "\n\nHow sure\n")
				if !ok {
					t.Fatalf("nothing says how sure this is:\n%s", out)
				}
				if n := toldOf(breaks); n != causes*each {
					t.Errorf("%d causes of %d rules at %d: %d are told of:\n%s", causes, each, width, n, out)
				}
				if n := lines(breaks) + 1; n > firstScreen+restCost && (width > 40 || n > 2*firstScreen) {
					t.Errorf("%d causes of %d rules at %d: %d lines:\n%s", causes, each, width, n, out)
				}
			}
		}
	}
}

// toldOf counts the rules that blocks name or count.
func toldOf(breaks string) int {
	number := func(pattern, in string) int {
		n := 0
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
			fmt.Sscan(m[1], &n)
		}
		return n
	}
	words := strings.Join(strings.Fields(breaks), " ")
	blocks := strings.Split(words, "BREAK ")[1:]
	last := len(blocks) - 1
	told := number(`and (\d+) more broken rules?`, blocks[last])
	blocks[last], _, _ = strings.Cut(blocks[last], "… and")
	for _, b := range blocks {
		if n := number(`(\d+) more(?: rules?:|$| BREAK)`, strings.TrimSpace(b)); n > 0 {
			told += 1 + n
			continue
		}
		names := map[string]bool{}
		for _, name := range regexp.MustCompile(`Rule\d{3}`).FindAllString(b, -1) {
			names[name] = true
		}
		told += max(len(names), 1)
	}
	return told
}

// TestTerminal_Base: places too wide for the screen are told below one folder.
func TestTerminal_Base(t *testing.T) {
	f := func(width int, want string, files ...string) {
		t.Helper()
		in := newInput("drill")
		for i, file := range files {
			brokenRule(in, rules.Alert, fmt.Sprint("Rule", i), fmt.Sprintf("|= %q", fmt.Sprint(i)))
			in.Rules[i].Pos.File = file
		}
		if got := base(analyzer.Compare(in.Input), width); got != want {
			t.Errorf("base of %v at %d is %q; want %q", files, width, got, want)
		}
	}
	f(80, "", "rules/a.yaml", "rules/b.yaml")
	f(40, "rules/of/the/team/", "rules/of/the/team/a.yaml", "rules/of/the/team/b.yaml")
	f(40, "rules/of/the/", "rules/of/the/team/a.yaml", "rules/of/the/teams/b.yaml")
	f(40, "", "rules/of/the/team/a.yaml", "panels/b.yaml")
	f(40, "", "/rules/of/the/team/a.yaml", "/panels/b.yaml")
	f(40, "", "a-file-with-a-rather-long-name.yaml", "b.yaml")
}
