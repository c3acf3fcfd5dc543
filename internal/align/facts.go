package align

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/contrary"
	"github.com/stillfires/stillfires/internal/facts"
)

// What a fact must say to be where a message moved to.
const (
	factWords = 0.6
	// A fact whose wording is so like one of the deployed build is none that
	// is new.
	oldFact = 0.8
)

// maxFacts bounds the distinct facts that one message is compared with.
const maxFacts = 2000

// fact returns the event, condition or metric of the candidate that says what
// a message said that it writes no more: its wording is near, it is about
// something that the message named, and the deployed build had no such fact.
func (c *comparison) fact(k *Kind, in []string) *Fact {
	names := valuesOf(k.First.Line)
	names = append(names, k.values...)
	var best *Fact
	score := 0.0
	for _, f := range c.newFacts(in) {
		words := wordsOf(f.Text)
		like := c.m.wording(k.words, words, c.m.word)
		begins := begins(words, k.words)
		if sameTokens(k.tokens, tokens(f.Text)) || begins {
			like = 1
		}
		if like < factWords || like <= score || !begins && contrary.Opposed(k.words, words) {
			continue
		}
		i := slices.IndexFunc(f.about, func(a Fact) bool { return a.On == "" || named(names, k.First.Line, a.On) })
		if i >= 0 {
			best, score = &f.about[i], like
		}
	}
	if best == nil {
		best = c.newMetric(k, in)
	}
	return best
}

// begins reports whether a text begins with all the words of a message: events
// and conditions say more of the cause.
func begins(words, message []string) bool {
	return len(message) >= 3 && len(words) >= len(message) && slices.Equal(words[:len(message)], message)
}

// named reports whether a message names the object "namespace/name", or its
// name.
func named(values []string, line, object string) bool {
	name := object[strings.LastIndexByte(object, '/')+1:]
	return slices.Contains(values, name) || slices.Contains(values, object) ||
		len(name) >= 3 && strings.Contains(line, name)
}

// A newFact is a text that only the candidate has in events or conditions, and
// what they are about: the first maxAbout objects.
type newFact struct {
	Text  string
	about []Fact
}

// maxAbout bounds the objects that one text is known to be about.
const maxAbout = 100

// newFacts returns the events and conditions that only the candidate has in
// the scenarios given, by text.
func (c *comparison) newFacts(in []string) []newFact {
	key := strings.Join(in, "\x00")
	if list, ok := c.facts[key]; ok {
		return list
	}
	var was [][]string
	c.deployed.collect(in, func(f Fact) {
		if words := wordsOf(f.Text); len(was) < maxFacts && !slices.ContainsFunc(was, func(o []string) bool { return slices.Equal(o, words) }) {
			was = append(was, words)
		}
	})
	var out []newFact
	at := map[string]int{} // of a text in out; -1: it is not new
	c.candidate.collect(in, func(f Fact) {
		i, seen := at[f.Text]
		switch {
		case !seen && (len(out) >= maxFacts || len(was) >= maxFacts):
			return
		case !seen:
			words := wordsOf(f.Text)
			i = -1
			if !slices.ContainsFunc(was, func(o []string) bool { return c.m.wording(o, words, c.m.word) >= oldFact }) {
				i = len(out)
				out = append(out, newFact{Text: f.Text})
			}
			at[f.Text] = i
		}
		if i >= 0 && len(out[i].about) < maxAbout {
			out[i].about = append(out[i].about, f)
		}
	})
	if c.facts == nil {
		c.facts = map[string][]newFact{}
	}
	c.facts[key] = out
	return out
}

// newMetric returns the metric of which only the candidate has series and whose
// name holds all words of the message.
func (c *comparison) newMetric(k *Kind, in []string) *Fact {
	wanted := slices.DeleteFunc(slices.Clone(k.words), func(w string) bool { return little[w] })
	if len(wanted) < 2 {
		return nil
	}
	was := c.deployed.metrics(in)
	for _, name := range c.candidate.metrics(in) {
		has := wordsOf(strings.ReplaceAll(name, "_", " "))
		lacking := slices.ContainsFunc(wanted, func(w string) bool {
			return !slices.ContainsFunc(has, func(h string) bool { return sameWord(w, h) > 0 })
		})
		if _, old := slices.BinarySearch(was, name); !lacking && !old && len(was) > 0 {
			return &Fact{Kind: "metric", Text: name}
		}
	}
	return nil
}

// metrics returns the names of the metrics in scenarios, ordered; none where
// they are not all known.
func (b *build) metrics(scenarios []string) []string {
	var out []string
	for _, s := range scenarios {
		for _, run := range b.of(s) {
			if run.MetricsCut {
				return nil
			}
			for i := range run.Metrics {
				out = append(out, run.Metrics[i].Name)
			}
			out = append(out, run.MetricNames...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// collect gathers the events and conditions of a build's runs.
func (b *build) collect(scenarios []string, add func(Fact)) {
	for _, s := range scenarios {
		for _, run := range b.of(s) {
			if run.Facts == nil {
				continue
			}
			for i := range run.Facts.Events {
				e := &run.Facts.Events[i]
				add(Fact{Kind: "event", Text: e.Message, On: nameOf(e.Object.Namespace, e.Object.Name), Raw: e.Raw})
			}
			for i := range run.Facts.Objects {
				conditions(&run.Facts.Objects[i], add)
			}
		}
	}
}

// conditions adds the messages of the conditions of an object.
func conditions(o *facts.Object, add func(Fact)) {
	gjson.Get(o.Raw, "status.conditions").ForEach(func(_, condition gjson.Result) bool {
		if text := condition.Get("message"); text.Type == gjson.String && text.Str != "" {
			add(Fact{Kind: "condition", Text: text.Str, On: nameOf(o.Namespace, o.Name), Raw: condition.Raw})
		}
		return true
	})
}

func nameOf(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
