package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// expectedPromQL is expected-promql.json: what Prometheus's own engine says of
// the rules on the scrapes of each run, by "scenario/build".
type expectedPromQL struct {
	Rules []struct {
		Alert string `json:"alert"`
		Expr  string `json:"expr"`
	} `json:"rules"`
	Runs map[string]struct {
		Start int64                    `json:"start"`
		End   int64                    `json:"end"`
		Alert map[string]expectedAlert `json:"alert"`
	} `json:"runs"`
}

// checkPromQL compares the PromQL rules of the folder with the answers, and
// every run with itself. A folder without such answers is left out.
func (s *suite) checkPromQL(ctx context.Context, t *tally) error {
	var want expectedPromQL
	if ok, err := readOptional(filepath.Join(s.folder, "expected-promql.json"), &want); !ok {
		return err
	}
	set, err := rules.Load([]string{filepath.Join(s.folder, "rules")}, rules.Options{})
	if err != nil {
		return err
	}
	set.Rules = slices.DeleteFunc(set.Rules, func(r rules.Rule) bool { return r.Language != rules.PromQL })
	runs, err := s.replayPromQL(ctx, set.Rules)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(want.Runs)) {
		run := runs[key]
		if run == nil {
			t.fail(key, "the run was not imported")
			continue
		}
		w := want.Runs[key]
		t.check(key+" promql grid", diffString("evaluated", promSpan(run), fmt.Sprintf("%d to %d", w.Start, w.End)))
		for _, r := range want.Rules {
			i := slices.IndexFunc(set.Rules, func(x rules.Rule) bool { return x.Name == r.Alert && strings.TrimSpace(x.Expr) == r.Expr })
			answer, ok := w.Alert[r.Alert]
			if i < 0 || !ok {
				t.fail(key+" "+r.Alert, "there is no such rule, or no answer for it")
				continue
			}
			t.check(key+" "+r.Alert+" promql", diffPromAlert(&run.Outcomes[i], &answer))
		}
		for expect := analyzer.ExpectNone; expect <= analyzer.MustClear; expect++ {
			rep := compareRules(set.Rules, run, run, expect)
			for i := range set.Rules {
				t.check(fmt.Sprintf("%s with itself, %q %s", key, set.Rules[i].Name, expect), diffSame(rep, &set.Rules[i]))
			}
		}
	}
	return nil
}

// replayPromQL replays rules on all runs of the folder.
func (s *suite) replayPromQL(ctx context.Context, rs []rules.Rule) (map[string]*outcome.Run, error) {
	c, err := corpus.Open(s.corpus)
	if err != nil {
		return nil, err
	}
	var jobs []compare.Job
	for _, info := range c.Runs() {
		jobs = append(jobs, compare.Job{Corpus: c, Run: info})
	}
	results, err := compare.Replay(ctx, replay.NewPlan(rs, replay.Options{Interval: interval}), jobs)
	if err != nil {
		return nil, err
	}
	out := map[string]*outcome.Run{}
	for i := range results {
		out[results[i].Scenario+"/"+results[i].Build] = &results[i]
	}
	return out, nil
}

// promSpan says from when to when PromQL rules were evaluated.
func promSpan(run *outcome.Run) string {
	step := int64(interval)
	first, last := run.Scrapes.First, run.Scrapes.Last
	return fmt.Sprintf("%d to %d", (first-first%step)/1e9, (last-last%step+step)/1e9)
}

// diffPromAlert compares when an alert fired.
func diffPromAlert(got *outcome.Outcome, want *expectedAlert) string {
	if got.State == outcome.NotEvaluated {
		return "not evaluated: " + got.Reason
	}
	w := *want
	w.Pending = got.State == outcome.Pending // the answers do not tell it
	return diffAlert(got, &w)
}
