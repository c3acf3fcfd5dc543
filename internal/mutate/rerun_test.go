package mutate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/compare"
)

// TestRecorded_Rerun: the same binary was run twice. Where a second repetition
// shows that a line comes and goes, the line says nothing of the candidate.
func TestRecorded_Rerun(t *testing.T) {
	t.Parallel()
	r := recorded(t, "kai-binder")
	root := t.TempDir()
	for _, c := range []struct{ from, to string }{
		{"deployed", "deployed/1"}, {"deployed-rerun", "deployed/2"},
		{"deployed", "first/1"}, {"deployed-rerun", "second/1"}, {"candidate", "candidate/1"},
	} {
		for _, scenario := range []string{"negative", "bind-error"} {
			readTree(t, filepath.Join(r.folder, scenario, c.from)).write(t, filepath.Join(root, scenario, c.to))
		}
	}
	text, err := os.ReadFile(r.description)
	if err != nil {
		t.Fatal(err)
	}
	repeated := strings.Replace(string(text), "run: \"{scenario}/{build}\"\n", "run: \"{scenario}/{build}/{n}\"\nrepetition: \"{n}\"\n", 1)
	description := filepath.Join(t.TempDir(), "import.yaml")
	if err := os.WriteFile(description, []byte(repeated), 0o600); err != nil {
		t.Fatal(err)
	}
	corpus := importRuns(t, description, root)
	against := func(deployed, candidate string) *analyzer.Report {
		return run(t, compare.Options{Corpus: corpus, Deployed: deployed, Candidate: candidate, Rules: []string{r.rules}, Interval: r.step})
	}
	const racy, racyText = "L26AlreadyBound", "already bound to node"
	aboutRace := func(f *analyzer.Finding) bool {
		return f.Rule != nil && f.Rule.Name == racy || strings.Contains(f.Message+f.Subject, racyText)
	}

	// Two repetitions show the race.
	for _, candidate := range []string{"candidate", "second", "first"} {
		rep := against("deployed", candidate)
		for i := range rep.Findings {
			f := &rep.Findings[i]
			if differs(f) && (aboutRace(f) || candidate != "candidate") {
				t.Errorf("deployed, twice, to %s: %s", candidate, tell(f))
			}
		}
	}
	// One does not, and then only what the race shows may differ.
	rep := against("first", "second")
	raced := false
	for i := range rep.Findings {
		f := &rep.Findings[i]
		raced = raced || aboutRace(f)
		if differs(f) && !aboutRace(f) {
			t.Errorf("first to second: %s", tell(f))
		}
	}
	if !raced {
		t.Error("the second run has the line that comes and goes: this proves nothing")
	}
}
