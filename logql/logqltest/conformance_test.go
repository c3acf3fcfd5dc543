package logqltest

import (
	"path/filepath"
	"testing"

	"github.com/stillfires/stillfires/internal/shared"
)

// fewest is how many of the recorded cases must pass. Raise it with every gain.
const fewest = 3295

// load reads the cases and corpora, or skips the test where they are absent.
func load(t *testing.T) ([]Case, map[string]*Corpus) {
	t.Helper()
	dir := shared.Folder(t, "conformance")
	cases, err := ReadCases(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	corpora, err := ReadCorpora(filepath.Join(dir, "corpora"), cases)
	if err != nil {
		t.Fatal(err)
	}
	return cases, corpora
}

func TestConformance(t *testing.T) {
	cases, corpora := load(t)
	artefacts := Artefacts()
	passed := 0
	for i := range cases {
		c := &cases[i]
		if c.ServerDiffers() {
			continue
		}
		got := Run(c, corpora[c.Corpus])
		if Equal(&got, &c.Expect) {
			passed++
			continue
		}
		if artefacts[c.ID] == "" {
			t.Errorf("%s: %s\n%s", c.ID, c.Query, Diff(&got, &c.Expect))
		}
	}
	if passed < fewest {
		t.Errorf("%d cases passed; want at least %d", passed, fewest)
	}
}

// TestConformance_OnePass runs all cases of a corpus together: sharing work
// must not change an answer.
func TestConformance_OnePass(t *testing.T) {
	cases, corpora := load(t)
	byCorpus := make(map[string][]*Case)
	for i := range cases {
		byCorpus[cases[i].Corpus] = append(byCorpus[cases[i].Corpus], &cases[i])
	}
	for name, cs := range byCorpus {
		if name == "" {
			continue
		}
		for i, got := range RunAll(cs, corpora[name]) {
			alone := Run(cs[i], corpora[name])
			if !Equal(&got, &alone) {
				t.Errorf("%s in one pass with %d others: %s\n%s", cs[i].ID, len(cs)-1, cs[i].Query, Diff(&got, &alone))
			}
		}
	}
}
