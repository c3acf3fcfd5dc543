package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/cases"
)

// The wire structs of cases.
type (
	jsonCase struct {
		Scenario  string       `json:"scenario"`
		Load      *string      `json:"load"`
		LoadOf    *string      `json:"loadOf"`
		Name      string       `json:"name"`
		Kind      string       `json:"kind"`
		Why       *string      `json:"why"`
		Owner     *string      `json:"owner"`
		About     *string      `json:"about"`
		From      string       `json:"from"`
		File      *string      `json:"file"`
		Line      *int         `json:"line"`
		Column    *int         `json:"column"`
		Expect    jsonExpect   `json:"expect"`
		Verdict   *string      `json:"verdict"`
		Findings  []string     `json:"findings"`
		Deployed  jsonCaseSide `json:"deployed"`
		Candidate jsonCaseSide `json:"candidate"`
	}
	jsonExpect struct {
		Deployed  *string `json:"deployed"`
		Candidate string  `json:"candidate"`
	}
	jsonCaseSide struct {
		Result      string   `json:"result"`
		Reason      *string  `json:"reason"`
		Evidence    []string `json:"evidence"`
		More        int      `json:"more"`
		DeclaredAt  *string  `json:"declaredAt"`
		Before      bool     `json:"declaredBefore"`
		Repetitions int      `json:"repetitions"`
		Times       int      `json:"times"`
	}
)

func toJSONCase(c *analyzer.Case) jsonCase {
	a := c.Assertion
	out := jsonCase{
		Scenario: c.Scenario, Load: text(c.Load), LoadOf: text(c.LoadOf), Name: a.Name, Kind: c.Kind.String(), Why: text(c.Why),
		Owner: text(a.Owner), About: text(a.About), From: c.From,
		File: text(a.Pos.File), Line: place(a.Pos.Line), Column: place(a.Pos.Column),
		Expect:   jsonExpect{text(a.Expect.Deployed), cmp.Or(a.Expect.Candidate, "holds")},
		Findings: list(c.Findings), Deployed: toJSONCaseSide(&c.Deployed), Candidate: toJSONCaseSide(&c.Candidate),
	}
	if c.Verdict != 0 {
		out.Verdict = text(c.Verdict.String())
	}
	return out
}

func toJSONCaseSide(s *cases.Side) jsonCaseSide {
	out := jsonCaseSide{
		Result: s.Status.String(), Reason: text(s.Reason), Evidence: list(s.Evidence), More: s.More,
		Before: s.Before, Repetitions: s.Runs, Times: s.Times,
	}
	if !s.DeclaredAt.IsZero() {
		out.DeclaredAt = text(s.DeclaredAt.UTC().Format(time.RFC3339Nano))
	}
	return out
}

// parted returns the cases of one kind.
func parted(r *analyzer.Report, kind cases.Kind) []*analyzer.Case {
	var out []*analyzer.Case
	for i := range r.Cases {
		if r.Cases[i].Kind == kind {
			out = append(out, &r.Cases[i])
		}
	}
	return out
}

// caseCounts says how many cases gave what on the candidate.
func caseCounts(all []*analyzer.Case) string {
	n := map[cases.Status]int{}
	for _, c := range all {
		n[c.Candidate.Status]++
	}
	var parts []string
	for _, p := range []struct {
		status cases.Status
		words  string
	}{{cases.Fails, "fail"}, {cases.NotJudged, "could not be judged"}, {cases.Holds, "hold"}} {
		if n[p.status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[p.status], p.words))
		}
	}
	return strings.Join(parts, ", ")
}

// under says under which load a case was judged; empty: under none.
func under(c *analyzer.Case) string {
	switch {
	case c.Load != "" && c.LoadOf != "":
		return "load " + c.Load + " of " + c.LoadOf
	case c.Load != "":
		return "load " + c.Load
	case c.LoadOf != "":
		return "load of " + c.LoadOf
	}
	return ""
}

// scenarioOf names the scenario of a case, and the load.
func scenarioOf(c *analyzer.Case) string {
	if u := under(c); u != "" {
		return c.Scenario + " (" + u + ")"
	}
	return c.Scenario
}

// casesTerminal says how many assertions and observations gave what.
func casesTerminal(s *screen, r *analyzer.Report) {
	assertions, observations := parted(r, cases.Assertion), parted(r, cases.Observation)
	if len(r.Cases) == 0 {
		return
	}
	var told []string
	if len(assertions) > 0 {
		told = append(told, plural(len(assertions), "assertion")+" on candidate: "+caseCounts(assertions))
	}
	if len(observations) > 0 {
		told = append(told, plural(len(observations), "observation")+": "+caseCounts(observations))
	}
	s.line("\n%s  %s", s.paint(bold, "Cases"), cut(strings.Join(told, "; "), s.width-len("Cases  ")))
	// Those that do not pass are findings, and stand above.
	for _, c := range assertions {
		if c.Verdict == analyzer.Pass || !s.all {
			continue
		}
		text := fmt.Sprintf("%s: %s: %s", clean(scenarioOf(c)), clean(c.Assertion.Name), clean(c.Candidate.Reason))
		if c.Candidate.Status == cases.Holds {
			text = fmt.Sprintf("%s: %s: on deployed: %s", clean(scenarioOf(c)), clean(c.Assertion.Name), clean(c.Deployed.Reason))
		}
		owner := ""
		if o := c.Assertion.Owner; o != "" {
			owner = " (" + clean(o) + ")"
		}
		head := fmt.Sprintf("  %-13s ", c.Verdict)
		s.line("%s%s%s", head, cut(text, s.width-len(head)-columns.StringWidth(owner)), owner)
	}
}

// casesMarkdown writes assertions and observations in a table each.
func casesMarkdown(p *page, r *analyzer.Report) {
	if all := parted(r, cases.Assertion); len(all) > 0 {
		p.line("\n## Assertions (%d)\n\nThey were declared before the candidate's runs began. On the candidate %s.\n", len(all), caseCounts(all))
		p.line("| scenario | assertion | deployed | candidate | verdict | owner |\n|---|---|---|---|---|---|")
		for i, c := range all {
			if i == markdownRows {
				p.line("| | … and %d more (see the JSON report) | | | | |", len(all)-i)
				break
			}
			p.line("| %s | %s | %s | %s | %s | %s |", md(scenarioOf(c)), md(bounded(c.Assertion.Name)),
				answer(&c.Deployed), answer(&c.Candidate), cells[c.Verdict], md(bounded(c.Assertion.Owner)))
		}
		p.caseEvidence(all)
	}
	if all := parted(r, cases.Observation); len(all) > 0 {
		p.line("\n<details><summary>Observations (%d)</summary>\n\nThey were written after the candidate's runs began, or nobody knows when. They are shown and count for no verdict.\n", len(all))
		p.line("| scenario | observation | deployed | candidate | owner |\n|---|---|---|---|---|")
		for i, c := range all {
			if i == markdownRows {
				p.line("| | … and %d more (see the JSON report) | | | |", len(all)-i)
				break
			}
			p.line("| %s | %s | %s | %s | %s |", md(scenarioOf(c)), md(bounded(c.Assertion.Name)),
				answer(&c.Deployed), answer(&c.Candidate), md(bounded(c.Assertion.Owner)))
		}
		p.caseEvidence(all)
		p.line("\n</details>")
	}
}

// answer says what a build gave.
func answer(s *cases.Side) string {
	switch s.Status {
	case cases.Holds:
		return "holds"
	case cases.Fails:
		return "**fails**"
	}
	return "not judged"
}

// caseEvidence says what was seen where a case does not hold on both builds.
func (p *page) caseEvidence(all []*analyzer.Case) {
	rows := 0
	for _, c := range all {
		for _, side := range []struct {
			role string
			*cases.Side
		}{{"deployed", &c.Deployed}, {"candidate", &c.Candidate}} {
			if side.Status == cases.Holds {
				continue
			}
			if rows == 0 {
				p.line("")
			}
			if rows++; rows > markdownRows {
				continue
			}
			line := side.Reason
			if len(side.Evidence) > 0 {
				line += ": " + side.Evidence[0]
			}
			if more := len(side.Evidence) + side.More - 1; more > 0 {
				line += fmt.Sprintf("; and %d more", more)
			}
			p.line("- %s, %s, %s: %s", md(scenarioOf(c)), md(bounded(c.Assertion.Name)), side.role, md(bounded(line)))
		}
	}
	if rows > markdownRows {
		p.line("- … and %d more (see the JSON report)", rows-markdownRows)
	}
}
