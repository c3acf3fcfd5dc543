package analyzer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

func TestExitCode(t *testing.T) {
	f := func(v Verdict, s Severity, problems int, on FailOn, want int) {
		t.Helper()
		r := &Report{Verdict: v}
		if s != 0 {
			r.Findings = []Finding{{Severity: s}}
		}
		for range problems {
			r.Problems = append(r.Problems, &source.Error{Msg: "x"})
		}
		if got := r.ExitCode(on); got != want {
			t.Errorf("%s with a finding %s and %d problems on %s: exit %d; want %d", v, s, problems, on, got, want)
		}
	}
	f(Pass, 0, 0, FailOnBreak, 0)
	f(Pass, Warn, 0, FailOnBreak, 0)
	f(Pass, Warn, 0, FailOnWarn, 1)
	f(Pass, Info, 0, FailOnWarn, 0)
	f(Fail, Break, 0, FailOnBreak, 1)
	f(Fail, Break, 0, FailOnWarn, 1)
	f(Fail, Break, 0, FailOnNever, 0)
	f(Inconclusive, Warn, 0, FailOnBreak, 3)
	f(Inconclusive, Warn, 0, FailOnNever, 3)
	f(Inconclusive, Warn, 0, FailOnWarn, 1)
	f(Fail, Break, 1, FailOnBreak, 2)
	f(Fail, Break, 1, FailOnNever, 2)
	f(Pass, 0, 1, FailOnBreak, 2)
}

// TestEmptyInput: what would pass for want of anything to look at is a
// problem.
func TestEmptyInput(t *testing.T) {
	f := func(change func(*Input), want string) {
		t.Helper()
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		change(&in)
		r := Compare(in)
		if r.ExitCode(FailOnBreak) != 2 || !strings.Contains(r.Problems[0].Msg, want) {
			t.Errorf("problems %v; want %q", r.Problems, want)
		}
	}
	f(func(in *Input) { in.Rules = nil }, "no rules")
	f(func(in *Input) { in.Candidate.Runs = nil }, "candidate build has no runs")
	f(func(in *Input) { in.Scenarios = nil }, "no scenario")
	f(func(in *Input) { in.Deployed.Runs[0].Records = 0 }, `run 1 of scenario "drill" on the deployed build holds no records`)
	f(func(in *Input) { in.Problems = []*source.Error{{Msg: "bad rule"}} }, "bad rule")

	in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
	if r := Compare(in); len(r.Problems) != 0 {
		t.Errorf("problems %v; want none", r.Problems)
	}
	in.Rules[0].Language = rules.PromQL
	in.Deployed.Runs[0].Records = 0
	if r := Compare(in); len(r.Problems) != 0 {
		t.Errorf("a run with metrics only, for PromQL only: %v; want no problems", r.Problems)
	}
}

// TestCompare_MissingRun: a scenario without a run on one build is not
// evaluated.
func TestCompare_MissingRun(t *testing.T) {
	in := plain(MustStaySilent, outcome.Silent, outcome.Silent)().input()
	in.Scenarios = []string{"drill", "other"}
	in.Deployed.Runs = append(in.Deployed.Runs, in.Deployed.Runs[0])
	in.Deployed.Runs[1].Scenario = "other"
	r := Compare(in)
	if got := r.Results[1]; got.Verdict != NotEvaluated || got.Reason != "the candidate build has no run of this scenario" {
		t.Errorf("verdict %s, reason %q", got.Verdict, got.Reason)
	}
	// Nor is a rule of which a run says nothing.
	in = plain(MustStaySilent, outcome.Silent, outcome.Silent)().input()
	in.Candidate.Runs[0].Outcomes = nil
	if got := Compare(in).Results[0]; got.Verdict != NotEvaluated {
		t.Errorf("verdict without outcome: %s", got.Verdict)
	}
}

func TestFingerprint(t *testing.T) {
	tr := relabelled()()
	f := tr.run().Findings[0]
	sum := sha256.Sum256([]byte("alert-labels-lost\x00drill\x00alert\x00kueue\x00Dispatched\x00queue,severity"))
	if want := hex.EncodeToString(sum[:16]); f.Fingerprint != want || f.Subject != "queue,severity" {
		t.Errorf("fingerprint %s of subject %q; want %s", f.Fingerprint, f.Subject, want)
	}
	// Paths, places, versions, counts and times do not enter it.
	tr.rule.Pos = source.Position{File: "elsewhere.yaml", Line: 99, Column: 1}
	in := tr.input()
	in.Candidate.Version, in.Candidate.Build = "v3", "other"
	in.Candidate.Runs[0].Outcomes[0].Lines++
	in.Candidate.Runs[0].Outcomes[0].Firing[0].From += second
	if got := Compare(in).Findings[0].Fingerprint; got != f.Fingerprint {
		t.Errorf("fingerprint changed from %s to %s", f.Fingerprint, got)
	}
}

// TestOrder: the order of the report does not depend on the order of the
// rules given.
func TestOrder(t *testing.T) {
	build := func(order []int) Input {
		var in Input
		for i, n := range order {
			tr := plain(ExpectNone, outcome.Fired, []outcome.State{outcome.Silent, outcome.Fired, outcome.NotEvaluated}[n%3])()
			tr.rule.Name = fmt.Sprint("rule", n)
			tr.rule.Pos = source.Position{File: fmt.Sprintf("f%d.yaml", n%2), Line: 1 + n/4, Column: 3}
			one := tr.input()
			if i == 0 {
				in = one
				continue
			}
			in.Rules = append(in.Rules, one.Rules...)
			in.Deployed.Runs[0].Outcomes = append(in.Deployed.Runs[0].Outcomes, one.Deployed.Runs[0].Outcomes...)
			in.Candidate.Runs[0].Outcomes = append(in.Candidate.Runs[0].Outcomes, one.Candidate.Runs[0].Outcomes...)
		}
		return in
	}
	want := Compare(build([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}))
	for i := 1; i < len(want.Results); i++ {
		a, b := want.Results[i-1].Rule.Pos, want.Results[i].Rule.Pos
		if a.File > b.File || a.File == b.File && a.Line > b.Line {
			t.Errorf("results out of order: %v before %v", a, b)
		}
	}
	for i := 1; i < len(want.Findings); i++ {
		if want.Findings[i-1].Severity < want.Findings[i].Severity {
			t.Errorf("findings out of order: %s before %s", want.Findings[i-1].Severity, want.Findings[i].Severity)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		got := Compare(build(r.Perm(12)))
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(rules.Rule{})); diff != "" {
			t.Fatalf("order of rules changes the report (-want +got):\n%s", diff)
		}
	}
}

func TestSelectorsAssumed(t *testing.T) {
	const sel = `sum(count_over_time({app="kueue"} |= "x" [1m])) > 0`
	f := func(assumed bool, other string, want, review Verdict) {
		t.Helper()
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		in.Rules[0].Expr = sel
		second := in.Rules[0]
		second.Name, second.Expr = "Other", other
		in.Rules = append(in.Rules, second)
		for _, s := range []*Side{&in.Deployed, &in.Candidate} {
			s.Runs[0].Outcomes = append(s.Runs[0].Outcomes, s.Runs[0].Outcomes[0])
		}
		in.SelectorsAssumed = assumed
		r := Compare(in)
		if r.Results[0].Verdict != want || r.Results[1].Verdict != want || r.Verdict != review {
			t.Errorf("%s, assumed %v: %s, %s, review %s; want %s, %s", other, assumed,
				r.Results[0].Verdict, r.Results[1].Verdict, r.Verdict, want, review)
		}
	}
	f(true, `sum(count_over_time({app="kueue",cluster="w"} |= "x" [1m])) > 0`, Inconclusive, Inconclusive)
	f(true, `sum(count_over_time( {job="b"}   |= "x"[1m]) )>0`, Inconclusive, Inconclusive)
	f(false, `sum(count_over_time({job="b"} |= "x" [1m])) > 0`, Pass, Pass)
	f(true, `sum(count_over_time({job="b"} |= "y" [1m])) > 0`, Pass, Pass)
	f(true, sel, Pass, Pass)
	f(true, `{job="b"} |= "x"`, Pass, Pass)
	f(true, `not a query`, Pass, Pass)
}

// TestSelectorsAssumed_TwoSelectors: a rule that tells streams apart cannot
// pass where they cannot be told apart.
func TestSelectorsAssumed_TwoSelectors(t *testing.T) {
	f := func(assumed bool, expr string, want Verdict) {
		t.Helper()
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		in.Rules[0].Expr, in.SelectorsAssumed = expr, assumed
		r := Compare(in)
		noted := slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "two different selectors") })
		if r.Verdict != want || r.Results[0].Verdict != want || noted != (want == Inconclusive) {
			t.Errorf("%s, assumed %v: rule %s, review %s, notes %q; want %s", expr, assumed, r.Results[0].Verdict, r.Verdict, r.Notes, want)
		}
	}
	const a, b = `sum(count_over_time({app="a"} |= "x" [1m]))`, `sum(count_over_time({app="b"} |= "x" [1m]))`
	f(true, a+" > "+b, Inconclusive)
	f(false, a+" > "+b, Pass)
	f(true, a+" > 2 * "+a, Pass)
	f(true, a+" > 2", Pass)
	f(true, `count_over_time({app="a",c="d"}[1m]) > count_over_time({c="d", app="a"}[5m])`, Pass)
}

// TestUnmatched: a promise of a rule that is not there is told, and the review
// cannot pass.
func TestUnmatched(t *testing.T) {
	in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
	in.Unmatched = []Unmatched{
		{"drill", "WorkerGone", MustFire}, {"drill", "WorkerGone", MustFire}, // of both builds
		{"drill", "Quiet", MustStaySilent}, {"drill", "Quiet", MustClear},
		{"drill", "Promised nothing", ExpectNone}, {"not compared", "WorkerGone", MustFire},
	}
	r := Compare(in)
	var got []string
	for _, f := range r.Findings {
		if f.ID != "not-evaluated" || f.Severity != Warn || f.Rule != nil || f.Scenario != "drill" || f.Subject != f.Unmatched {
			t.Errorf("finding %+v", f)
		}
		got = append(got, f.Message)
	}
	want := []string{
		"the drill declares must-stay-silent and must-clear for Quiet, and no rule has that name: it was not evaluated",
		"the drill declares must-fire for WorkerGone, and no rule has that name: it was not evaluated",
	}
	if !slices.Equal(got, want) || r.Verdict != Inconclusive || r.ExitCode(FailOnBreak) != 3 {
		t.Errorf("review %s, findings %q; want inconclusive, %q", r.Verdict, got, want)
	}
	// However mild, unknown is not passed; a break stays a break.
	in.Severities = map[string]Severity{"not-evaluated": Info}
	if r := Compare(in); r.Verdict != Inconclusive {
		t.Errorf("made milder: review %s", r.Verdict)
	}
	in.Severities["not-evaluated"] = Break
	if r := Compare(in); r.Verdict != Fail {
		t.Errorf("made to break: review %s", r.Verdict)
	}
	in.Unmatched = nil
	if r := Compare(in); r.Verdict != Pass {
		t.Errorf("without it: review %s", r.Verdict)
	}
}

// TestSelectorsAssumed_Lost: what is lost stays lost.
func TestSelectorsAssumed_Lost(t *testing.T) {
	in := plain(MustFire, outcome.Fired, outcome.Silent)().input()
	other := in.Rules[0]
	other.Expr = strings.Replace(other.Expr, `app="kueue"`, `app="x"`, 1)
	in.Rules = append(in.Rules, other)
	for _, s := range []*Side{&in.Deployed, &in.Candidate} {
		s.Runs[0].Outcomes = append(s.Runs[0].Outcomes, s.Runs[0].Outcomes[0])
	}
	in.SelectorsAssumed = true
	if r := Compare(in); r.Verdict != Fail || r.Results[0].Verdict != Fail {
		t.Errorf("review %s, rule %s; want fail", r.Verdict, r.Results[0].Verdict)
	}
}

// TestEvidence_Bounded: lines are valid UTF-8 and at most 4 KiB, whatever came
// in.
func TestEvidence_Bounded(t *testing.T) {
	f := func(line string, truncated bool) {
		t.Helper()
		e := bounded(&outcome.Evidence{Line: line})
		if len(e.Line) > MaxEvidence || !utf8.ValidString(e.Line) || e.Truncated != truncated {
			t.Errorf("%d bytes became %d, truncated %v", len(line), len(e.Line), e.Truncated)
		}
	}
	f("short", false)
	f(strings.Repeat("x", MaxEvidence), false)
	f(strings.Repeat("x", MaxEvidence+1), true)
	f(strings.Repeat("é", MaxEvidence), true)
	f("x"+strings.Repeat("日", MaxEvidence), true)
	f(strings.Repeat("\xffx", MaxEvidence), true)
}

func FuzzNearest(f *testing.F) {
	f.Add(`{"msg":"a b \"c\""}`, "2026\tINFO\tx y\t{\"k\":\"v w\"}")
	f.Add(`I0102 x.go:1] "a b" k="c d"`, "\xff{\"")
	f.Add(strings.Repeat(`{"a":`, 50)+`"x y"`+strings.Repeat("}", 50), `k="`)
	f.Fuzz(func(t *testing.T, deployed, candidate string) {
		for _, line := range []string{deployed, candidate} {
			for _, w := range wordings(line) {
				if len(w.words) == 0 || len(w.text) > maxWordingSize {
					t.Errorf("wording %+v of %q", w, line)
				}
			}
		}
		var d, c strings.Builder
		for _, e := range wordDiff(strings.ToValidUTF8(deployed, "?"), strings.ToValidUTF8(candidate, "?")) {
			if e.Op != Insert {
				d.WriteString(e.Text)
			}
			if e.Op != Delete {
				c.WriteString(e.Text)
			}
		}
		if d.String() != strings.ToValidUTF8(deployed, "?") || c.String() != strings.ToValidUTF8(candidate, "?") {
			t.Errorf("the diff of %q and %q does not hold both", deployed, candidate)
		}
		lostTo(`{a="b"} |= "x"`, deployed, candidate)
	})
}

func BenchmarkCompare(b *testing.B) {
	var kinds []string
	for i := range 2000 {
		kinds = append(kinds, fmt.Sprintf(`{"msg":"Kind %c%c of record says something else","note":"also %c this"}`, 'a'+i%26, 'a'+i/26%26, 'a'+i/676))
	}
	tr := plain(MustFire, outcome.Fired, outcome.Silent)()
	tr.messages = wrote(kinds...)
	in := tr.input()
	for range 99 {
		in.Rules = append(in.Rules, in.Rules[0])
		for _, s := range []*Side{&in.Deployed, &in.Candidate} {
			s.Runs[0].Outcomes = append(s.Runs[0].Outcomes, s.Runs[0].Outcomes[0])
		}
	}
	in.Rules = slices.Clip(in.Rules)
	b.ReportAllocs()
	for b.Loop() {
		Compare(in)
	}
}
