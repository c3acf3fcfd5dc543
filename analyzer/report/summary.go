package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
)

// headline names what is compared: "deployed v0.17.0 (4d5f7ffc) → candidate
// v0.18.0 (ff69552e), kueue".
func headline(r *analyzer.Report) string {
	d, c := r.Deployed, r.Candidate
	if d.Component != c.Component {
		return buildName("deployed", d, true) + " → " + buildName("candidate", c, true)
	}
	s := buildName("deployed", d, false) + " → " + buildName("candidate", c, false)
	if d.Component != "" {
		s += ", " + d.Component
	}
	return s
}

// buildName names a build; one that is called by its role needs no more.
func buildName(role string, b analyzer.Build, component bool) string {
	parts := []string{role}
	if component && b.Component != "" {
		parts = append(parts, b.Component)
	}
	if name := cmp.Or(b.Version, b.Name); name != role && name != "" {
		parts = append(parts, name)
	}
	if c := b.Commit; c != "" {
		parts = append(parts, "("+c[:min(len(c), 8)]+")")
	}
	return strings.Join(parts, " ")
}

// sizes says how much was compared: "12 rules in 3 scenarios".
func sizes(r *analyzer.Report) string {
	seen := map[any]bool{}
	for i := range r.Results {
		seen[r.Results[i].Rule] = true
	}
	return plural(len(seen), "rule") + " in " + plural(len(r.Scenarios), "scenario")
}

// counts says how many results have each verdict, without those that none has.
func counts(r *analyzer.Report) string {
	n := r.Count()
	var parts []string
	for _, c := range []struct {
		n    int
		word string
	}{
		{n.Fail, "fail"}, {n.Inconclusive, "inconclusive"}, {n.NotEvaluated, "not evaluated"},
		{n.Pass, "pass"}, {n.NotExercised, "not exercised"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.word))
		}
	}
	if len(parts) == 0 {
		return "nothing to judge"
	}
	return strings.Join(parts, ", ")
}

// plural returns "1 rule" or "2 rules".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// meaning says in one sentence what a verdict means for the upgrade.
func meaning(v analyzer.Verdict) string {
	switch v {
	case analyzer.Pass:
		return "what was declared and what worked on the deployed build works on the candidate"
	case analyzer.Fail:
		return "something that works on the deployed build breaks on the candidate"
	}
	return "the runs do not prove that the rules still work"
}

// whereNear says where a nearest line was found.
func whereNear(n *analyzer.Near) string {
	where := "in the line"
	if n.Field != "" {
		where = "in field " + n.Field
	}
	where += ", " + plural(int(n.Count), "record") + " on candidate"
	if !n.Selected {
		where += ", in a stream that the rule does not select: " + n.Stream.String()
	}
	return where
}

// clock prints a time of day, UTC. The date stands in the other formats.
func clock(ns int64) string { return time.Unix(0, ns).UTC().Format("15:04:05") }
