package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/shared"
)

// recordedFile reads a file as it was recorded, unpacked.
func recordedFile(t *testing.T, name string) []byte {
	t.Helper()
	text := readFile(t, name)
	if !bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		return text
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	text, err = io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// recordedValues returns the values of a file, or the items of its list.
func recordedValues(t *testing.T, name string) []map[string]any {
	t.Helper()
	var out []map[string]any
	dec := json.NewDecoder(bytes.NewReader(recordedFile(t, name)))
	for {
		var v map[string]any
		if err := dec.Decode(&v); err == io.EOF {
			return out
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		items, ok := v["items"].([]any)
		if !ok {
			out = append(out, v)
			continue
		}
		for _, item := range items {
			out = append(out, item.(map[string]any))
		}
	}
}

// glob returns files of a run.
func glob(t *testing.T, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// recordedFacts counts what the files of a run hold, without the code under
// test: objects by moment and cluster, events by UID, records by line.
func recordedFacts(t *testing.T, dir string, binder bool) map[string]int {
	t.Helper()
	got := map[string]int{}
	add := func(key string, n int) {
		if n > 0 {
			got[key] += n
		}
	}
	events := map[string]bool{}
	objects, eventFiles := "state/*/*/*.json*", "state/*/*/events.json*"
	if binder {
		objects, eventFiles = "*.*.json*", "events.json*"
	}
	for _, name := range glob(t, dir, eventFiles) {
		for _, v := range recordedValues(t, name) {
			events[filepath.Base(filepath.Dir(name))+fmt.Sprint(v["metadata"].(map[string]any)["uid"])] = true
		}
	}
	add("events", len(events))
	for _, name := range glob(t, dir, objects) {
		base := filepath.Base(name)
		if strings.HasPrefix(base, "events.") {
			continue
		}
		moment := filepath.Base(filepath.Dir(filepath.Dir(name))) + " " + filepath.Base(filepath.Dir(name))
		moment = strings.Replace(moment, " worker", " worker-1", 1)
		if binder {
			moment = strings.Split(base, ".")[1] + " "
		}
		add("objects "+moment, len(recordedValues(t, name)))
	}
	for kind, patterns := range map[string][]string{
		"probes": {"probe.ndjson*"}, "progress": {"app-progress.ndjson*"},
		"actions": {"timeline.ndjson*", "proxy.ndjson*", "restarts.ndjson*"},
	} {
		for _, p := range patterns {
			for _, name := range glob(t, dir, p) {
				add(kind, len(recordedValues(t, name)))
			}
		}
	}
	return got
}

func countFacts(f *facts.Facts) map[string]int {
	got := map[string]int{}
	for _, o := range f.Objects {
		got["objects "+o.Moment+" "+o.Cluster]++
	}
	for kind, n := range map[string]int{"events": len(f.Events), "probes": len(f.Probes), "progress": len(f.Progress), "actions": len(f.Actions)} {
		if n > 0 {
			got[kind] = n
		}
	}
	return got
}

// TestFacts_RecordedCorpora holds what is loaded to what the recorded files
// hold, every fact to the fields that it must have, and a summary of four runs
// to a golden file.
func TestFacts_RecordedCorpora(t *testing.T) {
	shared.Long(t)
	var summary strings.Builder
	for _, name := range []string{"kai-binder", "kueue-multikueue"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			importTree(t, name, dir)
			c, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, info := range c.Runs() {
				run, err := c.OpenRun(info.Build, info.Scenario, info.Repetition)
				if err != nil {
					t.Fatal(err)
				}
				f, err := run.Facts(t.Context())
				if err != nil || f == nil {
					t.Fatalf("%s: %v, %v", info, f, err)
				}
				if len(f.Notes) > 0 || len(run.Manifest.Notes) > 0 {
					t.Errorf("%s: notes %q %q", info, f.Notes, run.Manifest.Notes)
				}
				folder := filepath.Join(sharedCorpora(t), name, info.Scenario, info.Build)
				if diff := cmp.Diff(recordedFacts(t, folder, name == "kai-binder"), countFacts(f)); diff != "" {
					t.Errorf("%s (-recorded +loaded):\n%s", info, diff)
				}
				checkFacts(t, info, f)
				if slices.Contains([]string{"deployed/recovery/1", "deployed-crash/reported-edge/1", "deployed/ordinary-reconnect/1", "candidate/ordinary-reconnect/1"}, info.String()) {
					fmt.Fprintf(&summary, "%s %s\n", name, info)
					summarize(&summary, run, f)
				}
			}
		})
	}
	checkSummary(t, summary.String())
}

func checkSummary(t *testing.T, got string) {
	t.Helper()
	golden := filepath.Join("testdata", "facts.txt")
	if *update {
		write(t, golden, []byte(got))
	}
	want := strings.Split(string(readFile(t, golden)), "\n")
	if diff := cmp.Diff(want, strings.Split(got, "\n")); diff != "" && got != "" { // nothing: no recorded data
		t.Errorf("facts (-want +got):\n%s", diff)
	}
}

// checkFacts reports facts that lack a field that every recorded one has.
func checkFacts(t *testing.T, info RunInfo, f *facts.Facts) {
	t.Helper()
	for i := range f.Objects {
		if o := &f.Objects[i]; o.Kind == "" || o.APIVersion == "" || o.Name == "" || o.UID == "" || o.Created == 0 || !slices.Contains(f.Moments, o.Moment) {
			t.Errorf("%s: object %+v", info, o)
		}
	}
	for i := range f.Events {
		if e := &f.Events[i]; e.Reason == "" || e.Message == "" || e.Component == "" || e.Object.Name == "" || e.Object.UID == "" || e.Type == "" || e.Count < 1 || e.First > e.Last {
			t.Errorf("%s: event %+v", info, e)
		}
	}
	for i := range f.Progress {
		if p := &f.Progress[i]; p.Time == 0 || p.Cluster == "" || p.Namespace == "" || p.Pod == "" || p.PodUID == "" || p.Job == "" || p.Event == "" {
			t.Errorf("%s: progress %+v", info, p)
		}
	}
	for i := range f.Probes {
		if p := &f.Probes[i]; p.Time == 0 || p.Target == "" {
			t.Errorf("%s: probe %+v", info, p)
		}
	}
	for i := range f.Actions {
		if a := &f.Actions[i]; a.Time == 0 || a.Actor == "" || a.Action == "" || a.Target == "" {
			t.Errorf("%s: action %+v", info, a)
		}
	}
}

var update = flag.Bool("update", false, "write the golden files anew")

// summarize writes what a run's facts are, counted.
func summarize(w io.Writer, run *Run, f *facts.Facts) {
	for _, m := range run.Manifest.Moments {
		at := "unknown"
		if m.Time != nil {
			at = m.Time.Format(time.RFC3339Nano)
		}
		fmt.Fprintf(w, "  moment %s, %s\n", m.Name, at)
	}
	for _, k := range sortedKeys(run.Manifest.Scenario.Parameters) {
		fmt.Fprintf(w, "  parameter %s=%s\n", k, run.Manifest.Scenario.Parameters[k])
	}
	counts := map[string]int{}
	for i := range f.Objects {
		o := &f.Objects[i]
		counts[fmt.Sprintf("object %s/%s %s %s, %d labels, %d annotations, %d owners", o.Moment, o.Cluster, o.APIVersion, o.Kind, len(o.Labels), len(o.Annotations), len(o.Owners))]++
	}
	for i := range f.Events {
		e := &f.Events[i]
		counts[fmt.Sprintf("event %q %s %s of %s, action %q, about %s %s", e.Cluster, e.Type, e.Reason, e.Component, e.Action, e.Object.APIVersion, e.Object.Kind)] += int(e.Count)
	}
	for i := range f.Probes {
		counts[fmt.Sprintf("probe %s %v", f.Probes[i].Target, f.Probes[i].OK)]++
	}
	for i := range f.Progress {
		p := &f.Progress[i]
		counts[fmt.Sprintf("progress %s %s %s", p.Cluster, p.Namespace, p.Event)]++
	}
	for i := range f.Actions {
		counts[fmt.Sprintf("action %s %s", f.Actions[i].Actor, f.Actions[i].Action)]++
	}
	for _, k := range sortedKeys(counts) {
		fmt.Fprintf(w, "  %d %s\n", counts[k], k)
	}
}
