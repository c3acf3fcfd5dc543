package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/timeline"
)

// acceptanceTerminal says in a line for each scenario what became of what was
// declared of its recovery.
func acceptanceTerminal(s *screen, r *analyzer.Report) {
	var lines []string
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		for j := range x.Acceptance {
			lines = append(lines, x.Scenario+": "+judgedText(&x.Acceptance[j]))
		}
	}
	s.list("Acceptance", lines, 6)
}

// judgedText sums up a judged recovery, with whose is what is broken.
func judgedText(a *analyzer.Acceptance) string {
	count := map[acceptance.Status]int{}
	var broken, due []string
	for i := range a.Criteria {
		c := &a.Criteria[i]
		count[c.Status]++
		if c.Status != acceptance.Broken {
			continue
		}
		text := c.Title
		if c.Owner != "" {
			text += " (owner: " + c.Owner + ")"
		}
		if c.Stage != "" && c.StageOwner != "" {
			text += ", most of it " + c.Stage + " of " + c.StageOwner
		}
		broken = append(broken, text)
	}
	for _, b := range a.Rollbacks {
		if b.Status == acceptance.Broken {
			due = append(due, fmt.Sprintf("rollback %q is due (owner: %s)", b.Name, b.Owner))
		}
	}
	text := fmt.Sprintf("%d of %d demands kept", count[acceptance.Kept], len(a.Criteria))
	if len(broken) > 0 {
		text += "; broken: " + strings.Join(broken, "; ")
	}
	if n := count[acceptance.NotEvaluated]; n > 0 {
		text += fmt.Sprintf("; %d not evaluated", n)
	}
	if len(due) > 0 {
		text += "; " + strings.Join(due, ", ")
	}
	return text
}

// acceptancePieces write every demand with its owner, then what was executed
// twice and done by hand. In short a line says what became of the demands.
func acceptancePieces(p *page, r *analyzer.Report) []piece {
	var list []scenarioPiece
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		for j := range x.Acceptance {
			a := &x.Acceptance[j]
			list = append(list, scenarioPiece{
				name: "the demands of " + x.Scenario, proves: a.Status == acceptance.Broken,
				whole: func() { p.judged(x.Scenario, a) },
				short: func() { p.line("\n**%s: %s**: %s", md(x.Scenario), a.Status, md(judgedText(a))) },
			})
		}
	}
	out := p.scenarioPieces(func() {
		p.line("\n## Acceptance\n\nRecoveries by what was declared of them. What could not be judged is not kept.")
	}, list)
	for _, x := range []struct {
		name string
		f    func(*analyzer.Report)
	}{{"work that was executed twice", p.executions}, {"manual actions", p.byHand}} {
		if text := p.part(func() { x.f(r) }); text != "" {
			out = append(out, piece{name: x.name, rank: details, text: text})
		}
	}
	return out
}

func (p *page) judged(scenario string, a *analyzer.Acceptance) {
	p.line("\n**%s: %s**\n", md(scenario), a.Status)
	if len(a.Criteria) > 0 {
		p.line("| demand | owner | result | what was seen |\n|---|---|---|---|")
	}
	for i := range a.Criteria {
		c := &a.Criteria[i]
		p.line("| %s | %s | %s | %s |", md(c.Title), md(c.Owner), emphasis(c.Status), md(c.Said))
	}
	for _, b := range a.Rollbacks {
		p.line("\n* rollback %s (owner: %s): %s%s", md(b.Name), md(b.Owner), rollbackNames[b.Status], because(b.Because))
	}
}

func because(why []string) string {
	if len(why) == 0 {
		return ""
	}
	return ": " + md(strings.Join(why, "; "))
}

func emphasis(s acceptance.Status) string {
	if s == acceptance.Kept {
		return s.String()
	}
	return "**" + s.String() + "**"
}

// executions writes what was executed twice, or again.
func (p *page) executions(r *analyzer.Report) {
	var lines []string
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		for _, side := range []struct {
			role string
			runs []execution.Result
		}{{"deployed", x.Deployed}, {"candidate", x.Candidate}} {
			for j := range side.runs {
				for _, d := range side.runs[j].Duplicates {
					lines = append(lines, fmt.Sprintf("%s on %s: %s (%s)", x.Scenario, side.role, d.Detail, strings.Join(d.Evidence, "; ")))
				}
				for _, d := range side.runs[j].Repeats {
					lines = append(lines, fmt.Sprintf("%s on %s: %s began again in pod %s and did %s once more", x.Scenario, side.role, d.Work, d.Pod, plural(int(d.Steps), "step")))
				}
			}
		}
	}
	if n := len(lines) - markdownRows; n > 0 {
		lines = append(lines[:markdownRows], fmt.Sprintf("… and %d more (see the JSON report)", n))
	}
	p.list("Work that was executed twice, or again", lines)
}

// byHand writes what people did between the failure and the recovery, and what
// nobody is named for.
func (p *page) byHand(r *analyzer.Report) {
	rows := 0
	for i := range r.Timelines {
		t := &r.Timelines[i]
		for _, side := range []struct {
			role string
			of   *timeline.Side
		}{{"deployed", &t.Deployed}, {"candidate", &t.Candidate}} {
			for j := range side.of.Runs {
				run := &side.of.Runs[j]
				for k := range run.Actions {
					a := &run.Actions[k]
					if !a.Manual && !a.Unattributed {
						continue
					}
					if rows++; rows == 1 {
						p.line("\n## Manual actions\n\nBetween the failure and the recovery.\n\n| scenario | build | when | what | who |\n|---|---|---|---|---|")
					}
					if rows <= markdownRows {
						p.line("| %s | %s | %s | %s | %s |", md(t.Scenario), side.role, sinceText(run, a.Time), md(a.Evidence), md(whoText(a)))
					}
				}
			}
		}
	}
	if rows > markdownRows {
		p.line("| … and %d more (see the JSON report) | | | | |", rows-markdownRows)
	}
}

func whoText(a *timeline.Action) string {
	switch {
	case a.Unattributed:
		return "nothing says who"
	case a.Actor == "":
		return "a person"
	}
	return a.Actor
}

// sinceText says when something was, from the restoration on.
func sinceText(r *timeline.Run, at int64) string {
	if r.Restored.State != timeline.Reached {
		return instant(at)
	}
	return fmt.Sprintf("%+.1f s", float64(at-r.Restored.At)/1e9)
}
