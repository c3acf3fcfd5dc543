package corpus

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
)

// TestGolden opens the corpus that every version must open, and holds what it
// reads to what was written.
func TestGolden(t *testing.T) {
	const dir = "testdata/golden-v1"
	rep, err := Verify(t.Context(), dir)
	if err != nil || len(rep.Problems) > 0 {
		t.Fatalf("verify: %v %v", err, rep)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "ordinary reconnect", 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := run.Entries()
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var got []string
	for e.Scan() {
		x := e.Entry()
		got = append(got, fmt.Sprintf("%s %s %q %s", run.Manifest.Streams[e.Stream()].LabelSet(),
			time.Unix(0, x.Time).UTC().Format(time.RFC3339Nano), x.Line, logs.New(x.Metadata...)))
	}
	if e.Err() != nil {
		t.Fatal(e.Err())
	}
	s, err := run.Scrapes()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got = append(got, scrapesOf(t, s)...)
	want, err := os.ReadFile("testdata/golden-v1.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"), got); diff != "" {
		t.Errorf("golden corpus (-want +got):\n%s", diff)
	}
}

// TestGolden_Facts does the same with a corpus that has every kind of fact,
// with clusters, moments and fields of their own.
func TestGolden_Facts(t *testing.T) {
	const dir = "testdata/golden-v1-facts"
	rep, err := Verify(t.Context(), dir)
	if err != nil || len(rep.Problems) > 0 {
		t.Fatalf("verify: %v %v", err, rep)
	}
	c, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.OpenRun("deployed", "drill", 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	base := nano("2026-11-30T17:00:00Z")
	job := facts.Object{
		Moment: "first", Cluster: "a", Time: base + 5e8, APIVersion: "batch/v1", Kind: "Job", Namespace: "n", Name: "j", UID: "u1",
		Labels: map[string]string{"q": "r"}, Owners: []facts.Owner{{APIVersion: "v1", Kind: "X", Name: "x", UID: "u0"}}, Created: base + 1e9,
	}
	later := job
	later.Moment, later.Cluster, later.Time = "end", "b", base+9e9
	want := &facts.Facts{
		Moments:  []string{"first", "end"},
		Objects:  []facts.Object{job, later, {Moment: "end", Cluster: "b", Time: base + 9e9, APIVersion: "v1", Kind: "Secret", Name: "s", UID: "u4"}},
		Events:   []facts.Event{{Cluster: "a", First: base + 1e9, Last: base + 3e9, Count: 2, Reason: "R", Message: "m", Object: facts.Ref{Kind: "Job", Name: "j"}}},
		Probes:   []facts.Probe{{Time: base + 15e8, Target: "b"}, {Time: base + 2e9, Target: "b", OK: true}},
		Progress: []facts.Progress{{Time: base + 3e9, Cluster: "b", Namespace: "n", Pod: "p", PodUID: "u", Job: "j", Event: "step", Step: 3}},
		Actions: []facts.Action{
			{Time: base + 5e8, Actor: "script", Action: "dump", Target: "first"}, {Time: base + 4e9, Actor: "process", Action: "exit", Target: "binder"},
			{Time: base + 9e9, Actor: "script", Action: "dump", Target: "end"},
		},
	}
	raw := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Raw" }, cmp.Ignore())
	if diff := cmp.Diff(want, got, raw); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if !strings.Contains(got.Objects[0].Raw, `"uid":"u1"`) || strings.Contains(got.Objects[2].Raw, "eA==") {
		t.Errorf("raw objects %q, %q", got.Objects[0].Raw, got.Objects[2].Raw)
	}
}
