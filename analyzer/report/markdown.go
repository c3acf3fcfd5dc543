package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Bounds of a Markdown report: GitHub refuses comments of more than 64 KiB.
const (
	markdownPage   = 60 << 10 // bytes
	markdownBlocks = 20
	markdownRows   = 100
	markdownLine   = 1000 // characters of a log line
)

// A page writes GitHub-flavoured Markdown.
type page struct {
	w   *bufio.Writer
	r   *analyzer.Report
	t   *telling
	all bool
	// pictures are where those of the recoveries are.
	pictures []string
}

// renderMarkdown writes a report for a change ticket: first what a reader has
// to know, then what proves it, as much as the page holds.
func renderMarkdown(w io.Writer, r *analyzer.Report, o Options) error {
	p := &page{bufio.NewWriter(w), r, newTelling(r), o.All, o.Pictures}
	causes := byCause(p.t.ranked(blocks(r, analyzer.Break)))
	top := p.part(func() {
		p.line("# stillfires: %s%s", strings.ToUpper(r.Verdict.String()), exceptAccepted(r))
		p.line("\n%s: %s. %s: %s.", md(headline(r)), md(meant(r)), sizes(r), counts(r))
		if note := exitNote(r, o.FailOn); note != "" {
			p.line("\n%s.", md(sentence(note)))
		}
		p.problems()
		p.breaks(causes)
		p.list("How sure", sureness(r))
		p.next(o.Again)
		p.warnings()
	})
	fmt.Fprint(p.w, top)
	p.fit(p.pieces(causes), markdownPage-len(top))
	return p.w.Flush()
}

// part returns what f writes.
func (p *page) part(f func()) string {
	var b strings.Builder
	whole := p.w
	p.w = bufio.NewWriter(&b)
	f()
	_ = p.w.Flush() // into memory: it cannot fail
	p.w = whole
	return b.String()
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintf(p.w, format, args...)
	p.w.WriteByte('\n')
}

// md escapes text for use outside code blocks. HTML is written as character
// references, what means something to Markdown gets a backslash, and what
// GitHub would turn into a mention, a reference or a link after that is split
// by an empty comment.
func md(s string) string {
	var b strings.Builder
	s = clean(s)
	for i, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '_' && i > 0 && isLetter(s[i-1]) && i+1 < len(s) && isLetter(s[i+1]):
			b.WriteRune(r) // inside a word it means nothing
		case strings.ContainsRune("\\`*_~[]|$", r), i == 0 && strings.ContainsRune("-+=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '@' || r == '#':
			b.WriteRune(r)
			b.WriteString("<!-- -->")
		case r == ':' && strings.HasPrefix(s[i:], "://"):
			b.WriteString("&#58;")
		case r == '.' && i >= 3 && strings.EqualFold(s[i-3:i], "www"):
			b.WriteString("&#46;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// mdCode sets text in code, where GitHub makes no mentions and links.
func mdCode(s string) string { return "<code>" + md(s) + "</code>" }

// fence writes lines in a code block whose fence is longer than any run of
// backticks inside.
func (p *page) fence(language string, lines ...string) {
	longest := 2
	for i, l := range lines {
		l = clean(l)
		if r := []rune(l); len(r) > markdownLine {
			l = string(r[:markdownLine]) + "…"
		}
		lines[i] = l
		run := 0
		for _, r := range l {
			if r != '`' {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	f := strings.Repeat("`", longest+1)
	p.line("\n%s%s\n%s\n%s", f, language, strings.Join(lines, "\n"), f)
}

func (p *page) problems() {
	if len(p.r.Problems) == 0 {
		return
	}
	p.line("\n## Invalid items of the input\n\nThey were not looked at.\n")
	for i, e := range p.r.Problems {
		if i == markdownRows {
			p.line("- … and %d more (see the JSON report)", len(p.r.Problems)-i)
			break
		}
		p.line("- %s", md(problem(e)))
	}
}

func (p *page) builds() {
	runs := map[string]int{}
	records := map[string]int64{}
	for _, r := range p.r.Runs {
		runs[r.Role]++
		records[r.Role] += r.Records
	}
	p.line("\n| | deployed | candidate |\n|---|---|---|")
	d, c := p.r.Deployed, p.r.Candidate
	for _, row := range [][3]string{
		{"build", d.Name, c.Name}, {"component", d.Component, c.Component},
		{"version", d.Version, c.Version}, {"commit", d.Commit, c.Commit},
	} {
		if row[1] != "" || row[2] != "" {
			p.line("| %s | %s | %s |", row[0], md(row[1]), md(row[2]))
		}
	}
	p.line("| runs | %d | %d |\n| records | %d | %d |", runs["deployed"], runs["candidate"], records["deployed"], records["candidate"])
}

// breaks lists what breaks, a cause at a time.
func (p *page) breaks(causes []*block) {
	if len(causes) == 0 {
		return
	}
	n := len(causes)
	for _, b := range causes {
		n += len(b.also)
	}
	p.line("\n## What breaks (%d)\n", n)
	for i, b := range causes {
		if i == markdownRows {
			p.line("- … and %d more (see the JSON report)", len(causes)-i)
			return
		}
		p.cause(b)
	}
}

// cause writes in short what breaks by one cause: where, since which words, what
// to write instead, and what else breaks with it.
func (p *page) cause(b *block) {
	p.line("- **%s %s**%s: %s.", md(b.first.ID), md(heading(b)), p.placed(b), md(bounded(p.t.consequence(b))))
	write, proof := p.t.remedy(b)
	switch {
	case write != "":
		p.line("  - Write %s: %s.", mdCode(bounded(write)), md(proof))
	case proof != "":
		p.line("  - No repair: %s.", md(bounded(proof)))
	}
	for i, o := range b.also {
		if i == markdownBlocks && !p.all {
			p.line("  - … and %d more (see the JSON report)", len(b.also)-i)
			break
		}
		write := ""
		if w, _ := p.t.remedy(o); w != "" && !sameStage(b, o) {
			write = ": write " + mdCode(bounded(w))
		}
		p.line("  - Also %s %s%s%s", md(o.first.ID), md(heading(o)), p.placed(o), write)
	}
}

// heading names what a block is about.
func heading(b *block) string { return cmp.Or(b.title(), strings.Join(b.scenarios, ", ")) }

// placed names the kind of the rule and where it stands, after its name.
func (p *page) placed(b *block) string {
	f := b.first
	if f.Rule == nil {
		return ""
	}
	return ", " + f.Rule.Kind.String() + " in " + mdCode(f.Pos.String())
}

// evidenceOf writes what proves one broken rule, folded.
func (p *page) evidenceOf(b *block) {
	f := b.first
	p.line("\n<details><summary>%s: %s</summary>\n", md(f.ID), md(heading(b)))
	if len(b.scenarios) > 0 {
		p.line("%s.\n", md(sentence(b.where(8))))
	}
	p.line("%s.", md(sentence(bounded(withoutNearest(f)))))
	p.funnel(f)
	p.evidence("deployed", f.Deployed)
	p.evidence("candidate", f.Candidate)
	for i := range f.Nearest {
		p.nearest(&f.Nearest[i], i)
	}
	p.repair(f)
	p.line("\n</details>")
}

// sentence begins a message with a capital letter.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// funnel writes the lines left after each stage on both builds.
func (p *page) funnel(f *analyzer.Finding) {
	res := p.t.results[resultKey{f.Rule, f.Scenario}]
	if res == nil || f.Parting == nil || len(res.Deployed.Funnel) != len(res.Candidate.Funnel) {
		return
	}
	p.line("\n| lines left after | deployed | candidate |\n|---|--:|--:|")
	for i, s := range res.Deployed.Funnel {
		stage, d, c := mdCode(s.Stage), fmt.Sprint(s.Lines), fmt.Sprint(res.Candidate.Funnel[i].Lines)
		if i == f.Parting.Step {
			stage, d, c = "**here they part:** "+stage, "**"+d+"**", "**"+c+"**"
		}
		p.line("| %s | %s | %s |", stage, d, c)
	}
}

func (p *page) evidence(role string, e *outcome.Evidence) {
	if e == nil {
		return
	}
	p.line("\n%s, %s, %s:", role, instant(e.Time), mdCode(e.Stream.String()))
	p.fence("text", e.Line)
}

func (p *page) nearest(n *analyzer.Near, i int) {
	var deployed, candidate strings.Builder
	for _, e := range n.Diff {
		if e.Op != analyzer.Insert {
			deployed.WriteString(e.Text)
		}
		if e.Op != analyzer.Delete {
			candidate.WriteString(e.Text)
		}
	}
	p.line("\n%s (%s):", [...]string{"Nearest", "Next", "Then"}[min(i, 2)], md(whereNear(n)))
	p.fence("diff", "- "+deployed.String(), "+ "+candidate.String())
}

// warnings writes the warnings, those of one cause in one row, and apart from
// them the changes behind what breaks.
func (p *page) warnings() {
	own, behind := warned(p.r)
	if n := len(own) + len(behind); n > 0 {
		p.line("\n## Warnings (%d)", n)
	}
	if len(own) > 0 {
		p.table(own)
	}
	if len(behind) > 0 {
		p.line("\n<details><summary>%s behind what breaks: %s</summary>", plural(len(behind), "change"), kindCounts(behind))
		p.table(behind)
		p.line("\n</details>")
	}
}

// news writes what is only for information, folded.
func (p *page) news() {
	if all := blocks(p.r, analyzer.Info); len(all) > 0 {
		p.line("\n<details><summary>For information: %s</summary>", kindCounts(all))
		p.table(byCause(all))
		p.line("\n</details>")
	}
}

// table writes findings, a row for each cause.
func (p *page) table(all []*block) {
	p.line("\n| finding | rule | scenarios | |\n|---|---|---|---|")
	for i, b := range all {
		if i == markdownRows {
			p.line("| | … and %d more (see the JSON report) | | |", len(all)-i)
			break
		}
		list := []string{b.title()}
		for _, o := range b.also {
			list = append(list, o.title())
		}
		p.line("| %s | %s | %s | %s |", mdCode(b.first.ID), md(names(list, markdownBlocks)), md(names(b.scenarios, 3)), md(bounded(b.first.Message)))
	}
}

// next writes what to try, with the commands as they can be pasted.
func (p *page) next(again *Again) {
	steps := next(p.t, again)
	if len(steps) == 0 {
		return
	}
	p.line("\n## What to try next\n")
	for _, s := range steps {
		var commands []string
		for _, c := range s.commands {
			line := strings.Join(c, " ")
			if clean(line) != line {
				commands = nil
				break
			}
			commands = append(commands, line)
		}
		p.line("- %s", md(s.told(len(commands) > 0)))
		if len(commands) > 0 {
			p.fence("sh", commands...)
			p.line("")
		}
	}
}

func (p *page) list(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	p.line("\n## %s\n", title)
	for _, t := range texts {
		p.line("- %s", md(t))
	}
}

// verdicts writes all rules × scenarios, folded away.
func (p *page) verdicts() {
	t := verdictTable(p.r)
	if len(t.rows) == 0 || len(t.scenarios) == 0 || uniform(t.rows) {
		return // the first lines say it
	}
	p.line("\n<details><summary>All verdicts</summary>\n\n%s\n", legend)
	head, rule := "| rule |", "|---|"
	for _, s := range t.scenarios {
		head += " " + md(s) + " |"
		rule += "---|"
	}
	p.line("%s\n%s", head, rule)
	for i, row := range t.rows {
		if i == 5*markdownRows {
			p.line("| … and %d more (see the JSON report) |", len(t.rows)-i)
			break
		}
		var line strings.Builder
		line.WriteString("| " + md(row.rule.Name) + " |")
		for _, v := range row.verdicts {
			line.WriteString(" " + cells[v] + " |")
		}
		p.line("%s", line.String())
	}
	p.line("\n</details>")
}
