package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/correlate"
	"github.com/stillfires/stillfires/internal/outcome"
)

// correlationTerminal says how much the logs tell of how things belong
// together, in a line for each build.
func correlationTerminal(s *screen, r *analyzer.Report) {
	if r.Correlation == nil || len(r.Correlation.Links) == 0 {
		return
	}
	d, c := madeLinks(r.Correlation, false), madeLinks(r.Correlation, true)
	parts := []string{fmt.Sprintf("deployed makes %d of %s, candidate %d of %d", d.made, plural(d.known, "link"), c.made, c.known)}
	for _, of := range []struct {
		text string
		list []string
	}{
		{"not on candidate", without(c.not, d.not)}, {"not on deployed", without(d.not, c.not)}, {"on neither", both(d.not, c.not)},
	} {
		if len(of.list) > 0 {
			parts = append(parts, of.text+": "+names(of.list, 3))
		}
	}
	s.line("")
	s.wrapFrom(s.paint(bold, "Correlation")+"  ", strings.Repeat(" ", len("Correlation  ")), "from logs alone, "+strings.Join(parts, "; "))
}

// linksMade says how many of the known links a log makes, and which it does not.
type linksMade struct {
	made, known int
	not         []string
}

func madeLinks(c *correlate.Summary, candidate bool) linksMade {
	var out linksMade
	for i := range c.Links {
		n := linkOf(&c.Links[i], candidate)
		if n.Known == 0 {
			continue
		}
		out.known++
		if n.Made > 0 {
			out.made++
		} else {
			out.not = append(out.not, c.Links[i].FromTitle+" → "+c.Links[i].ToTitle)
		}
	}
	return out
}

// without returns what stands in a and not in b.
func without(a, b []string) (out []string) {
	for _, v := range a {
		if !slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}

// both returns what stands in a and in b.
func both(a, b []string) (out []string) {
	for _, v := range a {
		if slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}

func linkOf(l *correlate.LinkRow, candidate bool) *correlate.LinkCount {
	if candidate {
		return &l.Candidate
	}
	return &l.Deployed
}

// correlationMarkdown writes what each build's log names and joins.
func correlationMarkdown(p *page, r *analyzer.Report) {
	c := r.Correlation
	if c == nil {
		return
	}
	p.line("\n## Correlation\n")
	p.line("What was recorded, and what the logs alone tell of it, by the profile %s. Shares are of what the objects show, over all runs.", md(c.Profile))
	p.line("\n| link | deployed | candidate |\n|---|---|---|")
	for i := range c.Links {
		l := &c.Links[i]
		p.line("| %s → %s | %s | %s |", md(l.FromTitle), md(l.ToTitle), linkCell(&l.Deployed), linkCell(&l.Candidate))
	}
	if len(c.Steps) > 0 {
		p.line("\nChains that can be walked from the first thing, by step:\n\n| step | deployed | candidate |\n|---|---|---|")
		for i, step := range c.Steps {
			p.line("| %s | %s | %s |", md(step), stepCell(&c.Chains.Deployed, i), stepCell(&c.Chains.Candidate, i))
		}
	}
	p.line("\n<details><summary>Where things are named</summary>\n\n| thing | identifier | deployed | candidate |\n|---|---|---|---|")
	for i := range c.Identifiers {
		row := &c.Identifiers[i]
		p.line("| %s | %s | %s | %s |", md(row.Title), md(row.Identifier), namedCell(&row.Deployed), namedCell(&row.Candidate))
	}
	p.line("\n</details>")
	p.alertNames(r)
	p.list("What correlation does not say", correlationNotes(c))
}

func correlationNotes(c *correlate.Summary) []string {
	notes := slices.Clone(c.Notes)
	if len(c.NotJudged) > 0 {
		notes = append(notes, "not judged, for want of recorded objects or of a log: "+strings.Join(c.NotJudged, ", "))
	}
	return notes
}

func linkCell(n *correlate.LinkCount) string {
	if n.Known == 0 {
		return "none recorded"
	}
	out := fmt.Sprintf("**%d of %d**", n.Made, n.Known)
	if len(n.Ways) > 0 {
		out += " by " + md(wayText(&n.Ways[0]))
	}
	var objects []string
	for _, o := range n.Objects {
		objects = append(objects, fmt.Sprintf("%s (%d)", o.Text, o.Pairs))
	}
	if len(objects) > 0 {
		out += "<br>objects: " + md(strings.Join(objects, "; "))
	}
	return out
}

func stepCell(n *correlate.ChainCount, i int) string {
	if i >= len(n.Known) || n.Known[i] == 0 {
		return "none recorded"
	}
	return fmt.Sprintf("%d of %d", n.Walked[i], n.Known[i])
}

func namedCell(n *correlate.NamedCount) string {
	if n.Known == 0 {
		return "none recorded"
	}
	out := fmt.Sprintf("%d of %d", n.Named, n.Known)
	var where []string
	for i := range n.Fields {
		f := &n.Fields[i]
		same := func(g correlate.FieldCount) bool { return g.Field == f.Field && g.InText == f.InText }
		if first := slices.IndexFunc(n.Fields, same); first == i && len(where) < 3 {
			where = append(where, fieldName(f)+" of "+quoted(f))
		}
	}
	if len(where) > 0 {
		out += ": " + md(strings.Join(where, "; "))
	}
	return out
}

func fieldName(f *correlate.FieldCount) string {
	if f.InText {
		return "text of " + f.Field
	}
	return f.Field
}

func quoted(f *correlate.FieldCount) string {
	out := fmt.Sprintf("%q", f.Message)
	if f.Logger != "" {
		out += " (" + f.Logger + ")"
	}
	return bounded(out)
}

// wayText says in words how a log joins two things.
func wayText(w *correlate.WayCount) string {
	from, to := fieldName(&w.From), fieldName(&w.To)
	switch w.By {
	case outcome.ByRequest:
		return fmt.Sprintf("the same %s: %s of %s, %s of %s", w.Key, from, quoted(&w.From), to, quoted(&w.To))
	case outcome.ByName:
		return fmt.Sprintf("the same name: %s of %s, %s of %s", from, quoted(&w.From), to, quoted(&w.To))
	}
	return fmt.Sprintf("%s and %s of %s", from, to, quoted(&w.To))
}

// alertNames writes which alerts carry identifiers, and what is required.
func (p *page) alertNames(r *analyzer.Report) {
	if len(r.Correlation.Alerts) == 0 {
		return
	}
	p.line("\n<details><summary>Identifiers that alerts carry</summary>\n\n| rule | where | names | deployed | candidate |\n|---|---|---|---|---|")
	for i, a := range r.Correlation.Alerts {
		if i == markdownRows {
			p.line("| … and %d more (see the JSON report) | | | | |", len(r.Correlation.Alerts)-i)
			break
		}
		p.line("| %s | %s | %s by %s | %s | %s |", md(a.RuleName), md(a.Where+" "+a.Name), md(a.Entity), md(a.Identifier),
			plural(a.Deployed, "alert"), plural(a.Candidate, "alert"))
	}
	p.line("\n</details>")
}
