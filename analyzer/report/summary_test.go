package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
)

// TestMeaning: the sentence of the verdict is true whatever the review file
// makes of severities.
func TestMeaning(t *testing.T) {
	const works = "what was declared and what worked on the deployed build works on the candidate"
	f := func(expect analyzer.Expect, did [2]outcome.Outcome, severities map[string]analyzer.Severity, want string) {
		t.Helper()
		in := newInput("drill")
		in.add(alert("A", dispatched), did)
		in.expect["A/drill"] = expect
		in.Severities = severities
		if got := meaning(analyzer.Compare(in.Input)); got != want {
			t.Errorf("%s, %v: %q; want %q", expect, severities, got, want)
		}
	}
	type severities = map[string]analyzer.Severity
	both := [2]outcome.Outcome{fired(42, reservation), fired(42, reservation)}
	lost := [2]outcome.Outcome{fired(42, reservation), silent()}
	gained := [2]outcome.Outcome{silent(), fired(42, reservation)}
	const but = "nothing counts as a break, but not all that was declared or worked on the deployed build holds on the candidate: "
	f(analyzer.MustFire, both, nil, works)
	f(analyzer.ExpectNone, [2]outcome.Outcome{fired(42, reservation), withoutLines()}, nil, but+"frequency-changed")
	late := fired(42, reservation)
	late.Firing[0].From += 200 * second
	f(analyzer.MustFire, [2]outcome.Outcome{fired(42, reservation), late}, nil, works+", with 1 warning")
	f(analyzer.MustFire, lost, severities{"alert-lost": analyzer.Warn}, but+"alert-lost")
	f(analyzer.MustStaySilent, both, nil, but+"alert-noisy")
	f(analyzer.MustFire, lost, nil, "1 alert goes silent on the candidate")
	f(analyzer.MustStaySilent, gained, nil, "1 alert fires where it must not on the candidate")
	f(analyzer.MustClear, both, nil, "1 alert still fires that must clear on the candidate")
	f(analyzer.MustStaySilent, both, severities{"alert-noisy": analyzer.Break}, "a finding counts as a break: alert-noisy")
	f(analyzer.MustFire, [2]outcome.Outcome{silent(), silent()}, nil, "the runs do not prove that the rules still work")
}

// withoutLines fires, but not because of a line.
func withoutLines() outcome.Outcome {
	o := fired(0, "")
	o.Evidence = nil
	return o
}

// TestExitNote: where the exit code does not go with the verdict the first
// screen says why.
func TestExitNote(t *testing.T) {
	f := func(in analyzer.Input, on analyzer.FailOn, want string) {
		t.Helper()
		r := analyzer.Compare(in)
		if got := exitNote(r, on); got != want {
			t.Errorf("%s of a review that is %s: %q; want %q", on, r.Verdict, got, want)
		}
		if want == "" {
			return
		}
		for _, format := range []string{"terminal", "markdown"} {
			out := string(render(t, format, r, Options{FailOn: on, Width: 120}))
			if !strings.Contains(out, sentence(strings.Split(want, ":")[0])) {
				t.Errorf("%s does not say %q:\n%s", format, want, out)
			}
		}
	}
	warned := newInput("drill")
	warned.add(alert("A", dispatched), [2]outcome.Outcome{silent(), fired(42, reservation)})
	f(warned.Input, analyzer.FailOnWarn, "exit code 1 only because of 1 warning: --fail-on warn")
	f(warned.Input, analyzer.FailOnBreak, "")
	f(passing(), analyzer.FailOnWarn, "")
	fails := upgrade()
	fails.Problems = nil
	f(fails, analyzer.FailOnWarn, "")
	f(fails, analyzer.FailOnNever, "exit code 0 although something breaks: --fail-on never")
	f(upgrade(), analyzer.FailOnNever, "") // 2: bad input
}

// TestProblem: an error stays short enough to read, and keeps what to do.
func TestProblem(t *testing.T) {
	f := func(msg, hint, wantEnd string) {
		t.Helper()
		e := &source.Error{Pos: source.Position{File: "rules/a.yaml", Line: 3, Column: 4}, Msg: msg, Hint: hint}
		got := problem(e)
		if n := utf8.RuneCountInString(got); n > mostMessage || !strings.HasPrefix(got, "rules/a.yaml:3:4: ") || !strings.HasSuffix(got, wantEnd) {
			t.Errorf("%d characters: %q; want … %q", n, got, wantEnd)
		}
	}
	f("unexpected }", "close it", "unexpected }; close it")
	f(strings.Repeat("größe ", 200), "close it", "…; close it")
	f("unexpected }", strings.Repeat("close it ", 200), "…")
	f(strings.Repeat("x", 1000), "", "…")
	f(strings.Repeat("\x1b[31m", 1000), "close it", "close it")

	in := upgrade()
	in.Problems[0].Msg = strings.Repeat("word ", 5000)
	for _, format := range []string{"terminal", "markdown"} {
		out := string(render(t, format, analyzer.Compare(in), Options{Width: 80}))
		if n := strings.Count(out, "word "); n > mostMessage/5 {
			t.Errorf("%s: %d words of the problem", format, n)
		}
	}
}

func TestExcerpt(t *testing.T) {
	f := func(show string, room int, wantText, wantCaret string) {
		t.Helper()
		text, caret := excerpt(show, room)
		if text != wantText || caret != wantCaret {
			t.Errorf("excerpt(%q, %d) =\n%s\n%s\nwant\n%s\n%s", show, room, text, caret, wantText, wantCaret)
		}
	}
	f(source.Caret("  expr: {app=}", 13, 14), 40, "expr: {app=}", "           ^")
	f(source.Caret("\texpr:\t{app=}", 7, 8), 40, "expr: {app=}", "      ^")
	f(source.Caret("größe: 日本 {app=}", 17, 18), 40, "größe: 日本 {app=}", "             ^")
	f(source.Caret("a \x1b[31mred\x1b[0m {x", 15, 16), 40, "a red {x", "      ^")
	f(source.Caret(strings.Repeat("y", 50)+"{app="+strings.Repeat("z", 50), 50, 55), 20, "…yyyyyyyyy{app=zzzz…", "          ^^^^^")
	f(source.Caret(strings.Repeat("y", 50), 0, 50), 10, "yyyyyyyyy…", "^^^^^^^^^^")
	f(source.Caret("", 0, 0), 10, "", "^")
	f("", 10, "", "")
	f("no caret", 10, "", "")
	f("line\nnot a caret", 10, "", "")
}

func FuzzExcerpt(f *testing.F) {
	f.Add("  expr: {app=}", 13, 14, 40)
	f.Add("\x1b[31m日本\t", 3, 9, 5)
	f.Fuzz(func(t *testing.T, line string, from, to, room int) {
		room = 30 + room&127
		text, caret := excerpt(source.Caret(line, from, to), room)
		if columns.StringWidth(text) > room || columns.StringWidth(caret) > room || clean(text) != text {
			t.Errorf("excerpt of %q at %d, %d in %d columns: %q, %q", line, from, to, room, text, caret)
		}
	})
}
