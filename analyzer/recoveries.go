package analyzer

import (
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/acceptance"
	"github.com/stillfires/stillfires/internal/capacity"
	"github.com/stillfires/stillfires/internal/confound"
	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// A Recovery is what a scenario shows beside the timeline of its recovery.
type Recovery struct {
	Scenario string
	// Deployed and Candidate are what was executed twice, by repetition.
	Deployed, Candidate []execution.Result
	Confounders         confound.Result
	Capacity            *capacity.Comparison // nil: no recovery was measured
	Acceptance          []Acceptance         // in the order declared
}

// An Acceptance is a recovery judged by what was declared of it.
type Acceptance struct {
	acceptance.Result
	// Open says that something of it was not evaluated, and nobody accepted
	// that: it keeps the review from passing.
	Open bool
}

// recoveries looks at what the runs of every scenario show beside rules.
func (c *comparison) recoveries() []Recovery {
	var out []Recovery
	for _, scenario := range c.in.Scenarios {
		r := Recovery{Scenario: scenario}
		d, n := c.followed(scenario, false), c.followed(scenario, true)
		r.Deployed, r.Candidate = executions(d), executions(n)
		r.Confounders = confound.Compare(scenario, d, n)
		if c.timelineOf(scenario) != nil {
			of := capacity.Compare(scenario, c.in.Capacity, c.measured(d), c.measured(n))
			r.Capacity = &of
		}
		out = append(out, r)
	}
	return out
}

// followed returns the runs of a scenario on one build, with their timelines.
func (c *comparison) followed(scenario string, candidate bool) []confound.Run {
	runs, lines := c.deployed[scenario], c.lines[scenario][0]
	t := c.timelineOf(scenario)
	if candidate {
		runs, lines = c.candidate[scenario], c.lines[scenario][1]
	}
	if t != nil {
		lines = t.Deployed.Runs
		if candidate {
			lines = t.Candidate.Runs
		}
	}
	var out []confound.Run
	for _, run := range runs {
		if run.Missing {
			continue
		}
		r := confound.Run{Run: run}
		if i := slices.IndexFunc(lines, func(l timeline.Run) bool { return l.Repetition == run.Repetition }); i >= 0 {
			r.Line = &lines[i]
		}
		out = append(out, r)
	}
	return out
}

func (c *comparison) timelineOf(scenario string) *timeline.Comparison {
	i := slices.IndexFunc(c.in.Timelines, func(t timeline.Comparison) bool { return t.Scenario == scenario })
	if i < 0 {
		return nil
	}
	return &c.in.Timelines[i]
}

func executions(runs []confound.Run) []execution.Result {
	var out []execution.Result
	for _, r := range runs {
		out = append(out, execution.Find(r.Run, r.Line))
	}
	return out
}

func (c *comparison) measured(runs []confound.Run) []capacity.Run {
	var out []capacity.Run
	for _, r := range runs {
		if r.Line != nil {
			out = append(out, capacity.Measure(c.in.Capacity, r.Run, r.Line))
		}
	}
	return out
}

// recoveryOf returns what is known of a scenario.
func (c *comparison) recoveryOf(scenario string) *Recovery {
	i := slices.IndexFunc(c.recovered, func(r Recovery) bool { return r.Scenario == scenario })
	if i < 0 {
		return nil
	}
	return &c.recovered[i]
}

// another says in what the drills of a scenario differ; empty: in nothing.
func (c *comparison) another(scenario string) []string {
	r := c.recoveryOf(scenario)
	if r == nil {
		return nil
	}
	var out []string
	for _, d := range r.Confounders.Decisive() {
		out = append(out, differs(&d))
	}
	return out
}

func differs(d *confound.Difference) string {
	return d.Subject + " " + strings.Join(d.Deployed, ", ") + " on deployed, " + strings.Join(d.Candidate, ", ") + " on candidate"
}

// timesDiffer reports whether some stage takes another time on candidate than
// what the evidence can be wrong explains.
func timesDiffer(t *timeline.Comparison) bool {
	return t != nil && slices.ContainsFunc(t.Stages, func(p timeline.StagePair) bool {
		if p.Slower || p.Faster {
			return true
		}
		by := time.Duration(0)
		if p.Difference != nil {
			by = max(*p.Difference, -*p.Difference)
		}
		return by >= time.Second && by > p.Resolution && by > p.Noise
	})
}

// accept judges the recoveries by what was declared of them. Results and cases
// of the report are complete.
func (c *comparison) acceptRecoveries(r *Report) {
	for i := range c.in.Acceptance {
		a := &c.in.Acceptance[i]
		judged := false
		for j := range c.recovered {
			rec := &c.recovered[j]
			if !c.concerns(a, rec.Scenario) {
				continue
			}
			judged = true
			rec.Acceptance = append(rec.Acceptance, Acceptance{Result: acceptance.Judge(a, c.evidenceOf(a, rec, r))})
		}
		if !judged {
			c.unjudged = append(c.unjudged, a)
		}
	}
}

// concerns reports whether something is declared of a scenario: by name, or,
// where none is named, of each in which a loss was recorded.
func (c *comparison) concerns(a *profile.Acceptance, scenario string) bool {
	if len(a.Scenarios) == 0 {
		return c.timelineOf(scenario) != nil
	}
	return slices.ContainsFunc(a.Scenarios, func(glob string) bool { return profile.Glob(glob, scenario) })
}

func (c *comparison) evidenceOf(a *profile.Acceptance, rec *Recovery, r *Report) *acceptance.Evidence {
	e := &acceptance.Evidence{
		Scenario: rec.Scenario, Line: c.timelineOf(rec.Scenario), Deployed: rec.Deployed, Candidate: rec.Candidate,
		Another: c.another(rec.Scenario), Cases: map[string]acceptance.Status{},
	}
	for _, run := range c.followed(rec.Scenario, true) {
		e.Acted = append(e.Acted, run.Run.Facts != nil && len(run.Run.Facts.Actions) > 0)
	}
	for i := range r.Cases {
		if k := &r.Cases[i]; k.Scenario == rec.Scenario && k.Assertion != nil {
			e.Cases[k.Assertion.Name] = max(e.Cases[k.Assertion.Name], statusOf(k.Verdict))
		}
	}
	if a.RecoveryAlerts != nil {
		c.alertsOf(a.RecoveryAlerts, e)
	}
	return e
}

func statusOf(v Verdict) acceptance.Status {
	switch v {
	case Pass:
		return acceptance.Kept
	case Fail:
		return acceptance.Broken
	}
	return acceptance.NotEvaluated
}

// alertsOf adds what the alerts did that must tell of the loss.
func (c *comparison) alertsOf(a *profile.AlertsFire, e *acceptance.Evidence) {
	for i := range c.in.Rules {
		rule := &c.in.Rules[i]
		named := slices.ContainsFunc(a.Rules, func(glob string) bool {
			return profile.Glob(glob, rule.Name) || profile.Glob(glob, rule.Group+"/"+rule.Name)
		})
		if len(a.Rules) == 0 {
			named = c.in.Expect != nil && c.in.Expect(i, e.Scenario) == MustFire
		}
		if named && rule.Kind == rules.Alert {
			e.Alerts = append(e.Alerts, acceptance.Alert{
				Rule: rule.Name, Deployed: firings(c.deployed[e.Scenario], i), Candidate: firings(c.candidate[e.Scenario], i),
			})
		}
	}
	for _, glob := range a.Rules {
		if !slices.ContainsFunc(c.in.Rules, func(r rules.Rule) bool {
			return r.Kind == rules.Alert && (profile.Glob(glob, r.Name) || profile.Glob(glob, r.Group+"/"+r.Name))
		}) {
			e.Alerts = append(e.Alerts, acceptance.Alert{Rule: glob, Unknown: "no alert rule has that name"})
		}
	}
	e.NoAlerts = "no alert rule is declared must-fire in this scenario, and none is named"
}

// firings returns what rules[i] did in the runs.
func firings(runs []*outcome.Run, i int) []acceptance.Firing {
	var out []acceptance.Firing
	for _, run := range runs {
		f := acceptance.Firing{Repetition: run.Repetition}
		if i >= len(run.Outcomes) {
			f.Unknown = "it was not evaluated"
		} else {
			o := &run.Outcomes[i]
			f.At = o.Firing
			switch o.State {
			case outcome.Pending:
				f.Unknown = "it was pending when the recording ended: record longer"
			case outcome.NotEvaluated, 0:
				f.Unknown = "it was not evaluated: " + o.Reason
			}
		}
		out = append(out, f)
	}
	return out
}

// leftOpen says of each judged recovery whether something of it is open.
func leftOpen(r *Report) {
	for i := range r.Recoveries {
		for j := range r.Recoveries[i].Acceptance {
			a := &r.Recoveries[i].Acceptance[j]
			a.Open = slices.ContainsFunc(r.Findings, func(f Finding) bool {
				return isDemand(&f) && f.Scenario == a.Scenario && f.Pos == a.Pos && !f.Accepted()
			})
		}
	}
}

// openRecovery reports whether something that was declared of a recovery could
// not be judged, or drills differ, and nobody accepted that.
func (r *Report) openRecovery() bool {
	decisive := map[[2]string]bool{}
	for i := range r.Recoveries {
		for _, d := range r.Recoveries[i].Confounders.Decisive() {
			decisive[[2]string{r.Recoveries[i].Scenario, string(d.Kind) + ": " + d.Subject}] = true
		}
	}
	return slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return !f.Accepted() && (isDemand(&f) || f.ID == "confounder" && decisive[[2]string{f.Scenario, f.Subject}])
	})
}
