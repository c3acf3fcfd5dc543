package compare

import (
	"path/filepath"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// expectations fills in what is expected of each rule: by the review file,
// else as declared with the runs. A review file may speak of all scenarios
// that are known, also of those left out of this comparison.
func (o *Options) expectations(in *analyzer.Input, set *rules.Set, known []string, sides ...*side) error {
	var declared []review.Declared
	for _, s := range sides {
		for _, info := range s.runs {
			d, err := declaredIn(s.corpus, info)
			if err != nil {
				return err
			}
			declared = append(declared, d...)
		}
	}
	resolved := o.Review.Resolve(set, known, declared)
	in.Problems = append(in.Problems, resolved.Problems...)
	in.Notes = append(in.Notes, resolved.Notes...)
	in.Expect = resolved.Expect
	for _, d := range resolved.Unmatched {
		in.Unmatched = append(in.Unmatched, analyzer.Unmatched{Scenario: d.Scenario, Rule: d.Rule, Expect: d.Expect})
	}
	if o.Review != nil {
		in.Severities = o.Review.Severities
	}
	return nil
}

// declaredIn returns what a run's manifest declares.
func declaredIn(c *corpus.Corpus, info corpus.RunInfo) ([]review.Declared, error) {
	run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
	if err != nil {
		return nil, err
	}
	var out []review.Declared
	for _, e := range run.Manifest.Scenario.Expectations {
		expect, err := analyzer.ParseExpect(e.Expect)
		if err != nil {
			return nil, &source.Error{Pos: source.Position{File: run.Path("run.json")}, Msg: err.Error()}
		}
		out = append(out, review.Declared{Scenario: info.Scenario, Rule: e.Rule, Expect: expect})
	}
	return out, nil
}

// showRelative shows files below base by their path from there.
func showRelative(base string, in *analyzer.Input) {
	if base == "" {
		return
	}
	cut := func(file *string) {
		if rel, err := filepath.Rel(base, *file); err == nil && !strings.HasPrefix(rel, "..") {
			*file = filepath.ToSlash(rel)
		}
	}
	for i := range in.Rules {
		cut(&in.Rules[i].Pos.File)
	}
	for i := range in.Suppressions {
		cut(&in.Suppressions[i].Pos.File)
	}
	for i := range in.Cases {
		cut(&in.Cases[i].Assertion.Pos.File)
	}
	for i := range in.Acceptance {
		cut(&in.Acceptance[i].Pos.File)
	}
	for _, p := range in.Problems {
		cut(&p.Pos.File)
	}
}
