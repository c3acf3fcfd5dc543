package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// TestProof: what is said to prove a repair is counted, by what was declared
// and what the rule did.
func TestProof(t *testing.T) {
	f := func(kind rules.Kind, proof, expect, want string) {
		t.Helper()
		rule := alert("A", dispatched)
		rule.Kind = kind
		r := &analyzer.Report{}
		for word := range strings.FieldsSeq(expect) {
			scenario, e, _ := strings.Cut(word, "=")
			res := analyzer.Result{Rule: &rule, Scenario: scenario, Expect: analyzer.MustFire}
			if e == "silent" {
				res.Expect = analyzer.MustStaySilent
			}
			r.Results = append(r.Results, res)
		}
		finding := &analyzer.Finding{Rule: &rule, Repair: &analyzer.Repair{}}
		for word := range strings.FieldsSeq(proof) { // scenario:deployed:candidate
			parts := strings.Split(word, ":")
			for i, role := range []string{"deployed", "candidate"} {
				for n, c := range parts[i+1] {
					state := map[rune]outcome.State{'y': outcome.Fired, 'n': outcome.Silent, '?': outcome.Pending}[c]
					finding.Repair.Proof = append(finding.Repair.Proof, analyzer.Proof{Scenario: parts[0], Role: role, Repetition: n + 1, State: state})
				}
			}
		}
		if got := newTelling(r).proof(finding); got != want {
			t.Errorf("proof of %s: %q; want %q", proof, got, want)
		}
	}
	f(rules.Alert, "a:y:y b:y:y c:n:n", "", "fires in 2 of 2 scenarios where it must, silent in 1 of 1")
	f(rules.Query, "a:y:y", "", "matches in 1 of 1 scenario where it must, silence untested")
	f(rules.Alert, "a:y:n b:n:y", "", "fires in 0 of 1 scenario where it must, silent in 0 of 1")
	f(rules.Alert, "a:yy:yn b:nn:nn", "", "fires in 0 of 1 scenario where it must, silent in 1 of 1")
	f(rules.Alert, "a:y:y b:n:y c:y:n", "b=fire c=silent", "fires in 2 of 2 scenarios where it must, silent in 1 of 1")
	f(rules.Alert, "a:y:y b:?:n c:yn:y", "", "fires in 1 of 1 scenario where it must, silence untested, not clear in 2")
}

// TestAmong: where a rule goes blind is said in words that are true.
func TestAmong(t *testing.T) {
	f := func(deployed, lost, want string) {
		t.Helper()
		rule := alert("A", dispatched)
		r := &analyzer.Report{}
		for i, c := range deployed {
			name := fmt.Sprint("s", i)
			r.Scenarios = append(r.Scenarios, name)
			res := analyzer.Result{Rule: &rule, Scenario: name}
			res.Deployed.State = map[rune]outcome.State{'y': outcome.Fired, 'n': outcome.Silent}[c]
			r.Results = append(r.Results, res)
			if lost[i] == 'x' {
				r.Findings = append(r.Findings, analyzer.Finding{ID: "alert-lost", Severity: analyzer.Break, Rule: &rule, Scenario: name})
			}
		}
		if got := newTelling(r).what(blocks(r, analyzer.Break)[0]); got != want {
			t.Errorf("%s lost %s: %q; want %q", deployed, lost, got, want)
		}
	}
	f("y", "x", "goes silent")
	f("yn", "x-", "silent in s0, the only scenario in which it fired")
	f("yyn", "xx-", "silent in s0, s1, everywhere it fired")
	f("yyyy", "xxxx", "silent in all 4 scenarios in which it fired")
	f("yyyn", "x-x-", "silent in s0, s2, 2 of 3 scenarios in which it fired")
}

// TestChangedPart: the stage that changes is shown whole.
func TestChangedPart(t *testing.T) {
	f := func(was, is, want string) {
		t.Helper()
		got := changedPart(&analyzer.Finding{Rule: &rules.Rule{Expr: was}, Repair: &analyzer.Repair{Expr: is}})
		if got != want {
			t.Errorf("%s → %s: %q; want %q", was, is, got, want)
		}
	}
	f(`sum(count_over_time({a="b"} |= "x y" [1m])) > 0`, `sum(count_over_time({a="b"} |= "x y" or "x z" [1m])) > 0`, `…|= "x y" or "x z"…`)
	f(`{a="b"} | msg="was y, too"`, `{a="b"} | msg=~"was (y|z), too"`, `…| msg=~"was (y|z), too"`)
	f(`{a="b"} |= "x"`, `{a="c"} |= "x"`, `{a="c"…`)
}

// TestShort: in short, too, it is said where a rule must fire.
func TestShort(t *testing.T) {
	f := func(want, id string, scenarios []string, expect ...analyzer.Expect) {
		t.Helper()
		b := &block{first: &analyzer.Finding{ID: id}, scenarios: scenarios, expected: map[analyzer.Expect][]string{}}
		for i, e := range expect {
			b.expected[e] = append(b.expected[e], scenarios[i])
		}
		if got := newTelling(&analyzer.Report{Scenarios: []string{"a", "b", "c"}}).short(b); got != want {
			t.Errorf("%s in %v: %q; want %q", id, scenarios, got, want)
		}
	}
	f("silent in a", "alert-lost", []string{"a"}, analyzer.ExpectNone)
	f("silent where it must fire, in a", "alert-lost", []string{"a"}, analyzer.MustFire)
	f("finds nothing in 2 of 3 scenarios", "match-lost", []string{"a", "b"}, analyzer.ExpectNone, analyzer.ExpectNone)
	f("silent in 2 of 3 scenarios, where it must fire in 1", "alert-lost", []string{"a", "b"}, analyzer.MustFire, analyzer.ExpectNone)
	f("fires where it must not, in a", "alert-false", []string{"a"}, analyzer.MustStaySilent)
	f("in a", "stale-entry", []string{"a"})
}

// TestSureness: what keeps a verdict from being sure is said, and only that.
func TestSureness(t *testing.T) {
	f := func(in *input, want ...string) {
		t.Helper()
		if got := strings.Join(sureness(analyzer.Compare(in.Input)), "\n"); got != strings.Join(want, "\n") {
			t.Errorf("sure:\n%s\nwant\n%s", got, strings.Join(want, "\n"))
		}
	}
	const once = "each scenario ran once on each build: what differs by chance is not known"
	both := [2]outcome.Outcome{fired(42, reservation), fired(42, reservation)}
	none := [2]outcome.Outcome{silent(), silent()}

	in := newInput("drill")
	in.add(alert("A", dispatched), both)
	f(in, once, "nobody declared what must fire or stay silent: what the deployed build did is the measure")

	in = newInput("drill", "idle")
	in.add(alert("A", dispatched), both, none)
	in.add(alert("B", dispatched), none, none)
	in.expect["A/drill"] = analyzer.MustFire
	f(in, once, "declared what must fire or stay silent: 1 of 2 rules, none that must stay silent",
		"1 of 2 rules did nothing in any scenario, so whether they still would is not known: B",
		"scenarios that exercise no rule: idle")

	in = newInput("drill")
	in.add(alert("A", dispatched), both)
	in.expect["A/drill"] = analyzer.MustStaySilent
	in.Deployed.Runs = append(in.Deployed.Runs, in.Deployed.Runs[0])
	in.Deployed.Runs[1].Repetition = 2
	f(in, "runs of a scenario: 2 on deployed, 1 on candidate; where it ran once, what differs by chance is not known",
		"declared what must fire or stay silent: 1 of 1 rule, none that must fire")

	cannot := outcome.Outcome{State: outcome.NotEvaluated, Reason: "it cannot"}
	in = newInput("drill")
	in.add(alert("A", dispatched), [2]outcome.Outcome{cannot, cannot})
	in.add(alert("Never", dispatched), none)
	in.expect["Never/drill"] = analyzer.MustFire
	in.Candidate.Runs[0].Incomplete = true
	f(in, once, "declared what must fire or stay silent: 1 of 2 rules, none that must stay silent",
		"1 of 2 rules did nothing in any scenario, so whether they still would is not known: Never",
		"no scenario exercises any rule",
		"inconclusive: 1 result, of Never", "not evaluated: 1 rule: A (it cannot)",
		"incomplete runs, of which silence proves nothing: candidate drill")
}
