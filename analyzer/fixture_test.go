package analyzer

import (
	"slices"

	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

const second = int64(1e9)

// start is 2026-01-02T03:04:00Z.
const start = 1767323040 * second

// A trial is one rule in one scenario, with a repetition for each outcome.
type trial struct {
	rule                rules.Rule
	expect              Expect
	deployed, candidate []outcome.Outcome
	severities          map[string]Severity
	// messages of the candidate's runs, and of the deployed build's
	messages, deployedMessages []outcome.Message
	// change edits the input before it is compared; nil: nothing to edit
	change func(*Input)
	// metrics of each build's runs
	deployedMetrics, candidateMetrics []outcome.Metric
	// panics of each build's runs
	deployedPanics, candidatePanics []outcome.Panic
	// assertion of the scenario, nil: none; and what each build's runs recorded
	assertion                     *profile.Assertion
	deployedFacts, candidateFacts *facts.Facts
	milestones                    *profile.Milestones
}

func alertRule() rules.Rule {
	return rules.Rule{
		Kind: rules.Alert, Name: "Dispatched", Group: "kueue", Language: rules.LogQL,
		Expr:        `sum(count_over_time({app="kueue"} |= "got reservation on" [1m])) > 0`,
		Pos:         source.Position{File: "rules/kueue.yaml", Line: 5, Column: 15},
		Interval:    5e9,
		Annotations: map[string]string{"summary": "{{ $labels.queue }} dispatched"},
	}
}

func queryRule() rules.Rule {
	r := alertRule()
	r.Kind, r.Name, r.Group = rules.Query, "DispatchedLines", ""
	r.Expr = `{app="kueue"} |= "got reservation on"`
	return r
}

// did returns an outcome in a state with numbers that go with it.
func did(s outcome.State) outcome.Outcome {
	o := outcome.Outcome{State: s, Funnel: []outcome.Step{
		{Stage: `{app="kueue"}`, Start: 20, End: 33, Lines: 900, Streams: 1},
		{Stage: `|= "got reservation on"`, Start: 34, End: 57},
	}}
	switch s {
	case outcome.Fired:
		o.Firing = []outcome.Interval{{From: start + 60*second, To: start + 120*second}}
		fallthrough
	case outcome.Matched:
		o.Lines, o.Funnel[1].Lines = 42, 42
		o.Evidence = []outcome.Evidence{{
			Stream: logs.New(logs.Label{Name: "app", Value: "kueue"}), Time: start + 50*second,
			Line: `{"level":"debug","logger":"events","msg":"The workload got reservation on \"worker-1\"","reason":"MultiKueue"}`,
		}}
	case outcome.NotEvaluated:
		o = outcome.Outcome{State: s, Reason: "approx_topk is not supported"}
	default:
		o.Nothing = outcome.NoLine
	}
	return o
}

func states(of ...outcome.State) []outcome.Outcome {
	var out []outcome.Outcome
	for _, s := range of {
		out = append(out, did(s))
	}
	return out
}

// side makes the runs of a build from the outcomes of a rule.
func side(build string, outcomes []outcome.Outcome, messages []outcome.Message) Side {
	s := Side{Build: build, Version: build}
	for i, o := range outcomes {
		s.Runs = append(s.Runs, outcome.Run{
			Build: build, Scenario: "drill", Repetition: i + 1,
			Start: start, End: start + 300*second, Step: 60 * second,
			First: start, Last: start + 300*second, Streams: 1, Records: 900,
			Outcomes: []outcome.Outcome{o}, Messages: messages,
		})
	}
	return s
}

func (tr trial) input() Input {
	deployed, candidate := side("v1", tr.deployed, tr.deployedMessages), side("v2", tr.candidate, tr.messages)
	for i := range deployed.Runs {
		deployed.Runs[i].Metrics, deployed.Runs[i].Facts = tr.deployedMetrics, tr.deployedFacts
		deployed.Runs[i].Panics = tr.deployedPanics
	}
	for i := range candidate.Runs {
		candidate.Runs[i].Metrics, candidate.Runs[i].Facts = tr.candidateMetrics, tr.candidateFacts
		candidate.Runs[i].Panics = tr.candidatePanics
	}
	var declared []cases.Declaration
	if tr.assertion != nil {
		declared = []cases.Declaration{{Scenario: "drill", Assertion: tr.assertion, From: "review file"}}
	}
	in := Input{
		Cases:      declared,
		Milestones: tr.milestones,
		Deployed:   deployed,
		Candidate:  candidate,
		Scenarios:  []string{"drill"},
		Rules:      []rules.Rule{tr.rule},
		Expect:     func(int, string) Expect { return tr.expect },
		Severities: tr.severities,
	}
	if tr.change != nil {
		tr.change(&in)
	}
	return in
}

func (tr trial) run() *Report { return Compare(tr.input()) }

// swapped returns the trial with the builds the other way round.
func (tr trial) swapped() trial {
	tr.deployed, tr.candidate = tr.candidate, tr.deployed
	tr.deployedMetrics, tr.candidateMetrics = tr.candidateMetrics, tr.deployedMetrics
	tr.deployedMessages, tr.messages = tr.messages, tr.deployedMessages
	tr.deployedFacts, tr.candidateFacts = tr.candidateFacts, tr.deployedFacts
	tr.deployedPanics, tr.candidatePanics = tr.candidatePanics, tr.deployedPanics
	return tr
}

// itself returns the trial with deployed on both sides.
func (tr trial) itself() trial {
	tr.candidate = slices.Clone(tr.deployed)
	tr.candidateMetrics, tr.candidateFacts = tr.deployedMetrics, tr.deployedFacts
	tr.candidatePanics = tr.deployedPanics
	tr.messages, tr.change = tr.deployedMessages, nil
	return tr
}

// ids returns the IDs of a report's findings.
func ids(r *Report) []string {
	out := []string{}
	for _, f := range r.Findings {
		out = append(out, f.ID)
	}
	return out
}
