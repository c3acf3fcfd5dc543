package repair

import (
	"slices"
	"unicode/utf8"

	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// Bounds of the search for edits that mend several messages.
const (
	maxCovered = 4 // messages
	maxWidened = 4 // edits that are changed again
)

// widen changes edits again that let through what became of one message which
// the rule lost, and not of another. All edits are returned, with the number of
// messages that they let through.
func (w *Written) widen(rule *rules.Rule, losses []Loss, targets []target, edits []Edit) []Edit {
	out := edits
	for round := 1; round < maxCovered; round++ {
		var more []Edit
		for i := range edits {
			var rest []target
			edits[i].covers, rest = w.covered(edits[i].Expr, targets)
			if len(rest) == 0 || i >= maxWidened {
				continue
			}
			changed := *rule
			changed.Expr = edits[i].Expr
			expr, err := syntax.Parse(changed.Expr)
			if err != nil {
				continue
			}
			for _, q := range pipelines(expr) {
				s := &search{written: w, rule: &changed, targets: rest, query: q}
				s.examples(losses)
				for _, c := range s.run() {
					e := compose(changed.Expr, []change{c})
					e.Kind, e.Parts = edits[i].Kind, difference(rule.Expr, e.Expr)
					e.text = e.text || edits[i].text
					more = append(more, e)
				}
			}
		}
		if more = shortestFirst(more); len(more) == 0 {
			break
		}
		out, edits = append(slices.Clip(out), more...), more
	}
	for i := range out {
		out[i].covers, _ = w.covered(out[i].Expr, targets)
	}
	return out
}

// covered counts the messages of deployed that have a target which passes some
// pipeline of an expression, and returns the targets of the others.
func (w *Written) covered(text string, targets []target) (n int, rest []target) {
	expr, err := syntax.Parse(text)
	if err != nil {
		return 0, targets
	}
	passed := map[string]bool{}
	for i := range targets {
		said := key(targets[i].said)
		if !passed[said] && slices.ContainsFunc(pipelines(expr), func(q *syntax.LogQuery) bool {
			return w.probe.pass(text[q.Span().Start:q.Span().End], &targets[i].Evidence).passed
		}) {
			passed[said] = true
		}
	}
	for i := range targets {
		if !passed[key(targets[i].said)] {
			rest = append(rest, targets[i])
		}
	}
	return len(passed), rest
}

// difference returns the one replacement that makes one text of another.
func difference(from, to string) []rules.Replacement {
	n := 0
	for n < min(len(from), len(to)) && from[n] == to[n] {
		n++
	}
	m := 0
	for m < min(len(from), len(to))-n && from[len(from)-1-m] == to[len(to)-1-m] {
		m++
	}
	// Characters stay whole.
	for n > 0 && n < len(from) && !utf8.RuneStart(from[n]) {
		n--
	}
	for m > 0 && !utf8.RuneStart(from[len(from)-m]) {
		m--
	}
	return []rules.Replacement{{Start: n, End: len(from) - m, Text: to[n : len(to)-m]}}
}
