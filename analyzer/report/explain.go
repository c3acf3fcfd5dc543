package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// ExplainFormats returns the names of the formats of [Explain].
func ExplainFormats() []string { return []string{"text", "json"} }

// Explain writes everything that r holds about the rules that were asked for:
// what each did on both builds in each scenario, stage by stage and evaluation by
// evaluation, where the builds part and why, and what mends it.
func Explain(w io.Writer, format string, r *analyzer.Report, o Options) error {
	switch format {
	case "text":
		o.All = true
		s := newScreen(w, o, newTelling(r))
		for i, rule := range r.Explained {
			if i > 0 {
				s.line("")
			}
			s.explain(r, rule)
		}
		return s.w.Flush()
	case "json":
		return explainJSON(w, r)
	}
	return fmt.Errorf("unknown format %q; write one of %s", format, strings.Join(ExplainFormats(), ", "))
}

// explain writes one rule.
func (s *screen) explain(r *analyzer.Report, rule *rules.Rule) {
	s.line("%s", s.paint(bold, clean(rule.Name)))
	about := rule.Kind.String() + ", " + rule.Language.String()
	if rule.Group != "" {
		about += ", group " + rule.Group
	}
	s.wrap("  ", about+", "+rule.Pos.String())
	s.expression(rule, responsibleFor(r, rule))
	for i := range r.Results {
		if res := &r.Results[i]; res.Rule == rule {
			s.cell(r, res)
		}
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == rule && f.Repair != nil {
			s.line("")
			s.mend(f)
			break // it is the same in all scenarios
		}
	}
}

// responsibleFor returns what is responsible in the first finding that says so.
func responsibleFor(r *analyzer.Report, rule *rules.Rule) *analyzer.Responsible {
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == rule && f.Parting != nil && f.Parting.Responsible != nil {
			return f.Parting.Responsible
		}
	}
	return nil
}

// expression writes the query, with a caret under what is responsible.
func (s *screen) expression(rule *rules.Rule, at *analyzer.Responsible) {
	expr := strings.TrimRight(rule.Expr, " \t\r\n")
	offset := 0
	for line := range strings.SplitSeq(expr, "\n") {
		shown := line
		start, end := -1, -1
		if at != nil && at.Start >= offset && at.Start < offset+len(line) {
			start, end = at.Start-offset, min(at.End-offset, len(line))
		}
		s.line("  %s", clean(shown))
		if start >= 0 {
			caret := source.Caret(clean(shown[:start])+clean(shown[start:end]), len(clean(shown[:start])), len(clean(shown[:start]))+len(clean(shown[start:end])))
			_, marks, _ := strings.Cut(caret, "\n")
			s.line("  %s", s.paint(red, marks))
			s.line("  %s", s.paint(dim, clean(at.Pos.String())))
		}
		offset += len(line) + 1
	}
}

// cell writes what a rule did in one scenario.
func (s *screen) cell(r *analyzer.Report, res *analyzer.Result) {
	s.line("")
	head := res.Scenario + ": " + res.Verdict.String()
	if res.Expect != analyzer.ExpectNone {
		head += ", " + res.Expect.String()
	}
	if len(res.Findings) > 0 {
		head += " (" + strings.Join(res.Findings, ", ") + ")"
	}
	s.line("%s", s.paint(bold, cut(clean(head), s.width)))
	if res.Reason != "" {
		s.wrap("  ", res.Reason)
	}
	var parting *analyzer.Parting
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == res.Rule && f.Scenario == res.Scenario {
			s.wrap("  ", f.ID+": "+f.Message)
			parting = cmp.Or(parting, f.Parting)
		}
	}
	s.funnel(res, parting)
	s.values("deployed", &res.Deployed)
	s.values("candidate", &res.Candidate)
	s.timeline("deployed", &res.Deployed)
	s.timeline("candidate", &res.Candidate)
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Rule != res.Rule || f.Scenario != res.Scenario {
			continue
		}
		s.evidence("deployed", f.Deployed, f.Said)
		s.evidence("candidate", f.Candidate, f.Said)
		for i := range f.Nearest {
			s.diff(&f.Nearest[i])
		}
	}
	if len(res.Findings) == 0 {
		s.first("deployed", &res.Deployed)
		s.first("candidate", &res.Candidate)
	}
}

func (s *screen) first(role string, o *analyzer.Outcome) {
	if len(o.Evidence) > 0 {
		s.evidence(role, &o.Evidence[0], "")
	}
}

// funnel writes the lines left after each stage in both builds, side by side.
func (s *screen) funnel(res *analyzer.Result, p *analyzer.Parting) {
	d, c := res.Deployed.Funnel, res.Candidate.Funnel
	if len(d) == 0 && len(c) == 0 {
		return
	}
	const number = 11
	room := s.width - 2 - 2*number
	s.line("  %s%*s%*s", s.paint(dim, fmt.Sprintf("%-*s", room, "lines left after")), number, "deployed", number, "candidate")
	for i := range max(len(d), len(c)) {
		step := pickStep(d, c, i)
		text := clean(step.Stage)
		if p != nil && p.Step == i {
			text = "▶ " + text
		}
		text = cut(text, room-1)
		s.line("  %s%*s%s%s", text, room-columns.StringWidth(text), "", left(d, i, number), left(c, i, number))
	}
	for i := range max(len(d), len(c)) {
		if e := errorsAt(d, i) + errorsAt(c, i); e > 0 {
			s.wrap("  ", fmt.Sprintf("after %s: %s carry __error__ on deployed, %d on candidate", pickStep(d, c, i).Stage, plural(int(errorsAt(d, i)), "line"), errorsAt(c, i)))
			break
		}
	}
}

func pickStep(d, c []outcome.Step, i int) outcome.Step {
	if i < len(d) {
		return d[i]
	}
	return c[i]
}

func left(steps []outcome.Step, i, width int) string {
	if i >= len(steps) {
		return fmt.Sprintf("%*s", width, "-")
	}
	return fmt.Sprintf("%*d", width, steps[i].Lines)
}

func errorsAt(steps []outcome.Step, i int) int64 {
	if i >= len(steps) {
		return 0
	}
	return steps[i].Errors
}

// values writes streams, series, and the values against the threshold.
func (s *screen) values(role string, o *analyzer.Outcome) {
	if o.State == outcome.NotEvaluated {
		s.field(role, "not evaluated: "+o.Reason)
		return
	}
	parts := []string{stateName(o.State)}
	streams := 0
	for i, step := range o.Funnel {
		if i == 0 || step.Pipeline != o.Funnel[i-1].Pipeline {
			streams = max(streams, step.Streams)
		}
	}
	if len(o.Funnel) > 0 {
		parts = append(parts, plural(streams, "stream"))
	}
	for _, sel := range o.Selectors {
		parts = append(parts, fmt.Sprintf("%s selects %d series", sel.Text, sel.Series))
	}
	parts = append(parts, fmt.Sprintf("%d series", o.Series))
	if h := o.Headroom; h != nil {
		parts = append(parts, fmt.Sprintf("values %s to %s against %s %s", value(h.Lowest), value(h.Value), h.Operator, value(h.Threshold)))
	}
	s.wrapFrom(s.paint(dim, fmt.Sprintf("  %-11s", role)), strings.Repeat(" ", 13), strings.Join(parts, ", "))
}

func value(v float64) string { return fmt.Sprintf("%.6g", v) }

// maxStretches bounds the lines of a timeline.
const maxStretches = 40

// timeline writes the evaluations of a rule on one build.
func (s *screen) timeline(role string, o *analyzer.Outcome) {
	if len(o.Timeline) > 0 {
		s.line("  %s", s.paint(dim, "evaluations on "+role))
	}
	for i, t := range o.Timeline {
		if i == maxStretches {
			s.field("", fmt.Sprintf("… and %s (see --format json)", plural(len(o.Timeline)-i, "more stretch")))
			break
		}
		when := clock(t.From)
		if t.To != t.From {
			when += "–" + clock(t.To)
		}
		text := fmt.Sprintf("%-17s  %-8s %s", when, stretchState(t.State), plural(t.Evaluations, "evaluation"))
		if t.Highest != nil {
			text += ", value " + value(*t.Lowest)
			if *t.Highest != *t.Lowest {
				text += " to " + value(*t.Highest)
			}
		}
		s.field("", text)
	}
	if o.TimelineCut {
		s.field("", "… the last evaluations were not kept")
	}
}

func stretchState(st outcome.State) string {
	if st == outcome.Fired {
		return "firing"
	}
	return stateName(st)
}

// mend writes the repair of a rule with its whole diff.
func (s *screen) mend(f *analyzer.Finding) {
	r := f.Repair
	if r.Expr == "" {
		s.wrapFrom(s.paint(bold, "Repair")+"  ", "        ", "none: "+r.Missing)
		return
	}
	s.wrapFrom(s.paint(bold, "Repair")+"  ", "        ", r.Kind+", tried on both builds: "+proven(f))
	if r.Diff == "" {
		s.wrap("  ", "no diff: "+r.NoDiff+"; the query becomes:")
		s.line("  %s", clean(strings.TrimRight(r.Expr, "\n")))
	}
	for line := range strings.Lines(r.Diff) {
		code := map[byte]string{'-': red, '+': green}[line[0]]
		s.line("%s", s.paint(code, clean(strings.TrimRight(line, "\r\n"))))
	}
	for _, o := range r.Others {
		s.wrap("  ", "also held ("+o.Kind+"): "+o.Expr)
	}
}

// ExplainSchema names the version of the JSON form of [Explain].
const ExplainSchema = "stillfires/explain/v1"

type (
	jsonExplanation struct {
		Schema    string          `json:"schema"`
		Deployed  jsonBuild       `json:"deployed"`
		Candidate jsonBuild       `json:"candidate"`
		Rules     []jsonExplained `json:"rules"`
	}
	jsonExplained struct {
		Name      string         `json:"name"`
		Group     *string        `json:"group"`
		Kind      string         `json:"kind"`
		Language  string         `json:"language"`
		File      *string        `json:"file"`
		Line      *int           `json:"line"`
		Column    *int           `json:"column"`
		Expr      string         `json:"expr"`
		Scenarios []jsonScenario `json:"scenarios"`
	}
	jsonScenario struct {
		Scenario  string         `json:"scenario"`
		Expect    string         `json:"expect"`
		Verdict   string         `json:"verdict"`
		Reason    *string        `json:"reason"`
		Deployed  jsonTimed      `json:"deployed"`
		Candidate jsonTimed      `json:"candidate"`
		Findings  []*jsonFinding `json:"findings"`
	}
	jsonTimed struct {
		jsonOutcome
		Evidence []*jsonEvidence `json:"evidence"`
		Timeline []jsonStretch   `json:"timeline"`
		Cut      bool            `json:"timelineCut"`
	}
	jsonStretch struct {
		From        string  `json:"from"`
		To          string  `json:"to"`
		Evaluations int     `json:"evaluations"`
		State       string  `json:"state"`
		Series      int     `json:"series"`
		Lowest      *number `json:"lowest"`
		Highest     *number `json:"highest"`
	}
)

func explainJSON(w io.Writer, r *analyzer.Report) error {
	out := jsonExplanation{Schema: ExplainSchema, Deployed: toJSONBuild(r.Deployed), Candidate: toJSONBuild(r.Candidate), Rules: []jsonExplained{}}
	for _, rule := range r.Explained {
		x := jsonExplained{
			Name: rule.Name, Group: text(rule.Group), Kind: rule.Kind.String(), Language: rule.Language.String(),
			File: text(rule.Pos.File), Line: place(rule.Pos.Line), Column: place(rule.Pos.Column), Expr: rule.Expr, Scenarios: []jsonScenario{},
		}
		for i := range r.Results {
			if res := &r.Results[i]; res.Rule == rule {
				x.Scenarios = append(x.Scenarios, toJSONScenario(r, res))
			}
		}
		out.Rules = append(out.Rules, x)
	}
	return encode(w, out)
}

func toJSONScenario(r *analyzer.Report, res *analyzer.Result) jsonScenario {
	out := jsonScenario{
		Scenario: res.Scenario, Expect: res.Expect.String(), Verdict: res.Verdict.String(), Reason: text(res.Reason),
		Deployed: toJSONTimed(res.Rule, &res.Deployed), Candidate: toJSONTimed(res.Rule, &res.Candidate), Findings: []*jsonFinding{},
	}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Rule == res.Rule && f.Scenario == res.Scenario {
			found := toJSONFinding(f)
			out.Findings = append(out.Findings, &found)
		}
	}
	return out
}

func toJSONTimed(rule *rules.Rule, o *analyzer.Outcome) jsonTimed {
	out := jsonTimed{jsonOutcome: toJSONOutcome(rule, o), Evidence: []*jsonEvidence{}, Timeline: []jsonStretch{}, Cut: o.TimelineCut}
	for i := range o.Evidence {
		out.Evidence = append(out.Evidence, toJSONEvidence(&o.Evidence[i]))
	}
	for _, t := range o.Timeline {
		s := jsonStretch{From: instant(t.From), To: instant(t.To), Evaluations: t.Evaluations, State: stretchState(t.State), Series: t.Series}
		if t.Highest != nil {
			low, high := number(*t.Lowest), number(*t.Highest)
			s.Lowest, s.Highest = &low, &high
		}
		out.Timeline = append(out.Timeline, s)
	}
	return out
}
