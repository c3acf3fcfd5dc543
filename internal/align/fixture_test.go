package align

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
)

// msg is one kind of record in a run, written as
//
//	level logger function "text" count key=value,value key=…
//
// where "-" is a logger or function that is not known, a key with a slash has
// a type (key/number=1), one with a "!" a role (lvl!level=info), and one with a
// star holds sentences parted by "|".
type msg string

func (m msg) parse() outcome.Message {
	head, rest, _ := strings.Cut(string(m), `"`)
	text, tail, ok := strings.Cut(rest, `" `)
	if !ok {
		text, tail = strings.TrimSuffix(rest, `"`), "10"
	}
	place := strings.Fields(head)
	none := func(s string) string {
		if s == "-" {
			return ""
		}
		return s
	}
	out := outcome.Message{Text: text, Level: none(place[0]), Logger: none(place[1]), Function: none(place[2]), Encoding: outcome.JSON}
	if v, ok := strings.CutPrefix(out.Level, "V"); ok {
		out.Level = "debug"
		fmt.Sscan(v, &out.Verbosity)
	}
	fields := splitFields(tail)
	fmt.Sscan(fields[0], &out.Count)
	line := []string{fmt.Sprintf(`"msg":%q`, text)}
	for _, f := range fields[1:] {
		name, values, _ := strings.Cut(f, "=")
		name, kind, _ := strings.Cut(name, "/")
		name, said := strings.CutSuffix(name, "*")
		name, role, _ := strings.Cut(name, "!")
		key := outcome.Key{Name: name, Role: role, Count: out.Count, Looked: out.Count, Types: []string{cmp.Or(kind, "string")}}
		if said {
			for t := range strings.SplitSeq(values, "|") {
				key.Texts = append(key.Texts, outcome.KeyText{Text: t, Count: out.Count, First: outcome.Evidence{
					Line: fmt.Sprintf(`{"msg":%q,%q:%q}`, text, name, t)}})
				key.Values = append(key.Values, t)
			}
		} else if values != "" {
			key.Values = strings.Split(values, ",")
		}
		slices.Sort(key.Values)
		for _, v := range key.Values {
			line = append(line, fmt.Sprintf("%q:%q", name, v))
		}
		if role != "" {
			out.Heads = append(out.Heads, key)
		} else {
			out.Keys = append(out.Keys, key)
		}
	}
	slices.SortFunc(out.Heads, func(a, b outcome.Key) int { return cmp.Compare(a.Name, b.Name) })
	slices.SortFunc(out.Keys, func(a, b outcome.Key) int { return cmp.Compare(a.Name, b.Name) })
	out.First.Line = "{" + strings.Join(line, ",") + "}"
	out.Last = out.First
	return out
}

// splitFields splits at blanks, but for those of sentences.
func splitFields(s string) []string {
	var out []string
	for f := range strings.SplitSeq(s, " ") {
		if n := len(out); n > 0 && strings.Contains(out[n-1], "*=") && !strings.Contains(f, "=") {
			out[n-1] += " " + f
			continue
		}
		out = append(out, f)
	}
	return out
}

// background are messages that both builds write, so that words and keys have
// a rarity.
var background = []msg{
	`info setup main.go "Starting manager" 1`,
	`info controller ctrl.go "Starting workers" 4 controller=node,pod`,
	`info cache reflector.go "Caches populated" 9 type=Pod,Node`,
	`info node node.go "Node registered" 12 node=node-a,node-b`,
	`error pod pod.go "Could not sync pod" 22 pod=web-1,web-2 error=timeout`,
	`info pod pod.go "Pod scheduled" 40 pod=web-1,web-2 node=node-a,node-b`,
}

// scale adds what a logger writes of one kind of thing to the messages given.
func scale(list ...msg) []msg {
	return append(list,
		`info scale sync.go "Inspecting scale" 9 scale=s-1`,
		`info scale main.go "Scale was registered" 3 scale=s-1`,
		`info scale watch.go "Waiting for scale to settle" 7 scale=s-1`,
		`error scale watch.go "Could not reach scale" 4 scale=s-1`,
	)
}

// runOf is a run of a scenario with the background and more messages.
func runOf(scenario string, repetition int, list ...msg) outcome.Run {
	r := outcome.Run{Scenario: scenario, Repetition: repetition, First: 0, Last: 300e9}
	for _, m := range slices.Concat(background, list) {
		r.Messages = append(r.Messages, m.parse())
	}
	slices.SortFunc(r.Messages, func(a, b outcome.Message) int { return outcome.CompareMessages(&a, &b) })
	return r
}

func runs(list ...msg) []outcome.Run { return []outcome.Run{runOf("drill", 1, list...)} }

// told prints the changes of a result, one line each: classes, the deployed
// words, the candidate's, and fields.
func told(r *Result) []string {
	out := []string{}
	for i := range r.Changes {
		c := &r.Changes[i]
		var parts []string
		for _, k := range c.Classes {
			parts = append(parts, string(k))
		}
		s := strings.Join(parts, "+") + ": " + words(c.Deployed) + " -> " + words(c.Candidate)
		for _, f := range c.Fields {
			s += " " + strings.TrimPrefix(string(f.Class), "field-") + ":" + f.Name
			if f.To != "" {
				s += ">" + f.To
			}
		}
		if c.Weak {
			s += " weak"
		}
		out = append(out, s)
	}
	return out
}

func words(kinds []*Kind) string {
	var out []string
	for _, k := range kinds {
		w := k.Words()
		if k.Field != "" {
			w = k.Field + "=" + w
		}
		out = append(out, w)
	}
	return strings.Join(out, " | ")
}
