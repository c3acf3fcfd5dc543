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
		if c != nil && s.all {
			lines = append(lines, usedLines(r.Recoveries[i].Scenario, c)...)
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

// usedLines say what was used of the devices, which there were and which did not
// count, and what could not be told.
func usedLines(scenario string, c *capacity.Comparison) []string {
	var out []string
	for i := range c.Classes {
		p := &c.Classes[i]
		for _, side := range []struct {
			role string
			w    *capacity.Window
		}{{"deployed", p.Windows.Deployed}, {"candidate", p.Windows.Candidate}} {
			if side.w == nil {
				continue
			}
			text := fmt.Sprintf("%s: %s on %s, %s from the restoration on: %s", scenario, classText(p.Class), side.role, hours(side.w.Length), windowText(side.w))
			if side.w.Rate != nil {
				text += " (" + capacity.Allocated + ")"
			}
			out = append(out, text)
		}
	}
	for _, x := range eligibleOf(c) {
		text := fmt.Sprintf("%s: %s on %s: %s eligible", scenario, x.class, x.role, x.eligible)
		if x.excluded != "" {
			text += "; excluded: " + x.excluded
		}
		out = append(out, text)
	}
	for _, n := range c.Notes {
		out = append(out, scenario+": "+n)
	}
	return out
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

// capacityPieces write what both builds made of their devices: in short what
// they stranded, and what is left of declared windows.
func capacityPieces(p *page, r *analyzer.Report) []piece {
	var list []scenarioPiece
	for i := range r.Recoveries {
		x := &r.Recoveries[i]
		if c := x.Capacity; c != nil && (len(c.Classes) > 0 || len(c.Planned) > 0 || c.Declared) {
			list = append(list, scenarioPiece{
				name: "the devices of " + x.Scenario, whole: func() { p.capacity(x, true) }, short: func() { p.capacity(x, false) },
			})
		}
	}
	if len(r.Planned) > 0 {
		list = append(list, scenarioPiece{name: "declared windows", whole: func() {
			p.line("\n### Declared windows")
			p.planned(r.Planned)
		}})
	}
	return p.scenarioPieces(func() {
		p.line("\n## Capacity\n")
		p.line("Devices that did nothing although work waited for them, from the restoration to useful work, by class; classes are never added. Amounts of money are %s.", capacity.Allocated)
	}, list)
}

// Bounds of what is noted of one scenario.
const (
	capacityNotes      = 20
	capacityNotesShort = 2
)

func (p *page) capacity(x *analyzer.Recovery, whole bool) {
	c := x.Capacity
	p.line("\n### %s", md(x.Scenario))
	if len(x.Confounders.Decisive()) > 0 {
		p.line("\n**The drills of both builds differ, so nothing follows from a difference.**")
	}
	p.classes(c)
	notes := capacityNotesShort
	if whole {
		p.usage(c)
		notes = capacityNotes
	}
	p.planned(c.Planned)
	if whole {
		p.inventory(c)
	}
	for i, n := range c.Notes {
		if i == notes && !p.all {
			p.line("\n* … and %d more (see the JSON report)", len(c.Notes)-i)
			break
		}
		p.line("\n* %s", md(n))
	}
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
}

// usage writes what was used of the devices.
func (p *page) usage(c *capacity.Comparison) {
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

// A devices is what work could have of a class.
type devices struct{ role, class, eligible, excluded string }

// eligibleOf lists the devices of the first repetition of each build.
func eligibleOf(c *capacity.Comparison) []devices {
	var out []devices
	for _, side := range []struct {
		role string
		runs []capacity.Run
	}{{"deployed", c.Deployed}, {"candidate", c.Candidate}} {
		if len(side.runs) == 0 {
			continue
		}
		inv := &side.runs[0].Inventory
		for i := range inv.Classes {
			u := &inv.Classes[i]
			from := "declared"
			if !u.Declared {
				from = "nodes at " + strings.Join(inv.Moments, ", ")
			}
			out = append(out, devices{side.role, classText(u.Class), fmt.Sprintf("%s of %s (%s)", u.Eligible, u.Total, from), exclusions(u.Excluded)})
		}
	}
	return out
}

func (p *page) inventory(c *capacity.Comparison) {
	all := eligibleOf(c)
	if len(all) == 0 {
		return
	}
	p.line("\n<details><summary>Devices that work could have</summary>\n\n| build | class | eligible | excluded |\n|---|---|---|---|")
	for i, x := range all {
		if i == markdownRows {
			p.line("| … and %d more (see the JSON report) | | | |", len(all)-i)
			break
		}
		p.line("| %s | %s | %s | %s |", x.role, md(x.class), md(x.eligible), md(x.excluded))
	}
	p.line("\n</details>")
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
