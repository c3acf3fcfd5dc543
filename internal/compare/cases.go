package compare

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
)

// A declarer gathers the assertions of scenarios. What is gathered first wins
// over what has the same name later.
type declarer struct {
	in    *analyzer.Input
	index map[[2]string]int // of in.Cases, by scenario and name
}

// cases fills in the assertions of the scenarios that are compared: of the
// review file, then of the runs, then of the profile, which may be nil.
func (o *Options) cases(in *analyzer.Input, p *profile.Profile, sides ...*side) error {
	d := &declarer{in, map[[2]string]int{}}
	in.LoadOf = map[string]string{}
	if o.Review != nil {
		for _, s := range o.Review.Scenarios {
			d.add(s.Name, "review file", s.LoadOf, s.Assertions)
		}
	}
	for _, s := range sides {
		for _, info := range s.runs {
			if err := d.run(s.corpus, info); err != nil {
				return err
			}
		}
	}
	if p != nil && p.Cases != nil {
		for _, scenario := range in.Scenarios {
			if s, ok := p.Cases.Scenarios[scenario]; ok {
				if p.Path == "" {
					s.Assertions = withoutPlace(s.Assertions)
				}
				d.add(scenario, "profile "+p.Name, s.LoadOf, s.Assertions)
			}
		}
	}
	return nil
}

// withoutPlace returns assertions of a shipped profile: a reader has no such
// file.
func withoutPlace(list []profile.Assertion) []profile.Assertion {
	list = slices.Clone(list)
	for i := range list {
		list[i].Pos = source.Position{}
	}
	return list
}

// run adds what was declared with a run.
func (d *declarer) run(c *corpus.Corpus, info corpus.RunInfo) error {
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		return err
	}
	s := run.Manifest.Scenario
	for i := range s.Assertions {
		if faults := s.Assertions[i].Faults(); len(faults) > 0 {
			return fmt.Errorf("%s: assertion %q: %s", run.Path("run.json"), s.Assertions[i].Name, faults[0].Msg)
		}
	}
	d.add(info.Scenario, "run", s.LoadOf, s.Assertions)
	return nil
}

func (d *declarer) add(scenario, from, loadOf string, list []profile.Assertion) {
	if !slices.Contains(d.in.Scenarios, scenario) {
		return
	}
	if loadOf != "" && d.in.LoadOf[scenario] == "" {
		d.in.LoadOf[scenario] = loadOf
	}
	for i := range list {
		a := list[i]
		key := [2]string{scenario, a.Name}
		at, ok := d.index[key]
		if !ok {
			d.index[key] = len(d.in.Cases)
			d.in.Cases = append(d.in.Cases, cases.Declaration{Scenario: scenario, Assertion: &a, From: from})
			continue
		}
		have := &d.in.Cases[at]
		switch {
		case !sameAssertion(have.Assertion, &a):
			note := fmt.Sprintf("scenario %q, assertion %q: the %s and the %s say different things; the %s holds", scenario, a.Name, have.From, from, have.From)
			if have.From == from {
				note = fmt.Sprintf("scenario %q, assertion %q: two runs declare different things; the first holds", scenario, a.Name)
			}
			if !slices.Contains(d.in.Notes, note) {
				d.in.Notes = append(d.in.Notes, note)
			}
		case have.From == from && a.DeclaredAt.After(have.Assertion.DeclaredAt):
			have.Assertion.DeclaredAt = a.DeclaredAt // the runs differ: the later time is safe
		}
	}
}

// sameAssertion reports whether two assertions ask the same, whenever they were
// written.
func sameAssertion(a, b *profile.Assertion) bool {
	x, y := *a, *b
	x.DeclaredAt = y.DeclaredAt
	one, err1 := json.Marshal(&x)
	two, err2 := json.Marshal(&y)
	return err1 == nil && err2 == nil && string(one) == string(two)
}
