package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/capacity"
)

// Rounding of what people read: device time to three digits after the point,
// shares to one, money to two, each once and halves away from zero. What is
// computed is exact.

// capacityTerminal says in a line for each class what both builds stranded.
func capacityTerminal(s *screen, r *analyzer.Report) {
	var lines []string
	for i := range r.Recoveries {
		c := r.Recoveries[i].Capacity
		for j := 0; c != nil && j < len(c.Classes); j++ {
			if text := strandedText(c, &c.Classes[j]); text != "" {
				lines = append(lines, r.Recoveries[i].Scenario+": "+text+anotherDrill(&r.Recoveries[i]))
			}
		}
		for j := 0; c != nil && j < len(c.Planned); j++ {
			lines = append(lines, r.Recoveries[i].Scenario+": "+plannedText(&c.Planned[j]))
		}
	}
	for i := range r.Planned {
		lines = append(lines, plannedText(&r.Planned[i]))
	}
	s.list("Capacity", lines, 4)
}

// anotherDrill warns where the drills of both builds differ.
func anotherDrill(r *analyzer.Recovery) string {
	if len(r.Confounders.Decisive()) == 0 {
		return ""
	}
	return "; the drills differ, so nothing follows from the difference"
}

// strandedText says what a class stranded on both builds; empty: nothing is
// known, or nothing was.
func strandedText(c *capacity.Comparison, p *capacity.ClassPair) string {
	if p.Deployed == nil && p.Candidate == nil || !strands(p) {
		return ""
	}
	text := fmt.Sprintf("%s stranded: %s on deployed, %s on candidate", classText(p.Class), medianText(p.Deployed, p.EachDeployed), medianText(p.Candidate, p.EachCandidate))
	if p.Saved == nil || p.SavedAtLeast && p.SavedAtMost {
		return text
	}
	text += "; " + savedText(p)
	if _, ok := p.Value(); ok {
		text += ", " + worthCell(c, p) + " (" + capacity.Allocated + ")"
	}
	if len(p.EachDeployed) < 2 && len(p.EachCandidate) < 2 {
		text += "; one repetition each, so noise is not known"
	}
	return text
}

// medianText is a median with the values of the repetitions.
func medianText(d *capacity.DeviceTime, each []capacity.DeviceTime) string {
	text := deviceMinutes(d)
	if len(each) < 2 {
		return text
	}
	var all []string
	for i := range each {
		all = append(all, atLeastText(each[i].Censored)+each[i].Minutes().String())
	}
	return fmt.Sprintf("%s (median of %s)", text, strings.Join(all, ", "))
}

func atLeastText(yes bool) string {
	if yes {
		return "at least "
	}
	return ""
}

// strands reports whether any build stranded devices of a class.
func strands(p *capacity.ClassPair) bool {
	for _, d := range []*capacity.DeviceTime{p.Deployed, p.Candidate} {
		if d != nil && (d.Amount.Sign() != 0 || d.Censored) {
			return true
		}
	}
	return false
}

func savedText(p *capacity.ClassPair) string {
	bound := ""
	switch {
	case p.SavedAtLeast:
		bound = "at least "
	case p.SavedAtMost:
		bound = "at most "
	}
	word := "saved"
	minutes, hours, share := p.SavedMinutes(), p.SavedHours(), p.Share
	if minutes.Sign() < 0 {
		word = "more"
		zero := capacity.Amount{}
		minutes, hours = zero.Minus(minutes), zero.Minus(hours)
		if share != nil {
			s := zero.Minus(*share)
			share = &s
		}
		switch bound { // what is saved at least is lost at most
		case "at least ":
			bound = "at most "
		case "at most ":
			bound = "at least "
		}
	}
	text := fmt.Sprintf("%s%s device-minutes %s (%s device-hours", bound, minutes, word, hours)
	if share != nil {
		text += ", " + share.Percent()
	}
	return text + ")"
}

// classText names a class with its kind.
func classText(c capacity.Class) string {
	switch c.Kind {
	case "whole":
		return c.Name + " (whole devices)"
	case "mig":
		return c.Name + " (MIG slices)"
	case "share":
		return c.Name + " (shares)"
	}
	return c.Name
}

func deviceMinutes(d *capacity.DeviceTime) string {
	switch {
	case d == nil:
		return "not measured"
	case d.Censored:
		return "at least " + d.Minutes().String() + " device-minutes"
	}
	return d.Minutes().String() + " device-minutes"
}

func priced(a capacity.Amount, r *capacity.Rate) string {
	text := a.Fixed(moneyDigits)
	if r.Currency != "" {
		text += " " + r.Currency
	}
	return text
}

// plannedText says what is left of a declared window.
func plannedText(p *capacity.Planned) string {
	text := fmt.Sprintf("%s: %s", windowTitle(p), windowText(&p.Undisturbed))
	switch {
	case p.Lost != nil:
		text += fmt.Sprintf("; without the first %s %s, %s busy device-hours less", hours(p.LostTime), windowText(p.Lost), p.Undisturbed.Gap(*p.Lost))
	default:
		text += leftText(p, "deployed", p.Deployed) + leftText(p, "candidate", p.Candidate)
		if p.Why != "" {
			text += "; " + p.Why
		}
	}
	if p.Undisturbed.Rate != nil {
		text += " (" + capacity.Allocated + ")"
	}
	return text
}

func leftText(p *capacity.Planned, role string, left *capacity.Window) string {
	if left == nil {
		return ""
	}
	return fmt.Sprintf("; after a loss as on %s %s, %s busy device-hours less", role, windowText(left), p.Undisturbed.Gap(*left))
}

func windowTitle(p *capacity.Planned) string {
	u := &p.Undisturbed
	text := fmt.Sprintf("%s %s for %s", u.Devices, u.Class.Name, hours(u.Length))
	if p.Title != "" {
		text = p.Title + " (" + text + ")"
	}
	return text
}

// windowText says what was used of a window.
func windowText(w *capacity.Window) string {
	text := fmt.Sprintf("%s%s busy device-hours of %s", atLeastText(w.AtLeast), w.BusyHours(), w.Available())
	if u, ok := w.Utilisation(); ok {
		text += ", " + u.Percent()
	}
	if cost, ok := w.Cost(); ok {
		text += fmt.Sprintf(", cost %s", priced(cost, w.Rate))
		if each, ok := w.CostPerBusyHour(); ok {
			text += fmt.Sprintf(", %s per busy device-hour", priced(each, w.Rate))
		}
	}
	return text
}

// hours prints a length of time without zeros at its end.
func hours(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// capacityMarkdown writes what both builds made of their devices.
func capacityMarkdown(p *page, r *analyzer.Report) {
	begun := false
	for i := range r.Recoveries {
		c := r.Recoveries[i].Capacity
		if c == nil || len(c.Classes) == 0 && len(c.Planned) == 0 && !c.Declared {
			continue
		}
		p.capacityHead(&begun)
		p.line("\n### %s", md(r.Recoveries[i].Scenario))
		if len(r.Recoveries[i].Confounders.Decisive()) > 0 {
			p.line("\n**The drills of both builds differ, so nothing follows from a difference.**")
		}
		p.classes(c)
		p.planned(c.Planned)
		p.inventory(c)
		for _, n := range c.Notes {
			p.line("\n* %s", md(n))
		}
	}
	if len(r.Planned) > 0 {
		p.capacityHead(&begun)
		p.line("\n### Declared windows")
		p.planned(r.Planned)
	}
}

func (p *page) capacityHead(begun *bool) {
	if *begun {
		return
	}
	*begun = true
	p.line("\n## Capacity\n")
	p.line("Devices that did nothing although work waited for them, from the restoration to useful work, by class; classes are never added. Amounts of money are %s.", capacity.Allocated)
}

func (p *page) classes(c *capacity.Comparison) {
	if len(c.Classes) == 0 {
		return
	}
	p.line("\n| class | stranded on deployed | on candidate | difference | worth |\n|---|---|---|---|---|")
	for i := range c.Classes {
		x := &c.Classes[i]
		p.line("| %s | %s | %s | %s | %s |", md(classText(x.Class)), medianText(x.Deployed, x.EachDeployed), medianText(x.Candidate, x.EachCandidate), md(differenceCell(x)), md(worthCell(c, x)))
	}
	if !manyRuns(c) {
		p.line("\nOne repetition of each build: what of a difference is noise is not known.")
	}
	window := false
	for i := range c.Classes {
		w := &c.Classes[i].Windows
		if w.Deployed == nil && w.Candidate == nil {
			continue
		}
		if !window {
			p.line("\n| class | from the restoration on | busy on deployed | on candidate | gap |\n|---|---|---|---|---|")
			window = true
		}
		gap, length := "", time.Duration(0)
		if w.Deployed != nil && w.Candidate != nil {
			gap = w.Candidate.Gap(*w.Deployed).String() + " busy device-hours"
		}
		for _, one := range []*capacity.Window{w.Deployed, w.Candidate} {
			if one != nil {
				length = one.Length
			}
		}
		p.line("| %s | %s | %s | %s | %s |", md(classText(c.Classes[i].Class)), hours(length), md(windowCell(w.Deployed)), md(windowCell(w.Candidate)), gap)
	}
}

func manyRuns(c *capacity.Comparison) bool {
	return slices.ContainsFunc(c.Classes, func(p capacity.ClassPair) bool { return len(p.EachDeployed) > 1 || len(p.EachCandidate) > 1 })
}

func windowCell(w *capacity.Window) string {
	if w == nil {
		return "not measured"
	}
	return windowText(w)
}

func differenceCell(x *capacity.ClassPair) string {
	switch {
	case x.Saved == nil:
		return ""
	case x.SavedAtLeast && x.SavedAtMost:
		return "not known: both are lower bounds"
	}
	return savedText(x)
}

func worthCell(c *capacity.Comparison, x *capacity.ClassPair) string {
	value, ok := x.Value()
	if !ok || x.SavedAtLeast && x.SavedAtMost {
		return ""
	}
	bound := ""
	switch {
	case x.SavedAtLeast:
		bound = "at least "
	case x.SavedAtMost:
		bound = "at most "
	}
	text := fmt.Sprintf("%s%s at %s an hour", bound, priced(value, x.Rate), priced(x.Rate.Hour, x.Rate))
	if c.Incidents.Compare(capacity.Units(1)) != 0 {
		text += fmt.Sprintf("; in %s incidents %s%s device-hours, %s", c.Incidents, bound, x.SavedHours().Times(c.Incidents), priced(value.Times(c.Incidents), x.Rate))
	}
	return text
}

func (p *page) planned(all []capacity.Planned) {
	for i := range all {
		p.line("\n* %s", md(plannedText(&all[i])))
	}
}

// inventory lists the devices of the first repetition of each build.
func (p *page) inventory(c *capacity.Comparison) {
	rows := 0
	row := func(format string, args ...any) {
		if rows++; rows == 1 {
			p.line("\n<details><summary>Devices that work could have</summary>\n\n| build | class | eligible | excluded |\n|---|---|---|---|")
		}
		if rows <= markdownRows {
			p.line(format, args...)
		}
	}
	for _, side := range []struct {
		role string
		runs []capacity.Run
	}{{"deployed", c.Deployed}, {"candidate", c.Candidate}} {
		if len(side.runs) == 0 {
			continue
		}
		for i := range side.runs[0].Inventory.Classes {
			u := &side.runs[0].Inventory.Classes[i]
			from := "declared"
			if !u.Declared {
				from = "nodes at " + strings.Join(side.runs[0].Inventory.Moments, ", ")
			}
			row("| %s | %s | %s of %s (%s) | %s |", side.role, md(classText(u.Class)), u.Eligible, u.Total, md(from), md(exclusions(u.Excluded)))
		}
	}
	if rows > markdownRows {
		p.line("| … and %d more (see the JSON report) | | | |", rows-markdownRows)
	}
	if rows > 0 {
		p.line("\n</details>")
	}
}

const maxExclusions = 10

func exclusions(all []capacity.Exclusion) string {
	var out []string
	for i, x := range all {
		if i == maxExclusions {
			out = append(out, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		text := fmt.Sprintf("%s %s: %s", x.Units, x.Reason, x.Of)
		if x.Detail != "" {
			text += " (" + x.Detail + ")"
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}
