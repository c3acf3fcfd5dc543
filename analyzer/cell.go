package analyzer

import (
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// A cell is one rule in one scenario, seen on both builds.
type cell struct {
	cmp      *comparison
	index    int // of the rule in the input
	rule     *rules.Rule
	scenario string
	expect   Expect

	deployed, candidate half

	notified []Notification // what its alerts name of what is required

	verdict  Verdict
	decided  []string // findings that go with the verdict
	severity Severity // of the decided finding; 0: its default
}

// decidedOn reports whether the verdict table gave the finding called id.
func (c *cell) decidedOn(id string) bool {
	return slices.Contains(c.decided, id)
}

// accepted reports whether the verdict leaves something open, and all findings
// that say so were accepted.
func (c *cell) accepted(found []Finding) bool {
	if c.verdict != Inconclusive && c.verdict != NotEvaluated {
		return false
	}
	open := slices.ContainsFunc(found, func(f Finding) bool { return c.decidedOn(f.ID) && !f.Accepted() })
	return len(c.decided) > 0 && !open
}

// isAlert reports whether the rule is an alert rule.
func (c *cell) isAlert() bool { return c.rule.Kind == rules.Alert }

// A half is what a rule did on one build in one scenario, over all
// repetitions.
type half struct {
	role     string // "deployed" or "candidate"
	build    string
	runs     []*outcome.Run
	outcomes []*outcome.Outcome // as runs

	reason  string // why it was not evaluated; else empty
	yes     bool   // in one repetition at least
	mixed   bool   // yes in some repetitions, no in others
	pending bool   // undecided in one repetition at least
	varies  bool   // in one repetition at least it depends on the moment of evaluation
	shown   int    // index of the repetition that stands for all
	times   int    // repetitions in the same state as the one shown
}

// newHalf collects the outcomes of rules[i] in the runs of one scenario.
func newHalf(role, build string, runs []*outcome.Run, i int) half {
	h := half{role: role, build: build, runs: runs}
	if len(runs) == 0 {
		h.reason = "the " + role + " build has no run of this scenario"
		return h
	}
	first := map[outcome.State]int{}
	count := map[outcome.State]int{}
	for n, run := range runs {
		o := &outcome.Outcome{State: outcome.NotEvaluated, Reason: "the replay gave no outcome for this rule"}
		if i < len(run.Outcomes) {
			o = &run.Outcomes[i]
		}
		h.outcomes = append(h.outcomes, o)
		h.varies = h.varies || o.Moments.Varies()
		s := sameState(o.State)
		if _, ok := first[s]; !ok {
			first[s] = n
		}
		count[s]++
	}
	h.yes = count[outcome.Fired] > 0
	h.mixed = h.yes && count[outcome.Silent] > 0
	h.pending = count[outcome.Pending] > 0
	shown := outcome.Silent
	switch {
	case count[outcome.NotEvaluated] > 0:
		shown = outcome.NotEvaluated
		h.reason = h.outcomes[first[shown]].Reason
		if h.reason == "" {
			h.reason = "the replay gave no reason"
		}
	case h.mixed:
		shown = outcome.Fired
	case h.pending:
		shown = outcome.Pending
	case h.yes:
		shown = outcome.Fired
	}
	h.shown, h.times = first[shown], count[shown]
	return h
}

// sameState maps the states of queries to those of alerts, and what is no
// state to NotEvaluated.
func sameState(s outcome.State) outcome.State {
	switch s {
	case outcome.Fired, outcome.Matched:
		return outcome.Fired
	case outcome.Silent, outcome.None:
		return outcome.Silent
	case outcome.Pending:
		return s
	}
	return outcome.NotEvaluated
}

// answer returns yes or no; it means nothing of a half that is mixed, pending
// or not evaluated.
func (h *half) answer() answer {
	if h.yes {
		return yes
	}
	return no
}

// outcome returns the repetition that stands for all; nil when there is none.
func (h *half) outcome() *outcome.Outcome {
	if len(h.outcomes) == 0 {
		return nil
	}
	return h.outcomes[h.shown]
}

// run returns the run of [half.outcome].
func (h *half) run() *outcome.Run {
	if len(h.runs) == 0 {
		return nil
	}
	return h.runs[h.shown]
}
