package profile

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// An Acceptance says what a recovery must keep to be accepted.
// docs/acceptance.md explains the keys.
type Acceptance struct {
	// Scenarios are globs; none: every scenario in which a loss was recorded.
	Scenarios []string `yaml:"scenarios"`
	Owner     string   `yaml:"owner"` // of what names no other

	Total  *TotalBudget  `yaml:"total"`
	Stages []StageBudget `yaml:"stages"`

	NoDuplicates    *Owned      `yaml:"noDuplicates"`
	NoManualActions *Owned      `yaml:"noManualActions"`
	RecoveryAlerts  *AlertsFire `yaml:"recoveryAlerts"`
	NotSlower       *Owned      `yaml:"notSlower"` // than deployed, by more than noise
	Rollback        []Rollback  `yaml:"rollback"`

	Pos source.Position `yaml:"-"`
}

// Owned is a demand without further keys.
type Owned struct {
	Owner string `yaml:"owner"`
}

// A TotalBudget is the time from the restoration to useful work.
type TotalBudget struct {
	Within Duration `yaml:"within"`
	Owner  string   `yaml:"owner"`
}

// A StageBudget is the time between two milestones.
type StageBudget struct {
	To string `yaml:"to"` // name of the milestone that ends it
	// From is the name of the one that begins it; empty: the latest of those
	// that cause it. "restored" is the restoration.
	From   string   `yaml:"from"`
	Within Duration `yaml:"within"`
	Owner  string   `yaml:"owner"` // empty: that of the milestone

	Pos source.Position `yaml:"-"`
}

// FromRestored names the restoration as the beginning of a stage.
const FromRestored = "restored"

// AlertsFire says which rules must fire for the recovery to be noticed.
type AlertsFire struct {
	Rules []string `yaml:"rules"` // names; none: all that are declared must-fire
	Owner string   `yaml:"owner"`
}

// A Rollback says when to go back.
type Rollback struct {
	Name string `yaml:"name"`
	// When names the criteria of which one is enough: "total", "stage NAME",
	// "not-slower", "duplicates", "manual-actions", "recovery-alerts",
	// "unrecovered" (work that never recovered), "case NAME".
	When  []string `yaml:"when"`
	Owner string   `yaml:"owner"`
}

// The names of criteria.
const (
	CriterionTotal       = "total"
	CriterionStage       = "stage "
	CriterionSlower      = "not-slower"
	CriterionDuplicates  = "duplicates"
	CriterionManual      = "manual-actions"
	CriterionAlerts      = "recovery-alerts"
	CriterionUnrecovered = "unrecovered"
	CriterionCase        = "case "
)

// ReadAcceptance reads a list of acceptances of a document; path names it in
// errors.
func ReadAcceptance(doc *yamlpos.Document, n *yaml.Node, path string) ([]Acceptance, []*source.Error) {
	var list []Acceptance
	if err := strictyaml.DecodeNode(doc, n, path, &list); err != nil {
		return nil, sourceErrors(doc, n, err)
	}
	f := &faults{doc: doc, root: yamlpos.Resolve(n)}
	checkAcceptance(list, f, nil)
	return list, f.sources()
}

// CheckMilestones returns the budgets that name a milestone which is not
// declared.
func CheckMilestones(list []Acceptance, m *Milestones) []*source.Error {
	var out []*source.Error
	var known []string
	for i := range m.List {
		known = append(known, m.List[i].Name)
	}
	for i := range list {
		for _, s := range list[i].Stages {
			for _, name := range []string{s.To, s.From} {
				if name == "" || name == FromRestored && name == s.From || slices.Contains(known, name) {
					continue
				}
				hint := suggest.Hint(name, known)
				if hint == "" {
					hint = "known are " + strings.Join(known, ", ")
				}
				out = append(out, &source.Error{Pos: s.Pos, Msg: fmt.Sprintf("the profile declares no milestone %q", name), Hint: hint})
			}
		}
	}
	return out
}

// checkAcceptance completes a list that stands at path. Milestones are not
// looked up: a review file may be read without their profile.
func checkAcceptance(list []Acceptance, f *faults, path []any) {
	for i := range list {
		list[i].check(f, append(slices.Clone(path), i))
	}
}

func (a *Acceptance) check(f *faults, path []any) {
	at := func(more ...any) spot { return f.at(append(slices.Clone(path), more...)...) }
	a.Pos = f.doc.Position(at().node)
	owned := func(owner *string, key ...any) {
		if *owner == "" {
			*owner = a.Owner
		}
		if *owner == "" {
			at(key...).fail("write owner: TEAM, here or for the whole", "nobody owns it: somebody must act when it is broken")
		}
	}
	if a.Total != nil {
		owned(&a.Total.Owner, "total")
		if a.Total.Within <= 0 {
			at("total").fail("write within: 2m", "the total budget has no time")
		}
	}
	for i := range a.Stages {
		s := &a.Stages[i]
		s.Pos = f.doc.Position(at("stages", i).node)
		if s.To == "" || s.Within <= 0 {
			at("stages", i).fail("write to: MILESTONE and within: 30s", "a stage budget needs the milestone that ends the stage, and a time")
		}
	}
	for _, o := range []struct {
		key string
		*Owned
	}{{"noDuplicates", a.NoDuplicates}, {"noManualActions", a.NoManualActions}, {"notSlower", a.NotSlower}} {
		if o.Owned != nil {
			owned(&o.Owner, o.key)
		}
	}
	if a.RecoveryAlerts != nil {
		owned(&a.RecoveryAlerts.Owner, "recoveryAlerts")
	}
	a.checkRollback(at, owned)
}

func (a *Acceptance) checkRollback(at func(...any) spot, owned func(*string, ...any)) {
	for i := range a.Rollback {
		r := &a.Rollback[i]
		if r.Name == "" {
			r.Name = "roll back"
		}
		owned(&r.Owner, "rollback", i)
		if len(r.When) == 0 {
			at("rollback", i).fail("write when: [total, duplicates]", "nothing says when to go back")
		}
		for j, name := range r.When {
			if !a.knows(name) {
				at("rollback", i, "when", j).fail("name one that is declared beside it: total, stage NAME, not-slower, duplicates, manual-actions, recovery-alerts; or unrecovered, or case NAME", "%q is no criterion of this acceptance", name)
			}
		}
	}
}

// knows reports whether a rollback can name the criterion.
func (a *Acceptance) knows(name string) bool {
	switch name {
	case CriterionTotal:
		return a.Total != nil
	case CriterionSlower:
		return a.NotSlower != nil
	case CriterionDuplicates:
		return a.NoDuplicates != nil
	case CriterionManual:
		return a.NoManualActions != nil
	case CriterionAlerts:
		return a.RecoveryAlerts != nil
	case CriterionUnrecovered:
		return true
	}
	if len(name) > len(CriterionCase) && name[:len(CriterionCase)] == CriterionCase {
		return true
	}
	return slices.ContainsFunc(a.Stages, func(s StageBudget) bool { return name == CriterionStage+s.To })
}
