package compare

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/cases"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/internal/shared"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A drilledCorpus is the recorded binder runs with one rule, so that cases are
// what decides.
type drilledCorpus struct{ corpus, rules string }

func newDrilledCorpus(t *testing.T) drilledCorpus {
	t.Helper()
	root := shared.Folder(t, "corpora", "kai-binder")
	d := drilledCorpus{filepath.Join(t.TempDir(), "corpus"), filepath.Join(t.TempDir(), "rules.yaml")}
	if err := Import(t.Context(), "../../corpus/testdata/import/kai-binder.yaml", root, d.corpus); err != nil {
		t.Fatal(err)
	}
	rule := "groups: [{name: g, rules: [{alert: Binds, expr: 'sum(count_over_time({container=\"binder\"}[1m])) > 0'}]}]"
	if err := os.WriteFile(d.rules, []byte(rule), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d drilledCorpus) run(t *testing.T, deployed, candidate string, file *review.File, scenarios ...string) *analyzer.Report {
	t.Helper()
	return compare(t, Options{
		Review: file, Corpus: d.corpus, Deployed: deployed, Candidate: candidate, Scenarios: scenarios,
		Rules: []string{d.rules}, Interval: 5 * time.Second,
	})
}

// caseTable prints cases for people: what each build gave, and what was seen
// where one does not hold.
func caseTable(r *analyzer.Report) string {
	var b strings.Builder
	scenario := ""
	for _, c := range r.Cases {
		if c.Scenario != scenario {
			scenario = c.Scenario
			fmt.Fprintf(&b, "\n== %s\n", scenario)
		}
		verdict := "-"
		if c.Verdict != 0 {
			verdict = c.Verdict.String()
		}
		fmt.Fprintf(&b, "%-11s  %-39s  %-10s  %-10s  %s\n", c.Kind, c.Assertion.Name, c.Deployed.Status, c.Candidate.Status, verdict)
		if s := c.Deployed; s.Status != cases.Holds {
			fmt.Fprintf(&b, "%13sdeployed: %s\n", "", s.Reason)
		}
		if s := c.Candidate; s.Status != cases.Holds {
			fmt.Fprintf(&b, "%13scandidate: %s\n", "", s.Reason)
		}
	}
	return b.String()
}

// TestRecordedCases holds the table of the shipped drills to what the
// recordings show. The runs are older than the profile, so only what their own
// manifests said beforehand is an assertion.
func TestRecordedCases(t *testing.T) {
	d := newDrilledCorpus(t)
	for _, deployed := range []string{"deployed", "deployed-crash", "deployed-crrecover", "asis", "candidate"} {
		scenarios := []string{"reported-edge"}
		if deployed == "deployed" {
			scenarios = []string{"reported-edge", "normal-update", "creation", "repeat", "recovery"}
		}
		got := caseTable(d.run(t, deployed, "candidate", nil, scenarios...))
		golden := filepath.Join("testdata", "cases-"+deployed+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", golden, diff)
		}
	}
}

// TestRecordedCases_Swapped: what the fix mends, the other way round, is
// broken.
func TestRecordedCases_Swapped(t *testing.T) {
	r := newDrilledCorpus(t).run(t, "candidate", "deployed", nil, "reported-edge", "normal-update")
	if r.Verdict != analyzer.Fail {
		t.Errorf("the review is %s", r.Verdict)
	}
	failed := 0
	for _, c := range r.Cases {
		if c.Kind == cases.Observation && (c.Verdict != 0 || len(c.Findings) > 0) {
			t.Errorf("%s: an observation decides", c.Assertion.Name)
		}
		if c.Verdict == analyzer.Fail {
			failed++
		}
	}
	// No panic and the node; of the keys the deployed build's manifest says
	// nothing.
	if failed != 2 {
		t.Errorf("%d assertions fail; want 2:\n%s", failed, caseTable(r))
	}
}

// TestRecordedCases_Itself: a build against itself gives no difference: what
// fails on it was said to fail, and does so on both sides.
func TestRecordedCases_Itself(t *testing.T) {
	d := newDrilledCorpus(t)
	for _, build := range []string{"deployed", "deployed-crash", "candidate"} {
		for _, f := range d.run(t, build, build, nil).Findings {
			switch {
			case f.Case == 0 || f.Severity == analyzer.Info:
			case f.ID == "not-evaluated", f.ID == "panic-persists", f.ID == "panic-not-reproduced":
			default:
				t.Errorf("%s against itself: %s %s", build, f.ID, f.Message)
			}
		}
	}
}

// TestCases_Review: assertions of a review file, and what they override.
func TestCases_Review(t *testing.T) {
	d := newDrilledCorpus(t)
	path := filepath.Join(t.TempDir(), "stillfires.yaml")
	text := `version: 1
scenarios:
  creation:
    declaredAt: 2026-11-30T12:00:00Z
    assertions:
    - name: pod bound
      owner: reviewers
      object: {kind: Pod, namespace: ml-team, moment: after}
      path: spec.nodeName
      in: [gpu-node-2]
    - name: settled
      object: {kind: Node, moment: after}
      path: spec.unschedulable
      absent: true
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := review.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	r := d.run(t, "deployed", "candidate", file, "creation")
	want := map[string]string{"pod bound": "fail", "settled": "not-evaluated"}
	for _, c := range r.Cases {
		if v, ok := want[c.Assertion.Name]; ok && (c.Verdict.String() != v || c.From != "review file" || c.Kind != cases.Assertion) {
			t.Errorf("%s: %s %s from %s; want %s", c.Assertion.Name, c.Kind, c.Verdict, c.From, v)
		}
	}
	noted := strings.Join(r.Notes, "\n")
	if !strings.Contains(noted, `assertion "pod bound": the review file and the profile kai-binder say different things; the review file holds`) {
		t.Errorf("notes: %s", noted)
	}
	if r.Verdict != analyzer.Fail {
		t.Errorf("the review is %s", r.Verdict)
	}
}
