package analyzer

import (
	"math"
	"slices"

	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/internal/outcome"
)

// successor returns the candidate's message that took the place of the one that
// a line of deployed belongs to, in the scenario of the cell; nil: none is known,
// or it has the same words.
func (c *cell) successor(e *outcome.Evidence) *align.Kind {
	d := c.deployed.outcome()
	run := slices.IndexFunc(c.cmp.in.Deployed.Runs, func(r outcome.Run) bool {
		return r.Scenario == c.scenario && r.Repetition == c.deployed.run().Repetition
	})
	use := slices.IndexFunc(d.Uses, func(u outcome.Use) bool { return sameLine(&u.First, e) })
	if run < 0 || use < 0 {
		return nil
	}
	part := align.Part{Run: run, Message: d.Uses[use].Message}
	for i := range c.cmp.aligned().Changes {
		ch := &c.cmp.messages.Changes[i]
		if !ch.Has(align.Reworded) && !ch.Has(align.MovedToField) {
			continue
		}
		if !slices.ContainsFunc(ch.Deployed, func(k *align.Kind) bool {
			return slices.Contains(k.Parts, part) && (k.Field == "" || k.Holds(e.Line))
		}) {
			continue
		}
		for _, k := range ch.Candidate {
			if k.In(c.scenario) > 0 {
				return k
			}
		}
	}
	return nil
}

// alignedFirst puts what took the place of what a line of deployed said before
// the nearest lines.
func (c *cell) alignedFirst(found []Near, said *wording, e *outcome.Evidence, cat *catalogue) []Near {
	k := c.successor(e)
	if k == nil {
		return found
	}
	if i := slices.IndexFunc(found, func(n Near) bool { return k.Says(n.words()) }); i >= 0 {
		n := found[i]
		n.Aligned = true
		return slices.Insert(slices.Delete(found, i, i+1), 0, n)
	}
	n, ok := c.became(k, said, cat)
	if !ok {
		return found
	}
	found = slices.Insert(found, 0, n)
	return found[:min(len(found), maxNearest)]
}

// became returns the line of a message that took the place of what was said.
func (c *cell) became(k *align.Kind, said *wording, cat *catalogue) (Near, bool) {
	example := k.First
	for _, p := range k.Parts {
		if run := &c.cmp.in.Candidate.Runs[p.Run]; k.Field == "" && run.Scenario == c.scenario {
			example = run.Messages[p.Message].First
			break
		}
	}
	texts := wordings(example.Line)
	says := message(example.Line)
	i := slices.IndexFunc(texts, func(w wording) bool {
		return k.Field != "" && w.field == k.Field || k.Field == "" && w.text == says
	})
	if i < 0 || texts[i].key() == said.key() {
		return Near{}, false
	}
	text := &texts[i]
	like, _ := cat.similarity(said.words, text.words)
	return Near{
		Evidence: *bounded(&example), Level: k.Level, Count: k.In(c.scenario),
		Similarity: math.Round(100*like) / 100, Field: text.field, Selected: c.selects(example.Stream), Aligned: true,
		Diff: wordDiff(said.text, text.text),
	}, true
}
