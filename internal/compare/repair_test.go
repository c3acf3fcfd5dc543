package compare

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/rules"
)

// repairsOf returns the repair of each rule; it is the same in all scenarios.
func repairsOf(t *testing.T, rep *analyzer.Report) map[string]*analyzer.Repair {
	t.Helper()
	out := map[string]*analyzer.Repair{}
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if f.Repair == nil {
			continue
		}
		if was := out[f.Rule.Name]; was != nil && was.Expr != f.Repair.Expr {
			t.Errorf("%s has one repair in one scenario and another one in %s", f.Rule.Name, f.Scenario)
		}
		out[f.Rule.Name] = f.Repair
	}
	return out
}

// recordedRules copies the recorded rules to a folder of their own.
func recordedRules(t *testing.T) string {
	t.Helper()
	work := t.TempDir()
	source := shared.Folder(t, "corpora", "kueue-multikueue", "rules")
	if err := os.CopyFS(filepath.Join(work, "rules"), os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	return work
}

// recordedOptions imports the recorded runs and returns how to compare them.
func recordedOptions(t *testing.T, work string) Options {
	t.Helper()
	folder := shared.Folder(t, "corpora", "kueue-multikueue")
	dir := filepath.Join(t.TempDir(), "corpus")
	if err := Import(t.Context(), "../../corpus/testdata/import/kueue-multikueue.yaml", folder, dir); err != nil {
		t.Fatal(err)
	}
	return Options{Corpus: dir, Rules: []string{filepath.Join(work, "rules")}, Base: work}
}

// applied applies a patch in a copy of a folder, by both programs, and returns
// the expressions of the rules after it.
func applied(t *testing.T, work, patch string) map[string]string {
	t.Helper()
	var got map[string]string
	for _, tool := range [][]string{{"patch", "-p1", "-s", "--no-backup-if-mismatch"}, {"git", "apply", "-p1"}} {
		if _, err := exec.LookPath(tool[0]); err != nil {
			t.Logf("%s is not installed", tool[0])
			continue
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(work)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), tool[0], tool[1:]...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", tool, err, out, patch)
		}
		set, err := rules.Load([]string{dir}, rules.Options{})
		if err != nil || len(set.Problems) > 0 {
			t.Fatal(err, set.Problems)
		}
		got = map[string]string{}
		for _, r := range set.Rules {
			got[r.Name] = r.Expr
		}
	}
	return got
}

// provenBy checks that a repair fires on both builds wherever the rule had
// lines on deployed, which all remain.
func provenBy(t *testing.T, name string, r *analyzer.Repair) {
	t.Helper()
	fires := map[string]bool{}
	for _, p := range r.Proof {
		on := p.State == outcome.Fired || p.State == outcome.Matched
		switch {
		case p.Role == "deployed":
			fires[p.Scenario] = on
			if p.Lines != p.Before {
				t.Errorf("%s: %d lines on deployed in %s, %d before", name, p.Lines, p.Scenario, p.Before)
			}
		case on != fires[p.Scenario]:
			t.Errorf("%s: fires on candidate in %s: %v; on deployed: %v", name, p.Scenario, on, fires[p.Scenario])
		}
	}
	if len(fires) == 0 {
		t.Errorf("%s: no proof", name)
	}
}

func TestRepairs(t *testing.T) {
	shared.Long(t)
	work := recordedRules(t)
	o := recordedOptions(t, work)
	rep := compare(t, o)
	t.Run("found", func(t *testing.T) { testFound(t, work, rep) })
	t.Run("taken", func(t *testing.T) { testTaken(t, o, work, rep) })
	t.Run("off", func(t *testing.T) { testOff(t, o) })
	t.Run("thresholds", func(t *testing.T) { testThresholds(t, o) })
}

// testFound: what was reworded or moved has a repair that fires in both builds
// where the rule did in deployed; what is gone has none.
func testFound(t *testing.T, work string, rep *analyzer.Report) {
	repairs := repairsOf(t, rep)
	for _, alert := range []string{
		"DispatchConfirmed", "DispatchConfirmedEventText", "EventsOfWorkloads", "AdmittedByClusterQueue", "QueueChanged", "ReconcilingJobByCallerLine",
	} {
		for _, name := range []string{alert, alert + "Lines"} {
			r := repairs[name]
			if r == nil || r.Expr == "" {
				t.Errorf("%s: no repair: %+v", name, r)
				continue
			}
			provenBy(t, name, r)
			if name != alert {
				continue // it stands in the patch of all
			}
			if got := applied(t, work, r.Diff)[name]; got != r.Expr {
				t.Errorf("%s is %s after its patch; want %s", name, got, r.Expr)
			}
		}
	}
	for _, name := range []string{"EventsWithObjectUID", "EventsWithObjectUIDLines"} {
		if r := repairs[name]; r == nil || r.Expr != "" || !strings.Contains(r.Missing, "object_uid is gone") {
			t.Errorf("%s: repair %+v; want none, and that object_uid is gone", name, r)
		}
	}
	for _, name := range []string{"SyncSkippedJobSuspended", "NoActiveClusters", "ErrorRateHigh", "FinishedWorkloadsResyncStorm"} {
		if r := repairs[name]; r == nil || r.Expr != "" || r.Missing == "" {
			t.Errorf("%s: repair %+v; want none, for the behaviour changed", name, r)
		}
	}
	all := applied(t, work, rep.Patch)
	for name, r := range repairs {
		if r.Diff != "" && all[name] != r.Expr {
			t.Errorf("%s after the patch of all repairs: %s; want %s", name, all[name], r.Expr)
		}
	}
}

// testTaken: a repair that was taken leaves nothing to repair, and breaks
// nothing.
func testTaken(t *testing.T, o Options, work string, before *analyzer.Report) {
	cmd := exec.CommandContext(t.Context(), "git", "apply", "-p1")
	cmd.Dir, cmd.Stdin = work, strings.NewReader(before.Patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	after := compare(t, o)
	for name, r := range repairsOf(t, after) {
		if r.Expr != "" {
			t.Errorf("%s has a repair again: %s", name, r.Expr)
		}
	}
	mended := repairsOf(t, before)
	for _, f := range after.Findings {
		if f.Rule == nil || f.Severity != analyzer.Break {
			continue
		}
		if r := mended[f.Rule.Name]; r != nil && r.Expr != "" {
			t.Errorf("%s still breaks in %s: %s", f.Rule.Name, f.Scenario, f.Message)
		}
	}
}

func testOff(t *testing.T, o Options) {
	o.NoRepairs, o.Scenarios = true, []string{"queue-change"}
	if rep := compare(t, o); len(repairsOf(t, rep)) > 0 || rep.Patch != "" {
		t.Error("repairs were looked for")
	}
}

// testThresholds: a threshold is changed only where that was asked for.
func testThresholds(t *testing.T, o Options) {
	o.Scenarios = []string{"ordinary-reconnect"}
	if r := repairsOf(t, compare(t, o))["ErrorRateHigh"]; r == nil || r.Expr != "" || !strings.Contains(r.Missing, "--repair-thresholds") {
		t.Errorf("repair %+v; want none without being asked", r)
	}
	o.RepairThresholds = true
	r := repairsOf(t, compare(t, o))["ErrorRateHigh"]
	if r == nil || r.Kind != "threshold" {
		t.Fatalf("repair %+v; want another threshold", r)
	}
	provenBy(t, "ErrorRateHigh", r)
}
