package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/rules"
)

// sureRules bounds the rules that are named of those that nothing is known of.
const sureRules = 4

// sureness says how far the verdict can be relied on: how often the scenarios
// were run, and what was not exercised, not declared or not evaluated.
func sureness(r *analyzer.Report) []string {
	var out []string
	for _, text := range []string{
		repeated(r), declaredRules(r), unexercised(r), idleScenarios(r), openResults(r), unevaluated(r), unjudged(r), cutRuns(r),
	} {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

// repeated says how often each scenario was run.
func repeated(r *analyzer.Report) string {
	runs := map[[2]string]int{} // by role and scenario
	for _, run := range r.Runs {
		runs[[2]string{run.Role, run.Scenario}]++
	}
	if len(runs) == 0 {
		return ""
	}
	span := func(role string) (least, most int) {
		for k, n := range runs {
			if k[0] != role {
				continue
			}
			if least == 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
		return least, most
	}
	times := func(least, most int) string {
		if least == most {
			return fmt.Sprint(most)
		}
		return fmt.Sprintf("%d to %d", least, most)
	}
	d, dMost := span("deployed")
	c, cMost := span("candidate")
	if dMost <= 1 && cMost <= 1 {
		return "each scenario ran once on each build: what differs by chance is not known"
	}
	text := fmt.Sprintf("runs of a scenario: %s on deployed, %s on candidate", times(d, dMost), times(c, cMost))
	if min(d, c) <= 1 {
		text += "; where it ran once, what differs by chance is not known"
	}
	return text
}

// declaredRules says of how many rules somebody declared what they must do.
func declaredRules(r *analyzer.Report) string {
	all, declared := map[*rules.Rule]bool{}, map[*rules.Rule]bool{}
	fire, quiet := false, false
	for i := range r.Results {
		res := &r.Results[i]
		all[res.Rule] = true
		if res.Expect == analyzer.ExpectNone {
			continue
		}
		declared[res.Rule] = true
		fire = fire || res.Expect == analyzer.MustFire
		quiet = quiet || res.Expect != analyzer.MustFire
	}
	switch {
	case len(all) == 0:
		return ""
	case len(declared) == 0:
		return "nobody declared what must fire or stay silent: what the deployed build did is the measure"
	}
	text := fmt.Sprintf("declared what must fire or stay silent: %d of %s", len(declared), plural(len(all), "rule"))
	if !quiet {
		text += ", none that must stay silent"
	}
	if !fire {
		text += ", none that must fire"
	}
	return text
}

// unexercised names the rules that did nothing in any scenario on either
// build: nobody knows whether they still would.
func unexercised(r *analyzer.Report) string {
	did := map[*rules.Rule]bool{}
	var order []*rules.Rule
	for i := range r.Results {
		res := &r.Results[i]
		if _, ok := did[res.Rule]; !ok {
			order = append(order, res.Rule)
			did[res.Rule] = false
		}
		if res.Yielded || res.Verdict == analyzer.NotEvaluated {
			did[res.Rule] = true
		}
	}
	var idle []string
	for _, rule := range order {
		if !did[rule] {
			idle = append(idle, rule.Name)
		}
	}
	if len(idle) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s did nothing in any scenario, so whether they still would is not known: %s", len(idle), plural(len(order), "rule"), names(idle, sureRules))
}

// idleScenarios names the scenarios in which no rule did anything.
func idleScenarios(r *analyzer.Report) string {
	busy := map[string]bool{}
	for i := range r.Results {
		if r.Results[i].Yielded {
			busy[r.Results[i].Scenario] = true
		}
	}
	var idle []string
	for _, s := range r.Scenarios {
		if !busy[s] {
			idle = append(idle, s)
		}
	}
	if len(idle) == 0 || len(r.Results) == 0 {
		return ""
	}
	if len(idle) == len(r.Scenarios) {
		return "no scenario exercises any rule"
	}
	return "scenarios that exercise no rule: " + names(idle, sureRules)
}

// openResults names the rules whose verdict is open.
func openResults(r *analyzer.Report) string {
	n := 0
	var open []string
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != analyzer.Inconclusive {
			continue
		}
		n++
		if !slices.Contains(open, res.Rule.Name) {
			open = append(open, res.Rule.Name)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("inconclusive: %s, of %s", plural(n, "result"), names(open, sureRules))
}

// unevaluated names the rules that could not be evaluated, with the reason of
// the first.
func unevaluated(r *analyzer.Report) string {
	var list []string
	reason := ""
	for i := range r.Results {
		res := &r.Results[i]
		if res.Verdict != analyzer.NotEvaluated {
			continue
		}
		if !slices.Contains(list, res.Rule.Name) {
			list = append(list, res.Rule.Name)
		}
		if reason == "" {
			reason = res.Reason
		}
	}
	if len(list) == 0 {
		return ""
	}
	text := fmt.Sprintf("not evaluated: %s: %s", plural(len(list), "rule"), names(list, sureRules))
	if reason != "" {
		text += " (" + bounded(reason) + ")"
	}
	return text
}

// unjudged counts the assertions that could not be judged.
func unjudged(r *analyzer.Report) string {
	all := parted(r, cases.Assertion)
	n := 0
	for _, c := range all {
		if c.Candidate.Status == cases.NotJudged || c.Deployed.Status == cases.NotJudged {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s could not be judged", n, plural(len(all), "assertion"))
}

// cutRuns names the runs that are incomplete.
func cutRuns(r *analyzer.Report) string {
	var list []string
	for _, run := range r.Runs {
		if run.Incomplete {
			list = append(list, fmt.Sprintf("%s %s", run.Role, run.Scenario))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "incomplete runs, of which silence proves nothing: " + strings.Join(list[:min(len(list), sureRules)], ", ")
}
