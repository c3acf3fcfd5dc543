package analyzer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/outcome"

	"github.com/stillfires/stillfires/internal/shared"
)

// TestRecordedVerdicts holds the verdict table to the verdicts that were
// written down for pairs of recorded runs.
func TestRecordedVerdicts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Folder(t, "corpora"), "*", "verdicts.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("the folder of recorded corpora has no verdicts.json")
	}
	type pair[T any] struct{ Deployed, Candidate T }
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var recorded []struct {
			Rule, Expect, Verdict string
			Findings              []string
			Fires                 *pair[bool]
			Lines                 pair[int64]
		}
		if err := json.Unmarshal(text, &recorded); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, want := range recorded {
			expect, err := ParseExpect(want.Expect)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			rule, yes, no := alertRule(), outcome.Fired, outcome.Silent
			if expect == ExpectNone {
				rule, yes, no = queryRule(), outcome.Matched, outcome.None
			}
			did := pair[bool]{want.Lines.Deployed > 0, want.Lines.Candidate > 0}
			if want.Fires != nil {
				did = *want.Fires
			}
			state := func(b bool) outcome.State {
				if b {
					return yes
				}
				return no
			}
			r := trial{rule: rule, expect: expect, deployed: states(state(did.Deployed)), candidate: states(state(did.Candidate))}.run()
			if got := r.Results[0].Verdict.String(); got != want.Verdict {
				t.Errorf("%s: %s %s %v: verdict %s; want %s", file, want.Rule, want.Expect, did, got, want.Verdict)
			}
			if diff := gocmp.Diff(want.Findings, ids(r)); diff != "" {
				t.Errorf("%s: %s %s %v: findings (-want +got):\n%s", file, want.Rule, want.Expect, did, diff)
			}
		}
		t.Logf("%s: %d verdicts", file, len(recorded))
	}
}
