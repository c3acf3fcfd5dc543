package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/timeline"
)

// Bounds of what a report of a whole comparison tells of recoveries.
const (
	recoveryRows  = 2 // scenarios on a terminal
	recoveryParts = 3 // in Markdown, with all there is; of others only the lines
	recoveryLists = 20
	chartWidth    = 100
	chartFewer    = 4 // alerts of a chart in Markdown
	runNoteRows   = 3 // of what could not be told of runs
)

// timelinesTerminal writes a line for each build of a scenario: when its work
// had recovered, on an axis, and what holds it back.
func timelinesTerminal(s *screen, r *analyzer.Report) {
	all := weighed(r)
	if len(all) == 0 {
		return
	}
	s.line("")
	s.wrapFrom(s.paint(bold, "Recoveries")+"  ", strings.Repeat(" ", 12), "in seconds after the connection was restored; see: stillfires timeline")
	for i, v := range all {
		if i == recoveryRows && !s.all {
			s.line("  … and %s (see: stillfires timeline)", plural(len(all)-i, "more scenario"))
			break
		}
		s.recoveryLines(v)
	}
}

// weighed are all recoveries, those first that weigh most.
func weighed(r *analyzer.Report) []*recovery {
	all := recoveries(r)
	slices.SortStableFunc(all, func(a, b *recovery) int { return cmp.Compare(b.weight(), a.weight()) })
	return all
}

// weight is higher the more the builds differ, and most where demands are broken
// or work did not recover.
func (v *recovery) weight() int {
	w := 0
	for i := range v.Stages {
		if v.Stages[i].Slower {
			w += 2
		}
		if v.Stages[i].Faster {
			w++
		}
	}
	if v.Deployed.Recovered != v.Deployed.Affected || v.Candidate.Recovered != v.Candidate.Affected {
		w += 1000
	}
	w += 100 * v.broken
	return w
}

// recoveryLines is the chart of one scenario at its shortest: when all work had
// reached the goal.
func (s *screen) recoveryLines(v *recovery) {
	const role, counts = 12, 10
	goal := v.declared(v.Goal)
	c := &chart{screen: s, v: v, axis: axisOf(v)}
	c.plot = max(min(s.width-role-counts-54, 48), leastChart)
	title := clean(v.Scenario)
	if v.Goal != "" {
		title += ": " + titleOf(goal)
	}
	s.line("  %s", cut(title, s.width-2))
	for i := range v.sides {
		side := &v.sides[i]
		head := "    " + padded(side.role, role-2)
		if !side.measured() || side.Affected == 0 || v.Goal == "" {
			s.line("%s", cut(head+side.tally(), s.width))
			continue
		}
		x := side.Reach(goal)
		s.line("%s", cut(head+c.plotted(&x)+padded(" "+share(&x), counts)+between(&x)+heldShort(v, side), s.width))
	}
	if words := v.differences(); words != "" {
		s.wrap("    ", words)
	}
	for i, n := range v.runNotes() {
		if i == runNoteRows && !s.all {
			break
		}
		s.wrap("    ", n)
	}
}

// between says when the first and when the last work reached a milestone.
func between(x *timeline.Reach) string {
	from, to := took(first(x)), took(x.Took.Max)
	if from == to {
		return to
	}
	return from + " to " + to
}

// heldShort names the stage that holds a build back.
func heldShort(v *recovery, s *recoverySide) string {
	if s.Slowest.Stage == "" {
		return ""
	}
	return ", of it " + v.titled(s.Slowest.Stage) + " " + took(&s.Slowest.Took)
}

// differences names the stages that one build is slower in.
func (v *recovery) differences() string {
	var slower, faster []string
	for i := range v.Stages {
		p := &v.Stages[i]
		text := stageTitle(p)
		if p.Difference != nil && !p.ByLongest {
			text += " " + signed(p.Difference) + " s"
		}
		switch {
		case p.Slower:
			slower = append(slower, text)
		case p.Faster:
			faster = append(faster, text)
		}
	}
	var parts []string
	if len(slower) > 0 {
		parts = append(parts, "slower on candidate: "+strings.Join(slower, ", "))
	}
	if len(faster) > 0 {
		parts = append(parts, "faster on candidate: "+strings.Join(faster, ", "))
	}
	return strings.Join(parts, "; ")
}

// timelinePieces write each recovery, folded: the picture where there is a
// file of it, the chart as text, for what strips pictures, and the stages. In
// short there is no chart.
func timelinePieces(p *page, r *analyzer.Report) []piece {
	var out []scenarioPiece
	all := weighed(r)
	for i, v := range all {
		if i == recoveryLists && !p.all {
			out = append(out, tooMany(p, len(all)-i))
			break
		}
		x := scenarioPiece{name: "the chart of " + v.Scenario, whole: func() { p.recovery(v, true) }, short: func() { p.recovery(v, false) }, proves: i == 0}
		if i >= recoveryParts && !p.all {
			x.whole = x.short
		}
		out = append(out, x)
	}
	return p.scenarioPieces(func() {
		p.line("\n## Recoveries\n\nSeconds after the connection was restored. A build is slower where it differs by more than noise and exactness explain.")
	}, out)
}

// picture is where the picture of a recovery is; empty: there is none.
func (p *page) picture(v *recovery) string {
	for i := range p.pictures {
		if i < len(p.r.Timelines) && v.Comparison == &p.r.Timelines[i] {
			return p.pictures[i]
		}
	}
	return ""
}

// recovery writes one scenario; in short, without the chart and the tables.
func (p *page) recovery(v *recovery, whole bool) {
	p.line("\n<details><summary>%s: %s; %s</summary>", md(v.Scenario), md(v.sides[0].role+" "+v.sides[0].tally()), md(v.sides[1].role+" "+v.sides[1].tally()))
	if picture := p.picture(v); picture != "" {
		p.line("\n![%s](%s)", md("Recovery in "+v.Scenario+", drawn"), linkTo(picture))
	}
	p.line("")
	for i := range v.sides {
		side := &v.sides[i]
		text := md(side.title()) + ": " + md(side.tally())
		if held := v.holdsBack(side); held != "" {
			text += "; " + md(held)
		}
		p.line("- %s.", text)
	}
	if words := v.differences(); words != "" {
		p.line("- %s.", md(sentence(words)))
	}
	for i, n := range v.runNotes() {
		if i == runNoteRows && !p.all {
			break
		}
		p.line("- %s.", md(sentence(n)))
	}
	if whole {
		p.fence("text", chartLines(v)...)
		p.stages(v)
		p.line("\n| | deployed | candidate |\n|---|---|---|")
		for _, x := range v.statisticsOf() {
			p.line("| %s | %s | %s |", md(x.title), md(x.cells[0]), md(x.cells[1]))
		}
	} else {
		p.line("\nMore: <code>stillfires timeline --scenario %s</code>", md(v.Scenario))
	}
	p.line("\n</details>")
}

// chartLines is the text chart of a scenario.
func chartLines(v *recovery) []string {
	var b strings.Builder
	s := &screen{w: bufio.NewWriter(&b), width: chartWidth}
	c := newChart(s, v)
	c.most = chartFewer
	c.write()
	_ = s.w.Flush() // into memory: it cannot fail
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

func (p *page) stages(v *recovery) {
	p.line("\n| stage | owner | deployed | candidate | difference | noise | |\n|---|---|---|---|---|---|---|")
	for i := range v.Stages {
		x := &v.Stages[i]
		noise := "unknown"
		if x.NoiseKnown {
			noise = tenths(x.Noise)
		}
		var words []string
		if word := judged(x); word != "" {
			words = append(words, word)
		}
		for _, b := range x.Because {
			words = append(words, fmt.Sprintf("%s: %d lines in it on deployed, %d on candidate", clean(b.Title), b.Deployed, b.Candidate))
		}
		p.line("| %s | %s | %s | %s | %s | %s | %s |", md(stageTitle(x)), md(x.Owner),
			md(stageCell(&x.Deployed)), md(stageCell(&x.Candidate)), md(signed(x.Difference)), noise, md(strings.Join(words, "; ")))
	}
	p.line("\n%s", md("The longest of each build and how many were observed; the difference is that of the medians of the repetitions. "+noiseNote(v)))
}

// stageCell writes the longest of a stage, and of enough observations their
// median.
func stageCell(x *timeline.Stage) string {
	switch {
	case len(x.Observed) == 0:
		return "–"
	case x.P50 != nil:
		return fmt.Sprintf("%s (p50 %s of %d)", took(x.Max), took(x.P50), len(x.Observed))
	}
	return fmt.Sprintf("%s (%d)", took(x.Max), len(x.Observed))
}

// linkTo writes a path as the target of a link: nothing in it means anything to
// Markdown or to a URL.
func linkTo(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if isLetter(c) || strings.IndexByte("/.-_", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
