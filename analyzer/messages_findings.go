package analyzer

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// messageFindings returns a finding for each message of a class; said tells
// what became of it. Of a message on which no rule depends it is info; there is
// none where chance may have made the change, or where the other build writes
// the same words, only elsewhere: the list of messages has those.
func (c *comparison) messageFindings(class align.Class, said func(*MessageChange) string) []Finding {
	var out []Finding
	m := c.aligned()
	for i := range m.Changes {
		ch := &m.Changes[i]
		if !ch.Has(class) || len(ch.Rules) == 0 && (ch.Weak || ch.Elsewhere) || class == align.Reworded && c.otherPanic(ch) {
			continue
		}
		dependents := dependOn(ch.Rules)
		if class == align.Added {
			dependents = seenBy(ch.Rules)
		}
		f := Finding{Subject: subjectOf(ch), Message: said(ch) + where(ch) + doubts(ch) + dependents, Severity: severityOf(ch.Rules), Dependents: ch.Rules}
		if ch.Weak || class == align.Added {
			// No rule can depend on what was not there; what it does to rules is
			// told of them.
			f.Severity = Info
		}
		f.Deployed, f.Candidate = firstOf(ch.Deployed), firstOf(ch.Candidate)
		if len(ch.Diff) > 0 {
			f.Nearest = []Near{c.nearOf(ch)}
		}
		out = append(out, f)
	}
	return out
}

// otherPanic reports whether what one field of a message said on either build is
// the text of a panic: then the build panics in another way, and words it no
// otherwise.
func (c *comparison) otherPanic(ch *MessageChange) bool {
	texts := func(kinds []*align.Kind, runs []outcome.Run) bool {
		return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k *align.Kind) bool { return k.Field == "" || !startsPanic(&k.First, runs) })
	}
	return texts(ch.Deployed, c.in.Deployed.Runs) && texts(ch.Candidate, c.in.Candidate.Runs)
}

// startsPanic reports whether a record is the first of a panic.
func startsPanic(e *outcome.Evidence, runs []outcome.Run) bool {
	return slices.ContainsFunc(runs, func(r outcome.Run) bool {
		return slices.ContainsFunc(r.Panics, func(p outcome.Panic) bool { return p.First.Time == e.Time && p.First.Line == e.Line })
	})
}

// severityOf is info where no rule depends on what changed.
func severityOf(list []*rules.Rule) Severity {
	if len(list) == 0 {
		return Info
	}
	return 0 // the default of the ID
}

// nearOf is the candidate's line with the wording diff.
func (c *comparison) nearOf(ch *MessageChange) Near {
	k := ch.Candidate[0]
	n := Near{Evidence: *bounded(&k.First), Level: k.Level, Count: k.Count, Field: k.Field, Diff: ch.Diff}
	same, all := 0, 0
	for _, e := range ch.Diff {
		n := len(e.Text)
		if e.Op == Keep {
			n *= 2 // it stands in both
			same += n
		}
		all += n
	}
	n.Similarity = math.Round(100*float64(same)/float64(max(all, 1))) / 100
	for _, r := range ch.Rules {
		n.Selected = n.Selected || (&cell{cmp: c, rule: r}).selects(k.First.Stream)
	}
	return n
}

func firstOf(kinds []*align.Kind) *outcome.Evidence {
	if len(kinds) == 0 {
		return nil
	}
	return &kinds[0].First
}

// subjectOf names a message for good: what it says, of a sentence in which
// message, and who writes it.
func subjectOf(ch *MessageChange) string {
	k := firstKind(ch)
	s := ch.Text()
	if k.Field != "" {
		s += " in " + k.Text
	}
	if k.Logger != "" {
		s += " (logger " + k.Logger + ")"
	}
	if len(ch.Deployed) == 0 || len(ch.Candidate) == 0 {
		s += levelWord(k)
	}
	return s
}

func firstKind(ch *MessageChange) *align.Kind {
	if len(ch.Deployed) > 0 {
		return ch.Deployed[0]
	}
	return ch.Candidate[0]
}

// levelWord prints the level of a kind as " at error" or " at V(3)".
func levelWord(k *align.Kind) string {
	switch {
	case k.Verbosity > 0:
		return fmt.Sprintf(" at V(%d)", k.Verbosity)
	case k.Level != "":
		return " at " + k.Level
	}
	return ""
}

// quotedKinds prints what kinds say.
func quotedKinds(kinds []*align.Kind) string {
	const most = 3
	var out []string
	for _, k := range kinds {
		s := strconv.Quote(short(k.Words()))
		if k.Field != "" {
			s += " in the field " + k.Field + " of " + strconv.Quote(short(k.Text))
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if n := len(out) - most; n > 0 {
		out = append(out[:most], count(int64(n), "other", "others"))
	}
	return strings.Join(out, " and ")
}

// where says how often a message was written: "; ordinary 42 records, then 59".
func where(ch *MessageChange) string {
	const most = 4
	var scenarios []string
	for _, k := range slices.Concat(ch.Deployed, ch.Candidate) {
		for _, n := range k.Counts {
			if i, ok := slices.BinarySearch(scenarios, n.Scenario); !ok {
				scenarios = slices.Insert(scenarios, i, n.Scenario)
			}
		}
	}
	var out []string
	for i, s := range scenarios {
		if i == most {
			out = append(out, count(int64(len(scenarios)-i), "more scenario", "more scenarios"))
			break
		}
		out = append(out, fmt.Sprintf("%s %d, %d", s, recordsIn(ch.Deployed, s), recordsIn(ch.Candidate, s)))
	}
	return " (records on deployed, candidate: " + strings.Join(out, "; ") + ")"
}

func recordsIn(kinds []*align.Kind, scenario string) int64 {
	var n int64
	for _, k := range kinds {
		n += k.In(scenario)
	}
	return n
}

// doubts tells the notes on a change and its nearest kind.
func doubts(ch *MessageChange) string {
	parts := append([]string{""}, ch.Notes...)
	if ch.Nearest != nil && !ch.Elsewhere {
		parts = append(parts, "nearest: "+strconv.Quote(short(ch.Nearest.Words())))
	}
	return strings.Join(parts, "; ")
}

// dependOn names the rules that depend on what changed.
func dependOn(list []*rules.Rule) string {
	switch names := rulesIn(list); len(names) {
	case 0:
		return ""
	case 1:
		return "; " + names[0] + " depends on it"
	default:
		return "; " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " depend on it"
	}
}

// seenBy names the rules that match what is new.
func seenBy(list []*rules.Rule) string {
	if len(list) == 0 {
		return ""
	}
	return "; matched by " + strings.Join(rulesIn(list), ", ")
}

// rulesIn returns the names of rules, each once, not too many.
func rulesIn(list []*rules.Rule) []string {
	const most = 5
	var names []string
	for _, r := range list {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], count(int64(n), "more", "more"))
	}
	return names
}

// fieldFindings returns a finding for each field of which said tells something.
func (c *comparison) fieldFindings(class align.Class, said func(*FieldSummary) string) []Finding {
	var out []Finding
	m := c.aligned()
	for i := range m.Fields {
		s := &m.Fields[i]
		if s.Class != class || s.Weak && len(s.Rules) == 0 {
			continue
		}
		f := Finding{Subject: s.Name, Message: said(s) + ofMessages(m, s) + dependOn(s.Rules), Severity: severityOf(s.Rules), Dependents: s.Rules}
		if s.To != "" {
			f.Subject += " → " + s.To
		}
		if s.Weak {
			f.Severity = Info
		}
		ch := &m.Changes[s.Changes[0]]
		f.Deployed, f.Candidate = firstOf(ch.Deployed), firstOf(ch.Candidate)
		out = append(out, f)
	}
	return out
}

// ofMessages says which messages had the field.
func ofMessages(m *Messages, s *FieldSummary) string {
	if len(s.Changes) == 1 {
		return fmt.Sprintf(" in the message %s (%s)", strconv.Quote(short(m.Changes[s.Changes[0]].Text())), count(s.Count, "record", "records"))
	}
	out := fmt.Sprintf(" in %d messages (%s)", len(s.Changes), count(s.Count, "record", "records"))
	if n := s.Of - len(s.Changes); n > 0 {
		out += fmt.Sprintf(" of %d that have it", s.Of)
	}
	return out
}

func types(list []string) string { return strings.Join(list, " or ") }
