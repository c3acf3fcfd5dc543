package align

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// nearEnough is the wording that the nearest kind must share to be named.
const nearEnough = 0.4

// alone adds the messages that one build writes and the other does not.
func (c *comparison) alone(kinds []*Kind, deployed bool) {
	own := c.candidate
	if deployed {
		own = c.deployed
	}
	for _, k := range kinds {
		if k.Field == "" && c.carries(k, deployed) {
			continue // it is told by what it says in its field
		}
		if k.Field != "" && !c.told(k, deployed) {
			continue
		}
		if k.Field == "" && len(k.keys) == 0 && len(k.words) == 0 {
			continue // values alone say nothing
		}
		fragment := own.fragment(k)
		if fragment && c.encoded {
			continue // lines of a stack come and go with the encoding
		}
		if k.broken() {
			continue // told of by the share of records that cannot be read
		}
		in := steady(k, own, c.scenarios)
		if len(in) == 0 {
			continue // it comes and goes between repetitions of one build
		}
		ch := Change{Weak: weak(k) || c.cut, Nearest: c.nearest(k, deployed)}
		if deployed {
			ch.Deployed = []*Kind{k}
			c.gone(&ch, k, in)
		} else {
			ch.Candidate = []*Kind{k}
			ch.add(Added)
		}
		for _, s := range in {
			ch.Frequencies = append(ch.Frequencies, frequency(s, c.deployed, c.candidate, ch.Deployed, ch.Candidate))
		}
		c.sameWords(&ch, k, deployed)
		ch.Elsewhere = ch.Elsewhere || fragment
		if ch.Weak {
			ch.Notes = append(ch.Notes, "so few records may come and go by chance")
		}
		c.res.Changes = append(c.res.Changes, ch)
	}
}

// fragment reports whether a kind is plain text in a stream of records in
// another encoding: part of a stack, or of a record that was cut. How many
// there are is told of the stream.
func (b *build) fragment(k *Kind) bool {
	if !k.bare() || len(k.keys) > 0 {
		return false
	}
	if b.structured == nil {
		b.structured = map[string]int64{}
		for _, o := range b.kinds {
			n := o.Count
			if slices.Equal(o.Encodings, []outcome.Encoding{outcome.Text}) {
				n = -n
			}
			b.structured[o.First.Stream.String()] += n
		}
	}
	return b.structured[k.First.Stream.String()] > 0
}

// broken reports whether a kind is of records that begin as JSON and could not
// be read as such.
func (k *Kind) broken() bool { return k.bare() && strings.HasPrefix(k.Text, "{") }

// bare reports whether a kind is plain text without a level.
func (k *Kind) bare() bool {
	return k.Level == "" && k.Logger == "" && k.Function == "" && slices.Equal(k.Encodings, []outcome.Encoding{outcome.Text})
}

// carries reports whether a kind is a constant text around sentences that were
// paired with messages of the other build, or with sentences in another field.
// One that stands in the same field, under another text, explains nothing.
func (c *comparison) carries(k *Kind, deployed bool) bool {
	return slices.ContainsFunc(c.m.pairs, func(p *pair) bool {
		side := p.candidate
		if deployed {
			side = p.deployed
		}
		return side[0].Field != "" && !c.m.sameField(p.deployed[0].Field, p.candidate[0].Field) && slices.Contains(k.said, side[0])
	})
}

// told reports whether a sentence without partner is to be told of: its
// record's own message is on both builds, or explained by other sentences of
// it. A rare one is no news, as errors come and go.
func (c *comparison) told(said *Kind, deployed bool) bool {
	if weak(said) || said.Count < fewSentences {
		return false
	}
	side := c.m.candidate
	if deployed {
		side = c.m.deployed
	}
	if c.fieldGone(said, deployed) {
		return false
	}
	for _, k := range side {
		if k.Field == "" && slices.Contains(k.said, said) {
			return c.carries(k, deployed)
		}
	}
	return true
}

// fieldGone reports whether the other build writes the record's own message
// without the field that holds a sentence: that is told of the field.
func (c *comparison) fieldGone(said *Kind, deployed bool) bool {
	for _, p := range c.m.pairs {
		own, others := p.candidate, p.deployed
		if deployed {
			own, others = others, own
		}
		if slices.ContainsFunc(own, func(k *Kind) bool { return slices.Contains(k.said, said) }) {
			s := shapeOf(others)
			return s.find(said.Field) == nil
		}
	}
	return false
}

// nearest returns the kind of the other build whose wording is most like that
// of k, if any is near: first of those without partner.
func (c *comparison) nearest(k *Kind, deployed bool) *Kind {
	loose, all := c.m.candidate, c.candidate.kinds
	if !deployed {
		loose, all = c.m.deployed, c.deployed.kinds
	}
	for _, list := range [][]*Kind{loose, all} {
		var best *Kind
		score := 0.0
		for _, o := range list {
			l := c.m.compare(k, o)
			if l.words >= nearEnough && l.score > score {
				best, score = o, l.score
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// gone says what became of a message that the candidate does not write in the
// scenarios given.
func (c *comparison) gone(ch *Change, k *Kind, in []string) {
	if fact := c.fact(k, in); fact != nil {
		ch.Fact = fact
		ch.add(Moved)
		return
	}
	if most, known, ok := c.tooVerbose(k, in); ok {
		ch.Hidden = most
		ch.add(VerbosityHidden)
		if !known {
			ch.Notes = append(ch.Notes, fmt.Sprintf("the candidate wrote nothing above V(%d); whether it still has the message cannot be told", most))
		}
		return
	}
	ch.add(Removed)
}

// sameWords notes where the other build writes the words of a message that has
// no partner: with another level, by another logger.
func (c *comparison) sameWords(ch *Change, k *Kind, deployed bool) {
	kinds, role := c.candidate.kinds, "candidate"
	if !deployed {
		kinds, role = c.deployed.kinds, "deployed"
	}
	var found []*Kind
	for _, o := range kinds {
		for _, same := range append([]*Kind{o}, o.said...) {
			if same.Field == k.Field && sameTokens(same.tokens, k.tokens) {
				found = append(found, same)
			}
		}
	}
	switch ch.Elsewhere = len(found) > 0; len(found) {
	case 0:
	case 1:
		ch.Notes = append(ch.Notes, fmt.Sprintf("%s writes the same words %s", role, from(found[0])))
	default:
		ch.Notes = append(ch.Notes, fmt.Sprintf("%s writes the same words in %d other places", role, len(found)))
	}
}

// from says at which level, and by which logger, a kind is written.
func from(k *Kind) string {
	s := "at level " + levelOf(k)
	if k.Level == "" {
		s = "without a level"
	}
	if k.Logger != "" {
		s += " by logger " + k.Logger
	}
	return s
}

// levelOf prints level and verbosity as "debug, V(3)".
func levelOf(k *Kind) string {
	if k.Verbosity > 0 {
		return fmt.Sprintf("%s, V(%d)", k.Level, k.Verbosity)
	}
	return k.Level
}
