// Package acceptance judges a recovery by what was declared of it: budgets of
// stages and of the whole, no work executed twice, no alert missed, no hand
// lent, and when to go back. It says whose a broken demand is.
//
//	res := acceptance.Judge(&declared, &evidence)
//
// A demand that the evidence does not decide is not evaluated; it is never
// taken for kept.
package acceptance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stillfires/stillfires/internal/execution"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/prose"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/timeline"
)

// A Status says what became of a demand. The zero Status is invalid.
type Status int

// The statuses, the worst last.
const (
	Kept Status = iota + 1
	NotEvaluated
	Broken
)

var statusNames = [...]string{Kept: "kept", NotEvaluated: "not-evaluated", Broken: "broken"}

// String returns the status as it stands in reports.
func (s Status) String() string { return statusNames[s] }

// Evidence is what a scenario showed on both builds.
type Evidence struct {
	Scenario string
	// Line is nil where no recovery was measured.
	Line                *timeline.Comparison
	Deployed, Candidate []execution.Result // by repetition
	// Acted says of each run of candidate whether actions were recorded.
	Acted []bool
	// Alerts are those that must tell of the loss, in the order declared, and
	// NoAlerts says why there are none.
	Alerts   []Alert
	NoAlerts string
	// Cases are the assertions of the scenario by name.
	Cases map[string]Status
	// Another says in what the drills of both builds differ; empty: in nothing.
	Another []string
}

// An Alert is what a rule did in the runs of both builds.
type Alert struct {
	Rule                string
	Unknown             string // why nothing can be said; empty: it can
	Deployed, Candidate []Firing
}

// A Firing is what a rule did in one run.
type Firing struct {
	Repetition int
	At         []outcome.Interval
	Unknown    string // likewise
}

// A Result is what a recovery was worth by one declaration.
type Result struct {
	Scenario  string
	Pos       source.Position
	Status    Status // the worst of what follows
	Criteria  []Criterion
	Rollbacks []Rollback
}

// A Criterion is one demand. Texts are safe to show.
type Criterion struct {
	Name   string // as profile.Rollback names it
	Title  string
	Owner  string
	Status Status
	// Said is what was seen, or why it could not be judged.
	Said string
	// Budget is 0 of demands that are no budgets. Deployed and Candidate are
	// then the longest times of each repetition.
	Budget              time.Duration
	Deployed, Candidate []timeline.Value
	// Stage is the stage that took most of a total, StageOwner whose it is.
	Stage, StageOwner string
	Evidence          []string
}

// A Rollback is a condition under which to go back. Status is Broken where it
// is due.
type Rollback struct {
	Name, Owner string
	When        []string // the names of the criteria of which one is enough
	Status      Status
	Because     []string // the criteria that make it due, or leave it open
}

// Judge judges the evidence of one scenario.
func Judge(a *profile.Acceptance, e *Evidence) Result {
	r := Result{Scenario: e.Scenario, Pos: a.Pos, Status: Kept}
	if t := a.Total; t != nil {
		r.add(total(t, e))
	}
	for i := range a.Stages {
		r.add(stage(&a.Stages[i], a.Owner, e))
	}
	if a.NotSlower != nil {
		r.add(notSlower(a.NotSlower.Owner, e))
	}
	if a.NoDuplicates != nil {
		r.add(duplicates(a.NoDuplicates.Owner, e))
	}
	if a.RecoveryAlerts != nil {
		r.add(alerts(a.RecoveryAlerts.Owner, e))
	}
	if a.NoManualActions != nil {
		r.add(manual(a.NoManualActions.Owner, e))
	}
	for i := range a.Rollback {
		b := r.rollback(&a.Rollback[i], e)
		r.Rollbacks = append(r.Rollbacks, b)
		r.Status = max(r.Status, b.Status)
	}
	return r
}

func (r *Result) add(c Criterion) {
	c.Title, c.Said, c.Stage = short(c.Title), short(c.Said), short(c.Stage)
	for i := range c.Evidence {
		c.Evidence[i] = short(c.Evidence[i])
	}
	r.Criteria = append(r.Criteria, c)
	r.Status = max(r.Status, c.Status)
}

// Criterion returns the criterion of a name; nil: there is none.
func (r *Result) Criterion(name string) *Criterion {
	i := slices.IndexFunc(r.Criteria, func(c Criterion) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &r.Criteria[i]
}

// rollback judges whether to go back.
func (r *Result) rollback(b *profile.Rollback, e *Evidence) Rollback {
	out := Rollback{Name: short(b.Name), Owner: b.Owner, When: b.When, Status: Kept}
	for _, name := range b.When {
		s, why := r.when(name, e)
		if s == Kept {
			continue
		}
		if s > out.Status {
			out.Because = nil // what makes it due stands alone
		}
		if s >= out.Status {
			out.Because = append(out.Because, short(why))
		}
		out.Status = max(out.Status, s)
	}
	return out
}

// when judges one condition of a rollback.
func (r *Result) when(name string, e *Evidence) (Status, string) {
	if k, ok := strings.CutPrefix(name, profile.CriterionCase); ok {
		switch s, known := e.Cases[k]; {
		case !known:
			return NotEvaluated, fmt.Sprintf("case %q: no such assertion was judged in this scenario", k)
		default:
			return s, fmt.Sprintf("case %q is %s", k, s)
		}
	}
	if name == profile.CriterionUnrecovered {
		return unrecovered(e)
	}
	c := r.Criterion(name)
	if c == nil {
		return NotEvaluated, name + ": it is not declared"
	}
	return c.Status, c.Title + ": " + c.Said
}

func unrecovered(e *Evidence) (Status, string) {
	const title = "work that did not recover"
	switch {
	case e.Line == nil:
		return NotEvaluated, title + ": no recovery was measured"
	case e.Line.Goal == "":
		return NotEvaluated, title + ": nothing that was recorded shows recovered work"
	case e.Line.Candidate.Affected == 0:
		return NotEvaluated, title + ": the loss delayed no work, so nothing tests it"
	}
	s := &e.Line.Candidate
	if n := s.Failed + s.Open - s.Unknown; n > 0 {
		return Broken, fmt.Sprintf("%s: %d of %d pieces", title, n, s.Affected)
	}
	if s.Unknown > 0 {
		return NotEvaluated, fmt.Sprintf("%s: of %d of %d pieces nothing tells", title, s.Unknown, s.Affected)
	}
	if why := doubts(e.Line); why != "" {
		return NotEvaluated, title + ": " + why
	}
	return Kept, ""
}

func short(s string) string { return prose.Line(s, 600) }
