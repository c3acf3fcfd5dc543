package compare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
)

// panicFindings returns the findings about panics and restarts that follow from the log;
// those of assertions of the profile are another test's.
func panicFindings(rep *analyzer.Report) []string {
	var out []string
	for _, f := range rep.Findings {
		if f.Case == 0 && (strings.HasPrefix(f.ID, "panic-") || f.ID == "restart") {
			out = append(out, f.ID)
		}
	}
	return out
}

// TestRecordedPanics_KAI holds reviews of binder builds to what is known: one
// panic in four forms, of which most rules see one.
func TestRecordedPanics_KAI(t *testing.T) {
	const group = `groups:
- name: binder
  interval: 5s
  rules:
`
	alert := func(name, filter string) string {
		return fmt.Sprintf("  - alert: %s\n    expr: 'sum(count_over_time({namespace=\"kai-scheduler\"} %s [1h])) > 0'\n", name, filter)
	}
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(alerts ...string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(group+strings.Join(alerts, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	own, library, anyForm := alert("Own", "|= `Internal Error`"), alert("Library", "| json | msg=`Observed a panic`"), alert("AnyForm", "|= `nil map`")
	write(own)
	r := newRecordedReview(t, "kai-binder", rules)

	review := func(alerts []string, deployed, candidate, scenario string, want ...string) *analyzer.Report {
		t.Helper()
		write(alerts...)
		rep := r.run(t, deployed, candidate, scenario, "must-clear", "")
		if got := panicFindings(rep); !slices.Equal(got, want) {
			t.Errorf("%s of %s and %s: %v; want %v", scenario, deployed, candidate, got, want)
		}
		return rep
	}
	review([]string{own}, "deployed", "candidate", "reported-edge", "panic-fixed")
	review([]string{own}, "candidate", "deployed", "reported-edge", "panic-new")
	review([]string{library}, "deployed", "candidate", "reported-edge", "panic-unseen", "panic-fixed")
	review([]string{own}, "deployed-crash", "candidate", "reported-edge", "panic-unseen", "panic-fixed")
	review([]string{anyForm}, "deployed-crash", "candidate", "reported-edge", "panic-fixed")
	review([]string{own}, "deployed", "deployed", "reported-edge", "panic-persists")
	review([]string{own}, "deployed", "deployed-console", "reported-edge", "panic-persists")
	review([]string{own, library}, "deployed", "deployed-crrecover", "reported-edge", "panic-persists")
	review([]string{own, library}, "deployed", "candidate", "negative")
	review([]string{own, library}, "deployed", "candidate", "bind-error")

	rep := review([]string{own, library}, "deployed", "deployed-crash", "reported-edge", "panic-persists", "panic-unseen", "restart")
	for _, f := range rep.Findings {
		if f.ID != "panic-unseen" {
			continue
		}
		for _, part := range []string{"crashed (goroutine dump) on candidate", "recovered by controllers.(*BindRequestReconciler).Reconcile", "Own fired on it"} {
			if !strings.Contains(f.Message, part) {
				t.Errorf("%q does not say %q", f.Message, part)
			}
		}
	}

	write(own)
	rep = r.run(t, "deployed", "candidate", "reported-edge", "must-clear", "Own")
	finding(t, rep, "alert-cleared", "Own")
	write(anyForm)
	rep = r.run(t, "asis", "candidate", "reported-edge", "must-clear", "AnyForm")
	if rep.Verdict == analyzer.Pass {
		t.Error("a fix that was not exercised passes")
	}
}
