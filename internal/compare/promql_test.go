package compare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/review"
	"github.com/stillfires/stillfires/internal/shared"
)

// A recordedReview compares two builds of recorded runs by PromQL rules.
type recordedReview struct {
	corpus string
	rules  string
}

func newRecordedReview(t *testing.T, name, rules string) recordedReview {
	t.Helper()
	folder := shared.Folder(t, "corpora", name)
	r := recordedReview{corpus: filepath.Join(t.TempDir(), "corpus"), rules: rules}
	if err := Import(t.Context(), "../../corpus/testdata/import/"+name+".yaml", folder, r.corpus); err != nil {
		t.Fatal(err)
	}
	if r.rules == "" {
		r.rules = filepath.Join(folder, "rules", "kueue-metrics.rules.yaml")
	}
	return r
}

// run compares two builds in one scenario, with what is expected of a rule, if
// it is named.
func (r recordedReview) run(t *testing.T, deployed, candidate, scenario, expect, rule string) *analyzer.Report {
	t.Helper()
	text := "version: 1\n"
	if rule != "" {
		text += "scenarios:\n  " + scenario + ":\n    " + expect + ": [" + rule + "]\n"
	}
	path := filepath.Join(t.TempDir(), "review.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := review.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return compare(t, Options{
		Review: file, Corpus: r.corpus, Deployed: deployed, Candidate: candidate,
		Rules: []string{r.rules}, Scenarios: []string{scenario}, Interval: 5 * time.Second,
	})
}

// finding returns the finding of a rule.
func finding(t *testing.T, rep *analyzer.Report, id, rule string) *analyzer.Finding {
	t.Helper()
	for i := range rep.Findings {
		if f := &rep.Findings[i]; f.ID == id && f.Rule != nil && f.Rule.Name == rule {
			return f
		}
	}
	t.Errorf("no finding %s of %s; there are %d", id, rule, len(rep.Findings))
	return nil
}

func result(t *testing.T, rep *analyzer.Report, rule string) analyzer.Result {
	t.Helper()
	i := slices.IndexFunc(rep.Results, func(r analyzer.Result) bool { return r.Rule.Name == rule })
	if i < 0 {
		t.Fatalf("no result of %s", rule)
	}
	return rep.Results[i]
}

// TestRecordedMetrics_Kueue holds reviews of recorded builds to what is known of
// them.
func TestRecordedMetrics_Kueue(t *testing.T) {
	shared.Long(t)
	r := newRecordedReview(t, "kueue-multikueue", "")
	for _, scenario := range []string{"ordinary-reconnect", "delayed-canary"} {
		rep := r.run(t, "deployed", "candidate", scenario, "must-fire", "MultiKueueReconcileErrors")
		f := finding(t, rep, "alert-lost", "MultiKueueReconcileErrors")
		if f != nil && !strings.Contains(f.Message, "not > 50") {
			t.Errorf("%s: %q; want the headroom: no name changed, the behaviour did", scenario, f.Message)
		}
	}
	rep := r.run(t, "deployed", "candidate", "ordinary-reconnect", "must-stay-silent", "JobReconcileErrors")
	finding(t, rep, "alert-false", "JobReconcileErrors")

	rep = r.run(t, "deployed", "candidate", "finished-history", "", "")
	for _, rule := range []string{"MultiKueueReconcileErrors", "ClusterQueueInactive"} {
		if res := result(t, rep, rule); res.Verdict != analyzer.Pass || res.Deployed.State != outcome.Fired || res.Candidate.State != outcome.Fired {
			t.Errorf("finished-history: %s: %s, states %d and %d; want it to fire on both", rule, res.Verdict, res.Deployed.State, res.Candidate.State)
		}
	}

	rep = r.run(t, "v0.15.0", "deployed", "ordinary-reconnect", "", "")
	for _, id := range []string{"alert-lost", "metric-label-lost"} {
		f := finding(t, rep, id, "OldControllerName")
		if f != nil && (!strings.Contains(f.Message, `controller="multikueuecluster"`) || !strings.Contains(f.Message, `"multikueue_cluster"`)) {
			t.Errorf("%s: %q; want the old and the new value", id, f.Message)
		}
	}

	for _, build := range []string{"deployed", "candidate", "v0.15.0"} {
		if rep := r.run(t, build, build, "ordinary-reconnect", "", ""); len(rep.Findings) > 0 {
			t.Errorf("%s with itself: %s", build, rep.Findings[0].Message)
		}
	}
}

// TestRecordedMetrics_KAI holds a review of binder builds to what is known.
func TestRecordedMetrics_KAI(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	text := `groups:
- name: binder
  interval: 5s
  rules:
  - alert: BindRequestErrors
    expr: increase(controller_runtime_reconcile_errors_total{controller="bindrequest"}[1m]) > 0
  - alert: ReconcilePanics
    expr: controller_runtime_reconcile_panics_total > 0
  - alert: Down
    expr: up{job="binder"} == 0
`
	if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newRecordedReview(t, "kai-binder", rules)
	rep := r.run(t, "deployed", "candidate", "reported-edge", "must-clear", "BindRequestErrors")
	finding(t, rep, "alert-cleared", "BindRequestErrors")
	if res := result(t, rep, "ReconcilePanics"); res.Deployed.State != outcome.Silent || res.Deployed.Nothing != outcome.BelowThreshold {
		t.Errorf("panics: state %d, %d; deployed counts none, although it panics", res.Deployed.State, res.Deployed.Nothing)
	}
	rep = r.run(t, "deployed", "deployed-crash", "reported-edge", "", "")
	if res := result(t, rep, "Down"); res.Candidate.State != outcome.Fired {
		t.Errorf("a process that crashes: up is %d", res.Candidate.State)
	}
}
