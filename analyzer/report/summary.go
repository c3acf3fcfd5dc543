package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
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

// sizes says how much was compared, so that the product is the number of
// results: "74 rules × 2 scenarios", "10 rules in 1 scenario".
func sizes(r *analyzer.Report) string {
	seen := map[any]bool{}
	for i := range r.Results {
		seen[r.Results[i].Rule] = true
	}
	if len(r.Scenarios) > 1 {
		return plural(len(seen), "rule") + " × " + plural(len(r.Scenarios), "scenario")
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

// belies reports whether a finding speaks against "what was declared and what
// worked on the deployed build works on the candidate".
func belies(f *analyzer.Finding) bool {
	if f.Case > 0 {
		return true // an assertion that did not pass
	}
	switch f.ID {
	case "alert-lost", "match-lost", "alert-false", "alert-persists", "corpus-incomplete", "alert-noisy", "match-flaky":
		return true
	case "frequency-changed":
		return f.Cause != "" // its lines are gone
	}
	return false
}

// warnings counts the findings that are warnings and that nobody accepted.
func warnings(r *analyzer.Report) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == analyzer.Warn && !r.Findings[i].Accepted() {
			n++
		}
	}
	return n
}

// meaning says in one sentence what the verdict means for the upgrade. It
// follows the findings, as the review file may have made them milder or worse.
func meaning(r *analyzer.Report) string { return meant(r) + exceptAccepted(r) }

// meant is the meaning without what was accepted.
func meant(r *analyzer.Report) string {
	breaks := idsOf(r, func(f *analyzer.Finding) bool { return f.Severity == analyzer.Break && !f.Accepted() })
	switch r.Verdict {
	case analyzer.Pass:
		but := idsOf(r, belies)
		switch {
		case len(but) > 0:
			return "nothing counts as a break, but not all that was declared or worked on the deployed build holds on the candidate: " + strings.Join(but, ", ")
		case len(r.Problems) > 0:
			return "what could be looked at works on the candidate, but not all of the input is valid"
		}
		works := "what was declared and what worked on the deployed build works on the candidate"
		if n := warnings(r); n > 0 {
			works += ", with " + plural(n, "warning")
		}
		return works
	case analyzer.Fail:
		if what := toll(r); what != "" {
			return what
		}
		if slices.Contains(breaks, "corpus-incomplete") {
			return "a run is incomplete, so silence in it proves nothing"
		}
		if slices.ContainsFunc(r.Findings, func(f analyzer.Finding) bool { return f.Case > 0 && f.Severity == analyzer.Break && !f.Accepted() }) {
			return "an assertion of a drill fails on the candidate"
		}
		return "a finding counts as a break: " + strings.Join(breaks, ", ")
	}
	return "the runs do not prove that the rules still work"
}

// idsOf returns the IDs of the findings that f chooses, each once, in the
// report's order.
func idsOf(r *analyzer.Report, f func(*analyzer.Finding) bool) []string {
	var ids []string
	for i := range r.Findings {
		if id := r.Findings[i].ID; f(&r.Findings[i]) && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// exitNote says why the exit code is not the one that goes with the verdict;
// empty where it is.
func exitNote(r *analyzer.Report, on analyzer.FailOn) string {
	code := r.ExitCode(on)
	switch {
	case code == 1 && r.Verdict != analyzer.Fail:
		return "exit code 1 only because of " + plural(warnings(r), "warning") + ": --fail-on warn"
	case code == 0 && r.Verdict == analyzer.Fail:
		return "exit code 0 although something breaks: --fail-on never"
	}
	return ""
}

// mostMessage is the longest error or finding that a person has to read, in
// characters.
const mostMessage = 400

// bounded cuts a message; what it says first matters most.
func bounded(text string) string {
	text = clean(text)
	if r := []rune(text); len(r) > mostMessage {
		return strings.TrimRight(string(r[:mostMessage-1]), " ") + "…"
	}
	return text
}

// problem prints a fault of the input, bounded. What to do about it is kept
// where there is room for it, at the cost of what is wrong.
func problem(e *source.Error) string {
	const leastMsg = 80
	whole := clean(e.Error())
	msg := []rune(clean(e.Msg))
	keep := len(msg) - (utf8.RuneCountInString(whole) - mostMessage) - 1
	if keep >= len(msg)-1 || keep < leastMsg {
		return bounded(whole)
	}
	short := *e
	short.Msg = string(msg[:keep]) + "…"
	return bounded(short.Error())
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
