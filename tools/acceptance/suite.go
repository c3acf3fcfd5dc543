package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
	"github.com/stillfires/stillfires/rules"
)

// interval is how often rules are evaluated in the recorded answers.
const interval = 5 * time.Second

// Suffixes of the names of rules that the suite makes from expected.json.
const (
	logSuffix   = "\x00log"   // the query, for its lines
	alertSuffix = "\x00alert" // sum(count_over_time(query [1h])) > 0
)

// A suite is one folder with all its runs replayed.
type suite struct {
	exp      *expected
	folder   string
	corpus   string
	rules    []rules.Rule
	logQL    []string // files that hold LogQL rules
	byName   map[string]int
	clusters []string // values of the label cluster, of the layout by scenario
	results  map[runKey]*outcome.Run
	reports  map[comparison]*analyzer.Report
	elapsed  time.Duration
}

type runKey struct{ scenario, build string }

func newSuite(ctx context.Context, exp *expected, descriptions, folder, tmp string) (*suite, error) {
	began := time.Now()
	s := &suite{
		exp: exp, folder: folder, corpus: filepath.Join(tmp, "corpus"),
		byName: map[string]int{}, results: map[runKey]*outcome.Run{}, reports: map[comparison]*analyzer.Report{},
	}
	if err := compare.Import(ctx, filepath.Join(descriptions, exp.layout.description), folder, s.corpus); err != nil {
		return nil, err
	}
	if err := s.loadRules(); err != nil {
		return nil, err
	}
	c, err := corpus.Open(s.corpus)
	if err != nil {
		return nil, err
	}
	plan := replay.NewPlan(s.rules, replay.Options{Interval: interval})
	infos := c.Runs()
	jobs := make([]compare.Job, len(infos))
	for i, info := range infos {
		jobs[i] = compare.Job{Corpus: c, Run: info}
	}
	results, err := compare.Replay(ctx, plan, jobs)
	if err != nil {
		return nil, err
	}
	for i, info := range infos {
		s.results[runKey{info.Scenario, info.Build}] = &results[i]
	}
	s.elapsed = time.Since(began)
	return s, nil
}

// loadRules loads the folder's rules and makes those that stand only in
// expected.json.
func (s *suite) loadRules() error {
	set, err := rules.Load([]string{filepath.Join(s.folder, "rules")}, rules.Options{})
	if err != nil {
		return err
	}
	for _, p := range set.Problems {
		return p
	}
	for _, r := range set.Rules {
		if r.Language == rules.LogQL {
			s.add(r)
			s.logQL = append(s.logQL, r.Pos.File)
		}
	}
	for _, q := range s.exp.Queries {
		if strings.HasPrefix(q.Rule, "M") && q.Kind == "saved" {
			continue // a metric query: it stands in rules/
		}
		s.add(rules.Rule{Kind: rules.Query, Name: q.ID + logSuffix, Language: rules.LogQL, Expr: q.LogQL})
		if q.Kind == "saved" {
			s.add(rules.Rule{
				Kind: rules.Alert, Name: q.ID + alertSuffix, Language: rules.LogQL, Interval: interval,
				Expr: "sum(count_over_time(" + q.LogQL + " [" + s.exp.layout.window + "])) > 0",
			})
		}
	}
	if s.exp.layout.selector == "" {
		if err := s.exp.clusters(&s.clusters); err != nil {
			return err
		}
		for _, c := range s.clusters {
			s.add(rules.Rule{Kind: rules.Query, Name: c + logSuffix, Language: rules.LogQL, Expr: fmt.Sprintf("{cluster=%q}", c)})
		}
	}
	return nil
}

func (s *suite) add(r rules.Rule) {
	s.byName[r.Name] = len(s.rules)
	s.rules = append(s.rules, r)
}

// outcome returns what the rule called name did in a run.
func (s *suite) outcome(run *outcome.Run, name string) (*outcome.Outcome, error) {
	i, ok := s.byName[name]
	if !ok {
		return nil, fmt.Errorf("no rule %q", name)
	}
	o := &run.Outcomes[i]
	if o.State == outcome.NotEvaluated {
		return nil, fmt.Errorf("not evaluated: %s", o.Reason)
	}
	return o, nil
}
