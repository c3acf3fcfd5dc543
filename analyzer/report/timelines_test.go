package report

import (
	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// kilns bake bricks once the gas is back.
const kilns = `name: kilns
milestones:
  work: {submitted: [{action: {action: loaded}}], units: [{progress: {event: brick}}]}
  failure: [{action: {action: gas-off}}]
  restored: [{action: {action: gas-on}}]
  list:
    - {name: flame, shared: true, owner: gas works, hint: the pipe fills, by: [{action: {action: flame}}]}
    - {name: hot, as: running, by: [{condition: {kind: Kiln, type: Hot}}]}
    - {name: baking, as: useful, owner: bakers, by: [{progress: {event: brick}}]}
  deadlines: [{milestone: baking, within: 1m, owner: bakers}]
  suspects: [{title: sparks, log: {query: '|= "spark"'}}]
`

// recovering is a review of two kilns, one of which stays cold on candidate.
func recovering() analyzer.Input {
	in := passing()
	p, err := profile.Parse("kilns.yaml", []byte(kilns))
	if err != nil {
		panic(err)
	}
	in.Milestones, in.Cases = p.Milestones, nil
	scenario := in.Scenarios[0]
	for i, side := range []*analyzer.Side{&in.Deployed, &in.Candidate} {
		for j := range side.Runs {
			run := &side.Runs[j]
			if run.Scenario != scenario {
				continue
			}
			run.Facts = gasBack(run.First, int64(2+20*i), i == 0)
			run.Marks = []outcome.Marks{{MarkQuery: outcome.MarkQuery{Query: `|= "spark"`}}}
			for k := range 30 * i {
				run.Marks[0].Lines = append(run.Marks[0].Lines, outcome.Mark{Time: run.First + 40e9 + int64(k)*1e8 + 1, Line: "a spark <b>"})
			}
		}
	}
	return in
}

func gasBack(start, flame int64, both bool) *facts.Facts {
	f := &facts.Facts{}
	add := func(at int64, action, target string) {
		f.Actions = append(f.Actions, facts.Action{Time: start + at*1e9 + 1, Actor: "fitter", Action: action, Target: target})
	}
	add(10, "gas-off", "street")
	add(12, "loaded", "yard/one")
	add(13, "loaded", "yard/two")
	add(30, "gas-on", "street")
	add(30+flame, "flame", "street")
	add(200, "home", "fitter")
	for i, name := range []string{"one", "two"} {
		if i == 0 || both {
			f.Progress = append(f.Progress, facts.Progress{Time: start + (35+flame)*1e9 + 1, Namespace: "yard", Job: name, Event: "brick"})
		}
	}
	return f
}
