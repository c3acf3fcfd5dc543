package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A layout names the import description and the rules of the two kinds of
// folder.
type layout struct {
	description string
	// selector and window replace SEL and W in the queries of expected.json.
	selector, window string
}

var (
	layoutCase     = layout{"kai-binder.yaml", `{namespace="kai-scheduler",container="binder"}`, "1h"}
	layoutScenario = layout{"kueue-multikueue.yaml", "", ""}
)

// expected is expected.json in either layout.
type expected struct {
	layout  layout
	Queries []expectedQuery `json:"queries"`
	Runs    []expectedRun   `json:"runs"`
}

type expectedQuery struct {
	ID    string `json:"id"`
	LogQL string `json:"logql"`
	// Of the layout by case.
	Kind string `json:"kind"`
	Rule string `json:"rule"`
	// Of the layout by scenario.
	Alert string `json:"alert"`
	Saved string `json:"saved"`
}

type expectedRun struct {
	Case     string                      `json:"case"`
	Scenario string                      `json:"scenario"`
	Build    string                      `json:"build"`
	Lines    json.RawMessage             `json:"lines"` // a number, or numbers by cluster
	Start    string                      `json:"start"`
	End      string                      `json:"end"`
	Step     string                      `json:"step"`
	Log      map[string]int64            `json:"log"`
	Alert    map[string]expectedAlert    `json:"alert"`
	Metric   map[string][]expectedSample `json:"metric"`
}

func (r *expectedRun) scenario() string { return r.Case + r.Scenario }

type expectedAlert struct {
	Fires   bool     `json:"fires"`
	Pending bool     `json:"pending"`
	First   *int64   `json:"first"` // epoch seconds
	Last    *int64   `json:"last"`
	Peak    *float64 `json:"peak"`
	Points  int      `json:"points"`
}

type expectedSample struct {
	Labels map[string]string `json:"labels"`
	Value  json.RawMessage   `json:"value"` // a number or "NaN", "+Inf", "-Inf"
}

// number reads a value that may be a JSON number or a string.
func number(raw json.RawMessage) (float64, error) {
	return strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
}

// A verdict is one entry of verdicts.json.
type verdict struct {
	Case      string           `json:"case"`
	Scenario  string           `json:"scenario"`
	Deployed  string           `json:"deployed"`
	Candidate string           `json:"candidate"`
	Rule      string           `json:"rule"`
	Expect    string           `json:"expect"`
	Lines     map[string]int64 `json:"lines"`
	Fires     map[string]bool  `json:"fires"`
	Verdict   string           `json:"verdict"`
	Findings  []string         `json:"findings"`
}

func (v *verdict) scenario() string { return v.Case + v.Scenario }

// operator is operator-expectations.json.
type operator struct {
	Scenarios map[string]operatorScenario `json:"scenarios"`
}

type operatorScenario struct {
	MustFire       []string `json:"must-fire"`
	MustStaySilent []string `json:"must-stay-silent"`
	MustClear      []string `json:"must-clear"`
	Rows           []struct {
		Rule     string   `json:"rule"`
		Expect   string   `json:"expect"`
		Verdict  string   `json:"verdict"`
		Findings []string `json:"findings"`
	} `json:"rows"`
	Verdict string `json:"verdict"`
}

func readExpected(folder string) (*expected, error) {
	var e expected
	if err := readJSON(filepath.Join(folder, "expected.json"), &e); err != nil {
		return nil, err
	}
	if len(e.Runs) == 0 {
		return nil, fmt.Errorf("%s: expected.json has no runs", folder)
	}
	e.layout = layoutScenario
	if e.Runs[0].Case != "" {
		e.layout = layoutCase
	}
	for i := range e.Queries {
		q := &e.Queries[i]
		if e.layout.selector == "" {
			continue
		}
		q.LogQL = strings.ReplaceAll(q.LogQL, "SEL", e.layout.selector)
		q.LogQL = strings.ReplaceAll(q.LogQL, "[W]", "["+e.layout.window+"]")
	}
	return &e, nil
}

// clusters collects the names of the clusters whose lines are counted.
func (e *expected) clusters(into *[]string) error {
	seen := map[string]bool{}
	for _, r := range e.Runs {
		var lines map[string]int64
		if err := json.Unmarshal(r.Lines, &lines); err != nil {
			return fmt.Errorf("lines of %s/%s: %w", r.scenario(), r.Build, err)
		}
		for c := range lines {
			seen[c] = true
		}
	}
	*into = slices.Sorted(maps.Keys(seen))
	return nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readOptional is readJSON for a file that a folder may lack; it reports
// whether the file is there.
func readOptional(path string, into any) (bool, error) {
	err := readJSON(path, into)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
