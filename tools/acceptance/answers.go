package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// checkAnswers compares every number of expected.json.
func (s *suite) checkAnswers(t *tally) {
	for i := range s.exp.Runs {
		want := &s.exp.Runs[i]
		name := fmt.Sprintf("%s/%s", want.scenario(), want.Build)
		run := s.results[runKey{want.scenario(), want.Build}]
		if run == nil {
			t.fail(name, "the run was not imported")
			continue
		}
		t.check(name+" lines", s.diffLines(run, want))
		t.check(name+" grid", diffGrid(run, want))
		for _, q := range s.exp.Queries {
			s.checkQuery(t, name+" "+q.ID, run, want, &q)
		}
	}
}

// checkQuery compares what one query gave in one run.
func (s *suite) checkQuery(t *tally, name string, run *outcome.Run, want *expectedRun, q *expectedQuery) {
	known := false
	if lines, ok := want.Log[q.ID]; ok {
		known = true
		got, err := s.outcome(run, q.ID+logSuffix)
		t.check(name+" log", first(err, func() string { return diffInt("lines", got.Lines, lines) }))
	}
	if alert, ok := want.Alert[q.ID]; ok {
		known = true
		got, err := s.outcome(run, s.alertName(q))
		t.check(name+" alert", first(err, func() string { return diffAlert(got, &alert) }))
	}
	if metric, ok := want.Metric[q.ID]; ok {
		known = true
		got, err := s.outcome(run, q.Rule)
		t.check(name+" metric", first(err, func() string { return diffVector(got.Result, metric) }))
	}
	if !known && q.Alert == "" && q.Saved == "" {
		t.fail(name, "expected.json has no answer for this query")
	}
}

// alertName returns the rule whose firing expected.json holds for q.
func (s *suite) alertName(q *expectedQuery) string {
	switch {
	case q.Alert != "":
		return q.Alert
	case q.Kind == "saved":
		return q.ID + alertSuffix
	}
	return q.Rule
}

func first(err error, diff func() string) string {
	if err != nil {
		return err.Error()
	}
	return diff()
}

func (s *suite) diffLines(run *outcome.Run, want *expectedRun) string {
	if len(s.clusters) == 0 {
		n, err := strconv.ParseInt(string(want.Lines), 10, 64)
		if err != nil {
			return err.Error()
		}
		return diffInt("records", run.Records-run.Empty-run.Repeats, n)
	}
	var byCluster map[string]int64
	if err := json.Unmarshal(want.Lines, &byCluster); err != nil {
		return err.Error()
	}
	for _, c := range slices.Sorted(maps.Keys(byCluster)) {
		got, err := s.outcome(run, c+logSuffix)
		if err != nil {
			return err.Error()
		}
		if d := diffInt("records of "+c, got.Lines, byCluster[c]); d != "" {
			return d
		}
	}
	return ""
}

func diffGrid(run *outcome.Run, want *expectedRun) string {
	got := fmt.Sprintf("%d to %d by %d", run.Start, run.End, run.Step)
	if w := fmt.Sprintf("%s to %s by %s", want.Start, want.End, want.Step); got != w {
		return "evaluated from " + got + "; want " + w
	}
	return ""
}

func diffInt(what string, got, want int64) string {
	if got != want {
		return fmt.Sprintf("%s = %d; want %d", what, got, want)
	}
	return ""
}

// diffAlert compares when an alert fired.
func diffAlert(got *outcome.Outcome, want *expectedAlert) string {
	if fires := got.State == outcome.Fired; fires != want.Fires {
		return fmt.Sprintf("fires = %t; want %t", fires, want.Fires)
	}
	if pending := got.State == outcome.Pending; pending != want.Pending {
		return fmt.Sprintf("pending = %t; want %t", pending, want.Pending)
	}
	if d := diffInt("firing evaluations", int64(got.Points), int64(want.Points)); d != "" {
		return d
	}
	if !want.Fires {
		return ""
	}
	from, to := got.Firing[0].From/1e9, got.Firing[len(got.Firing)-1].To/1e9
	if want.First == nil || want.Last == nil || want.Peak == nil {
		return "expected.json says that it fires, but not when"
	}
	if from != *want.First || to != *want.Last {
		return fmt.Sprintf("fires from %d to %d; want %d to %d", from, to, *want.First, *want.Last)
	}
	if got.Peak == nil {
		return fmt.Sprintf("no peak; want %v", *want.Peak)
	}
	if !near(*got.Peak, *want.Peak) {
		return fmt.Sprintf("peak = %v; want %v", *got.Peak, *want.Peak)
	}
	return ""
}

// near reports whether two numbers are equal within a relative 1e-9.
func near(a, b float64) bool {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

func diffVector(got []outcome.Sample, want []expectedSample) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d series; want %d", len(got), len(want))
	}
	byLabels := map[string]float64{}
	for _, g := range got {
		byLabels[g.Labels.String()] = g.Value
	}
	for _, w := range want {
		key := logs.FromMap(w.Labels).String()
		value, err := number(w.Value)
		if err != nil {
			return err.Error()
		}
		g, ok := byLabels[key]
		if !ok {
			return "no series " + key
		}
		if !near(g, value) {
			return fmt.Sprintf("%s = %v; want %v", key, g, value)
		}
	}
	return ""
}
