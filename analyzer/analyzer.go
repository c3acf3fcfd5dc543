// Package analyzer compares what saved rules did on two builds and says what
// breaks, and why. It is a pure function: [Compare] takes outcomes that a
// replay produced and returns a [Report]; it opens no file and reads no clock.
//
// A rule in a scenario is a cell. The verdict table (verdict.go) turns the
// expectation and what the rule did on each build into a verdict and, often,
// a finding; further checks add findings to cells and to runs. Each kind of
// finding has an ID, one file check_<id>.go, one line in the table [checks],
// and one page in docs/findings. A rule fails if, and only if, one of its
// findings has the severity break after the review file's changes.
//
//	rep := analyzer.Compare(analyzer.Input{Deployed: d, Candidate: c, …})
//	os.Exit(rep.ExitCode(analyzer.FailOnBreak))
//
// With several repetitions of a scenario an expectation holds on a build when
// it holds in every one. The numbers shown of a build are those of the first
// repetition that ended in the state shown.
package analyzer

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/capacity"
	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/rules"
)

// A comparison is one call of [Compare]: the input and what was looked up.
type comparison struct {
	in         *Input
	deployed   map[string][]*outcome.Run // by scenario
	candidate  map[string][]*outcome.Run
	catalogues map[string]*catalogue        // by scenario, of the candidate; made when asked for
	metrics    *metricViews                 // made when asked for
	panics     *[]Panic                     // likewise
	messages   *Messages                    // likewise
	cases      []cases.Case                 // ordered as in the report
	lines      map[string][2][]timeline.Run // timelines by scenario, of deployed and candidate
	recovered  []Recovery                   // ordered by scenario
	unjudged   []*profile.Acceptance        // declared of what was not recorded
	accepted   map[string]*approval         // by fingerprint
	twins      map[ruleName]int             // rules of one kind, group and name
	secrets    *secretFinder
	mask       *mask          // of what was found so far
	notified   []Notification // of the cells so far
}

// Compare returns what the runs of both builds say about the rules.
func Compare(in Input) *Report {
	c := &comparison{
		in:         &in,
		deployed:   byScenario(in.Deployed.Runs),
		candidate:  byScenario(in.Candidate.Runs),
		catalogues: map[string]*catalogue{},
		accepted:   approvals(in.Suppressions),
		twins:      twins(in.Rules),
		secrets:    newSecretFinder(in.Notifications),
		mask:       &mask{},
		lines:      map[string][2][]timeline.Run{},
	}
	r := &Report{
		Deployed:  build(in.Deployed),
		Candidate: build(in.Candidate),
		Scenarios: slices.Clone(in.Scenarios),
		Loads:     c.loads(),
		Runs:      append(runInfos("deployed", in.Deployed.Runs), runInfos("candidate", in.Candidate.Runs)...),
		Notes:     slices.Clone(in.Notes),
		Problems:  append(slices.Clone(in.Problems), emptyInput(&in)...),
	}
	c.cases = cases.Matrix(in.Cases, in.Deployed.Runs, in.Candidate.Runs, in.LoadOf)
	recovery := c.follow()
	r.Timelines, r.Happenings = in.Timelines, c.happenings()
	c.recovered = c.recoveries()
	r.Planned = capacity.Plan(in.Capacity)
	blind := c.blind()
	for i := range in.Rules {
		for _, scenario := range in.Scenarios {
			res, found := c.cell(i, scenario)
			if blind.has(i) && res.Verdict == Pass {
				res.Verdict = Inconclusive
			}
			r.Results = append(r.Results, res)
			r.Findings = append(r.Findings, found...)
		}
	}
	r.Panics = c.panicViews()
	about := c.caseFindings()
	r.Findings = append(r.Findings, about...)
	r.Cases = c.caseResults(about)
	c.acceptRecoveries(r)
	for _, k := range checks {
		if k.runs != nil {
			r.Findings = append(r.Findings, c.finish(k, nil, k.runs(c))...)
		}
	}
	r.Recoveries = c.recovered
	leftOpen(r)
	r.Messages = c.aligned()
	r.Notes = append(r.Notes, r.Messages.Notes...)
	r.Notes = append(r.Notes, blind.notes()...)
	r.Notes = append(r.Notes, c.mixedLoads()...)
	r.Notes = append(r.Notes, recovery...)
	r.Correlation = c.correlation()
	c.notifications(r)
	c.mask.apply(r)
	order(r)
	r.Verdict = review(r, blind.any())
	return r
}

// cell judges rules[i] in one scenario.
func (c *comparison) cell(i int, scenario string) (Result, []Finding) {
	rule := &c.in.Rules[i]
	k := &cell{
		cmp: c, index: i, rule: rule, scenario: scenario,
		deployed:  newHalf("deployed", c.in.Deployed.Build, c.deployed[scenario], i),
		candidate: newHalf("candidate", c.in.Candidate.Build, c.candidate[scenario], i),
	}
	if c.in.Expect != nil {
		k.expect = c.in.Expect(i, scenario)
	}
	decide(k)
	k.notified = k.contexts()
	c.notified = append(c.notified, k.notified...)
	var found []Finding
	for _, check := range checks {
		if check.cell != nil {
			found = append(found, c.finish(check, k, check.cell(k))...)
		}
	}
	slices.SortStableFunc(found, compareFindings)
	res := Result{
		Rule: rule, Scenario: scenario, Expect: k.expect,
		Verdict:  afterSeverities(k.verdict, found),
		Deployed: shown(k.deployed), Candidate: shown(k.candidate),
		Yielded: k.deployed.yes || k.candidate.yes,
	}
	res.Accepted = k.accepted(found)
	if k.decidedOn("not-evaluated") {
		res.Reason = cmp.Or(k.deployed.reason, k.candidate.reason)
	}
	for _, f := range found {
		res.Findings = append(res.Findings, f.ID)
	}
	return res, found
}

// finish fills in what all findings of a check share.
func (c *comparison) finish(k check, of *cell, found []Finding) []Finding {
	for i := range found {
		f := &found[i]
		f.ID = k.ID
		if f.Severity == 0 {
			f.Severity = k.Severity
		}
		if s, ok := c.in.Severities[k.ID]; ok {
			f.Severity = s
		}
		if of != nil {
			f.Rule, f.Scenario = of.rule, of.scenario
			if f.Pos == (source.Position{}) {
				f.Pos = of.rule.Pos
			}
		}
		f.Deployed, f.Candidate = bounded(f.Deployed), bounded(f.Candidate)
		f.Fingerprint = fingerprint(f, f.Rule != nil && c.twins[nameOf(f.Rule)] > 1)
		if !k.final {
			c.accept(f)
		}
	}
	return found
}

func byScenario(runs []outcome.Run) map[string][]*outcome.Run {
	m := map[string][]*outcome.Run{}
	for i := range runs {
		m[runs[i].Scenario] = append(m[runs[i].Scenario], &runs[i])
	}
	return m
}

func build(s Side) Build {
	return Build{Name: s.Build, Version: s.Version, Commit: s.Commit, Component: s.Component, Corpus: s.Corpus}
}

func runInfos(role string, runs []outcome.Run) []RunInfo {
	var out []RunInfo
	for i := range runs {
		run := &runs[i]
		if run.Missing {
			continue
		}
		out = append(out, RunInfo{
			Role: role, Scenario: run.Scenario, Repetition: run.Repetition,
			First: run.First, Last: run.Last, Streams: run.Streams,
			Records: run.Records, Empty: run.Empty, Repeats: run.Repeats, Incomplete: run.Incomplete,
		})
	}
	return out
}

// shown returns what a report says about one build of a cell.
func shown(h half) Outcome {
	o := Outcome{Outcome: outcome.Outcome{State: outcome.NotEvaluated, Reason: h.reason}}
	if h.outcome() != nil {
		o.Outcome = *h.outcome()
	}
	if o.State == 0 {
		o.State = outcome.NotEvaluated
	}
	if run := h.run(); run != nil && !run.Missing {
		o.Repetitions, o.Times = len(h.outcomes), h.times
	}
	return o
}

// order puts everything in the order that a report promises.
func order(r *Report) {
	slices.SortStableFunc(r.Results, func(a, b Result) int {
		return cmp.Or(compareRules(a.Rule, b.Rule), cmp.Compare(a.Scenario, b.Scenario))
	})
	slices.SortStableFunc(r.Findings, compareFindings)
	slices.SortStableFunc(r.Runs, func(a, b RunInfo) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), -cmp.Compare(a.Role, b.Role), cmp.Compare(a.Repetition, b.Repetition))
	})
	slices.SortStableFunc(r.Problems, func(a, b *source.Error) int {
		return cmp.Or(comparePositions(a.Pos, b.Pos), cmp.Compare(a.Msg, b.Msg))
	})
}

// compareFindings orders by severity, the worst first, then file, line, name
// and scenario. What follows only makes the order total.
func compareFindings(a, b Finding) int {
	var ra, rb rules.Rule
	if a.Rule != nil {
		ra = *a.Rule
	}
	if b.Rule != nil {
		rb = *b.Rule
	}
	return cmp.Or(
		-cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(ra.Name, rb.Name), cmp.Compare(a.Scenario, b.Scenario),
		cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(ra.Group, rb.Group),
		cmp.Compare(a.ID, b.ID), rest(a)-rest(b), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Message, b.Message),
	)
}

func rest(f Finding) int {
	if f.Rest {
		return 1
	}
	return 0
}

func compareRules(a, b *rules.Rule) int {
	return cmp.Or(
		cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Name, b.Name))
}

func comparePositions(a, b source.Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
