package report

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// words are arguments that mean something to a shell.
var words = []string{
	"plain", "", "two words", "it's", `"x"`, "$HOME", "`id`", "a;b", "*", "~", "#x", "a=b", "=x", "-n", "größe", "日本 語", `back\slash`, "!x", "{a,b}", "&",
}

// TestShellWord: a shell takes the words as they are, also over several lines.
func TestShellWord(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	for _, width := range []int{40, 80, 1000} {
		lines, ok := newCommand(append([]string{"printf", "<%s>"}, words...)...).lines(width)
		if !ok {
			t.Fatalf("no lines at %d", width)
		}
		for _, l := range lines {
			if columns.StringWidth(l) > width {
				t.Errorf("a line of %d columns at %d: %s", columns.StringWidth(l), width, l)
			}
		}
		out, err := exec.Command(sh, "-c", strings.Join(lines, "\n")).Output()
		if want := "<" + strings.Join(words, "><") + ">"; err != nil || string(out) != want {
			t.Errorf("at %d the shell takes %s, %v; want %s", width, out, err, want)
		}
	}
	for _, bad := range []string{"a\nb", "\x1b[31m", "\u202e", strings.Repeat("x", 80)} {
		if lines, ok := newCommand("echo", bad).lines(60); ok {
			t.Errorf("%q is shown as %q", bad, lines)
		}
	}
}

// TestCallName: a rule is named so that explain means it and no other.
func TestCallName(t *testing.T) {
	f := func(want string, name, group string, others ...[2]string) {
		t.Helper()
		r := &analyzer.Report{}
		for i, o := range append([][2]string{{name, group}}, others...) {
			rule := &rules.Rule{Name: o[0], Group: o[1]}
			rule.Pos.File, rule.Pos.Line = "rules/a.yaml", 10*(i+1)
			r.Results = append(r.Results, analyzer.Result{Rule: rule, Scenario: "a"}, analyzer.Result{Rule: rule, Scenario: "b"})
		}
		if got, _ := callName(r, r.Results[0].Rule); got != want {
			t.Errorf("%s of %s is called %q; want %q", name, group, got, want)
		}
	}
	f("A", "A", "g")
	f("g/A", "A", "g", [2]string{"A", "h"})
	f("rules/a.yaml:10", "A", "g", [2]string{"A", "g"})
	f("rules/a.yaml:10", "g/A", "", [2]string{"A", "g"})
	f("rules/a.yaml:10", "A*", "g")
	f("rules/a.yaml:10", "-A", "")
	f("rules/a.yaml:10", "A\x1b[31m", "g")
}

// TestNext_Prepared: what has to be run first is run once.
func TestNext_Prepared(t *testing.T) {
	r := mended(analyzer.Compare(upgrade()))
	again := &Again{Program: "stillfires", Args: []string{"-f", "example/stillfires.yaml"}, First: []string{"demo", "--keep", "example"}}
	for _, format := range []string{"terminal", "markdown"} {
		out := string(render(t, format, r, Options{Width: 100, Again: again}))
		for _, want := range []string{
			"stillfires compare -f example/stillfires.yaml --write-repairs repairs.patch\n",
			"git apply repairs.patch\n", "stillfires explain DispatchConfirmed -f example/stillfires.yaml\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%s does not propose %s:\n%s", format, want, out)
			}
		}
		if n := strings.Count(out, "stillfires demo --keep example\n"); n != 1 {
			t.Errorf("%s keeps the example %d times", format, n)
		}
	}
	r.PatchFromRoot = true
	if out := string(render(t, "terminal", r, Options{Again: again})); !strings.Contains(out, "      patch -p1 -d / < repairs.patch\n") {
		t.Errorf("a patch of the root is not applied there:\n%s", out)
	}
}
