package rules

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

const (
	// maxVariants bounds the rules of one panel for other than the default
	// values of its variables, maxDashboardVariants those of a dashboard.
	maxVariants          = 20
	maxDashboardVariants = 5000
	// maxCutNotes is the number of panels that are named when values of theirs
	// are left out; of more than these one note is made.
	maxCutNotes = 5
)

// panelVariants counts the rules of a panel for other than default values.
type panelVariants struct {
	node *yaml.Node
	name string
	made int
	cut  int // that were left out
}

// variants are the rules of a query for the values that a variable has beside
// its default.
type variants struct {
	panel    *panelVariants
	variable *variable
	template *template
	first    *draft // of the default
	draftOf  func(Rule, yamlpos.Places) *draft
}

// begin notes the panel that is about to be loaded.
func (l *dashboardLoader) begin(n *yaml.Node, name string) {
	l.panelAt = &panelVariants{node: n, name: name}
}

// makeVariants makes the rules that are not for the default values. At most
// half of what may still be read of the file is spent on them, so that they
// hide nothing that follows.
func (l *dashboardLoader) makeVariants(n *yaml.Node) {
	if *l.budget < 0 {
		return // said already: the rest of the file is not read
	}
	choices := map[*variable][]choice{}
	left, made, full := *l.budget/2, 0, false
	for _, vs := range l.later {
		all, ok := choices[vs.variable]
		if !ok {
			all = vs.variable.choices()
			choices[vs.variable] = all
		}
		for i := range all {
			full = full || left < 0 || made == maxDashboardVariants
			if full || vs.panel.made == maxVariants {
				vs.panel.cut += len(all) - i
				break
			}
			made++
			vs.panel.made++
			left -= l.variant(vs, &all[i])
		}
	}
	l.cutNotes(n, full)
}

// variant makes one rule. It returns the work that was spent.
func (l *dashboardLoader) variant(vs *variants, c *choice) int {
	t, first := vs.template, vs.first
	filled := t.fill(c)
	spent := 1 + max(work(filled.text), work(t.text))
	*l.budget -= min(spent, *l.budget) // that it is used up is said where it hides something
	r := first.rule
	r.variantOf = r.Name
	r.Name = l.unique(source.Sprintf("%s [%s=%s]", first.rule.Name, c.variable.name, c.name()), "")
	r.Expr = filled.text
	if filled.reason != "" {
		r.Expr, r.NotEvaluated = t.text, filled.reason
		l.drafts = append(l.drafts, vs.draftOf(r, t.places))
		return spent
	}
	d := vs.draftOf(r, filled.places)
	refused := d.refused()
	if refused == nil {
		l.drafts = append(l.drafts, d)
		return spent
	}
	pos := d.errorAt(refused.start, refused.end, "").Pos
	if f := first.refused(); f != nil && (f.msg == refused.msg || first.errorAt(f.start, f.end, "").Pos == pos) {
		return spent // reported once, of the default
	}
	l.notes = append(l.notes, Note{Pos: pos, Msg: source.Sprintf("%s cannot be asked: %v%v", r.Name, errors.New(refused.msg), errors.New(emptyHint(filled)))})
	return spent
}

// cutNotes says how many values of variables were left out.
func (l *dashboardLoader) cutNotes(n *yaml.Node, full bool) {
	var cut []*panelVariants
	total := 0
	var last *panelVariants
	for _, vs := range l.later {
		if vs.panel != last && vs.panel.cut > 0 {
			cut = append(cut, vs.panel)
			total += vs.panel.cut
		}
		last = vs.panel
	}
	switch {
	case full:
		l.note(n, fmt.Sprintf("the dashboard %q has too many values of variables for all to be listed: all panels are listed with the defaults, and %d other values of %d panels are left out", source.Clip(l.title, 90), total, len(cut)))
	case len(cut) > maxCutNotes:
		l.note(n, fmt.Sprintf("the dashboard %q: %d more values of the variables of %d panels are not listed; at most %d are for one panel", source.Clip(l.title, 90), total, len(cut), maxVariants))
	default:
		for _, p := range cut {
			l.note(p.node, fmt.Sprintf("%s: %d more values of its variables are not listed; at most %d are for one panel", source.Clip(p.name, 90), p.cut, maxVariants))
		}
	}
}
