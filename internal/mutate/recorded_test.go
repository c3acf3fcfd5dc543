package mutate

import (
	"bytes"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/analyzer/report"
	"github.com/stillfires/stillfires/internal/compare"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // many small runs: time is dearer than memory
	m.Run()
}

var recordings = []string{"kai-binder", "kueue-multikueue"}

// TestRecorded: a build against itself and against a copy of itself that
// differs in nothing that matters, and two builds either way round.
func TestRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range recordings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := recorded(t, name)
			original := importRuns(t, r.description, r.folder)
			scenarios := map[string][]string{} // by build
			for scenario, builds := range r.builds(t) {
				for _, b := range builds {
					scenarios[b] = append(scenarios[b], scenario)
				}
			}
			for build := range scenarios {
				t.Run("itself, "+build, func(t *testing.T) {
					t.Parallel()
					r.equal(t, original, build, build, r.rules, everyExpect(build == "deployed"))
				})
			}
			t.Run("swapped", func(t *testing.T) {
				t.Parallel()
				swaps(t, r, original)
			})
			copiedFrom := []string{"deployed"}
			if name == "kai-binder" { // it is small
				copiedFrom = append(copiedFrom, "candidate", "deployed-crash", "deployed-console", "deployed-crrecover")
			}
			for _, build := range copiedFrom {
				corpus, names := copied(t, r, build, scenarios[build])
				for _, c := range copies {
					t.Run(build+", "+c.name, func(t *testing.T) {
						t.Parallel()
						r.equal(t, original, build, corpus+":"+c.name, r.without(t, names[c.name]), everyExpect(c.name == "shifted"))
					})
				}
			}
		})
	}
}

// everyExpect returns the expectations to compare with: none, or each.
func everyExpect(all bool) []analyzer.Expect {
	if !all {
		return []analyzer.Expect{analyzer.ExpectNone}
	}
	return []analyzer.Expect{analyzer.ExpectNone, analyzer.MustFire, analyzer.MustStaySilent, analyzer.MustClear}
}

// equal compares builds that differ in nothing that matters.
func (r recording) equal(t *testing.T, corpus, deployed, candidate, rules string, expects []analyzer.Expect) {
	t.Helper()
	for _, e := range expects {
		rep := run(t, compare.Options{
			Review: expecting(t, e), Corpus: corpus, Deployed: deployed, Candidate: candidate,
			Rules: []string{rules}, Scenarios: r.quick(e), Interval: r.step,
		})
		noDifference(t, rep)
		if e != analyzer.ExpectNone {
			continue
		}
		if deployed == "deployed" {
			r.exercised(t, rep)
		}
		if m := rep.Messages; m.Same == 0 {
			t.Error("no messages were compared")
		} else {
			for i := range m.Changes {
				t.Errorf("message: %v %q", m.Changes[i].Classes, m.Changes[i].Text())
			}
		}
	}
}

// exercised fails where there is nothing that could have differed.
func (r recording) exercised(t *testing.T, rep *analyzer.Report) {
	t.Helper()
	if rep.Correlation == nil {
		t.Error("no correlation was compared")
	}
	if len(rep.Notifications) == 0 {
		t.Error("no notification was compared")
	}
	if r.name != "kai-binder" {
		return
	}
	if len(rep.Panics) == 0 {
		t.Error("no panic was compared")
	}
	if !slices.ContainsFunc(rep.Cases, func(c analyzer.Case) bool { return c.Verdict == analyzer.Fail || c.Verdict == analyzer.Pass }) {
		t.Error("no case was judged")
	}
}

// swaps compares deployed and candidate either way round.
func swaps(t *testing.T, r recording, corpus string) {
	for _, e := range []analyzer.Expect{analyzer.ExpectNone, analyzer.MustFire, analyzer.MustStaySilent} {
		compared := func(deployed, candidate string) *analyzer.Report {
			return run(t, compare.Options{
				Review: expecting(t, e), Corpus: corpus, Deployed: deployed, Candidate: candidate,
				Rules: []string{r.rules}, Scenarios: r.quick(e), Interval: r.step, NoRepairs: true,
			})
		}
		if n := mirrors(t, compared("deployed", "candidate"), compared("candidate", "deployed")); n == 0 {
			t.Errorf("%s: the builds do not differ", e)
		}
	}
}

// TestRecorded_SameBytes: a report does not depend on the number of processors.
// It is not parallel to other tests, which would have to share that number.
func TestRecorded_SameBytes(t *testing.T) {
	for _, name := range recordings {
		r := recorded(t, name)
		root := t.TempDir()
		for scenario := range r.builds(t) {
			if quick := r.quick(analyzer.MustFire); quick != nil && !slices.Contains(quick, scenario) {
				continue
			}
			for _, build := range []string{"deployed", "candidate"} {
				readTree(t, filepath.Join(r.folder, scenario, build)).write(t, filepath.Join(root, scenario, build))
			}
		}
		rendered := func(procs int) string {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			rep := run(t, compare.Options{Corpus: importRuns(t, r.description, root), Rules: []string{r.rules}, Interval: r.step})
			var all bytes.Buffer
			for _, format := range report.Formats() {
				if err := report.Render(&all, format, rep, report.Options{Width: 100}); err != nil {
					t.Fatal(err)
				}
			}
			return all.String()
		}
		if diff := cmp.Diff(rendered(1), rendered(7)); diff != "" {
			t.Errorf("%s: reports differ (-1 processor +7):\n%s", name, diff)
		}
	}
}
