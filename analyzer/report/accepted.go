package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
)

// acceptedRows bounds the accepted findings on a terminal.
const acceptedRows = 6

// accepted returns the findings that were accepted, in the report's order.
func accepted(r *analyzer.Report) []*analyzer.Finding {
	var out []*analyzer.Finding
	for i := range r.Findings {
		if r.Findings[i].Accepted() {
			out = append(out, &r.Findings[i])
		}
	}
	return out
}

// exceptAccepted says of how many findings a verdict knows nothing, to stand
// after it; empty if it knows of all.
func exceptAccepted(r *analyzer.Report) string {
	if n := r.Accepted(); n > 0 {
		return ", with " + plural(n, "finding") + " accepted"
	}
	return ""
}

// about names what a finding is about.
func about(f *analyzer.Finding) string {
	switch {
	case f.Rule != nil:
		return f.Rule.Name
	case f.Unmatched != "":
		return f.Unmatched
	}
	return f.Subject
}

// acceptedTerminal writes a line for each accepted finding.
func acceptedTerminal(s *screen, r *analyzer.Report) {
	all := accepted(r)
	if len(all) == 0 {
		return
	}
	s.line("\n%s", s.paint(bold, "Accepted: these count for no verdict"))
	for i, f := range all {
		if i == acceptedRows && !s.all {
			s.more(len(all)-i, "accepted finding")
			return
		}
		parts := []string{f.Severity.String(), f.ID, clean(about(f))}
		if f.Scenario != "" {
			parts = append(parts, "in "+clean(f.Scenario))
		}
		by := f.Suppressed
		text := fmt.Sprintf("%s, until %s, %s: %s", strings.Join(parts, " "), by.Day(), clean(by.Owner), clean(by.Reason))
		s.line("  %s", cut(text, s.width-2))
	}
}

// acceptedMarkdown writes a table of the accepted findings.
func acceptedMarkdown(p *page, r *analyzer.Report) {
	all := accepted(r)
	if len(all) == 0 {
		return
	}
	p.line("\n## Accepted findings (%d)\n\nThey count for no verdict until the day shown.\n", len(all))
	p.line("| finding | severity | rule | scenario | accepted by | until | reason |\n|---|---|---|---|---|---|---|")
	for i, f := range all {
		if i == markdownRows {
			p.line("| | | … and %d more (see the JSON report) | | | | |", len(all)-i)
			break
		}
		by := f.Suppressed
		p.line("| %s | %s | %s | %s | %s | %s | %s |", mdCode(f.ID), f.Severity, md(about(f)), md(f.Scenario),
			md(bounded(by.Owner)), by.Day(), md(bounded(by.Reason)))
	}
}

// howToAccept writes what a person copies to accept a finding.
func howToAccept(p *page, r *analyzer.Report) {
	var open []*analyzer.Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity >= analyzer.Warn && f.Acceptable() && !f.Accepted() {
			open = append(open, f)
		}
	}
	if len(open) == 0 {
		return
	}
	p.line("\n<details><summary>To accept a finding</summary>\n\nAdd it to <code>suppressions</code> in the review file, with a reason, an owner and the last day on which that holds:")
	p.fence("yaml", "suppressions:", "- {fingerprint: \""+open[0].Fingerprint+"\", reason: …, owner: …, expires: YYYY-MM-DD}")
	p.line("\n| finding | rule | scenario | fingerprint |\n|---|---|---|---|")
	for i, f := range open {
		if i == markdownRows {
			p.line("| | … and %d more (see the JSON report) | | |", len(open)-i)
			break
		}
		p.line("| %s | %s | %s | %s |", mdCode(f.ID), md(about(f)), md(f.Scenario), mdCode(f.Fingerprint))
	}
	p.line("\n</details>")
}
