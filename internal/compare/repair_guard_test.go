package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/review"
)

// A drilled is what two builds wrote in two scenarios.
type drilled struct {
	deployed, candidate           []string // in the scenario worker-lost
	deployedQuiet, candidateQuiet []string // in the scenario quiet
}

// options records the drills and returns how to compare them.
func (d *drilled) options(t *testing.T, rule, expectations string) Options {
	t.Helper()
	dir := t.TempDir()
	for _, run := range []struct {
		build, scenario string
		lines           []string
	}{
		{"deployed", "worker-lost", d.deployed}, {"candidate", "worker-lost", d.candidate},
		{"deployed", "quiet", d.deployedQuiet}, {"candidate", "quiet", d.candidateQuiet},
	} {
		path := raw(t, dir, "app.log", run.lines)
		_, err := corpus.ImportRaw(t.Context(), []string{path}, filepath.Join(dir, "corpus"), corpus.RawOptions{
			Creator: "test", Build: run.build, Scenario: run.scenario, Labels: logs.FromMap(map[string]string{"app": "web"}),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("rules.yaml", "groups:\n- name: g\n  interval: 5s\n  rules:\n  - alert: A\n    expr: '"+rule+"'\n")
	write("stillfires.yaml", "version: 1\ncorpus: corpus\nrules: [rules.yaml]\n"+expectations)
	file, err := review.Load(filepath.Join(dir, "stillfires.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return Options{Review: file, Base: dir}
}

// What a repair must not do keeps it from being shown.
func TestRepair_Guards(t *testing.T) {
	const (
		rule  = `count_over_time({app="web"} |= "lost connection to" [5s]) > 0`
		start = `{"level":"info","msg":"Starting workers"}`
		lost  = `{"level":"error","msg":"The manager lost connection to the worker cluster"}`
		new   = `{"level":"error","msg":"The manager is disconnected from the worker cluster"}`
	)
	quiet := []string{start}
	tests := []struct {
		name, expectations string
		drilled
		found bool
	}{
		{"held", "", drilled{[]string{start, lost}, []string{start, new}, quiet, quiet}, true},
		{"held where it must fire", "scenarios: {worker-lost: {must-fire: [A]}, quiet: {must-stay-silent: [A]}}\n",
			drilled{[]string{start, lost}, []string{start, new}, quiet, quiet}, true},
		{"fires where it must stay silent", "scenarios: {quiet: {must-stay-silent: [A]}}\n",
			drilled{[]string{start, lost}, []string{start, new}, quiet, []string{start, new}}, false},
		{"fires where the rule was silent", "",
			drilled{[]string{start, lost}, []string{start, new}, quiet, []string{start, new}}, false},
		{"fires where the fault must be gone", "scenarios: {quiet: {must-clear: [A]}}\n",
			drilled{[]string{start, lost}, []string{start, new}, []string{start, lost}, []string{start, new}}, false},
		{"silent where the fault must be gone", "scenarios: {quiet: {must-clear: [A]}}\n",
			drilled{[]string{start, lost}, []string{start, new}, []string{start, lost}, quiet}, true},
		{"holds in one scenario of two", "",
			drilled{[]string{start, lost}, []string{start, new}, []string{start, lost}, quiet}, false},
		{"more on deployed", "",
			drilled{[]string{start, lost, new}, []string{start, new}, quiet, quiet}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := repairsOf(t, compare(t, tt.options(t, rule, tt.expectations)))["A"]
			if r == nil || (r.Expr != "") != tt.found {
				t.Fatalf("repair %+v; want one: %v", r, tt.found)
			}
			if !tt.found && r.Missing == "" {
				t.Error("nothing says what is missing")
			}
			if tt.found && !strings.Contains(r.Diff, `"is disconnected from"`) {
				t.Errorf("diff %s", r.Diff)
			}
		})
	}
}

// A build compared with itself needs no repair, and swapped builds are
// repaired the other way round.
func TestRepair_Directions(t *testing.T) {
	d := drilled{
		deployed:  []string{`{"level":"info","msg":"Job changed queues, updating workload"}`},
		candidate: []string{`{"level":"info","msg":"Job changed queue-name, updating workload"}`},
	}
	quiet := []string{`{"level":"info","msg":"Starting workers"}`}
	d.deployedQuiet, d.candidateQuiet = quiet, quiet
	o := d.options(t, `count_over_time({app="web"} | json | msg=~"Job changed queue-name, .*" [5s]) > 0`, "")
	if rep := compare(t, o); len(repairsOf(t, rep)) > 0 {
		t.Error("a gained alert has a repair")
	}
	o.Deployed, o.Candidate = "candidate", "deployed"
	if r := repairsOf(t, compare(t, o))["A"]; r == nil || !strings.Contains(r.Expr, "|Job changed queues") {
		t.Errorf("repair %+v", r)
	}
	o.Candidate = "candidate"
	if rep := compare(t, o); len(repairsOf(t, rep)) > 0 {
		t.Error("a build compared with itself has repairs")
	}
}
