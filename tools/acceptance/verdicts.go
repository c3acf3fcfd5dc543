package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/rules"
)

// compared are the findings that the recorded verdicts speak of: those of the
// table for firing and matching.
var compared = []string{
	"alert-lost", "alert-gained", "alert-never-fired", "alert-false", "alert-quietened",
	"alert-noisy", "alert-cleared", "alert-persists", "alert-not-reproduced",
	"window-too-short", "match-lost", "match-gained",
}

// swapped says what a finding becomes when the builds change places.
var swapped = map[string]string{
	"alert-lost": "alert-gained", "alert-gained": "alert-lost",
	"match-lost": "match-gained", "match-gained": "match-lost",
	"alert-false": "alert-quietened", "alert-quietened": "alert-false",
}

// aboutOneSide are findings that a build compared with itself may have.
var aboutOneSide = []string{
	"alert-never-fired", "alert-noisy", "alert-persists", "alert-not-reproduced",
	"alert-flaky", "match-flaky", "window-too-short", "not-evaluated",
	"panic-persists", "panic-not-reproduced",
}

// checkVerdicts makes each comparison of verdicts.json, and the same with the
// builds exchanged.
func (s *suite) checkVerdicts(t *tally) {
	var want []verdict
	if err := readJSON(filepath.Join(s.folder, "verdicts.json"), &want); err != nil {
		t.fail(s.folder, "%v", err)
		return
	}
	for i := range want {
		v := &want[i]
		name := fmt.Sprintf("%s %s→%s %s %s", v.scenario(), v.Deployed, v.Candidate, v.Rule, v.Expect)
		expect, err := analyzer.ParseExpect(v.Expect)
		if err != nil {
			t.fail(name, "%v", err)
			continue
		}
		res, err := s.compareOne(comparison{v.scenario(), v.Deployed, v.Candidate, expect}, v.Rule)
		if err != nil {
			t.fail(name, "%v", err)
			continue
		}
		t.check(name, firstOf(diffResult(res, v.Verdict, v.Findings), diffSides(res, v)))
		if expect != analyzer.MustClear {
			back, err := s.compareOne(comparison{v.scenario(), v.Candidate, v.Deployed, expect}, v.Rule)
			t.check(name+" swapped", first(err, func() string { return diffSwap(res, back) }))
		}
	}
}

func firstOf(diffs ...string) string {
	for _, d := range diffs {
		if d != "" {
			return d
		}
	}
	return ""
}

// A comparison is one of all rules in one scenario.
type comparison struct {
	scenario, deployed, candidate string
	expect                        analyzer.Expect
}

// compareOne returns what the analyzer says of one rule in one scenario. It is
// told of all rules, as a review tells it.
func (s *suite) compareOne(of comparison, rule string) (*analyzer.Result, error) {
	i, ok := s.byName[rule]
	if !ok {
		return nil, fmt.Errorf("no rule %q", rule)
	}
	rep, err := s.compareAll(of)
	if err != nil {
		return nil, err
	}
	return resultOf(rep, &s.rules[i])
}

// compareAll compares all rules once for each comparison.
func (s *suite) compareAll(of comparison) (*analyzer.Report, error) {
	if rep := s.reports[of]; rep != nil {
		return rep, nil
	}
	d, c := s.results[runKey{of.scenario, of.deployed}], s.results[runKey{of.scenario, of.candidate}]
	if d == nil || c == nil {
		return nil, fmt.Errorf("no run of %s for both %s and %s", of.scenario, of.deployed, of.candidate)
	}
	s.reports[of] = compareRules(s.rules, d, c, of.expect)
	return s.reports[of], nil
}

// compareRules has the analyzer compare rules on two runs of one scenario.
func compareRules(rs []rules.Rule, d, c *outcome.Run, expect analyzer.Expect) *analyzer.Report {
	one := func(run *outcome.Run) analyzer.Side {
		return analyzer.Side{Build: run.Build, Runs: []outcome.Run{*run}}
	}
	return analyzer.Compare(analyzer.Input{
		Deployed: one(d), Candidate: one(c), Scenarios: []string{d.Scenario},
		Rules:  rs,
		Expect: func(int, string) analyzer.Expect { return expect },
	})
}

// resultOf finds the result of a rule.
func resultOf(rep *analyzer.Report, rule *rules.Rule) (*analyzer.Result, error) {
	i := slices.IndexFunc(rep.Results, func(r analyzer.Result) bool { return r.Rule.Pos == rule.Pos })
	if i < 0 {
		return nil, fmt.Errorf("no result of rule %q", rule.Name)
	}
	return &rep.Results[i], nil
}

// tableFindings returns the findings of the table, in their order.
func tableFindings(ids []string) []string {
	out := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !slices.Contains(compared, id) })
	slices.Sort(out)
	return out
}

func diffResult(res *analyzer.Result, verdict string, findings []string) string {
	if got := res.Verdict.String(); got != verdict {
		return fmt.Sprintf("verdict %s; want %s", got, verdict)
	}
	got, want := tableFindings(res.Findings), slices.Sorted(slices.Values(findings))
	if !slices.Equal(got, want) {
		return fmt.Sprintf("findings %v; want %v", got, want)
	}
	return ""
}

// diffSides compares the lines or the firing of both builds.
func diffSides(res *analyzer.Result, v *verdict) string {
	for _, side := range []struct {
		role string
		got  *analyzer.Outcome
	}{{"deployed", &res.Deployed}, {"candidate", &res.Candidate}} {
		if lines, ok := v.Lines[side.role]; ok && side.got.Lines != lines {
			return diffInt("lines of "+side.role, side.got.Lines, lines)
		}
		if fires, ok := v.Fires[side.role]; ok && (side.got.State == outcome.Fired) != fires {
			return fmt.Sprintf("%s fires = %t; want %t", side.role, !fires, fires)
		}
	}
	return ""
}

func diffSwap(forth, back *analyzer.Result) string {
	var want []string
	for _, id := range tableFindings(forth.Findings) {
		if other, ok := swapped[id]; ok {
			id = other
		}
		want = append(want, id)
	}
	slices.Sort(want)
	if got := tableFindings(back.Findings); !slices.Equal(got, want) {
		return fmt.Sprintf("findings %v; want %v", got, want)
	}
	return ""
}

// checkSame compares every run with itself, under every expectation: nothing
// may differ.
func (s *suite) checkSame(t *tally) {
	for i := range s.exp.Runs {
		r := &s.exp.Runs[i]
		for expect := analyzer.ExpectNone; expect <= analyzer.MustClear; expect++ {
			rep, err := s.compareAll(comparison{r.scenario(), r.Build, r.Build, expect})
			for i := range s.rules {
				name := fmt.Sprintf("%s %s with itself, %q %s", r.scenario(), r.Build, s.rules[i].Name, expect)
				t.check(name, first(err, func() string { return diffSame(rep, &s.rules[i]) }))
			}
		}
	}
}

// diffSame names a finding about a rule, or about none, that says that a run
// differs from itself.
func diffSame(rep *analyzer.Report, rule *rules.Rule) string {
	if _, err := resultOf(rep, rule); err != nil {
		return err.Error()
	}
	for _, f := range rep.Findings {
		if (f.Rule == nil || f.Rule.Pos == rule.Pos) && !slices.Contains(aboutOneSide, f.ID) {
			return "finding " + f.ID
		}
	}
	return ""
}

// checkOperator writes a review file from operator-expectations.json and runs
// the whole comparison with it, one scenario at a time.
func (s *suite) checkOperator(ctx context.Context, t *tally) error {
	var op operator
	if ok, err := readOptional(filepath.Join(s.folder, "operator-expectations.json"), &op); !ok {
		return err
	}
	for _, scenario := range slices.Sorted(maps.Keys(op.Scenarios)) {
		want := op.Scenarios[scenario]
		rep, err := s.review(ctx, scenario, &want)
		if err != nil {
			t.fail("operator "+scenario, "%v", err)
			continue
		}
		t.check("operator "+scenario, diffString("verdict", rep.Verdict.String(), want.Verdict))
		for _, row := range want.Rows {
			name := fmt.Sprintf("operator %s %s", scenario, row.Rule)
			i := slices.IndexFunc(rep.Results, func(r analyzer.Result) bool { return r.Rule.Name == row.Rule })
			if i < 0 {
				t.fail(name, "the report lacks the rule")
				continue
			}
			res := rep.Results[i]
			t.check(name, firstOf(diffString("expect", res.Expect.String(), row.Expect),
				diffResult(&res, row.Verdict, row.Findings)))
		}
	}
	return nil
}

func diffString(what, got, want string) string {
	if got != want {
		return fmt.Sprintf("%s %s; want %s", what, got, want)
	}
	return ""
}

// review runs the comparison of one scenario by a review file.
func (s *suite) review(ctx context.Context, scenario string, want *operatorScenario) (*analyzer.Report, error) {
	// The PromQL rules are for another review: they are not evaluated yet, and
	// no verdict stands for them in these files.
	var files []string
	for _, f := range slices.Compact(slices.Sorted(slices.Values(s.logQL))) {
		abs, err := filepath.Abs(f)
		if err != nil {
			return nil, err
		}
		files = append(files, abs)
	}
	text, err := yaml.Marshal(map[string]any{
		"version": 1, "corpus": s.corpus, "rules": files, "interval": interval.String(),
		"scenarios": map[string]any{scenario: map[string]any{
			"must-fire": want.MustFire, "must-stay-silent": want.MustStaySilent, "must-clear": want.MustClear,
		}},
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(filepath.Dir(s.corpus), strings.ReplaceAll(scenario, "/", "_")+".yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	file, err := review.Load(path)
	if err != nil {
		return nil, err
	}
	return compare.Run(ctx, compare.Options{Review: file, Scenarios: []string{scenario}})
}
