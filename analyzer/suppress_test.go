package analyzer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

func date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// accepting compares again with the findings accepted that choose picks.
func accepting(in Input, choose func(*Finding) bool, change func(*Suppression)) *Report {
	in.Now = date(2026, 11, 30)
	for _, f := range Compare(in).Findings {
		if !choose(&f) {
			continue
		}
		s := Suppression{Fingerprint: f.Fingerprint, Reason: "agreed", Owner: "sre", Expires: date(2026, 12, 31)}
		if change != nil {
			change(&s)
		}
		in.Suppressions = append(in.Suppressions, s)
	}
	return Compare(in)
}

func every(*Finding) bool { return true }

// one is every finding of an ID.
func one(id string) func(*Finding) bool { return func(f *Finding) bool { return f.ID == id } }

func TestSuppress(t *testing.T) {
	warned := bothFire(func(o *outcome.Outcome) { o.Alerts[0].Labels = nil })
	f := func(name string, tr trial, rule, review Verdict, code, codeWarn int) {
		t.Helper()
		r := accepting(tr.input(), every, nil)
		if got := r.Results[0].Verdict; got != rule || r.Verdict != review {
			t.Errorf("%s: rule %s, review %s; want %s, %s", name, got, r.Verdict, rule, review)
		}
		if r.ExitCode(FailOnBreak) != code || r.ExitCode(FailOnWarn) != codeWarn {
			t.Errorf("%s: exit codes %d and %d; want %d and %d", name, r.ExitCode(FailOnBreak), r.ExitCode(FailOnWarn), code, codeWarn)
		}
		if len(r.Findings) == 0 || r.Accepted() != len(r.Findings) {
			t.Errorf("%s: %d of %d findings accepted", name, r.Accepted(), len(r.Findings))
		}
		if len(r.Results[0].Findings) != len(r.Findings) {
			t.Errorf("%s: an accepted finding is not in the rule's list", name)
		}
	}
	f("lost", plain(MustFire, outcome.Fired, outcome.Silent)(), Pass, Pass, 0, 0)
	f("false", plain(MustStaySilent, outcome.Silent, outcome.Fired)(), Pass, Pass, 0, 0)
	f("warning", warned(), Pass, Pass, 0, 0)
	// What is not known stays so, and passes only beside what is known.
	f("never fired", plain(MustFire, outcome.Silent, outcome.Silent)(), Inconclusive, Inconclusive, 3, 3)
	f("not evaluated", plain(MustFire, outcome.NotEvaluated, outcome.Fired)(), NotEvaluated, Inconclusive, 3, 3)
}

// TestSuppress_Open: of a rule that proves nothing the review may pass once
// that is accepted, and something else was proven.
func TestSuppress_Open(t *testing.T) {
	for _, s := range []outcome.State{outcome.Silent, outcome.NotEvaluated, outcome.Pending} {
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		other := plain(MustFire, s, s)().input()
		other.Rules[0].Name = "Other"
		in.Rules = append(in.Rules, other.Rules[0])
		in.Deployed.Runs[0].Outcomes = append(in.Deployed.Runs[0].Outcomes, other.Deployed.Runs[0].Outcomes...)
		in.Candidate.Runs[0].Outcomes = append(in.Candidate.Runs[0].Outcomes, other.Candidate.Runs[0].Outcomes...)
		if r := Compare(in); r.Verdict != Inconclusive {
			t.Errorf("state %d: %s; want inconclusive", s, r.Verdict)
		}
		if r := accepting(in, every, nil); r.Verdict != Pass || r.Results[1].Verdict == Pass {
			t.Errorf("state %d, accepted: review %s, rule %s; want pass, and the rule unproven", s, r.Verdict, r.Results[1].Verdict)
		}
	}
}

// TestSuppress_HidesNothingElse: what is accepted is one finding, not a rule.
func TestSuppress_HidesNothingElse(t *testing.T) {
	two := func() Input { // scenarios
		in := plain(MustFire, outcome.Fired, outcome.Silent)().input()
		in.Scenarios = []string{"drill", "other"}
		for _, s := range []*Side{&in.Deployed, &in.Candidate} {
			run := s.Runs[0]
			run.Scenario = "other"
			s.Runs = append(s.Runs, run)
		}
		return in
	}
	r := accepting(two(), func(f *Finding) bool { return f.Scenario == "drill" }, nil)
	if r.Verdict != Fail || r.Accepted() != 1 || r.Results[0].Verdict != Pass || r.Results[1].Verdict != Fail {
		t.Errorf("another scenario: %s, %d accepted, rules %s and %s", r.Verdict, r.Accepted(), r.Results[0].Verdict, r.Results[1].Verdict)
	}

	// The same rule, another finding: severities make both of them break.
	tr := bothFire(func(o *outcome.Outcome) { o.Alerts[0].Labels, o.Alerts[0].Annotations = nil, nil })()
	tr.severities = map[string]Severity{"alert-labels-lost": Break, "notification-context-lost": Break}
	r = accepting(tr.input(), one("alert-labels-lost"), nil)
	if r.Verdict != Fail || r.Accepted() != 1 || r.Results[0].Verdict != Fail {
		t.Errorf("another finding: %s, %d accepted of %v", r.Verdict, r.Accepted(), ids(r))
	}

	// A twin: the same kind, group and name, another threshold.
	in := plain(MustFire, outcome.Fired, outcome.Silent)().input()
	twin := in.Rules[0]
	twin.Expr = strings.Replace(twin.Expr, "> 0", "> 5", 1)
	in.Rules = append(in.Rules, twin)
	for _, s := range []*Side{&in.Deployed, &in.Candidate} {
		s.Runs[0].Outcomes = append(s.Runs[0].Outcomes, s.Runs[0].Outcomes[0])
	}
	done := false
	r = accepting(in, func(*Finding) bool { first := !done; done = true; return first }, nil)
	if r.Verdict != Fail || r.Accepted() != 1 {
		t.Errorf("twin: %s, %d accepted of %v", r.Verdict, r.Accepted(), ids(r))
	}
}

func TestSuppress_Ends(t *testing.T) {
	lost := plain(MustFire, outcome.Fired, outcome.Silent)
	f := func(name string, change func(*Suppression), verdict Verdict, want ...string) {
		t.Helper()
		r := accepting(lost().input(), one("alert-lost"), change)
		var got []string
		for _, f := range r.Findings {
			if f.ID != "alert-lost" {
				got = append(got, f.ID+": "+f.Message)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || r.Verdict != verdict {
			t.Errorf("%s: %s, findings (-want +got):\n%s", name, r.Verdict, diff)
		}
	}
	const gone = "no finding has this fingerprint (sre: agreed); take it out if what it accepted is mended"
	f("the last day", func(s *Suppression) { s.Expires = date(2026, 11, 30) }, Pass)
	f("the day after", func(s *Suppression) { s.Expires = date(2026, 11, 29) }, Fail,
		"suppression-expired: expired on 2026-11-29 (sre: agreed), so this counts again: alert-lost of Dispatched in drill")
	f("both right", func(s *Suppression) { s.ID, s.Scenario = "alert-lost", "drill" }, Pass)
	f("another ID", func(s *Suppression) { s.ID = "match-lost" }, Fail,
		"suppression-unused: accepts nothing (sre: agreed): the finding with this fingerprint is alert-lost, not match-lost")
	f("another scenario", func(s *Suppression) { s.Scenario = "other" }, Fail,
		"suppression-unused: accepts nothing (sre: agreed): the finding with this fingerprint is in scenario drill, not in other")
	f("another fingerprint", func(s *Suppression) { s.Fingerprint = strings.Repeat("0", 32) }, Fail, "suppression-unused: "+gone)
	f("another, expired", func(s *Suppression) { s.Fingerprint, s.Expires = strings.Repeat("0", 32), date(2026, 1, 1) }, Fail,
		"suppression-expired: expired on 2026-01-01 (sre: agreed), and no finding has this fingerprint here")
}

// TestSuppress_Partial: an entry may be about what was left out.
func TestSuppress_Partial(t *testing.T) {
	f := func(p Partial, scenario string, unused bool) {
		t.Helper()
		in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
		in.Partial = p
		in.Suppressions = []Suppression{{Fingerprint: "00", Scenario: scenario, Reason: "r", Owner: "o", Expires: date(2030, 1, 1)}}
		if got := contains(ids(Compare(in)), "suppression-unused"); got != unused {
			t.Errorf("left out %d, entry of %q: unused %v; want %v", p, scenario, got, unused)
		}
	}
	f(NothingLeftOut, "", true)
	f(NothingLeftOut, "drill", true)
	f(NothingLeftOut, "other", true)
	f(OtherScenarios, "", false)
	f(OtherScenarios, "drill", true)
	f(OtherScenarios, "other", false)
	f(OtherRules, "", false)
	f(OtherRules, "drill", false)
}

// TestSuppress_Itself: what is said of suppressions cannot be accepted, and
// may break.
func TestSuppress_Itself(t *testing.T) {
	in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
	in.Severities = map[string]Severity{"suppression-unused": Break}
	in.Suppressions = []Suppression{{Fingerprint: "00", Reason: "r", Owner: "o", Expires: date(2030, 1, 1)}}
	if r := Compare(in); r.Verdict != Fail {
		t.Errorf("unused is a break: %s", r.Verdict)
	}
	r := accepting(in, every, nil)
	if r.Verdict != Fail || r.Accepted() != 0 || len(r.Findings) != 2 {
		t.Errorf("accepted: %s %v", r.Verdict, ids(r))
	}
	for _, f := range r.Findings {
		if f.Acceptable() {
			t.Errorf("%s can be accepted", f.ID)
		}
	}
}

// TestSuppress_Clock: the report depends on the day only by what has expired.
func TestSuppress_Clock(t *testing.T) {
	report := func(now time.Time) *Report {
		in := plain(MustFire, outcome.Fired, outcome.Silent)().input()
		in.Suppressions = []Suppression{{Fingerprint: Compare(in).Findings[0].Fingerprint, Expires: date(2026, 12, 31)}}
		in.Now = now
		return Compare(in)
	}
	day := report(date(2026, 1, 1))
	if diff := cmp.Diff(day.Findings, report(date(2026, 12, 31).Add(24*time.Hour-1)).Findings, cmp.Comparer(sameRule)); diff != "" {
		t.Errorf("findings (-first day +last):\n%s", diff)
	}
	if got := ids(report(date(2027, 1, 1))); !slices.Equal(got, []string{"alert-lost", "suppression-expired"}) {
		t.Errorf("after the last day: %v", got)
	}
}

func sameRule(a, b *rules.Rule) bool { return a.Name == b.Name && a.Expr == b.Expr }
