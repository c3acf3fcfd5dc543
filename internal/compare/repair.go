package compare

import (
	"context"
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/repair"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// Bounds on the edits that are tried, of all rules together and of one.
const (
	maxTried   = 400
	leastTried = 2
	maxOthers  = 2
)

// A repairer tries changes of rules that lost lines.
type repairer struct {
	in         *analyzer.Input
	options    replay.Options
	thresholds bool
	jobs       []Job    // as the runs of in, deployed first
	only       []int    // rules to repair, by index; nil: all
	files      []string // of the rules of in, as they can be opened
}

// A patient is a rule with findings that a repair could mend.
type patient struct {
	rule     int // index into the rules of the input
	findings []*analyzer.Finding
	edits    []repair.Edit
	first    int // index of its first edit among all that are tried
	missing  string
	below    bool // its lines are there, but too few
}

// repair proposes changes of all rules that lost lines, replays them on all
// runs in one pass, and puts those that hold into the findings.
func (r *repairer) repair(ctx context.Context, rep *analyzer.Report) error {
	patients := r.patients(rep)
	if len(patients) == 0 {
		return nil
	}
	written := repair.NewWritten(r.in.Deployed.Runs, r.in.Candidate.Runs, renames(rep), r.in.SelectorsAssumed)
	var tried []rules.Rule
	most := max(maxTried/len(patients), leastTried)
	for _, p := range patients {
		r.propose(written, p)
		p.withhold(rep.Hide)
		if room := maxTried - len(tried); len(p.edits) > 0 && room <= 0 {
			p.edits, p.missing = nil, "too many rules lost their lines for changes of all to be tried; ask for this one with: stillfires explain"
		} else {
			p.edits = p.edits[:min(len(p.edits), most, room)]
		}
		p.first = len(tried)
		for _, e := range p.edits {
			tried = append(tried, withExpr(&r.in.Rules[p.rule], e.Expr))
		}
	}
	var results []outcome.Run
	if len(tried) > 0 {
		var err error
		if results, err = Replay(ctx, replay.NewPlan(tried, r.options), r.jobs); err != nil {
			return err
		}
	}
	files := patcher{}
	for _, p := range patients {
		found := r.judge(p, results, &files)
		for _, f := range p.findings {
			f.Repair = found
		}
	}
	rep.Patch, rep.PatchFromRoot = files.patch()
	return nil
}

// renames returns the fields that have another name on the candidate.
func renames(rep *analyzer.Report) []repair.Rename {
	var out []repair.Rename
	if rep.Messages == nil {
		return nil
	}
	for i := range rep.Messages.Fields {
		if f := &rep.Messages.Fields[i]; f.Class == align.FieldRenamed {
			out = append(out, repair.Rename{From: f.Name, To: f.To})
		}
	}
	return out
}

// patients returns the rules with findings that tell of lost lines.
func (r *repairer) patients(rep *analyzer.Report) []*patient {
	index := map[*rules.Rule]int{}
	for i := range r.in.Rules {
		index[&r.in.Rules[i]] = i
	}
	at := map[int]*patient{}
	var out []*patient
	for i := range rep.Findings {
		f := &rep.Findings[i]
		n, ok := index[f.Rule]
		if !ok || r.only != nil && !slices.Contains(r.only, n) || f.Rule.Language != rules.LogQL || !r.weakened(n, f) {
			continue
		}
		if at[n] == nil {
			at[n] = &patient{rule: n}
			out = append(out, at[n])
		}
		at[n].findings = append(at[n].findings, f)
	}
	return out
}

// weakened reports whether a finding says that a rule fires or matches no
// more, or far less.
func (r *repairer) weakened(rule int, f *analyzer.Finding) bool {
	switch f.ID {
	case "alert-lost", "match-lost":
		return true
	case "frequency-changed":
		return lines(r.in.Candidate.Runs, rule, f.Scenario) < lines(r.in.Deployed.Runs, rule, f.Scenario)
	}
	return false
}

// lines returns the lines that a rule matched in the first run of a scenario.
func lines(runs []outcome.Run, rule int, scenario string) int64 {
	for i := range runs {
		if runs[i].Scenario == scenario && rule < len(runs[i].Outcomes) {
			return runs[i].Outcomes[rule].Lines
		}
	}
	return 0
}

// propose fills in the edits of a patient.
func (r *repairer) propose(written *repair.Written, p *patient) {
	rule := &r.in.Rules[p.rule]
	var losses []repair.Loss
	var deployed, candidate []*outcome.Headroom
	below, lost := true, false
	for _, f := range p.findings {
		loss := repair.Loss{Scenario: f.Scenario, Near: slices.Concat(f.Nearest, f.NearLost), Lost: f.Lost, Deployed: slices.Clone(f.Lost)}
		of := func(runs []outcome.Run) (out []*outcome.Outcome) {
			for i := range runs {
				if runs[i].Scenario == f.Scenario && p.rule < len(runs[i].Outcomes) {
					out = append(out, &runs[i].Outcomes[p.rule])
				}
			}
			return out
		}
		was, is := of(r.in.Deployed.Runs), of(r.in.Candidate.Runs)
		for _, o := range was {
			loss.Deployed = append(loss.Deployed, o.Evidence...)
		}
		if len(was) > 0 && len(is) > 0 {
			loss.Pipelines = repair.LostPipelines(was[0].Funnel, is[0].Funnel)
			below = below && is[0].Nothing == outcome.BelowThreshold
			deployed, candidate = append(deployed, was[0].Headroom), append(candidate, is[0].Headroom)
		}
		losses, lost = append(losses, loss), lost || len(f.Lost) > 0
	}
	if below && lost {
		// Some of its messages are gone, so others may stand for them.
		p.edits = written.Propose(rule, losses).Edits
	}
	if below && !slices.ContainsFunc(candidate, func(h *outcome.Headroom) bool { return h != nil }) {
		p.missing = "its lines are still there: what the query makes of them is no matter of their wording"
		return
	}
	if below {
		p.missing = "its lines are still there, but too few: a repair would change the threshold (ask for that with --repair-thresholds)"
		p.below = true
		if r.thresholds {
			p.edits = append(p.edits, repair.Thresholds(rule, deployed, candidate)...)
			p.missing = "its lines are still there, but no other threshold is right in all scenarios"
		}
		return
	}
	found := written.Propose(rule, losses)
	p.edits, p.missing = found.Edits, found.Missing
}

// withhold drops the edits that would write a secret into a file of rules.
// Hide may be nil.
func (p *patient) withhold(hide func(string) string) {
	if hide == nil {
		return
	}
	found := len(p.edits)
	p.edits = slices.DeleteFunc(p.edits, func(e repair.Edit) bool { return hide(e.Expr) != e.Expr })
	if found > 0 && len(p.edits) == 0 {
		p.missing = "every change that was found would hold what looks like a secret"
	}
	p.missing = hide(p.missing)
}

// judge returns the shortest edit of a patient that holds, or what is missing.
func (r *repairer) judge(p *patient, results []outcome.Run, files *patcher) *analyzer.Repair {
	rule := &r.in.Rules[p.rule]
	var found *analyzer.Repair
	var held, lose []int
	for i := range p.edits {
		trial := r.trial(p.rule, p.first+i, results)
		switch {
		case !trial.Judge():
		case trial.LosesLabels():
			lose = append(lose, i)
		default:
			held = append(held, i)
		}
	}
	// An alert without a label that it had may go to someone else.
	for _, i := range append(repair.Preferred(p.edits, held), repair.Preferred(p.edits, lose)...) {
		e := &p.edits[i]
		switch {
		case found == nil:
			found = &analyzer.Repair{Expr: e.Expr, Kind: e.Kind, Proof: r.trial(p.rule, p.first+i, results).Proof()}
			files.add(r.files[p.rule], found, rules.Change{Rule: rule, Parts: e.Parts})
		case len(found.Others) < maxOthers:
			found.Others = append(found.Others, analyzer.OtherRepair{Expr: e.Expr, Kind: e.Kind})
		}
	}
	if found != nil {
		return found
	}
	if len(p.edits) > 0 && !p.below {
		p.missing = repair.NoneHeld(rule, p.edits)
	}
	return &analyzer.Repair{Missing: p.missing}
}

// trial puts together what a rule and one edit of it did.
func (r *repairer) trial(rule, edit int, results []outcome.Run) *repair.Trial {
	t := &repair.Trial{Expect: func(scenario string) analyzer.Expect {
		if r.in.Expect == nil {
			return analyzer.ExpectNone
		}
		return r.in.Expect(rule, scenario)
	}}
	n := 0
	collect := func(runs []outcome.Run) (out []repair.Tried) {
		for i := range runs {
			if runs[i].Missing {
				continue
			}
			out = append(out, repair.Tried{Run: &runs[i], Before: &runs[i].Outcomes[rule], After: &results[n].Outcomes[edit]})
			n++
		}
		return out
	}
	t.Deployed = collect(r.in.Deployed.Runs)
	t.Candidate = collect(r.in.Candidate.Runs)
	return t
}

// withExpr returns a copy of a rule with another expression.
func withExpr(r *rules.Rule, expr string) rules.Rule {
	out := *r
	out.Expr = expr
	if r.Grafana != nil {
		chain := *r.Grafana
		chain.Nodes = slices.Clone(chain.Nodes)
		for i := range chain.Nodes {
			if chain.Nodes[i].Pos == r.Pos && chain.Nodes[i].Expr == r.Expr {
				chain.Nodes[i].Expr = expr
			}
		}
		out.Grafana = &chain
	}
	return out
}
