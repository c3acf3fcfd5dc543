package compare

import (
	"context"
	"slices"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// moments is at how many moments of its interval a rule is tried.
const moments = 10

// A momentTry is a rule that does something on one build alone, where it came
// close on the other.
type momentTry struct {
	rule  int // index into the rules of the input
	first int // of its copies, among all rules of the plan
}

// tryMoments replays rules that cross their threshold on one build, and have
// lines or samples but do not cross it on the other. When in its interval a
// rule is evaluated is nobody's choice: if both builds would cross it at some
// moments and not at others, the difference says nothing of the builds. It
// reports whether there is such a rule; the outcomes then say so.
func tryMoments(ctx context.Context, in *analyzer.Input, rep *analyzer.Report, opt replay.Options, jobs []Job) (bool, error) {
	close := closeCells(in, rep)
	if len(close) == 0 {
		return false, nil
	}
	var tried []rules.Rule // what a rule reads of recording rules is there as before
	for i := range in.Rules {
		if in.Rules[i].Kind == rules.Recording {
			tried = append(tried, in.Rules[i])
		}
	}
	var tries []momentTry
	for i := range in.Rules {
		if len(close[i]) == 0 {
			continue
		}
		tries = append(tries, momentTry{i, len(tried)})
		tried = append(tried, atMoments(&in.Rules[i], opt.Interval)...)
	}
	var some []Job
	var runs []*outcome.Run
	deployed := len(in.Deployed.Runs) - missing(in.Deployed.Runs)
	for i, job := range jobs {
		if !anyScenario(close, job.Run.Scenario) {
			continue
		}
		some = append(some, job)
		if i < deployed {
			runs = append(runs, &in.Deployed.Runs[i])
		} else {
			runs = append(runs, &in.Candidate.Runs[i-deployed])
		}
	}
	results, err := Replay(ctx, replay.NewPlan(tried, opt), some)
	if err != nil {
		return false, err
	}
	varies := false
	for n := range results {
		for _, t := range tries {
			if slices.Contains(close[t.rule], runs[n].Scenario) {
				m := momentsOf(&runs[n].Outcomes[t.rule], results[n].Outcomes[t.first:t.first+moments-1])
				runs[n].Outcomes[t.rule].Moments = m
				varies = varies || m.Varies()
			}
		}
	}
	return varies, nil
}

// closeCells returns the scenarios, by rule, in which a rule does something on
// one build and only came close on the other.
func closeCells(in *analyzer.Input, rep *analyzer.Report) map[int][]string {
	index := map[*rules.Rule]int{}
	for i := range in.Rules {
		index[&in.Rules[i]] = i
	}
	near := func(yes, no *analyzer.Outcome) bool {
		return yes.State.Yes() && no.State.No() && no.Nothing == outcome.BelowThreshold
	}
	out := map[int][]string{}
	for i := range rep.Results {
		res := &rep.Results[i]
		n, ok := index[res.Rule]
		if ok && res.Rule.Kind != rules.Recording && (near(&res.Deployed, &res.Candidate) || near(&res.Candidate, &res.Deployed)) {
			out[n] = append(out[n], res.Scenario)
		}
	}
	return out
}

func anyScenario(cells map[int][]string, scenario string) bool {
	for _, list := range cells {
		if slices.Contains(list, scenario) {
			return true
		}
	}
	return false
}

func missing(runs []outcome.Run) int {
	n := 0
	for i := range runs {
		if runs[i].Missing {
			n++
		}
	}
	return n
}

// atMoments returns copies of a rule that are evaluated later in its interval.
func atMoments(r *rules.Rule, interval time.Duration) []rules.Rule {
	switch {
	case r.Interval > 0:
		interval = r.Interval
	case interval <= 0:
		interval = replay.DefaultInterval
	}
	var out []rules.Rule
	for k := 1; k < moments; k++ {
		later := *r
		later.QueryOffset -= time.Duration(k) * interval / moments
		out = append(out, later)
	}
	return out
}

// momentsOf counts the moments at which a rule does something; nil: it is
// undecided at one.
func momentsOf(own *outcome.Outcome, others []outcome.Outcome) *outcome.Moments {
	m := &outcome.Moments{}
	for _, s := range append([]outcome.State{own.State}, states(others)...) {
		if !s.Yes() && !s.No() {
			return nil
		}
		m.Of++
		if s.Yes() {
			m.Yes++
		}
	}
	return m
}

func states(outcomes []outcome.Outcome) []outcome.State {
	var out []outcome.State
	for i := range outcomes {
		out = append(out, outcomes[i].State)
	}
	return out
}
