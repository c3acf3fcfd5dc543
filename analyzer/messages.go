package analyzer

import (
	"slices"

	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// Messages is what became of the messages of the deployed build.
type Messages struct {
	Scenarios   []string        // that both builds ran, ordered
	Changes     []MessageChange // ordered by class, then by text
	Fields      []FieldSummary
	Encodings   []EncodingSummary
	Unparseable []UnparseableStream
	Same        int      // messages that did not change
	Repeated    bool     // a scenario ran more than once, so noise was measured
	Notes       []string // what could not be compared
	// Deployed and Candidate are the catalogues: all kinds of record that the
	// builds wrote in these scenarios, ordered by text.
	Deployed, Candidate []*align.Kind
}

// A MessageChange is what became of one message.
type MessageChange struct {
	align.Change
	// Rules depend on it: lines of theirs are of this message.
	Rules []*rules.Rule
	Diff  []Edit // from the deployed words to the candidate's; nil: one build has none
}

// A FieldSummary is one change of a field over all messages.
type FieldSummary struct {
	align.FieldSummary
	Rules []*rules.Rule // that name the field and read such a message
}

// An EncodingSummary is one change of the encoding over all messages.
type EncodingSummary struct {
	align.EncodingSummary
	Rules []*rules.Rule // that parse lines of such messages, or lost them
}

// An UnparseableStream is a stream of which more records are not in its own
// format.
type UnparseableStream struct {
	align.Unparseable
	Rules []*rules.Rule // that parse lines of the stream
}

// A rule depends on a message if at least this share of its lines are of it,
// or if it finds the message on the deployed build and not where it is on the
// candidate.
const dependsFrom = 0.1

// aligned returns what became of the messages; it is made once.
func (c *comparison) aligned() *Messages {
	if c.messages != nil {
		return c.messages
	}
	res := align.Compare(c.in.Deployed.Runs, c.in.Candidate.Runs)
	m := &Messages{Scenarios: res.Scenarios, Same: res.Same, Repeated: res.Repeated, Notes: res.Notes}
	d := newDependents(c)
	for i := range res.Changes {
		ch := MessageChange{Change: res.Changes[i], Rules: d.ofChange(&res.Changes[i])}
		if len(ch.Deployed) > 0 && len(ch.Candidate) > 0 && (ch.Has(align.Reworded) || ch.Has(align.Granularity)) {
			ch.Diff = wordDiff(ch.Deployed[0].Words(), ch.Candidate[0].Words())
		}
		m.Changes = append(m.Changes, ch)
	}
	for _, f := range res.Fields {
		m.Fields = append(m.Fields, FieldSummary{f, d.ofField(&f, res)})
	}
	for _, e := range res.Encodings {
		m.Encodings = append(m.Encodings, EncodingSummary{e, d.ofEncoding(&e, res)})
	}
	for _, u := range res.Unparseable {
		m.Unparseable = append(m.Unparseable, UnparseableStream{u, d.ofStream(u.Stream)})
	}
	m.Deployed, m.Candidate = res.Deployed, res.Candidate
	c.messages = m
	return m
}

// Dependents finds the rules that depend on messages.
type dependents struct {
	rules               []rules.Rule
	named               []ruleNames // as the rules
	deployed, candidate []outcome.Run
	lines               []int64 // of a rule on the deployed build that belong to messages
	candidateLines      []int64
}

func newDependents(c *comparison) *dependents {
	d := &dependents{rules: c.in.Rules, deployed: c.in.Deployed.Runs, candidate: c.in.Candidate.Runs}
	for i := range d.rules {
		d.named = append(d.named, namesOf(&d.rules[i]))
		d.lines = append(d.lines, allLines(d.deployed, i))
		d.candidateLines = append(d.candidateLines, allLines(d.candidate, i))
	}
	return d
}

func allLines(runs []outcome.Run, rule int) int64 {
	var n int64
	for i := range runs {
		if rule < len(runs[i].Outcomes) {
			for _, u := range runs[i].Outcomes[rule].Uses {
				n += u.Lines
			}
		}
	}
	return n
}

// seen returns how many lines of a rule are of the kinds.
func (d *dependents) seen(runs []outcome.Run, rule int, kinds []*align.Kind) int64 {
	var n int64
	for _, k := range kinds {
		for _, p := range k.Parts {
			if rule >= len(runs[p.Run].Outcomes) {
				continue
			}
			o := &runs[p.Run].Outcomes[rule]
			i, ok := slices.BinarySearchFunc(o.Uses, p.Message, func(u outcome.Use, m int) int { return u.Message - m })
			if ok && (k.Field == "" || d.says(o, rule, k)) {
				n += o.Uses[i].Lines
			}
		}
	}
	return n
}

// says reports whether a rule that reads a message reads those of its records
// that hold a sentence: one was shown as evidence, or the rule looks for words
// of it. Uses do not tell sentences apart.
func (d *dependents) says(o *outcome.Outcome, rule int, k *align.Kind) bool {
	return slices.ContainsFunc(o.Evidence, func(e outcome.Evidence) bool { return k.Holds(e.Line) }) || d.named[rule].looksFor(k.Said)
}

func (d *dependents) ofChange(ch *align.Change) []*rules.Rule {
	var out []*rules.Rule
	for i := range d.rules {
		if d.depends(ch, i) {
			out = append(out, &d.rules[i])
		}
	}
	return out
}

func (d *dependents) depends(ch *align.Change, rule int) bool {
	if len(ch.Deployed) == 0 {
		n := d.seen(d.candidate, rule, ch.Candidate)
		return n > 0 && float64(n) >= dependsFrom*float64(d.candidateLines[rule])
	}
	n := d.seen(d.deployed, rule, ch.Deployed)
	if n == 0 {
		return false
	}
	return float64(n) >= dependsFrom*float64(d.lines[rule]) || len(ch.Candidate) > 0 && d.seen(d.candidate, rule, ch.Candidate) == 0
}

// ofField returns the rules that read a message whose field changed, and name
// the field. If the message itself is gone, those that find it no more are among
// them, by whatever text they looked for.
func (d *dependents) ofField(f *align.FieldSummary, res *align.Result) []*rules.Rule {
	runs := d.deployed
	if f.Class == align.FieldGained {
		runs = d.candidate
	}
	var out []*rules.Rule
	for i := range d.rules {
		if f.NoMessage() && slices.ContainsFunc(f.Changes, func(n int) bool {
			ch := &res.Changes[n]
			return d.seen(d.deployed, i, ch.Deployed) > 0 && d.seen(d.candidate, i, ch.Candidate) == 0
		}) {
			out = append(out, &d.rules[i])
			continue
		}
		if !slices.ContainsFunc(append([]string{f.Name}, f.Within...), d.named[i].names) {
			continue
		}
		if slices.ContainsFunc(f.Changes, func(n int) bool {
			kinds := res.Changes[n].Deployed
			if f.Class == align.FieldGained {
				kinds = res.Changes[n].Candidate
			}
			return d.seen(runs, i, kinds) > 0
		}) {
			out = append(out, &d.rules[i])
		}
	}
	return out
}

// ofEncoding returns the rules that take apart lines of messages whose encoding
// changed, or find them no more.
func (d *dependents) ofEncoding(e *align.EncodingSummary, res *align.Result) []*rules.Rule {
	var out []*rules.Rule
	for i := range d.rules {
		if slices.ContainsFunc(res.Changes, func(ch align.Change) bool {
			if !slices.ContainsFunc(ch.Reencoded, func(r align.Reencoding) bool { return r.From == e.From && r.To == e.To }) ||
				d.seen(d.deployed, i, ch.Deployed) == 0 {
				return false
			}
			return d.named[i].parses || d.seen(d.candidate, i, ch.Candidate) == 0
		}) {
			out = append(out, &d.rules[i])
		}
	}
	return out
}

// ofStream returns the rules that take apart lines and read some of a stream.
func (d *dependents) ofStream(stream string) []*rules.Rule {
	var out []*rules.Rule
	for i := range d.rules {
		if d.named[i].parses && slices.ContainsFunc(d.deployed, func(r outcome.Run) bool {
			return i < len(r.Outcomes) && slices.ContainsFunc(r.Outcomes[i].Evidence, func(e outcome.Evidence) bool { return e.Stream.String() == stream })
		}) {
			out = append(out, &d.rules[i])
		}
	}
	return out
}
