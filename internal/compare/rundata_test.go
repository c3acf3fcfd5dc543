package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/demo"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/replay"
)

// replayTree imports files as description says and replays the one run on no
// rules.
func replayTree(t *testing.T, description string, files map[string]string) (*outcome.Run, error) {
	t.Helper()
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "corpus")
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	desc, err := corpus.ParseDescription("d.yaml", []byte(description))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := corpus.Import(t.Context(), desc, root, dir, corpus.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Replay(t.Context(), replay.NewPlan(nil, replay.Options{}), []Job{{c, c.Runs()[0]}})
	if err != nil {
		return nil, err
	}
	return &res[0], nil
}

// TestReplay_RunData has a stream of three lives, of which one wrote nothing,
// beside one of a single life.
func TestReplay_RunData(t *testing.T) {
	const description = `version: 1
build: {name: b, version: v1, component: c, verbosity: "2", logEncoding: json, flags: [--v=2]}
scenario: {name: s, parameters: {jobs: "6"}}
logs:
  - epochs: [{files: a.1}, {files: a.2, build: {name: c2, version: v2}}, {files: a.3}]
    labels: {app: a}
    stream: a
    allowEmpty: true
  - {files: b.log, labels: {app: b}, stream: b}
files:
  - {files: did.ndjson, as: actions}
`
	run, err := replayTree(t, description, map[string]string{
		"a.1":        `{"ts":"2026-11-30T17:00:00Z","msg":"x"}` + "\n" + `{"ts":"2026-11-30T17:00:01Z","msg":"y"}` + "\n",
		"a.2":        "",
		"a.3":        `{"ts":"2026-11-30T17:00:09Z","msg":"z"}` + "\n" + `{"ts":"2026-11-30T17:00:10Z","msg":"z"}` + "\n",
		"b.log":      `{"ts":"2026-11-30T17:00:03Z","msg":"x"}` + "\nno JSON\n",
		"did.ndjson": `{"ts":"2026-11-30T17:00:04Z","action":"cut"}` + "\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	at := func(s string) int64 {
		x, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return x.UnixNano()
	}
	wantLogs := []outcome.LogInfo{
		{Labels: logs.FromMap(map[string]string{"app": "a"}), Records: 4, Epochs: []outcome.Epoch{
			{First: at("2026-11-30T17:00:00Z"), Records: 2}, {Build: 1, Start: 2}, {First: at("2026-11-30T17:00:09Z"), Start: 2, Records: 2},
		}},
		{Labels: logs.FromMap(map[string]string{"app": "b"}), Records: 2, Unparseable: 1, Epochs: []outcome.Epoch{{First: at("2026-11-30T17:00:03Z"), Records: 2}}},
	}
	if diff := cmp.Diff(wantLogs, run.Logs); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	wantBuilds := []outcome.BuildInfo{
		{Name: "b", Component: "c", Version: "v1", Flags: []string{"--v=2"}, Verbosity: "2", Encoding: "json"},
		{Name: "c2", Component: "c", Version: "v2"},
	}
	if diff := cmp.Diff(wantBuilds, run.Builds); diff != "" {
		t.Errorf("builds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"jobs": "6"}, run.Parameters); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if run.Facts == nil || len(run.Facts.Actions) != 1 || run.Facts.Actions[0].Action != "cut" {
		t.Errorf("facts %+v", run.Facts)
	}
}

// TestReplay_NoRecords keeps facts of a run whose log is empty.
func TestReplay_NoRecords(t *testing.T) {
	run, err := replayTree(t, `version: 1
build: {name: b}
scenario: {name: s}
logs: [{files: a.log, labels: {app: a}, allowEmpty: true}]
files: [{files: did.ndjson, as: actions}]
`, map[string]string{"a.log": "", "did.ndjson": `{"ts":"2026-11-30T17:00:04Z","action":"cut"}` + "\n" + `{"action":"cut"}`})
	if err != nil {
		t.Fatal(err)
	}
	if run.Facts == nil || len(run.Facts.Actions) != 1 || len(run.Logs) != 1 || len(run.Logs[0].Epochs) != 1 {
		t.Errorf("run %+v", run)
	}
	notes := factNotes(&side{results: []outcome.Run{*run}})
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "run b/s/1: actions.ndjson:2: 1 left out: records without a time") {
		t.Errorf("notes %q", notes)
	}
}

// TestReplay_ExampleHasFacts holds the built-in example to what its analysis
// needs: both clusters at all moments, and everything that was recorded.
func TestReplay_ExampleHasFacts(t *testing.T) {
	o := example(t)
	c, err := corpus.Open(filepath.Join(o.Base, demo.CorpusDir))
	if err != nil {
		t.Fatal(err)
	}
	var jobs []Job
	for _, info := range c.Runs() {
		jobs = append(jobs, Job{c, info})
	}
	runs, err := Replay(t.Context(), replay.NewPlan(nil, replay.Options{}), jobs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		f := runs[i].Facts
		if diff := cmp.Diff([]string{"before-cut", "after-restore", "end"}, f.Moments); diff != "" {
			t.Errorf("%s: moments (-want +got):\n%s", runs[i].Build, diff)
		}
		if diff := cmp.Diff(map[string]string{"cut": "25s", "gcInterval": "1m", "jobs": "13", "workerLostTimeout": "15m"}, runs[i].Parameters); diff != "" {
			t.Errorf("%s: parameters (-want +got):\n%s", runs[i].Build, diff)
		}
		if len(f.Notes) > 0 || len(f.Events) == 0 || len(f.Probes) == 0 || len(f.Progress) == 0 || len(f.Actions) == 0 {
			t.Errorf("%s: %d events, %d probes, %d progress, %d actions, notes %q", runs[i].Build, len(f.Events), len(f.Probes), len(f.Progress), len(f.Actions), f.Notes)
		}
		seen := map[string]bool{}
		for _, x := range f.Objects {
			seen[x.Cluster+" "+x.Moment+" "+x.Kind] = true
		}
		for _, want := range []string{"management before-cut Workload", "worker-1 after-restore Pod", "worker-1 before-cut Job", "management end Job"} {
			if !seen[want] {
				t.Errorf("%s: no object %s", runs[i].Build, want)
			}
		}
	}
}
