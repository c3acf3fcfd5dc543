package compare

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/shared"
)

// TestCorrelation_Recorded holds what is said of recorded runs to what is
// known of them: the UIDs of events have gone from the log, names and links
// are still there, and the label of the remote job became an annotation.
func TestCorrelation_Recorded(t *testing.T) {
	root := shared.Folder(t, "corpora", "kueue-multikueue")
	dir := t.TempDir()
	if err := Import(t.Context(), "../../corpus/testdata/import/kueue-multikueue.yaml", root, dir); err != nil {
		t.Fatal(err)
	}
	run := func(deployed, candidate string) *analyzer.Report {
		t.Helper()
		rep, err := Run(t.Context(), Options{
			Corpus: dir, Deployed: deployed, Candidate: candidate, NoRepairs: true,
			Rules: []string{root + "/rules/kueue-multikueue.rules.yaml"}, Scenarios: []string{"ordinary-reconnect"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	lost := func(rep *analyzer.Report) []string {
		var out []string
		for _, f := range rep.Findings {
			if f.ID == "correlation-lost" {
				out = append(out, f.Subject)
				if !strings.Contains(f.Message, "field object.uid of") {
					t.Errorf("the field is not named: %s", f.Message)
				}
			}
		}
		return out
	}
	rep := run("deployed", "candidate")
	if diff := cmp.Diff([]string{"job uid", "remote-job uid", "remote-workload uid", "workload uid"}, lost(rep)); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if got := lost(run("candidate", "deployed")); got != nil {
		t.Errorf("swapped: %v", got)
	}
	if got := lost(run("deployed", "deployed")); got != nil {
		t.Errorf("against itself: %v", got)
	}
	for _, l := range rep.Correlation.Links {
		if l.From != "remote-workload" || l.To != "remote-job" {
			continue
		}
		const key = "kueue.x-k8s.io/prebuilt-workload-name of the worker Job"
		var d, c []string
		for _, w := range l.Deployed.Objects {
			d = append(d, w.Text)
		}
		for _, w := range l.Candidate.Objects {
			c = append(c, w.Text)
		}
		if !strings.Contains(strings.Join(d, "; "), "label "+key) || !strings.Contains(strings.Join(c, "; "), "annotation "+key) {
			t.Errorf("objects show the link by %q and %q", d, c)
		}
		if l.Deployed.Made != l.Deployed.Known || l.Candidate.Made != l.Candidate.Known || l.Deployed.Known == 0 {
			t.Errorf("%d of %d and %d of %d made", l.Deployed.Made, l.Deployed.Known, l.Candidate.Made, l.Candidate.Known)
		}
	}
}
