package report

import (
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// TestMarkdown_Fits: a page stays below what a comment may hold, names what it
// leaves out, and leaves out nothing when asked for all.
func TestMarkdown_Fits(t *testing.T) {
	in := many(60)
	for i := range in.Deployed.Runs {
		for j := range in.Deployed.Runs[i].Outcomes {
			e := &in.Deployed.Runs[i].Outcomes[j].Evidence[0]
			e.Line += strings.Repeat(" and more of it", 500)
		}
	}
	r := analyzer.Compare(in)
	out := string(render(t, "markdown", r, Options{}))
	const left = "Left out, so that a comment can hold this page: the evidence of "
	if len(out) > 64<<10 || !strings.Contains(out, left) {
		t.Errorf("a page of %d bytes; it must be smaller and say what is left out", len(out))
	}
	if !strings.Contains(out, "<summary>To accept a finding</summary>") {
		t.Error("the page does not say how to accept a finding")
	}
	all := string(render(t, "markdown", r, Options{All: true}))
	if strings.Contains(all, left) || strings.Count(all, "<details><summary>alert-lost: Rule") != 60 {
		t.Errorf("%d rules have their evidence with all; want 60", strings.Count(all, "<details><summary>alert-lost: Rule"))
	}
}

// TestMatrix_Uniform: a table that says the same everywhere is not printed.
func TestMatrix_Uniform(t *testing.T) {
	open := silent()
	open.State = outcome.Pending
	quiet, pending := [2]outcome.Outcome{silent(), silent()}, [2]outcome.Outcome{open, open}
	f := func(want bool, rows ...[][2]outcome.Outcome) {
		t.Helper()
		in := newInput("a", "b")
		for i, row := range rows {
			r := alert(string(rune('A'+i)), dispatched)
			r.For = 5 * 60e9
			in.add(r, row...)
		}
		out := string(render(t, "terminal", analyzer.Compare(in.Input), Options{}))
		if got := strings.Contains(out, legend); got != want {
			t.Errorf("a matrix: %v; want %v:\n%s", got, want, out)
		}
	}
	f(false, [][2]outcome.Outcome{pending, pending}, [][2]outcome.Outcome{pending, pending})
	f(true, [][2]outcome.Outcome{pending, {fired(1, quota), fired(1, quota)}})
	f(false, [][2]outcome.Outcome{quiet, quiet})
}

// TestToll: what breaks is counted by rule, not by scenario.
func TestToll(t *testing.T) {
	lost := [2]outcome.Outcome{fired(42, reservation), silent()}
	in := newInput("a", "b")
	in.add(alert("A", dispatched), lost, lost)
	in.add(alert("B", dispatched), lost, lost)
	in.add(alert("C", dispatched), [2]outcome.Outcome{silent(), fired(1, quota)}, [2]outcome.Outcome{silent(), silent()})
	in.expect["C/a"] = analyzer.MustStaySilent
	r := analyzer.Compare(in.Input)
	r.Findings = append(r.Findings, lostIdentifier("UID of a", "uid").Finding, lostIdentifier("link from a to b", "").Finding)
	const want = "2 alerts go silent, 1 alert fires where it must not, 1 identifier is lost to correlation, 1 link between things is lost on the candidate"
	if got := toll(r); got != want {
		t.Errorf("%q; want %q", got, want)
	}
}
