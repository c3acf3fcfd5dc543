package report

import (
	"fmt"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
)

// bakeries ask of their kilns that they bake in time.
const bakeries = `name: bakeries
capacity:
  rates: [{deviceHour: 3.00, currency: EUR}]
  incidents: 10
  window: 1m
  windows:
    - {title: 'a | day', class: example.com/kiln, devices: 4, length: 8h, busy: 60%}
    - {class: example.com/kiln, devices: 4, length: 8h, busy: 60%, lost: 2h}
  devices: [{name: example.com/kiln, kind: whole, resource: 'example\.com/kiln'}]
acceptance:
  - owner: bakers | <b>
    total: {within: 30s}
    stages: [{to: flame, within: 20s}]
    notSlower: {}
    noDuplicates: {}
    noManualActions: {}
    recoveryAlerts: {rules: [none]}
    rollback: [{name: cold, when: [total, unrecovered]}, {name: burnt, when: [case burnt]}]
`

// demanding is a review of two kilns of which much was declared, and that differ
// in more than the build.
func demanding() analyzer.Input {
	in := recovering()
	p, err := profile.Parse("bakeries.yaml", []byte(bakeries))
	if err != nil {
		panic(err)
	}
	in.Capacity, in.Acceptance = p.Capacity, p.Acceptance
	for i, side := range []*analyzer.Side{&in.Deployed, &in.Candidate} {
		for j := range side.Runs {
			run := &side.Runs[j]
			if run.Facts == nil {
				continue
			}
			run.Parameters = map[string]string{"wind": fmt.Sprint("<", i, "|>")}
			run.Builds = []outcome.BuildInfo{{Flags: []string{fmt.Sprintf("--gas=%d", i)}}}
			run.Facts.Moments = []string{"before"}
			for _, name := range []string{"one", "two"} {
				run.Facts.Objects = append(run.Facts.Objects, facts.Object{
					Moment: "before", Time: run.First, APIVersion: "batch/v1", Kind: "Job", Namespace: "yard", Name: name, UID: name,
					Raw: `{"spec":{"template":{"spec":{"containers":[{"resources":{"limits":{"example.com/kiln":"2"}}}]}}}}`,
				})
			}
			for k, name := range []string{"hall", "cellar"} {
				run.Facts.Objects = append(run.Facts.Objects, facts.Object{
					Moment: "before", Time: run.First, APIVersion: "v1", Kind: "Node", Name: name, UID: name,
					Raw: fmt.Sprintf(`{"spec":{"unschedulable":%t},"status":{"capacity":{"example.com/kiln":"4"},"allocatable":{"example.com/kiln":"4"}}}`, k == 1),
				})
			}
			if i == 1 {
				at := run.First + 60e9
				run.Facts.Actions = append(run.Facts.Actions, facts.Action{Time: at, Actor: "operator", Action: "patch", Target: "kiln | <two>"}, facts.Action{Time: at, Actor: "script", Action: "restart", Target: "pipe"})
				for k := range int64(3) {
					for l, pod := range []string{"one-a", "one-b"} {
						run.Facts.Progress = append(run.Facts.Progress, facts.Progress{
							Time: at + k*1e9 + int64(l)*2e8, Cluster: pod, Namespace: "yard", Job: "one", Pod: pod, Event: "brick", Step: k + 1, Raw: fmt.Sprint(pod, k),
						})
					}
				}
			}
		}
	}
	return in
}
