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
	markdownBlocks = 20
	markdownRows   = 100
	markdownLine   = 1000 // characters of a log line
)

// A page writes GitHub-flavoured Markdown.
type page struct {
	w       *bufio.Writer
	r       *analyzer.Report
	results map[resultKey]*analyzer.Result
	// pictures are where those of the recoveries are.
	pictures []string
}

// renderMarkdown writes a report for a change ticket.
func renderMarkdown(w io.Writer, r *analyzer.Report, o Options) error {
	p := &page{bufio.NewWriter(w), r, resultsByKey(r), o.Pictures}
	p.line("# stillfires: %s%s", strings.ToUpper(r.Verdict.String()), exceptAccepted(r))
	p.line("\n%s: %s. %s: %s.", md(headline(r)), md(meant(r)), sizes(r), counts(r))
	if note := exitNote(r, o.FailOn); note != "" {
		p.line("\n%s.", md(sentence(note)))
	}
	p.problems()
	p.builds()
	p.breaks()
	p.table("Warnings", analyzer.Warn, false)
	p.table("For information", analyzer.Info, true)
	for _, part := range sections {
		part.markdown(p, r)
	}
	p.patch()
	p.list("Notes", r.Notes)
	p.list("What to try next", next(r))
	p.verdicts()
	howToAccept(p, r)
	return p.w.Flush()
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

func (p *page) breaks() {
	rules := ranked(blocks(p.r, analyzer.Break))
	if len(rules) == 0 {
		return
	}
	p.line("\n## What breaks (%d)", len(rules))
	all := byCause(rules)
	for i, b := range all {
		if i == markdownBlocks {
			p.line("\n### … and more\n")
			for j, b := range all[i:] {
				if j == markdownRows {
					p.line("- … and %d more (see the JSON report)", len(all)-i-j)
					break
				}
				p.item(b)
				for _, o := range b.also {
					p.item(o)
				}
			}
			return
		}
		p.block(b)
	}
}

// item writes a broken rule in one line.
func (p *page) item(b *block) {
	p.line("- %s %s %s", mdCode(b.first.ID), md(b.title()), md(b.where(3)))
}

// block writes one broken rule.
func (p *page) block(b *block) {
	f := b.first
	title := cmp.Or(b.title(), strings.Join(b.scenarios, ", "))
	p.line("\n### %s: %s\n", md(f.ID), md(title))
	if f.Rule != nil {
		p.line("%s in %s, %s\n", kindName(f), mdCode(f.Pos.String()), md(b.where(8)))
	}
	p.line("%s.", md(sentence(bounded(withoutNearest(f)))))
	p.funnel(f)
	p.evidence("deployed", f.Deployed)
	p.evidence("candidate", f.Candidate)
	for i := range f.Nearest {
		p.nearest(&f.Nearest[i], i)
	}
	p.repair(f)
	if len(b.also) == 0 {
		return
	}
	p.line("\nBroken by the same cause:\n")
	for i, o := range b.also {
		if i == markdownBlocks {
			p.line("- … and %d more (see the JSON report)", len(b.also)-i)
			break
		}
		p.line("- %s %s, %s", mdCode(o.first.ID), md(o.title()), mdCode(o.first.Pos.String()))
	}
}

// kindName says what kind of rule a finding is about, at the start of a line.
func kindName(f *analyzer.Finding) string {
	k := f.Rule.Kind.String()
	return strings.ToUpper(k[:1]) + k[1:]
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
	res := p.results[resultKey{f.Rule, f.Scenario}]
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

// table writes the findings of one severity, a line each.
func (p *page) table(title string, s analyzer.Severity, folded bool) {
	all := blocks(p.r, s)
	if len(all) == 0 {
		return
	}
	if folded {
		p.line("\n<details><summary>%s (%d)</summary>", title, len(all))
	} else {
		p.line("\n## %s (%d)", title, len(all))
	}
	p.line("\n| finding | rule | scenarios | |\n|---|---|---|---|")
	for i, b := range all {
		if i == markdownRows {
			p.line("| | … and %d more (see the JSON report) | | |", len(all)-i)
			break
		}
		p.line("| %s | %s | %s | %s |", mdCode(b.first.ID), md(b.title()), md(names(b.scenarios, 3)), md(bounded(b.first.Message)))
	}
	if folded {
		p.line("\n</details>")
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
	if len(t.rows) == 0 || len(t.scenarios) == 0 {
		return
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
