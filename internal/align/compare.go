package align

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// A comparison is one call of [Compare].
type comparison struct {
	deployed, candidate *build
	scenarios           []string // that both builds ran
	m                   *matching
	res                 Result
	// cut says that a catalogue is not complete, so that what is absent may
	// have been written.
	cut bool
	// encoded says that the encoding of some message changed: then lines of
	// text between the records, such as stacks, come and go with it.
	encoded bool
	facts   map[string][]newFact // new ones, by scenarios; made when asked for
}

// Compare says what became of the messages of the deployed build's runs on the
// candidate. Only scenarios that both builds ran are looked at. [Part] indices
// are those of the runs given.
func Compare(deployed, candidate []outcome.Run) *Result {
	c := &comparison{scenarios: both(deployed, candidate)}
	c.deployed, c.candidate = newBuild(c.keep(deployed)), newBuild(c.keep(candidate))
	c.m = match(c.deployed.kinds, c.candidate.kinds)
	for _, p := range c.m.pairs {
		c.paired(p)
	}
	c.alone(c.m.deployed, true)
	c.alone(c.m.candidate, false)
	c.inferRenames()
	slices.SortStableFunc(c.res.Changes, compareChanges)
	c.summarize()
	c.res.Unparseable = c.unparseable()
	c.note()
	c.res.Scenarios = c.scenarios
	c.res.Deployed, c.res.Candidate = c.deployed.kinds, c.candidate.kinds
	return &c.res
}

// both returns the scenarios that both builds ran, ordered.
func both(deployed, candidate []outcome.Run) []string {
	ran := func(runs []outcome.Run, s string) bool {
		return slices.ContainsFunc(runs, func(r outcome.Run) bool { return r.Scenario == s && !r.Missing })
	}
	var out []string
	for i := range deployed {
		if s := deployed[i].Scenario; ran(deployed, s) && ran(candidate, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// keep returns the runs, those of other scenarios without messages: indices
// stay as they are.
func (c *comparison) keep(runs []outcome.Run) []*outcome.Run {
	seen := map[string]int{}
	out := make([]*outcome.Run, len(runs))
	for i := range runs {
		r := &runs[i]
		out[i] = r
		if !slices.Contains(c.scenarios, r.Scenario) || r.Missing {
			out[i] = &outcome.Run{Scenario: r.Scenario, Repetition: r.Repetition, Missing: true}
			continue
		}
		c.cut = c.cut || r.MessagesCut > 0 || r.Incomplete
		if seen[r.Scenario]++; seen[r.Scenario] > 1 {
			c.res.Repeated = true
		}
	}
	return out
}

// paired adds the change of one message that both builds write, if there is
// one.
func (c *comparison) paired(p *pair) {
	ch := Change{Deployed: p.deployed, Candidate: p.candidate}
	d, n := p.deployed[0], p.candidate[0]
	c.saidElsewhere(&ch, p)
	if (d.Level != n.Level || d.Verbosity != n.Verbosity) && !verbosityUnknown(d, n) && !verbosityUnknown(n, d) {
		ch.add(LevelChanged)
	}
	c.hidden(&ch)
	ch.Reencoded = c.reencoded(p.deployed, p.candidate)
	encoded := len(ch.Reencoded) > 0
	c.encoded = c.encoded || encoded
	for _, f := range compareFields(p.deployed, p.candidate) {
		if encoded && f.byEncoding() {
			continue
		}
		ch.Fields = append(ch.Fields, f)
		ch.add(f.Class)
	}
	ch.headFields()
	c.frequencies(&ch)
	if p.split || c.gathered(&ch) {
		ch.add(Granularity)
	}
	if encoded {
		ch.add(EncodingChanged)
	}
	c.moves(&ch, d, n)
	if len(ch.Classes) == 0 {
		c.res.Same++
		return
	}
	order(&ch)
	c.res.Changes = append(c.res.Changes, ch)
}

// saidElsewhere tells rewording and moving between message and field.
func (c *comparison) saidElsewhere(ch *Change, p *pair) {
	d, n := p.deployed[0], p.candidate[0]
	if !c.m.sameField(d.Field, n.Field) {
		ch.add(MovedToField)
	}
	if !p.split && !sameTokens(d.tokens, n.tokens) {
		ch.add(Reworded)
	}
}

// moves notes that another function or logger writes the message.
func (c *comparison) moves(ch *Change, d, n *Kind) {
	if d.Function != n.Function && d.Function != "" && n.Function != "" {
		ch.Notes = append(ch.Notes, fmt.Sprintf("written by %s in place of %s", n.Function, d.Function))
	}
	if d.Logger != n.Logger && d.Logger != "" && n.Logger != "" {
		ch.Notes = append(ch.Notes, fmt.Sprintf("logger %s in place of %s", n.Logger, d.Logger))
	}
}

// frequencies adds the scenarios in which the counts differ beyond noise.
func (c *comparison) frequencies(ch *Change) {
	if len(ch.Deployed[0].words) == 0 && len(ch.Deployed[0].keys) == 0 {
		return // values alone: lines of many kinds
	}
	for _, s := range c.scenarios {
		f := frequency(s, c.deployed, c.candidate, ch.Deployed, ch.Candidate)
		if f.beyondNoise(c.deployed, c.candidate) {
			ch.Frequencies = append(ch.Frequencies, f)
		}
	}
	if len(ch.Frequencies) == 0 {
		return
	}
	ch.add(FrequencyChanged)
}

// gathered reports whether a message with one thing in a field became one with
// a list of them, or the other way round, and is written less or more often.
func (c *comparison) gathered(ch *Change) bool {
	listed := func(f FieldChange) bool {
		return f.Class == FieldTypeChanged && slices.Contains(f.Deployed, "array") != slices.Contains(f.Candidate, "array")
	}
	for _, f := range ch.Fields {
		if listed(f) {
			return fewer(ch, slices.Contains(f.Candidate, "array"))
		}
	}
	for _, lost := range ch.Fields {
		for _, gained := range ch.Fields {
			if lost.Class != FieldLost || gained.Class != FieldGained {
				continue
			}
			in, out := slices.Contains(lost.Deployed, "array"), slices.Contains(gained.Candidate, "array")
			a, b := strings.TrimSuffix(leaf(lost.Name), "s"), strings.TrimSuffix(leaf(gained.Name), "s")
			if in != out && (a == b || strings.Contains(a, b) || strings.Contains(b, a)) {
				return fewer(ch, out)
			}
		}
	}
	return false
}

// fewer reports whether the candidate writes a message clearly less often, or
// more often.
func fewer(ch *Change, less bool) bool {
	var d, n int64
	for _, k := range ch.Deployed {
		d += k.Count
	}
	for _, k := range ch.Candidate {
		n += k.Count
	}
	if !less {
		d, n = n, d
	}
	return 2*d >= 3*n
}

// headFields leaves it to the field that held the level or the message to tell
// that there is none any more, or a new one.
func (c *Change) headFields() {
	d, n := c.Deployed[0], c.Candidate[0]
	drop := func(class Class, role string) {
		if slices.ContainsFunc(c.Fields, func(f FieldChange) bool { return f.Role == role }) {
			c.Classes = slices.DeleteFunc(c.Classes, func(k Class) bool { return k == class })
		}
	}
	if d.Level == "" || n.Level == "" {
		drop(LevelChanged, levelRole)
	}
	if d.Text == "" || n.Text == "" {
		drop(Reworded, messageRole)
	}
}

// verbosityUnknown reports whether a may have the verbosity of b, as klog writes
// a message of any verbosity as info.
func verbosityUnknown(a, b *Kind) bool {
	return a.Level == "info" && b.Level == "debug" && slices.Equal(a.Encodings, []outcome.Encoding{outcome.Klog}) &&
		!slices.Contains(b.Encodings, outcome.Klog)
}

// byEncoding reports whether a change of a field comes with a change of the
// encoding: a duration is a number in one and "1.5s" in another, and a stack is
// a field in one and lines below the record in another.
func (f *FieldChange) byEncoding() bool {
	scalar := func(types []string) bool {
		return !slices.ContainsFunc(types, func(t string) bool { return t == "object" || t == "array" })
	}
	if f.Role != "" && f.Class != FieldRenamed {
		return true // not every encoding names what the logger fills in
	}
	switch f.Class {
	case FieldTypeChanged:
		return scalar(f.Deployed) && scalar(f.Candidate)
	case FieldLost, FieldGained:
		return strings.HasPrefix(leaf(f.Name), "stack")
	default:
		return false
	}
}

// reencoded returns the scenarios in which no encoding of one build is one of
// the other.
func (c *comparison) reencoded(d, n []*Kind) []Reencoding {
	encodings := func(kinds []*Kind, scenario string) (out []outcome.Encoding) {
		for _, k := range kinds {
			out = append(out, k.written[scenario]...)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	var out []Reencoding
	for _, s := range c.scenarios {
		from, to := encodings(d, s), encodings(n, s)
		if len(from) > 0 && len(to) > 0 && !slices.ContainsFunc(from, func(e outcome.Encoding) bool { return slices.Contains(to, e) }) {
			out = append(out, Reencoding{s, from[0], to[0]})
		}
	}
	return out
}

// order sorts the classes of a change, the most telling first.
func order(ch *Change) {
	slices.SortFunc(ch.Classes, func(a, b Class) int { return cmp.Compare(rank(a), rank(b)) })
}
