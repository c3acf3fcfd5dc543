package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/rules"
)

// messageRows bounds the messages of one class in a report that tells of more
// than messages.
const messageRows = 20

// noiseUnknown is said of builds that ran each scenario once.
const noiseUnknown = "Each build ran each scenario once: how much counts differ by chance is not known."

// messageTitles names the classes as headings of release notes, in the order
// in which they are told. Fields are told apart, over all messages.
var messageTitles = []struct {
	class align.Class
	title string
}{
	{align.Removed, "No longer written"},
	{align.Moved, "No longer logged, but told elsewhere"},
	{align.MovedToField, "Moved between message and field"},
	{align.Reworded, "Reworded"},
	{align.Granularity, "Split or merged"},
	{align.LevelChanged, "Other level or verbosity"},
	{align.VerbosityHidden, "Hidden by the verbosity"},
	{align.FrequencyChanged, "More or less often, beyond noise"},
	{align.Added, "New"},
}

// fieldTitles names the changes of fields likewise.
var fieldTitles = []struct {
	class align.Class
	title string
}{
	{align.FieldLost, "Fields that are gone"},
	{align.FieldRenamed, "Fields with another name"},
	{align.FieldTypeChanged, "Fields with another type"},
	{align.LevelSpelled, "Levels that are spelled otherwise"},
	{align.FieldGained, "New fields"},
}

// ofClass returns the changes that are told under a class: those of which it is
// the first that has a heading.
func ofClass(m *analyzer.Messages, class align.Class) []*analyzer.MessageChange {
	var out []*analyzer.MessageChange
	for i := range m.Changes {
		for _, t := range messageTitles {
			if m.Changes[i].Has(t.class) {
				if t.class == class {
					out = append(out, &m.Changes[i])
				}
				break
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *analyzer.MessageChange) int { return weightOf(b) - weightOf(a) })
	return out
}

// weightOf is higher the more a change matters: rules depend on it, it is an
// error, chance did not make it.
func weightOf(c *analyzer.MessageChange) int {
	w := 0
	if len(c.Rules) > 0 {
		w += 8
	}
	if !c.Weak {
		w += 4
	}
	if !c.Elsewhere {
		w += 2
	}
	for _, k := range slices.Concat(c.Deployed, c.Candidate) {
		if k.Level == "error" || k.Level == "warn" || k.Level == "fatal" || k.Level == "panic" {
			return w + 1
		}
	}
	return w
}

func fieldsOf(m *analyzer.Messages, class align.Class) []*analyzer.FieldSummary {
	var out []*analyzer.FieldSummary
	for i := range m.Fields {
		if m.Fields[i].Class == class {
			out = append(out, &m.Fields[i])
		}
	}
	return out
}

// changed reports whether anything about the messages is to be told.
func changed(m *analyzer.Messages) bool {
	return m != nil && len(m.Changes)+len(m.Fields)+len(m.Encodings)+len(m.Unparseable) > 0
}

// messagesTerminal sums up in a line or two what became of the messages.
func messagesTerminal(s *screen, r *analyzer.Report) {
	if !changed(r.Messages) {
		return
	}
	m := r.Messages
	var parts []string
	for _, t := range messageTitles {
		if n := len(ofClass(m, t.class)); n > 0 {
			title, _, _ := strings.Cut(strings.ToLower(t.title), ",")
			parts = append(parts, fmt.Sprintf("%s %d", title, n))
		}
	}
	for _, t := range fieldTitles {
		if n := len(fieldsOf(m, t.class)); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", strings.ToLower(t.title), n))
		}
	}
	if n := len(m.Encodings); n > 0 {
		parts = append(parts, "another encoding")
	}
	if n := len(m.Unparseable); n > 0 {
		parts = append(parts, "more unparseable records in "+plural(n, "stream"))
	}
	s.line("")
	s.wrapFrom(s.paint(bold, "Log messages")+"  ", strings.Repeat(" ", 14),
		fmt.Sprintf("%d as before; %s. See: stillfires messages", m.Same, strings.Join(parts, ", ")))
}

// messagesMarkdown writes the changed messages, folded.
func messagesMarkdown(p *page, r *analyzer.Report) {
	if !changed(r.Messages) {
		return
	}
	p.line("\n<details><summary>Changed log messages</summary>")
	p.messages(r.Messages, messageRows)
	p.line("\n</details>")
}

// messages writes what became of the messages, at most rows of each kind.
func (p *page) messages(m *analyzer.Messages, rows int) {
	p.line("\n%s as before.", md(plural(m.Same, "message")))
	if !m.Repeated && len(m.Changes) > 0 {
		p.line("\n%s", md(noiseUnknown))
	}
	for _, t := range messageTitles {
		list := ofClass(m, t.class)
		if len(list) == 0 {
			continue
		}
		p.line("\n### %s (%d)\n", t.title, len(list))
		for i, c := range list {
			if i == rows {
				p.line("- … and %d more", len(list)-i)
				break
			}
			p.line("- %s", messageItem(c, t.class, mdCode, md))
		}
	}
	for _, t := range fieldTitles {
		list := fieldsOf(m, t.class)
		if len(list) == 0 {
			continue
		}
		p.line("\n### %s (%d)\n", t.title, len(list))
		for i, f := range list {
			if i == rows {
				p.line("- … and %d more", len(list)-i)
				break
			}
			p.line("- %s", fieldItem(m, f, mdCode, md))
		}
	}
	if len(m.Encodings)+len(m.Unparseable) > 0 {
		p.line("\n### Encoding\n")
		for _, line := range encodingItems(m, md) {
			p.line("- %s", line)
		}
	}
}

// messageItem tells of one change in a line, with the words of the log set by
// code and all else by plain.
func messageItem(c *analyzer.MessageChange, class align.Class, code, plain func(string) string) string {
	var b strings.Builder
	switch {
	case len(c.Candidate) == 0:
		b.WriteString(kindsItem(c.Deployed, code, plain))
	case len(c.Deployed) == 0, class == align.FrequencyChanged || class == align.LevelChanged:
		b.WriteString(kindsItem(c.Candidate, code, plain))
	default:
		b.WriteString(kindsItem(c.Deployed, code, plain) + " → " + kindsItem(c.Candidate, code, plain))
	}
	facts := []string{placeOf(c)}
	if c.Has(align.LevelChanged) {
		facts[0] += ", was " + levelOf(c.Deployed[0])
	}
	if c.Fact != nil {
		facts = append(facts, "now the "+c.Fact.Kind+" "+strconv.Quote(bounded(c.Fact.Text)))
	}
	if c.Has(align.VerbosityHidden) {
		facts = append(facts, fmt.Sprintf("the candidate writes up to V(%d)", c.Hidden))
	}
	facts = append(facts, countsOf(c))
	if n := c.Nearest; n != nil && !c.Elsewhere {
		facts = append(facts, "nearest: "+strconv.Quote(bounded(n.Words())))
	}
	facts = append(facts, c.Notes...)
	if len(c.Rules) > 0 {
		facts = append(facts, "rules: "+ruleNames(c.Rules))
	}
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	return b.String() + ": " + plain(strings.Join(facts, "; "))
}

func kindsItem(kinds []*align.Kind, code, plain func(string) string) string {
	const most = 3
	var out []string
	for _, k := range kinds {
		s := code(bounded(k.Words()))
		if k.Field != "" {
			s += plain(" in ") + code(k.Field) + plain(" of ") + code(bounded(k.Text))
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if n := len(out) - most; n > 0 {
		out = append(out[:most], plain(fmt.Sprintf("%d more", n)))
	}
	return strings.Join(out, plain(" and "))
}

// placeOf says who writes a message.
func placeOf(c *analyzer.MessageChange) string {
	list := c.Candidate
	if len(list) == 0 {
		list = c.Deployed
	}
	k := list[0]
	if len(list) > 1 && list[0].Words() == list[1].Words() {
		parts := []string{fmt.Sprintf("%d loggers", len(list))}
		if l := levelOf(k); l != "" {
			parts = append(parts, l)
		}
		return strings.Join(parts, ", ")
	}
	return kindPlace(k)
}

// kindPlace says who writes a kind, and at which level.
func kindPlace(k *align.Kind) string {
	var parts []string
	if k.Logger != "" {
		parts = append(parts, "logger "+k.Logger)
	}
	if l := levelOf(k); l != "" {
		parts = append(parts, l)
	}
	return strings.Join(parts, ", ")
}

func levelOf(k *align.Kind) string {
	if k.Verbosity > 0 {
		return fmt.Sprintf("V(%d)", k.Verbosity)
	}
	return k.Level
}

// countsOf prints the records on both builds in each scenario.
func countsOf(c *analyzer.MessageChange) string {
	const most = 4
	at := map[string]*[2]int64{}
	var scenarios []string
	for side, kinds := range [][]*align.Kind{c.Deployed, c.Candidate} {
		for _, k := range kinds {
			for _, n := range k.Counts {
				if at[n.Scenario] == nil {
					at[n.Scenario] = &[2]int64{}
					scenarios = append(scenarios, n.Scenario)
				}
				at[n.Scenario][side] += n.Records
			}
		}
	}
	slices.Sort(scenarios)
	var parts []string
	for i, s := range scenarios {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %d more", len(scenarios)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d → %d", s, at[s][0], at[s][1]))
	}
	return strings.Join(parts, ", ")
}

func ruleNames(list []*rules.Rule) string {
	const most = 6
	var names []string
	for _, r := range list {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	return bounded(strings.Join(names, ", "))
}

// fieldItem tells of one change of a field in a line.
func fieldItem(m *analyzer.Messages, f *analyzer.FieldSummary, code, plain func(string) string) string {
	s := code(f.Name)
	if f.To != "" {
		s += " → " + code(f.To)
	}
	var facts []string
	if f.Class == align.FieldTypeChanged || f.Class == align.LevelSpelled {
		facts = append(facts, strings.Join(f.Deployed, " or ")+" → "+strings.Join(f.Candidate, " or "))
	}
	if len(f.Within) > 0 {
		facts = append(facts, bounded(strings.Join(f.Within, ", ")))
	}
	if len(f.Changes) == 1 {
		facts = append(facts, "in "+strconv.Quote(bounded(m.Changes[f.Changes[0]].Text())))
	} else {
		facts = append(facts, "in "+plural(len(f.Changes), "message"))
	}
	if n := len(f.Shared); n > 0 {
		facts = append(facts, "both hold "+bounded(strings.Join(f.Shared[:min(n, 3)], ", ")))
	}
	if f.Weak {
		facts = append(facts, "too few records to be sure")
	}
	if len(f.Rules) > 0 {
		facts = append(facts, "rules: "+ruleNames(f.Rules))
	}
	return s + ": " + plain(strings.Join(facts, "; "))
}

// encodingItems tells of encodings and of records that are not in their
// stream's format.
func encodingItems(m *analyzer.Messages, plain func(string) string) []string {
	var out []string
	for _, e := range m.Encodings {
		s := fmt.Sprintf("%s: %s → %s, in %s", plural(e.Messages, "message"), e.From, e.To, bounded(strings.Join(e.Scenarios, ", ")))
		if len(e.Rules) > 0 {
			s += "; rules: " + ruleNames(e.Rules)
		}
		out = append(out, plain(s))
	}
	for _, u := range m.Unparseable {
		s := fmt.Sprintf("%s in %s: records that are not in its format: %d of %d → %d of %d", bounded(u.Stream), u.Scenario,
			u.Deployed, u.DeployedRecords, u.Candidate, u.CandidateRecords)
		if len(u.Rules) > 0 {
			s += "; rules: " + ruleNames(u.Rules)
		}
		out = append(out, plain(s))
	}
	return out
}
