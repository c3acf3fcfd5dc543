package correlate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A Loss is something that a log no longer tells.
type Loss struct {
	Scenario string
	// Subject names it apart from builds and counts.
	Subject string
	// What is the sentence about it, beginning with the identifier or link.
	What string
	// Field is the field of the deployed build's records that told an
	// identifier; empty for a link.
	Field               string
	Deployed, Candidate *outcome.Evidence
}

// Shares and counts that make a loss.
const (
	// substantive is the share of things that a field must name, or of pairs
	// that records must join, for it to be relied on.
	substantive = 0.5
	// few things on one build are no proof where the message that named them
	// is not written at all: it may not have been its turn.
	few = 3
)

// Losses compares the runs of one scenario: what worked on every deployed run
// for a substantive share of what the objects show, and on no candidate run.
//
// What stands only in errors, or in texts that quote errors, is not relied on:
// a run without the error is no loss, and a run with one is no replacement.
func Losses(scenario string, deployed, candidate []*outcome.Run) []Loss {
	if !judged(deployed) || !judged(candidate) {
		return nil
	}
	var out []Loss
	first := deployed[0].Correlation
	for i := range first.Entities {
		for _, family := range families(&first.Entities[i]) {
			out = append(out, lostIdentifier(scenario, i, family, deployed, candidate)...)
		}
	}
	for i := range first.Links {
		out = append(out, lostLink(scenario, i, deployed, candidate)...)
		out = append(out, lostInObjects(scenario, i, deployed, candidate)...)
	}
	return out
}

// judged reports whether every run has what a comparison needs.
func judged(runs []*outcome.Run) bool {
	return len(runs) > 0 && !slices.ContainsFunc(runs, func(r *outcome.Run) bool { return r.Correlation == nil })
}

// families returns the identifiers of an entity. A name with and without its
// namespace is one.
func families(e *outcome.EntityUse) []string {
	var out []string
	for _, id := range e.Identifiers {
		if f := familyOf(id.Identifier); !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func familyOf(identifier string) string {
	if identifier == "namespace/name" {
		return "name"
	}
	return identifier
}

func lostIdentifier(scenario string, entity int, family string, deployed, candidate []*outcome.Run) []Loss {
	var on *outcome.Sighting
	for _, run := range deployed {
		s := reliedOn(run, entity, family, candidate)
		if s == nil {
			return nil
		}
		if on == nil {
			on = s
		}
	}
	for _, run := range candidate {
		if stillNamed(run, entity, family) {
			return nil
		}
	}
	d, c := &deployed[0].Correlation.Entities[entity], &candidate[0].Correlation.Entities[entity]
	l := Loss{Scenario: scenario, Subject: d.Name + " " + family, Field: on.Field, Deployed: &on.First}
	told, _ := named(d, family)
	l.What = fmt.Sprintf("the %s of the %s is no longer in the log: on deployed %s named %d of %d, on candidate no field of any message names one of %d",
		spoken(on.Identifier), d.Title, whereNamed(deployed[0], on), told, d.Known, c.Known)
	if _, n := named(c, family); n > 0 {
		l.What = strings.Replace(l.What, "no field of any message names one of", fmt.Sprintf("only errors name %d of", n), 1)
	}
	if other := otherName(c, family); other != nil {
		l.What += fmt.Sprintf("; its %s is still there", spoken(other.Identifier))
		l.Candidate = &other.First
	}
	return []Loss{l}
}

// reliedOn returns the sighting by which a substantive share of the things was
// named, if a candidate without it has lost something; else nil.
func reliedOn(run *outcome.Run, entity int, family string, candidate []*outcome.Run) *outcome.Sighting {
	e := &run.Correlation.Entities[entity]
	for i := range e.Sightings {
		s := &e.Sightings[i]
		if familyOf(s.Identifier) != family || s.Ambiguous || float64(s.Things) < substantive*float64(e.Known) {
			continue
		}
		proven, enough := true, e.Known >= few
		for _, c := range candidate {
			ce := &c.Correlation.Entities[entity]
			proven = proven && ce.Named > 0 && !quoting(run, s.Message, s.Field, s.InText) && writes(c, run, s.Message)
			enough = enough && ce.Known >= few
			if ce.Known == 0 {
				return nil
			}
		}
		if proven || enough && routine(run, s.Message) {
			return s
		}
	}
	return nil
}

// stillNamed reports whether a run names things by an identifier: in any
// record that is no error, else a substantive share of them.
func stillNamed(run *outcome.Run, entity int, family string) bool {
	e := &run.Correlation.Entities[entity]
	for i := range e.Sightings {
		s := &e.Sightings[i]
		if familyOf(s.Identifier) == family && routine(run, s.Message) {
			return true
		}
	}
	_, perhaps := named(e, family)
	return float64(perhaps) >= substantive*float64(e.Known)
}

// named counts the things that an identifier names, for certain and perhaps.
func named(e *outcome.EntityUse, family string) (things, perhaps int) {
	for _, id := range e.Identifiers {
		if familyOf(id.Identifier) == family {
			things, perhaps = max(things, id.Things), max(perhaps, id.Perhaps)
		}
	}
	return things, perhaps
}

// otherName returns the sighting of another identifier that names most.
func otherName(e *outcome.EntityUse, family string) *outcome.Sighting {
	var best *outcome.Sighting
	for i := range e.Sightings {
		s := &e.Sightings[i]
		if familyOf(s.Identifier) != family && !s.Ambiguous && (best == nil || s.Things > best.Things) {
			best = s
		}
	}
	return best
}

func lostLink(scenario string, link int, deployed, candidate []*outcome.Run) []Loss {
	var on *outcome.LinkInLogs
	for _, run := range deployed {
		w := joinedBy(run, link, candidate)
		if w == nil {
			return nil
		}
		if on == nil {
			on = w
		}
	}
	for _, run := range candidate {
		if stillJoined(run, link) {
			return nil
		}
	}
	d, c := &deployed[0].Correlation.Links[link], &candidate[0].Correlation.Links[link]
	l := Loss{Scenario: scenario, Subject: d.From + " -> " + d.To, Deployed: &on.First}
	l.What = fmt.Sprintf("the link from the %s to the %s can no longer be made from the log: on deployed %s joined %d of %d, on candidate no field of any message joins one of %d",
		d.FromTitle, d.ToTitle, HowJoined(deployed[0].Messages, on), d.Made, d.Known, c.Known)
	if c.Made > 0 {
		l.What = strings.Replace(l.What, "no field of any message joins one of", fmt.Sprintf("only errors join %d of", c.Made), 1)
	}
	return []Loss{l}
}

// lostInObjects tells of a link that the recorded objects of deployed show, and
// those of the candidate do not, though it has as many things of both kinds: a
// label or a reference is gone by which people find one from the other.
func lostInObjects(scenario string, link int, deployed, candidate []*outcome.Run) []Loss {
	for _, run := range deployed {
		l := &run.Correlation.Links[link]
		if _, to := ends(run.Correlation, l); l.Known < few || float64(l.Known) < substantive*float64(to) || len(l.Objects) == 0 {
			return nil
		}
	}
	for _, run := range candidate {
		l := &run.Correlation.Links[link]
		if from, to := ends(run.Correlation, l); l.Known > 0 || from < few || to < few {
			return nil
		}
	}
	d, c := &deployed[0].Correlation.Links[link], &candidate[0].Correlation.Links[link]
	_, known := ends(candidate[0].Correlation, c)
	way := slices.MaxFunc(d.Objects, func(a, b outcome.ObjectWay) int { return a.Pairs - b.Pairs })
	return []Loss{{
		Scenario: scenario, Subject: d.From + " -> " + d.To + " in objects", Field: way.Text,
		What: fmt.Sprintf("the link from the %s to the %s is no longer in the objects: on deployed the %s shows it %d times, on candidate nothing that the profile declares shows it of one of %d",
			d.FromTitle, d.ToTitle, way.Text, way.Pairs, known),
	}}
}

// ends returns how many things there are on both ends of a link.
func ends(c *outcome.Correlation, l *outcome.LinkUse) (from, to int) {
	for i := range c.Entities {
		switch e := &c.Entities[i]; e.Name {
		case l.From:
			from = e.Known
		case l.To:
			to = e.Known
		}
	}
	return from, to
}

// joinedBy is as [reliedOn] for links.
func joinedBy(run *outcome.Run, link int, candidate []*outcome.Run) *outcome.LinkInLogs {
	l := &run.Correlation.Links[link]
	for i := range l.Ways {
		w := &l.Ways[i]
		if float64(w.Pairs) < substantive*float64(l.Known) {
			continue
		}
		quotes := quoting(run, w.From.Message, w.From.Field, w.From.InText) || quoting(run, w.To.Message, w.To.Field, w.To.InText)
		proven, enough := !quotes, l.Known >= few
		for _, c := range candidate {
			cl := &c.Correlation.Links[link]
			proven = proven && bothNamed(c.Correlation, cl) &&
				writes(c, run, w.From.Message) && writes(c, run, w.To.Message)
			enough = enough && cl.Known >= few
			if cl.Known == 0 {
				return nil
			}
		}
		if proven || enough && routine(run, w.From.Message) && routine(run, w.To.Message) {
			return w
		}
	}
	return nil
}

func bothNamed(c *outcome.Correlation, l *outcome.LinkUse) bool {
	n := 0
	for i := range c.Entities {
		if e := &c.Entities[i]; (e.Name == l.From || e.Name == l.To) && e.Named > 0 {
			n++
		}
	}
	return n == 2
}

func stillJoined(run *outcome.Run, link int) bool {
	l := &run.Correlation.Links[link]
	for i := range l.Ways {
		if w := &l.Ways[i]; routine(run, w.From.Message) && routine(run, w.To.Message) {
			return true
		}
	}
	return float64(l.Made) >= substantive*float64(l.Known)
}

// message returns a message of a run, or nil.
func message(of []outcome.Message, i int) *outcome.Message {
	if i < 0 || i >= len(of) {
		return nil
	}
	return &of[i]
}

// routine reports whether a message is written in ordinary operation.
func routine(run *outcome.Run, i int) bool {
	m := message(run.Messages, i)
	return m == nil || m.Level != "error" && m.Level != "fatal" && m.Level != "panic"
}

// quoting reports whether a field holds a text of another origin, such as an
// error: what it names differs from one failure to the next.
func quoting(run *outcome.Run, i int, field string, inText bool) bool {
	return inText && !routine(run, i) && field != ""
}

// writes reports whether a run wrote the message of another.
func writes(run, other *outcome.Run, i int) bool {
	m := message(other.Messages, i)
	return m != nil && slices.ContainsFunc(run.Messages, func(n outcome.Message) bool { return n.Text == m.Text && n.Logger == m.Logger })
}

// spoken is an identifier in a sentence.
func spoken(identifier string) string {
	switch identifier {
	case "uid":
		return "UID"
	case "namespace/name":
		return "name (namespace/name)"
	}
	if kind, key := cutProperty(identifier); key != "" {
		return kind + " " + key
	}
	return identifier
}

func whereNamed(run *outcome.Run, s *outcome.Sighting) string {
	same := map[int]bool{}
	for _, e := range run.Correlation.Entities {
		for _, o := range e.Sightings {
			if o.Field == s.Field && o.Identifier == s.Identifier && o.InText == s.InText {
				same[o.Message] = true
			}
		}
	}
	where := FieldOf(run.Messages, s.Message, s.Field, s.InText)
	if n := len(same) - 1; n > 0 {
		where += fmt.Sprintf(" and of %d more", n)
	}
	return where
}

// FieldOf names a field of a message in words.
func FieldOf(messages []outcome.Message, i int, field string, inText bool) string {
	text := "field " + field
	if inText {
		text = "the text of field " + field
	}
	m := message(messages, i)
	switch {
	case m == nil:
		return text
	case m.Logger != "":
		return fmt.Sprintf("%s of %q (logger %s)", text, m.Text, m.Logger)
	}
	return fmt.Sprintf("%s of %q", text, m.Text)
}

// HowJoined says in words what joins the things of a link.
func HowJoined(messages []outcome.Message, w *outcome.LinkInLogs) string {
	from := FieldOf(messages, w.From.Message, w.From.Field, w.From.InText)
	to := FieldOf(messages, w.To.Message, w.To.Field, w.To.InText)
	switch {
	case w.By == outcome.ByRequest:
		return fmt.Sprintf("the same %s in %s and %s", w.Key, from, to)
	case w.By == outcome.ByName:
		return fmt.Sprintf("the same name in %s and %s", from, to)
	case w.From.Message == w.To.Message:
		first := "field " + w.From.Field
		if w.From.InText {
			first = "the text of field " + w.From.Field
		}
		return first + " and " + to
	}
	return from + " and " + to
}
