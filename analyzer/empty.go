package analyzer

import (
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// emptyInput returns a problem for everything without which a comparison
// would pass for want of anything to look at.
func emptyInput(in *Input) []*source.Error {
	var out []*source.Error
	add := func(msg, hint string) { out = append(out, &source.Error{Msg: msg, Hint: hint}) }
	if len(in.Rules) == 0 && !in.WithoutRules {
		add("no rules to replay", "name a rule file, a dashboard or a file of saved queries")
	}
	if len(in.Scenarios) == 0 {
		add("no scenario was run on both builds", "list the runs of the corpus")
	}
	logs := in.WithoutRules
	for _, r := range in.Rules {
		logs = logs || r.Language != rules.PromQL
	}
	for _, s := range []struct {
		role string
		side Side
	}{{"deployed", in.Deployed}, {"candidate", in.Candidate}} {
		if len(s.side.Runs) == 0 {
			add(fmt.Sprintf("the %s build has no runs", s.role), "name a build of the corpus")
		}
		for _, run := range s.side.Runs {
			if logs && run.Records == 0 && !run.Missing && slices.Contains(in.Scenarios, run.Scenario) {
				add(emptyRun(s.role, run), "capture it again, or leave the scenario out")
			}
		}
	}
	return out
}

func emptyRun(role string, run outcome.Run) string {
	return fmt.Sprintf("run %d of scenario %q on the %s build holds no records", run.Repetition, run.Scenario, role)
}
