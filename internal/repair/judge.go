package repair

import (
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// A Trial is a rule and an edit of it, replayed on all runs of both builds.
type Trial struct {
	// Expect is what was declared of the rule in a scenario.
	Expect              func(scenario string) analyzer.Expect
	Deployed, Candidate []Tried
}

// A Tried is what the rule and its edit did on one run.
type Tried struct {
	Run           *outcome.Run // with the messages of the run
	Before, After *outcome.Outcome
}

// foreignShare is the part of the lines that an edit gains on the candidate
// that may belong to messages which the rule never matched on deployed although
// they were there: one in so many.
const foreignShare = 5

// Judge reports whether an edit repairs the rule: on deployed it matches the
// same lines and does the same as the rule, on the candidate it fires or
// matches where the rule did on deployed, and is silent where that was silent
// or has to be.
func (t *Trial) Judge() bool {
	for _, d := range t.Deployed {
		if d.After.Lines != d.Before.Lines || d.After.State != d.Before.State {
			return false
		}
	}
	seen := map[string]bool{}
	for _, r := range t.Candidate {
		if scenario := r.Run.Scenario; !seen[scenario] {
			seen[scenario] = true
			if !t.holds(scenario) {
				return false
			}
		}
	}
	return !t.foreign()
}

// holds judges what the edit did on the candidate in one scenario.
func (t *Trial) holds(scenario string) bool {
	d, c := t.of(t.Deployed, scenario), t.of(t.Candidate, scenario)
	expect := t.Expect(scenario)
	before := sum(d, false)
	after := sum(c, true)
	was := sum(c, false)
	if after.unknown > was.unknown {
		return false
	}
	if before.unknown > 0 || before.runs == 0 {
		return true // nothing is known of the rule here
	}
	lost := before.least > 0 && was.most == 0
	switch {
	case expect == analyzer.MustStaySilent:
		return after.yes <= was.yes
	case expect == analyzer.MustClear:
		return before.yes == 0 || after.yes == 0
	case before.yes == before.runs:
		return after.yes == after.runs && (!lost || after.least > 0)
	case before.yes > 0, expect == analyzer.MustFire:
		return true
	}
	return after.yes <= was.yes
}

func (t *Trial) of(all []Tried, scenario string) []Tried {
	var out []Tried
	for _, r := range all {
		if r.Run.Scenario == scenario {
			out = append(out, r)
		}
	}
	return out
}

// A tally counts runs by what was done in them.
type tally struct {
	runs, yes, unknown int
	least, most        int64 // lines
}

func sum(runs []Tried, after bool) tally {
	var n tally
	for i, r := range runs {
		o := r.Before
		if after {
			o = r.After
		}
		n.runs++
		switch o.State {
		case outcome.Fired, outcome.Matched:
			n.yes++
		case outcome.Silent, outcome.None:
		default:
			n.unknown++
		}
		if i == 0 {
			n.least = o.Lines
		}
		n.least, n.most = min(n.least, o.Lines), max(n.most, o.Lines)
	}
	return n
}

// LosesLabels reports whether, in some scenario, no alert or series of the
// candidate carries a label that all carry on deployed.
func (t *Trial) LosesLabels() bool {
	labels := func(all []Tried, scenario string) (out []logs.Labels) {
		for _, r := range t.of(all, scenario) {
			for i := range r.After.Alerts {
				out = append(out, r.After.Alerts[i].Labels)
			}
			for i := range r.After.Result {
				out = append(out, r.After.Result[i].Labels)
			}
		}
		return out
	}
	return slices.ContainsFunc(t.Candidate, func(r Tried) bool {
		scenario := r.Run.Scenario
		return len(analyzer.LostLabels(labels(t.Deployed, scenario), labels(t.Candidate, scenario))) > 0
	})
}

// foreign reports whether the edit matches more on the candidate than what
// became of the rule's lines: messages that deployed wrote too, and of which
// the rule wanted none.
func (t *Trial) foreign() bool {
	type id struct{ text, logger, level string }
	name := func(m *outcome.Message) id { return id{m.Text, m.Logger, m.Level} }
	wrote, wanted := map[id]bool{}, map[id]bool{}
	for _, d := range t.Deployed {
		for i := range d.Run.Messages {
			wrote[name(&d.Run.Messages[i])] = true
		}
		for _, u := range d.Before.Uses {
			wanted[name(&d.Run.Messages[u.Message])] = true
		}
	}
	var gained, foreign int64
	for _, c := range t.Candidate {
		before := map[int]int64{}
		for _, u := range c.Before.Uses {
			before[u.Message] = u.Lines
		}
		for _, u := range c.After.Uses {
			more := u.Lines - before[u.Message]
			if more <= 0 || u.Message >= len(c.Run.Messages) {
				continue
			}
			gained += more
			if n := name(&c.Run.Messages[u.Message]); wrote[n] && !wanted[n] {
				foreign += more
			}
		}
	}
	return foreign*foreignShare > gained
}

// Proof returns what the edit did on every run, in the order of the runs,
// those of deployed first.
func (t *Trial) Proof() []analyzer.Proof {
	var out []analyzer.Proof
	add := func(role string, runs []Tried) {
		for _, r := range runs {
			out = append(out, analyzer.Proof{
				Scenario: r.Run.Scenario, Role: role, Repetition: r.Run.Repetition,
				State: r.After.State, Lines: r.After.Lines, Before: r.Before.Lines,
			})
		}
	}
	add("deployed", t.Deployed)
	add("candidate", t.Candidate)
	return out
}
