package replay

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/correlate"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// A recordTag says what the observers know of a record when a rule sees it.
// Both are indices plus one; 0: none.
type recordTag struct {
	message int32 // the message that it belongs to
	panic   int32 // the occurrence of a panic that it is a part of
}

// Observers look at every record that is kept, on the goroutine that reads,
// before the rules see it.
type observers struct {
	src      *Source
	messages *messages.Catalogue
	panics   *panicWatch
	joins    *correlate.Collector // nil: nothing is known that records could name
	// inPanics counts the records of each message in each occurrence of a panic.
	inPanics map[recordTag]int64
}

// maxInPanics bounds the pairs that are counted.
const maxInPanics = 1 << 16

func newObservers(src *Source, p *profile.Profile) *observers {
	return &observers{
		inPanics: map[recordTag]int64{},
		src:      src, messages: messages.NewCatalogue(), panics: newPanicWatch(src),
		joins: correlate.NewCollector(correlate.Learn(p, src.Facts), src.Streams),
	}
}

// next is told of every record, also of those that are dropped.
func (o *observers) next(stream int) { o.panics.next(stream) }

func (o *observers) add(stream int, e *logs.Entry) recordTag {
	message := o.messages.Add(o.src.Streams[stream], e)
	if o.joins != nil {
		o.joins.Add(stream, e, o.messages.Record(), message)
	}
	tag := recordTag{message: message + 1, panic: o.panics.add(stream, e)}
	if tag.panic > 0 && tag.message > 0 && len(o.inPanics) < maxInPanics {
		o.inPanics[tag]++
	}
	return tag
}

// finish writes what was seen to res, and to the outcomes of the rules which
// of it each of them saw.
func (o *observers) finish(res *Result, rules []*ruleState) {
	var final []int32
	res.Messages, final, res.MessagesCut = o.messages.Finish()
	panicOf := o.panics.finish(res)
	for tag, n := range o.inPanics {
		if panicOf[tag.panic-1] >= 0 {
			res.Messages[final[tag.message-1]].Panics += n
		}
	}
	for i, rs := range rules {
		res.Outcomes[i].Uses, res.Outcomes[i].Panics = rs.seen.list(final, panicOf)
	}
	if o.joins != nil {
		res.Correlation = o.joins.Finish(final)
		res.Correlation.Alerts = o.joins.Alerts(res.Outcomes)
	}
}

// SeenTags counts the records that passed a rule's pipelines by their tags.
type seenTags struct {
	messages []int64 // lines, by message
	panics   []int64 // likewise, by occurrence of a panic
	// first are the first lines of messages, in time order.
	first []firstLine
}

// maxFirst bounds the messages of one rule of which the first line is held.
const maxFirst = 8

type firstLine struct {
	message int32
	line    seenLine
}

func (s *seenTags) add(t recordTag, stream logs.Labels, e *logs.Entry) {
	if n := t.message; n > 0 && len(s.first) < maxFirst && (len(s.messages) < int(n) || s.messages[n-1] == 0) {
		s.first = append(s.first, firstLine{message: n - 1})
		s.first[len(s.first)-1].line.set(stream, e)
	}
	s.messages = count(s.messages, t.message)
	s.panics = count(s.panics, t.panic)
}

func count(of []int64, tag int32) []int64 {
	if tag == 0 {
		return of
	}
	for len(of) < int(tag) {
		of = append(of, 0)
	}
	of[tag-1]++
	return of
}

// list returns the messages and panics that were seen. Final has the message of
// each provisional number; panicOf maps occurrences to panics; -1: it was none.
func (s *seenTags) list(final []int32, panicOf []int) (uses []outcome.Use, panics []int) {
	for number, n := range s.messages {
		if n == 0 {
			continue
		}
		u := outcome.Use{Message: int(final[number]), Lines: n}
		if at, ok := slices.BinarySearchFunc(uses, u.Message, byMessage); ok {
			uses[at].Lines += n
		} else {
			uses = slices.Insert(uses, at, u)
		}
	}
	for i := range s.first {
		f := &s.first[i]
		// Several numbers may be one message; the earliest line comes first.
		if at, ok := slices.BinarySearchFunc(uses, int(final[f.message]), byMessage); ok && uses[at].First.Line == "" {
			uses[at].First = f.line.evidence()
		}
	}
	for i, n := range s.panics {
		if n > 0 && panicOf[i] >= 0 {
			panics = append(panics, panicOf[i])
		}
	}
	slices.Sort(panics)
	return uses, slices.Compact(panics)
}

func byMessage(u outcome.Use, message int) int { return cmp.Compare(u.Message, message) }
