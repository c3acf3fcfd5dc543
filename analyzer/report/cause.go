package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// ranked puts the worst first: promises that somebody declared, then alerts,
// then queries and panels, then what is about no rule and no promise, such as
// a lost identifier. Within each, what surely goes blind comes first: the
// candidate says the same in other words. Then what breaks in more scenarios;
// otherwise the order stays.
func (t *telling) ranked(all []*block) []*block {
	rank := func(b *block) int {
		switch f := b.first; {
		case b.declared(), f.Case > 0:
			return 0
		case f.Rule == nil && f.ID != "correlation-lost", f.Rule != nil && f.Rule.Kind == rules.Alert:
			return 1
		case f.Rule != nil:
			return 2
		}
		return 3
	}
	sure := func(b *block) int {
		switch {
		case t.mended(b) != "":
			return 2
		case len(b.first.Nearest) > 0, hasRepair(b.first):
			return 0
		}
		return 1
	}
	out := slices.Clone(all)
	slices.SortStableFunc(out, func(a, b *block) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(sure(a), sure(b)), cmp.Compare(len(b.scenarios), len(a.scenarios)))
	})
	return out
}

// byCause folds blocks together that break by the same cause: an alert and the
// panel beside it often break by one word. The order is that of the first of
// each, so of ranked blocks no alert stands below a query. The blocks given
// are not changed, but for the others that each is told with.
func byCause(all []*block) []*block {
	at := map[string]*block{}
	var out []*block
	for _, b := range all {
		keys := causes(b)
		var of *block
		for _, k := range append(keys, joins(b)...) {
			if of = at[k]; of != nil {
				break
			}
		}
		if of == nil {
			of = b
			out = append(out, b)
		} else {
			of.also = append(of.also, b)
		}
		for _, k := range append(keys, offers(b)...) {
			if at[k] == nil {
				at[k] = of
			}
		}
	}
	return out
}

// key joins the parts of a name for a cause.
func key(parts ...string) string { return strings.Join(parts, "\x00") }

// causes names what a block breaks by, in several ways: blocks that share one
// of them break by the same cause.
func causes(b *block) []string {
	f := b.first
	if f.Through != "" {
		return []string{key("through", f.ID, analyzer.LabelName(f.Through))}
	}
	p := f.Parting
	if p == nil {
		return causesWithoutStage(b)
	}
	gone := "left"
	if p.Candidate == 0 {
		gone = "gone"
	}
	if p.Deployed == 0 {
		gone = "new"
	}
	var out []string
	if e := f.Deployed; e != nil && gone == "gone" && !hasRepair(f) {
		// Whatever the rules look for in it: this record is written no more.
		out = append(out, key("record", e.Stream.String(), e.Line))
	}
	if len(f.Nearest) == 0 {
		return append(out, key("stage", p.Stage, gone, streamOf(f)))
	}
	near := &f.Nearest[0]
	out = append(out, key("stage", p.Stage, gone, near.Line))
	switch r := p.Responsible; {
	case r == nil:
	case f.MovedFrom != "" && r.Field == f.MovedFrom:
		out = append(out, key("moved", f.MovedFrom, near.Field, f.Deployed.Stream.String()))
	case reworded(near, r.Text):
		out = append(out, key("wording", near.Field, edits(near)))
	}
	return out
}

// causesWithoutStage names what rules break by that have no lines: a metric
// that is not there breaks all that read it.
func causesWithoutStage(b *block) []string {
	if f := b.first; isWork(f) { // the connection is one, whatever waits for it
		return []string{key("work", f.Scenario, f.Severity.String())}
	} else if f.Rule != nil && f.Rule.Language == rules.PromQL && strings.HasPrefix(f.Cause, "the metric ") {
		return []string{key("metric", f.Cause)}
	}
	return nil
}

// joins names the causes of rules with which a block is told although it has
// another: an identifier is lost with the field that a rule asks for, and what
// happened to a metric is why the rule that reads it is silent.
func joins(b *block) []string {
	switch f := b.first; {
	case f.Through != "":
		return []string{key("field", analyzer.LabelName(f.Through))}
	case f.Rule != nil && strings.HasPrefix(f.ID, "metric-"):
		return []string{key("rule", f.Rule.Pos.String(), f.Rule.Name)}
	}
	return nil
}

// offers names the causes under which a block takes in those that join.
func offers(b *block) []string {
	f := b.first
	if f.Rule == nil || strings.HasPrefix(f.ID, "metric-") {
		return nil
	}
	out := []string{key("rule", f.Rule.Pos.String(), f.Rule.Name)}
	if p := f.Parting; p != nil && p.Candidate == 0 && p.Responsible != nil && p.Responsible.Field != "" {
		out = append(out, key("field", analyzer.LabelName(p.Responsible.Field)))
	}
	return out
}

func streamOf(f *analyzer.Finding) string {
	for _, e := range []*analyzer.Evidence{f.Deployed, f.Candidate} {
		if e != nil {
			return e.Stream.String()
		}
	}
	return ""
}

// reworded reports whether the candidate lacks words that the rule asks for.
func reworded(n *analyzer.Near, asked string) bool {
	const word = 3 // letters at least
	for _, e := range n.Diff {
		if text := strings.TrimSpace(e.Text); e.Op == analyzer.Delete && len(text) >= word && strings.Contains(asked, text) {
			return true
		}
	}
	return false
}

// edits names what changed in a wording.
func edits(n *analyzer.Near) string {
	var out []string
	for _, e := range n.Diff {
		if e.Op != analyzer.Keep {
			out = append(out, e.Op.String()+" "+e.Text)
		}
	}
	return strings.Join(out, "\x00")
}
