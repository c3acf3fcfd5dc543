package compare

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/analyzer/report"
	"github.com/stillfires/stillfires/internal/demo"
	"github.com/stillfires/stillfires/internal/review"
)

// example imports the built-in example and returns the options to review it.
func example(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	if err := demo.Write(dir); err != nil {
		t.Fatal(err)
	}
	if err := Import(t.Context(), filepath.Join(dir, demo.ImportFile), filepath.Join(dir, demo.LogsDir), filepath.Join(dir, demo.CorpusDir)); err != nil {
		t.Fatal(err)
	}
	file, err := review.Load(filepath.Join(dir, demo.ReviewFile))
	if err != nil {
		t.Fatal(err)
	}
	return Options{Review: file, Base: dir}
}

func compare(t *testing.T, o Options) *analyzer.Report {
	t.Helper()
	rep, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Problems) > 0 {
		t.Fatal(rep.Problems)
	}
	return rep
}

// findings returns the rules of the findings that are about one.
func findings(rep *analyzer.Report) map[string][]string {
	out := map[string][]string{}
	for _, f := range rep.Findings {
		if f.Rule == nil {
			continue
		}
		out[f.ID] = append(out[f.ID], f.Rule.Name)
	}
	return out
}

func TestRun_Example(t *testing.T) {
	rep := compare(t, example(t))
	if rep.Verdict != analyzer.Fail {
		t.Errorf("verdict %s; want fail", rep.Verdict)
	}
	want := map[string][]string{
		"alert-lost":        {"DispatchConfirmed", "NoActiveClusters"},
		"alert-false":       {"OrphanedWorkload"},
		"match-lost":        {"Which job does this event belong to"},
		"frequency-changed": {"Errors by controller"},
	}
	if diff := cmp.Diff(want, findings(rep)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestRun_Swapped(t *testing.T) {
	o := example(t)
	o.Deployed, o.Candidate = "candidate", "deployed"
	want := map[string][]string{
		"alert-gained":      {"DispatchConfirmed", "NoActiveClusters"},
		"alert-quietened":   {"OrphanedWorkload"},
		"match-gained":      {"Which job does this event belong to"},
		"frequency-changed": {"Errors by controller"},
	}
	if diff := cmp.Diff(want, findings(compare(t, o))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestRun_WithItself(t *testing.T) {
	for _, build := range []string{"deployed", "candidate"} {
		o := example(t)
		o.Review.Scenarios = nil // what remains are differences, and there are none
		o.Deployed, o.Candidate = build, build
		if got := findings(compare(t, o)); len(got) > 0 {
			t.Errorf("%s against itself: %v", build, got)
		}
	}
}

// The report is the same to the byte whatever the number of processors.
func TestRun_SameBytes(t *testing.T) {
	o := example(t)
	render := func(procs int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		rep := compare(t, o)
		var all bytes.Buffer
		for _, format := range report.Formats() {
			if err := report.Render(&all, format, rep, report.Options{Width: 100}); err != nil {
				t.Fatal(err)
			}
		}
		return all.String()
	}
	first := render(1)
	for range 3 {
		if diff := cmp.Diff(first, render(8)); diff != "" {
			t.Fatalf("reports differ (-1 processor +8):\n%s", diff)
		}
	}
}

// A raw log makes the same report as a corpus of it.
func TestRun_RawLogs(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rules := write("rules.yaml", "queries:\n- {name: q, expr: '{app=\"web\"} |= \"lost\"'}\n")
	o := Options{
		Deployed:  write("deployed.log", `{"ts":"2026-01-01T00:00:00Z","msg":"lost"}`+"\n"),
		Candidate: write("candidate.log", `{"ts":"2026-01-01T00:00:00Z","msg":"gone"}`+"\n"),
		Rules:     []string{rules},
	}
	rep := compare(t, o)
	if diff := cmp.Diff(map[string][]string{"match-lost": {"q"}}, findings(rep)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if len(rep.Notes) != 1 {
		t.Errorf("notes %q; want one about assumed selectors", rep.Notes)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
