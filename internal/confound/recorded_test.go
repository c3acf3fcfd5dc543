package confound_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/corpus"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/confound"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/shared"
	"github.com/stillfires/stillfires/internal/timeline"
	"github.com/stillfires/stillfires/replay"
)

// configuration takes the configuration of the managers along.
const configuration = `  - {files: "config-{cluster}.yaml", as: objects, moment: before-cut, cluster: "{cluster}", map: {cluster: {worker: worker-1}}}
`

// recorded returns the recorded runs of a corpus by scenario and build.
func recorded(t *testing.T, name string) map[string]map[string]confound.Run {
	t.Helper()
	p, err := profile.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "corpus")
	text, err := os.ReadFile("../../corpus/testdata/import/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	description := filepath.Join(t.TempDir(), "import.yaml")
	text = []byte(strings.Replace(string(text), "\nfiles:\n", "\nfiles:\n"+configuration, 1))
	if err := os.WriteFile(description, text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := compare.Import(t.Context(), description, shared.Folder(t, "corpora", name), dir); err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var jobs []compare.Job
	for _, r := range c.Runs() {
		jobs = append(jobs, compare.Job{Corpus: c, Run: r})
	}
	runs, err := compare.Replay(t.Context(), replay.NewPlan(nil, replay.Options{Marks: timeline.Queries(p.Milestones)}), jobs)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]confound.Run{}
	for i := range runs {
		r := &runs[i]
		if out[r.Scenario] == nil {
			out[r.Scenario] = map[string]confound.Run{}
		}
		line := timeline.Build(r, p.Milestones, p.Correlation)
		out[r.Scenario][r.Build] = confound.Run{Run: r, Line: &line}
	}
	return out
}

func differences(a, b confound.Run) []string {
	res := confound.Compare("", []confound.Run{a}, []confound.Run{b})
	out := []string{}
	for _, d := range res.Differences {
		if d.Kind == confound.Configuration && !d.Timing {
			continue // each run's managers listen elsewhere
		}
		text := string(d.Kind) + ": " + d.Subject
		if d.Decisive {
			text += " (decisive)"
		}
		out = append(out, text)
	}
	return append(out, res.Notes...)
}

// TestRecorded: builds that were run in the same way differ in nothing; what
// differs between drills, and between encodings of a log, is found.
func TestRecorded(t *testing.T) {
	kueue := recorded(t, "kueue-multikueue")
	kai := recorded(t, "kai-binder")
	same := 0
	for _, all := range []map[string]map[string]confound.Run{kueue, kai} {
		for scenario, builds := range all {
			for a, one := range builds {
				for b, other := range builds {
					if a == b || encoded(one.Run) != encoded(other.Run) {
						continue
					}
					same++
					if got := differences(one, other); len(got) > 0 {
						t.Errorf("%s, %s and %s: %v", scenario, a, b, got)
					}
				}
			}
		}
	}
	if same < 40 {
		t.Errorf("only %d pairs were compared", same)
	}
	for _, x := range []struct {
		name string
		a, b confound.Run
		want []string
	}{
		{"cut", kueue["ordinary-reconnect"]["deployed"], kueue["delayed-canary"]["candidate"], []string{
			"loss: length of the loss (decisive)", "work: work that was handed in during the loss (decisive)", "parameter: jobs (decisive)",
			`flag: --zap-log-level of {app="kueue", cluster="management", container="manager"}`,
			`flag: --zap-log-level of {app="kueue", cluster="worker-1", container="manager"}`,
		}},
		{"encoding", kai["reported-edge"]["deployed"], kai["reported-edge"]["candidate-console"], []string{
			`flag: --zap-devel of {container="binder", namespace="kai-scheduler"}`, `encoding: encoding of {container="binder", namespace="kai-scheduler"}`,
		}},
	} {
		if diff := cmp.Diff(x.want, differences(x.a, x.b)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
	ports := confound.Compare("", []confound.Run{kueue["finished-history"]["deployed"]}, []confound.Run{kueue["finished-history"]["candidate"]})
	if len(ports.Differences) != 6 || ports.Differences[0].Subject != "Configuration in management, health.healthProbeBindAddress" {
		t.Errorf("the ports of both managers: %+v", ports.Differences)
	}
	history := differences(kueue["ordinary-reconnect"]["deployed"], kueue["finished-history"]["candidate"])
	if len(history) == 0 || history[0] != "history: work that was finished before the loss (decisive)" {
		t.Errorf("the finished history is not found: %v", history)
	}
}

func encoded(r *outcome.Run) string {
	if len(r.Builds) == 0 {
		return ""
	}
	return r.Builds[0].Encoding
}
