package analyzer

import (
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/logql/syntax"
	"github.com/stillfires/stillfires/rules"
)

// lost explains a rule that fires on deployed and not on candidate.
func (c *cell) lost() Finding {
	f := Finding{
		Deployed:  c.matchedLine(),
		Candidate: c.candidate.evidence(),
		Parting:   c.parting(),
		Lost:      c.lostLines(),
	}
	if f.Parting != nil {
		f.Pos = f.Parting.Pos
	}
	if _, at, ok := c.unselected(&c.candidate); ok {
		f.Pos = at
	}
	f.Cause = c.cause(f.Parting, &c.candidate)
	f.Message = c.did(&c.deployed) + ", " + c.did(&c.candidate) + ": " + f.Cause
	if o := c.candidate.outcome(); o != nil && (o.Nothing != outcome.BelowThreshold || len(f.Lost) > 0) && o.Held == nil {
		said, near := c.nearest(f.Parting)
		f.Nearest, f.NearLost = near, c.nearestToOthers(f.Parting)
		f.Message += whatBecame(said, near)
		if moved(said, near) {
			f.MovedFrom = said.field
		}
	}
	f.Said = c.said(f.Parting, f.Deployed)
	c.blame(&f, &c.candidate)
	return f
}

// blame fills in what is responsible for the parting of a finding.
func (c *cell) blame(f *Finding, other *half) {
	if f.Parting != nil {
		matched := f.Deployed
		if matched == nil {
			matched = f.Candidate
		}
		f.Parting.Responsible = c.responsible(f.Parting, matched, f.Nearest, other)
	}
}

// said returns what a line says that the rule matched.
func (c *cell) said(p *Parting, e *outcome.Evidence) string {
	if e == nil {
		return ""
	}
	said, _ := spoken(wordings(e.Line), c.wanted(p))
	if said == nil {
		return ""
	}
	return said.text
}

// whatBecame says where the wording went: the same text in another field, or
// the nearest one.
func whatBecame(said *wording, near []Near) string {
	if len(near) == 0 {
		return ""
	}
	if moved(said, near) {
		return "; the text of field " + said.field + " now stands in " + near[0].Field
	}
	return "; nearest: " + short(near[0].words())
}

// moved reports whether the same text stands in another field.
func moved(said *wording, near []Near) bool {
	return len(near) > 0 && said.field != near[0].Field && said.field != "" && near[0].Field != "" &&
		slices.Equal(said.words, words(near[0].words()))
}

// gained explains a rule that fires on candidate and not on deployed.
func (c *cell) gained() Finding {
	f := Finding{Candidate: c.candidate.evidence(), Parting: c.parting()}
	if f.Parting != nil {
		f.Pos = f.Parting.Pos
	}
	if _, at, ok := c.unselected(&c.deployed); ok {
		f.Pos = at
	}
	f.Said = c.said(f.Parting, f.Candidate)
	c.blame(&f, &c.deployed)
	f.Message = c.did(&c.deployed) + " (" + c.cause(f.Parting, &c.deployed) + "), " + c.did(&c.candidate)
	return f
}

// cause says why the rule did nothing on the build h: the stage where the
// builds part if there is one, else which of the three nothings it is.
func (c *cell) cause(p *Parting, h *half) string {
	o := h.outcome()
	if p == nil || o == nil || o.Nothing != outcome.NoLine {
		return c.nothing(h)
	}
	return c.stageInWords(p, h)
}

// nothing says which of the three ways to yield nothing it was on h.
func (c *cell) nothing(h *half) string {
	o := h.outcome()
	switch {
	case o == nil:
		return "there is no run on " + h.role
	case o.Held != nil:
		return c.held(o, h)
	case o.Nothing == outcome.NoStream && c.rule.Language == rules.PromQL:
		if why, _, ok := c.unselected(h); ok {
			return why
		}
		return "no series was selected on " + h.role
	case o.Nothing == outcome.NoStream:
		return "no stream was selected on " + h.role + c.selector(o)
	case o.Nothing == outcome.NoLine:
		return "streams were selected on " + h.role + ", but no line matched"
	case o.Nothing == outcome.BelowThreshold && o.Headroom != nil:
		return matched(c.rule, o) + " matched on " + h.role + ", but " + fellShort(o.Headroom)
	case o.Nothing == outcome.BelowThreshold:
		return matched(c.rule, o) + " matched on " + h.role + ", but " + c.noSeries()
	case o.State == outcome.Pending:
		return "it was still pending on " + h.role
	}
	return "no evaluation fired on " + h.role
}

// held says for how long, at most, an alert met its condition that never fired.
func (c *cell) held(o *outcome.Outcome, h *half) string {
	s := "it crossed its threshold"
	if o.Headroom == nil || c.rule.Grafana != nil {
		// Nothing to cross, or no data that counts as alerting.
		s = "its condition was met"
	}
	if o.Lines > 0 {
		s = matched(c.rule, o) + " matched on " + h.role + ", but " + s
	} else {
		s += " on " + h.role
	}
	if d := time.Duration(o.Held.To - o.Held.From); d > 0 {
		s += " for " + lasting(d) + " at most"
	} else {
		s += " at single evaluations only"
	}
	return s + ", and needs for: " + lasting(c.rule.For)
}

// fellShort says which value came closest to a threshold that none crossed.
func fellShort(h *outcome.Headroom) string {
	bound := h.Operator + " " + number(h.Threshold)
	switch {
	case (h.Operator == ">" || h.Operator == ">=") && h.Value <= h.Threshold:
		return "the highest value was " + number(h.Value) + ", not " + bound
	case (h.Operator == "<" || h.Operator == "<=") && h.Lowest >= h.Threshold:
		return "the lowest value was " + number(h.Lowest) + ", not " + bound
	case h.Operator == "==" || h.Operator == "!=":
		return "no value was " + bound
	}
	return "no series crossed the threshold"
}

// noSeries says why a rule whose lines matched yields nothing. Only a rule
// that compares has a threshold.
func (c *cell) noSeries() string {
	if c.rule.Language == rules.PromQL {
		return c.noSamples()
	}
	expr, err := syntax.Parse(c.rule.Expr)
	if err != nil {
		return "no series was left"
	}
	e, ok := expr.(*syntax.BinaryExpr)
	switch {
	case !ok:
		return "the query yields no series"
	case e.Op.Comparison() && !e.Bool && (isNumber(e.LHS) || isNumber(e.RHS)):
		return "no series crossed the threshold"
	case e.Op.Comparison() && !e.Bool:
		return "the comparison " + e.Op.String() + " holds for no series, or one of its sides is empty"
	}
	return "the query yields no series: one side of " + e.Op.String() + " may be empty, or no labels agree"
}

// isNumber reports whether an expression is a constant.
func isNumber(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.NumberLit, *syntax.VectorFunc:
		return true
	case *syntax.BinaryExpr:
		return isNumber(e.LHS) && isNumber(e.RHS)
	}
	return false
}

func matched(r *rules.Rule, o *outcome.Outcome) string {
	if r.Language == rules.PromQL || o.Lines == 0 {
		return "series"
	}
	return count(o.Lines, "line", "lines")
}

// selector returns the first selector that chose no stream, with a space.
func (c *cell) selector(o *outcome.Outcome) string {
	for i, s := range o.Funnel {
		if (i == 0 || s.Pipeline != o.Funnel[i-1].Pipeline) && s.Streams == 0 {
			return " by " + s.Stage
		}
	}
	return ""
}

// parting finds the first stage at which the two builds part: where one has
// lines left and the other none; failing that, where the share of lines that
// pass differs by more than half. It is nil where there is no such stage.
func (c *cell) parting() *Parting {
	d, n := c.deployed.outcome(), c.candidate.outcome()
	if d == nil || n == nil || len(d.Funnel) != len(n.Funnel) {
		return nil
	}
	at := -1
	for i := range d.Funnel {
		if (d.Funnel[i].Lines == 0) != (n.Funnel[i].Lines == 0) {
			at = i
			break
		}
	}
	for i := 1; i < len(d.Funnel) && at < 0; i++ {
		if d.Funnel[i].Pipeline != d.Funnel[i-1].Pipeline {
			continue
		}
		a, b := share(d.Funnel, i), share(n.Funnel, i)
		if min(a, b) < max(a, b)/2 {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	s := d.Funnel[at]
	return &Parting{
		Step: at, Stage: s.Stage, Pos: c.rule.Position(s.Start),
		Deployed: s.Lines, Candidate: n.Funnel[at].Lines,
	}
}

// share returns which part of the lines before step i it lets through.
func share(funnel []outcome.Step, i int) float64 {
	if funnel[i-1].Lines == 0 {
		return 0
	}
	return float64(funnel[i].Lines) / float64(funnel[i-1].Lines)
}

// short returns text for the middle of a sentence: one line, not too long.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	const most = 160
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
