package report

import (
	"bufio"
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

// TestMarkdown_FitsRecoveries: where a page has no room for all, what became of
// recoveries, demands and devices stands there in short, with the first chart.
func TestMarkdown_FitsRecoveries(t *testing.T) {
	in := demanding()
	lost := many(60)
	in.Rules, in.Expect = append(in.Rules, lost.Rules...), nil
	for i, side := range []*analyzer.Side{&in.Deployed, &in.Candidate} {
		from := [2]*analyzer.Side{&lost.Deployed, &lost.Candidate}[i]
		for j := range side.Runs {
			side.Runs[j].Outcomes = append(side.Runs[j].Outcomes, from.Runs[min(j, len(from.Runs)-1)].Outcomes...)
		}
	}
	out := string(render(t, "markdown", analyzer.Compare(in), Options{}))
	if len(out) > markdownPage {
		t.Errorf("the page has %d bytes; want at most %d", len(out), markdownPage)
	}
	for _, want := range []string{"Left out", "\n## Recoveries", "\n## Acceptance", "\n## Capacity", "not a cash saving", "affected workloads recovered"} {
		if !strings.Contains(out, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestFit: pieces become longer in the order of their ranks, from nothing to
// their short form and then whole.
func TestFit(t *testing.T) {
	whole := strings.Repeat("w", 100)
	pieces := []piece{
		{name: "a", rank: proof, text: whole + "a"},
		{name: "b", rank: details, text: whole + "b", short: "short b"},
		{name: "c", rank: details, text: "c"},
	}
	for room, want := range map[int]string{
		0: "Left out", 8: "short b", 9: "short bc", 110: whole + "ashort bc", 230: whole + "a" + whole + "bc",
	} {
		var b strings.Builder
		p := &page{w: bufio.NewWriter(&b)}
		p.fit(pieces, room+600)
		_ = p.w.Flush()
		if !strings.HasPrefix(strings.TrimSpace(b.String()), want) {
			t.Errorf("with room for %d: %q; want %q", room, b.String(), want)
		}
	}
}

// TestToll_Recoveries: work that did not recover is counted by scenario, and
// budgets by themselves.
func TestToll_Recoveries(t *testing.T) {
	r := analyzer.Compare(recovering())
	f := func(id, scenario, subject string) {
		r.Findings = append(r.Findings, analyzer.Finding{ID: id, Severity: analyzer.Break, Scenario: scenario, Subject: subject, Message: subject + " is broken"})
	}
	r.Findings = nil
	for _, scenario := range []string{"a", "b"} {
		for _, work := range []string{"one", "two"} {
			f("recovery-failed", scenario, work)
			f("budget-exceeded", scenario, work)
		}
	}
	f("manual-intervention", "a", "recovery")
	const want = "2 scenarios do not recover, 2 budgets are exceeded, 1 scenario takes manual action on the candidate"
	if got := toll(r); got != want {
		t.Errorf("%q; want %q", got, want)
	}
	if all := byCause(blocks(r, analyzer.Break)); all[0].title() != "one" || len(all) != 4 {
		t.Errorf("%d causes, the first of %q; want 4 and one", len(all), all[0].title())
	}
}
