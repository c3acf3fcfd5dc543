package compare

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/align"
	"github.com/stillfires/stillfires/internal/shared"
)

// recorded imports a recorded corpus.
func recorded(t *testing.T, name string) (dir, folder string) {
	t.Helper()
	folder = shared.Folder(t, "corpora", name)
	dir = filepath.Join(t.TempDir(), "corpus")
	if err := Import(t.Context(), "../../corpus/testdata/import/"+name+".yaml", folder, dir); err != nil {
		t.Fatal(err)
	}
	return dir, folder
}

// changeOf returns the change of the message with these words on one build.
func changeOf(t *testing.T, m *analyzer.Messages, words, level string) *analyzer.MessageChange {
	t.Helper()
	for i := range m.Changes {
		c := &m.Changes[i]
		for _, k := range slices.Concat(c.Deployed, c.Candidate) {
			if k.Words() == words && (level == "" || k.Level == level) {
				return c
			}
		}
	}
	t.Errorf("no change of %q", words)
	return &analyzer.MessageChange{}
}

func fieldChange(m *analyzer.Messages, class align.Class, name, to string) *analyzer.FieldSummary {
	i := slices.IndexFunc(m.Fields, func(f analyzer.FieldSummary) bool { return f.Class == class && f.Name == name && f.To == to })
	if i < 0 {
		return nil
	}
	return &m.Fields[i]
}

// TestMessages_Recorded holds the changes that were counted by hand in the
// recorded logs.
func TestMessages_Recorded(t *testing.T) {
	shared.Long(t)
	dir, folder := recorded(t, "kueue-multikueue")
	o := Options{Corpus: dir, Rules: []string{filepath.Join(folder, "rules")}}
	rep := compare(t, o)
	m := rep.Messages
	is := func(words, level string, want ...align.Class) *analyzer.MessageChange {
		t.Helper()
		c := changeOf(t, m, words, level)
		for _, k := range want {
			if !c.Has(k) {
				t.Errorf("%q is %v; want %s", words, c.Classes, k)
			}
		}
		return c
	}
	becomes := func(c *analyzer.MessageChange, words string) {
		t.Helper()
		if len(c.Candidate) != 1 || c.Candidate[0].Words() != words {
			t.Errorf("%q became %+v; want %q", c.Text(), c.Candidate, words)
		}
	}
	for _, words := range []string{"Created Workload: <*>", "Workload '<*>' is declared finished", "Admitted by clusterQueue <*>"} {
		if c := is(words, "", align.MovedToField); c.Has(align.Reworded) || c.Candidate[0].Field != "note" {
			t.Errorf("%q: %v in field %q", words, c.Classes, c.Candidate[0].Field)
		}
	}
	becomes(is(`The workload got reservation on "<*>"`, "", align.MovedToField, align.Reworded), `The workload was admitted on "<*>"`)
	becomes(is("Job changed queues, updating workload", "", align.Reworded, align.FieldGained), "Job changed queue-name, updating workload")
	becomes(is("Successfully loaded configuration", "", align.Reworded), "Configuration loaded")
	becomes(is("Workload is evicted due to rejected admission checks", "", align.Reworded), "Workload is deactivated due to rejected admission checks")
	is("Skipping the sync since the local job is still suspended", "", align.Removed)
	is("Skipping remote object deletion because object was not found", "", align.Added)
	is("Workload is orphaned; finishing to release quota", "", align.Added)
	if c := is(`admission check "<*>": no active clusters`, "", align.Removed); c.Deployed[0].In("finished-history") != 2452 || c.Deployed[0].In("ordinary-reconnect") != 91 {
		t.Errorf("no active clusters: %v", c.Deployed[0].Counts)
	}
	is("Reconciler error", "error", align.FrequencyChanged)

	uid := fieldChange(m, align.FieldLost, "object.uid", "")
	if uid == nil || !slices.ContainsFunc(rep.Findings, func(f analyzer.Finding) bool {
		return f.ID == "field-lost" && f.Severity == analyzer.Warn && strings.Contains(f.Message, "EventsWithObjectUID")
	}) {
		t.Errorf("object.uid: %+v", uid)
	}
	if fieldChange(m, align.FieldRenamed, "object.kind", "kind") == nil || fieldChange(m, align.FieldGained, "oldQueueName", "") == nil ||
		fieldChange(m, align.FieldGained, "newQueueName", "") == nil {
		t.Errorf("fields: %+v", m.Fields)
	}
	for _, f := range rep.Findings {
		if strings.Contains(f.Message, "reconciler.go:4") && strings.HasPrefix(f.ID, "message") {
			t.Errorf("a line that moved within its file is a finding: %s", f.Message)
		}
	}

	o.Deployed, o.Candidate, o.Scenarios = "v0.15.0", "deployed", []string{"ordinary-reconnect"}
	if f := fieldChange(compare(t, o).Messages, align.FieldRenamed, "controller", "logger"); f == nil || f.Count < 208 || !slices.Contains(f.Shared, "job") {
		t.Errorf("controller is not called logger: %+v", f)
	}
}

// TestMessages_RecordedItself: a recorded build against itself, and against a
// second run of itself.
func TestMessages_RecordedItself(t *testing.T) {
	dir, folder := recorded(t, "kai-binder")
	o := Options{Corpus: dir, Rules: []string{filepath.Join(folder, "rules")}, Scenarios: []string{"negative"}, Candidate: "deployed"}
	if m := compare(t, o).Messages; len(m.Changes)+len(m.Fields) > 0 {
		t.Errorf("deployed against itself: %+v", m.Changes)
	}
	o.Candidate = "deployed-rerun"
	m := compare(t, o).Messages
	for _, c := range m.Changes {
		if !c.Weak {
			t.Errorf("deployed against its rerun: %v %q", c.Classes, c.Text())
		}
	}
	o.Candidate = "candidate"
	for _, f := range compare(t, o).Findings {
		if strings.HasPrefix(f.ID, "message-") && f.Severity >= analyzer.Warn {
			t.Errorf("%s %s: two records that one run lacks: %s", f.Severity, f.ID, f.Message)
		}
	}
}
