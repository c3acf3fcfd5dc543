package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/confound"
)

// A shared is a difference with the scenarios that show it.
type shared struct {
	confound.Difference
	scenarios []string
}

// sharedDifferences joins the differences that several scenarios show.
func sharedDifferences(r *analyzer.Report) []*shared {
	var out []*shared
	index := map[string]*shared{}
	for i := range r.Recoveries {
		for _, d := range r.Recoveries[i].Confounders.Differences {
			key := fmt.Sprintf("%q", []any{d.Kind, d.Subject, d.Deployed, d.Candidate})
			have := index[key]
			if have == nil {
				have = &shared{Difference: d}
				index[key] = have
				out = append(out, have)
			}
			have.scenarios = append(have.scenarios, r.Recoveries[i].Scenario)
		}
	}
	return out
}

// confoundersTerminal says how much differs besides the build.
func confoundersTerminal(s *screen, r *analyzer.Report) {
	var lines []string
	for _, d := range sharedDifferences(r) {
		lines = append(lines, fmt.Sprintf("%s: %s on deployed, %s on candidate%s", d.Subject, strings.Join(d.Deployed, ", "), strings.Join(d.Candidate, ", "), explaining(&d.Difference)))
	}
	s.list("What differs besides the build", lines, 4)
}

func explaining(d *confound.Difference) string {
	switch {
	case d.Decisive:
		return " (another drill)"
	case d.Timing:
		return " (can explain a time)"
	}
	return ""
}

// confoundersMarkdown writes all that differs besides the build, and what was
// not compared.
func confoundersMarkdown(p *page, r *analyzer.Report) {
	all := sharedDifferences(r)
	var notes []string
	seen := map[string]bool{}
	for i := range r.Recoveries {
		c := &r.Recoveries[i].Confounders
		for _, n := range c.Notes {
			if !seen[n] {
				seen[n] = true
				notes = append(notes, n)
			}
		}
		if c.Cut > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d more differences are left out", r.Recoveries[i].Scenario, c.Cut))
		}
	}
	if len(all) == 0 {
		return
	}
	p.line("\n## What differs besides the build\n")
	p.line("| what | deployed | candidate | can explain | scenarios |\n|---|---|---|---|---|")
	for i, d := range all {
		if i == markdownRows {
			p.line("| … and %d more (see the JSON report) | | | | |", len(all)-i)
			break
		}
		explains := "nothing that was measured"
		switch {
		case d.Decisive:
			explains = "**everything: another drill**"
		case d.Timing:
			explains = "a difference in time"
		}
		p.line("| %s: %s | %s | %s | %s | %s |", d.Kind, md(d.Subject), md(strings.Join(d.Deployed, ", ")), md(strings.Join(d.Candidate, ", ")), explains, md(strings.Join(d.scenarios, ", ")))
	}
	p.list("What was not compared", notes)
}
