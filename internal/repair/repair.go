package repair

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// A Loss is what one rule lost in one scenario.
type Loss struct {
	Scenario string
	// Deployed are lines that the rule matched on the deployed build.
	Deployed []outcome.Evidence
	// Lost are lines of messages that the rule matched on deployed and does not
	// match on the candidate.
	Lost []outcome.Evidence
	// Near are lines of the candidate that say almost the same.
	Near []analyzer.Near
	// Pipelines are those of the query that lost their lines, by index.
	Pipelines []int
}

// An Edit is a changed query. It was not tried yet.
type Edit struct {
	Expr  string
	Parts []rules.Replacement // of the rule's expression, in order
	Kind  string              // what was changed
	// covers is the number of messages lost that it lets through again.
	covers int
	// text says that a text in the line stands in place of a field.
	text bool
}

// The kinds of edit.
const (
	KindWording   = "wording"           // the new wording beside the one that is lost
	KindField     = "field"             // another field beside the one that is lost
	KindValue     = "value"             // another value of the same field
	KindLevel     = "level"             // another level of the same message
	KindCaller    = "caller"            // a caller without its line number
	KindText      = "structure-to-text" // a text in the line in place of a field
	KindSelector  = "selector"          // another label or value of the stream
	KindThreshold = "threshold"         // another number to compare with
)

// A Proposal is what may repair a rule.
type Proposal struct {
	Edits []Edit // those that mend most messages first, then the shortest; each expression once
	// Missing says why there is no edit, or what is not there to match.
	Missing string
}

// maxEdits bounds what is proposed for a rule.
const maxEdits = 16

// Propose returns changes of a LogQL rule that lost lines.
func (w *Written) Propose(rule *rules.Rule, losses []Loss) Proposal {
	expr, err := syntax.Parse(rule.Expr)
	if err != nil {
		return Proposal{Missing: "the query is not valid"}
	}
	w.probe.serve(rule.Expr)
	targets, contrary := w.targets(losses)
	if len(targets) == 0 {
		return Proposal{Missing: nothingLike(contrary, losses)}
	}
	var out Proposal
	var changed [][]change // by pipeline
	queries := pipelines(expr)
	for _, i := range w.lostPipelines(rule, losses, queries) {
		s := &search{written: w, rule: rule, targets: targets, query: queries[i]}
		s.examples(losses)
		found := s.run()
		if len(found) == 0 && w.probe.left < 0 {
			return Proposal{Missing: "too many rules lost their lines for changes of all to be found; ask for this one with: stillfires explain"}
		}
		if len(found) == 0 {
			return Proposal{Missing: cmp.Or(s.missing, "no change of a filter lets the candidate's lines pass")}
		}
		changed = append(changed, found)
	}
	for _, set := range combine(changed) {
		out.Edits = append(out.Edits, compose(rule.Expr, set))
	}
	out.Edits = bestFirst(w.widen(rule, losses, targets, shortestFirst(out.Edits)))
	if len(out.Edits) == 0 {
		out.Missing = "none of its pipelines lost lines for which others could stand"
	}
	return out
}

func nothingLike(contrary bool, losses []Loss) string {
	switch {
	case contrary:
		return "the nearest lines of candidate say the contrary, and none says the same"
	case len(losses) == 0 || !slices.ContainsFunc(losses, func(l Loss) bool { return len(l.Deployed) > 0 }):
		return "there is no line of deployed to look for on candidate"
	}
	return "candidate writes no line that says the same, in this wording or a new one"
}

// pipelines returns the log queries of an expression, in query order.
func pipelines(e syntax.Expr) []*syntax.LogQuery {
	var out []*syntax.LogQuery
	syntax.Walk(e, func(n syntax.Node) bool {
		if q, ok := n.(*syntax.LogQuery); ok {
			out = append(out, q)
			return false
		}
		return true
	})
	return out
}

// lostPipelines returns the pipelines that lost lines in any scenario, or that a
// line passes of a message that is lost; ordered.
func (w *Written) lostPipelines(rule *rules.Rule, losses []Loss, queries []*syntax.LogQuery) []int {
	var out []int
	for i, q := range queries {
		span := q.Span()
		text := rule.Expr[span.Start:span.End]
		if slices.ContainsFunc(losses, func(l Loss) bool {
			return slices.Contains(l.Pipelines, i) ||
				slices.ContainsFunc(l.Lost, func(e outcome.Evidence) bool { return w.probe.pass(text, &e).passed })
		}) {
			out = append(out, i)
		}
	}
	return out
}

// combine joins the changes of several pipelines. They are of one rule and
// commonly alike, so the first of each go together, then the second ones.
func combine(changed [][]change) [][]change {
	most := 0
	for _, c := range changed {
		most = max(most, len(c))
	}
	var out [][]change
	for i := range most {
		var set []change
		for _, c := range changed {
			set = append(set, c[min(i, len(c)-1)])
		}
		out = append(out, set)
	}
	return out
}

// compose returns the expression with the pieces of the changes put in.
func compose(expr string, set []change) Edit {
	var e Edit
	for _, c := range set {
		for i, p := range c.pieces {
			if p.changed {
				e.Parts = append(e.Parts, rules.Replacement{Start: c.spans[i].Start, End: c.spans[i].End, Text: p.text})
				e.Kind = cmp.Or(e.Kind, p.kind)
				e.text = e.text || p.kind == KindText
			}
		}
	}
	slices.SortFunc(e.Parts, func(a, b rules.Replacement) int { return cmp.Compare(a.Start, b.Start) })
	e.Expr = rules.Apply(expr, e.Parts)
	return e
}

func shortestFirst(edits []Edit) []Edit {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(len(a.Expr), len(b.Expr)), cmp.Compare(a.Expr, b.Expr))
	})
	edits = slices.CompactFunc(edits, func(a, b Edit) bool { return a.Expr == b.Expr })
	return edits[:min(len(edits), maxEdits)]
}

// bestFirst orders edits by how many messages they mend, then by length.
func bestFirst(edits []Edit) []Edit {
	slices.SortStableFunc(edits, func(a, b Edit) int {
		return cmp.Or(-cmp.Compare(a.covers, b.covers), cmp.Compare(len(a.Expr), len(b.Expr)), cmp.Compare(a.Expr, b.Expr))
	})
	edits = slices.CompactFunc(edits, func(a, b Edit) bool { return a.Expr == b.Expr })
	return edits[:min(len(edits), maxEdits)]
}

// LostPipelines returns the pipelines that had lines left at their end on
// deployed and have none on the candidate, or less than a third of them.
func LostPipelines(deployed, candidate []outcome.Step) []int {
	if len(deployed) != len(candidate) {
		return nil
	}
	var out []int
	for i, s := range deployed {
		last := i+1 == len(deployed) || deployed[i+1].Pipeline != s.Pipeline
		if last && s.Lines > 0 && candidate[i].Lines < (s.Lines+2)/3 {
			out = append(out, s.Pipeline)
		}
	}
	return out
}

// NoneHeld says why no edit was kept.
func NoneHeld(rule *rules.Rule, edits []Edit) string {
	shortest := edits[0]
	var text strings.Builder
	for _, p := range shortest.Parts {
		text.WriteString(" " + strings.TrimSpace(p.Text))
	}
	n := "a change was tried"
	if len(edits) > 1 {
		n = strconv.Itoa(len(edits)) + " changes were tried"
	}
	return n + ", and none matches on deployed what the rule matches, fires on candidate where it must and is silent where it must; the shortest:" + text.String()
}

// Preferred returns which of the edits that held are shown, in their order. A
// filter by structure stays one where it can: a text that may stand anywhere in
// the line is shown only where nothing else held.
func Preferred(edits []Edit, held []int) []int {
	structured := slices.DeleteFunc(slices.Clone(held), func(i int) bool { return edits[i].text })
	if len(structured) > 0 {
		return structured
	}
	return held
}
