package cases

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
)

var update = flag.Bool("update", false, "write the golden files")

// readRun takes the files of a recorded binder run for facts.
func readRun(t *testing.T, dir, scenario, build string) outcome.Run {
	t.Helper()
	run := outcome.Run{Build: build, Scenario: scenario, Repetition: 1, Facts: &facts.Facts{}}
	manifest := gjson.ParseBytes(read(t, filepath.Join(dir, "manifest.json")))
	run.Expected, run.ExpectedAt = manifest.Get("expected_before_run").String(), nanos(t, manifest.Get("expected_written_at").String())
	for _, moment := range []string{"before", "mid", "after"} {
		if addObjects(t, run.Facts, dir, moment) {
			run.Facts.Moments = append(run.Facts.Moments, moment)
		}
	}
	for _, file := range []string{"timeline.ndjson", "restarts.ndjson"} {
		lines := bufio.NewScanner(bytes.NewReader(read(t, filepath.Join(dir, file))))
		for lines.Scan() {
			v := gjson.Parse(lines.Text())
			a := facts.Action{Time: nanos(t, v.Get("ts").String()), Actor: v.Get("actor").String(), Action: v.Get("event").String(), Raw: v.Raw}
			if a.Actor == "" {
				a.Actor = "process"
			}
			for _, key := range []string{"to", "build", "configmap", "bindrequest", "pod"} {
				if x := v.Get(key); x.Exists() {
					a.Target = x.String()
				}
			}
			run.Facts.Actions = append(run.Facts.Actions, a)
		}
	}
	addLogs(t, &run, dir)
	return run
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func nanos(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}

func addObjects(t *testing.T, f *facts.Facts, dir, moment string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*."+moment+".json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		list := gjson.ParseBytes(read(t, file))
		for _, item := range list.Get("items").Array() {
			o := facts.Object{
				Moment: moment, Kind: item.Get("kind").String(), Namespace: item.Get("metadata.namespace").String(),
				Name: item.Get("metadata.name").String(), UID: item.Get("metadata.uid").String(), Raw: item.Raw,
			}
			if o.Kind == "" {
				o.Kind = strings.TrimSuffix(list.Get("kind").String(), "List")
			}
			for _, r := range item.Get("metadata.ownerReferences").Array() {
				o.Owners = append(o.Owners, facts.Owner{APIVersion: r.Get("apiVersion").String(), Kind: r.Get("kind").String(), Name: r.Get("name").String(), UID: r.Get("uid").String()})
			}
			f.Objects = append(f.Objects, o)
		}
	}
	return len(files) > 0
}

// addLogs adds what the run's logs show: the processes, and the panic that
// these recordings hold.
func addLogs(t *testing.T, run *outcome.Run, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "binder*.log*"))
	if err != nil {
		t.Fatal(err)
	}
	info := outcome.LogInfo{Labels: logs.FromMap(map[string]string{"container": "binder"})}
	text := "assignment to entry in nil map"
	p := outcome.Panic{Kind: text, Handling: outcome.UnknownHandling}
	for _, file := range files {
		b := read(t, file)
		build := 0
		if strings.Contains(file, "after-upgrade") {
			build = 1
		}
		info.Epochs = append(info.Epochs, outcome.Epoch{Build: build})
		run.Records += int64(bytes.Count(b, []byte("\n")))
		p.Count += int64(bytes.Count(b, []byte(text)))
	}
	if p.Count > 0 {
		run.Panics = []outcome.Panic{p}
	}
	slices.SortStableFunc(info.Epochs, func(a, b outcome.Epoch) int { return a.Build - b.Build })
	run.Logs = []outcome.LogInfo{info}
}

// table prints cases for people.
func table(all []Case) string {
	var b strings.Builder
	scenario := ""
	for _, c := range all {
		if c.Scenario != scenario {
			scenario = c.Scenario
			fmt.Fprintf(&b, "\n== %s\n", scenario)
		}
		fmt.Fprintf(&b, "%-11s  %-38s  %-10s  %s\n", c.Kind, c.Assertion.Name, c.Deployed.Status, c.Deployed.Reason)
		fmt.Fprintf(&b, "%-11s  %-38s  %-10s  %s\n", "", "", c.Candidate.Status, c.Candidate.Reason)
	}
	return b.String()
}

func kaiCases(t *testing.T) []Declaration {
	t.Helper()
	p, err := profile.Load("kai-binder")
	if err != nil {
		t.Fatal(err)
	}
	var out []Declaration
	for _, scenario := range []string{"reported-edge", "normal-update", "creation", "repeat", "recovery"} {
		s := p.Cases.Scenarios[scenario]
		for i := range s.Assertions {
			out = append(out, Declaration{scenario, &s.Assertions[i], "profile kai-binder"})
		}
	}
	return out
}

func TestMatrix_KAI(t *testing.T) {
	root := shared.Folder(t, "corpora", "kai-binder")
	for _, deployed := range []string{"deployed", "deployed-crash", "deployed-crrecover", "asis"} {
		t.Run(deployed, func(t *testing.T) {
			var d, c []outcome.Run
			for _, scenario := range []string{"reported-edge", "normal-update", "creation", "repeat", "recovery"} {
				if dir := filepath.Join(root, scenario, deployed); exist(dir) {
					d = append(d, readRun(t, dir, scenario, deployed))
					c = append(c, readRun(t, filepath.Join(root, scenario, "candidate"), scenario, "candidate"))
				}
			}
			got := table(Matrix(kaiCases(t), d, c, nil))
			golden := filepath.Join("testdata", "kai-"+deployed+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(read(t, golden)), got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func exist(path string) bool { _, err := os.Stat(path); return err == nil }
