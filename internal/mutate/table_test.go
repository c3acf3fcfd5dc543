package mutate

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/compare"
	"github.com/stillfires/stillfires/internal/review"
)

// A mutation is one change of a run and the findings that it must give. A
// wanted finding is "severity id about", about being a part of the name of its
// rule, its subject or its message; with several IDs, joined by |, one of them
// is wanted. One that begins with ? may be there or not: of that, people
// would judge differently. One that begins with ! is known to be there and
// should not. Any other warning or break is a fault, and so is a wanted one
// that is not there. Findings for information are not listed: of what no rule
// depends on there may be any.
type mutation struct {
	name   string
	change operator
	want   []string
}

// A bench is a recorded run to mutate, and what it is compared by.
type bench struct {
	base        tree
	scenario    string
	description string
	corpus      string // of the run itself, as the build deployed
	rules       []string
	review      *review.File
	step        time.Duration
	// remain are the fingerprints of what the run has against itself. A
	// mutation may have that too, without asking for it.
	remain map[string]bool
}

// newBench imports the run.
func newBench(t *testing.T, folder, scenario, description, reviewFile string, rules ...string) *bench {
	t.Helper()
	b := &bench{
		base: readTree(t, filepath.Join(folder, scenario, "deployed")), scenario: scenario,
		description: description, rules: rules, step: 5 * time.Second,
	}
	var err error
	if b.review, err = review.Load(reviewFile); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	b.base.write(t, filepath.Join(root, scenario, "deployed"))
	b.corpus = importRuns(t, description, root)
	return b
}

// compare imports the changed run and compares it with the run itself.
func (b *bench) compare(t *testing.T, changed tree) *analyzer.Report {
	t.Helper()
	root := t.TempDir()
	changed.write(t, filepath.Join(root, b.scenario, "candidate"))
	return run(t, compare.Options{
		Review: b.review, Corpus: b.corpus, Candidate: importRuns(t, b.description, root) + ":candidate",
		Rules: b.rules, Interval: b.step,
	})
}

// check compares a mutation and holds it to what it must give.
func (b *bench) check(t *testing.T, m mutation) {
	t.Helper()
	changed := m.change(b.base)
	if changed.same(b.base) {
		t.Fatal("the mutation changes nothing")
	}
	rep := b.compare(t, changed)
	held := make([]bool, len(m.want))
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if f.Severity < analyzer.Warn {
			continue
		}
		known := false
		for j, w := range m.want {
			if matches(f, strings.TrimLeft(w, "?!")) {
				held[j], known = true, true
			}
		}
		if !known && !b.remain[f.Fingerprint] {
			t.Errorf("not wanted: %s", tell(f))
		}
	}
	for j, w := range m.want {
		if !held[j] && !strings.HasPrefix(w, "?") && implemented(strings.TrimPrefix(w, "!")) {
			t.Errorf("missing: %s", w)
		}
	}
	if t.Failed() {
		for i := range rep.Findings {
			t.Log(tell(&rep.Findings[i]))
		}
	}
}

// matches reports whether f is the wanted finding.
func matches(f *analyzer.Finding, want string) bool {
	severity, rest, _ := strings.Cut(want, " ")
	ids, about, _ := strings.Cut(rest, " ")
	if f.Severity.String() != severity || !slices.Contains(strings.Split(ids, "|"), f.ID) {
		return false
	}
	if f.Rule != nil && f.Rule.Name == about {
		return true
	}
	return strings.Contains(f.Subject+"\n"+f.Message, about)
}

// implemented reports whether some check yields the wanted finding. What is
// reserved for later cannot be asked for.
func implemented(want string) bool {
	ids := strings.Split(strings.Fields(want)[1], "|")
	return slices.ContainsFunc(analyzer.IDs(), func(id analyzer.ID) bool {
		return id.Implemented && slices.Contains(ids, id.Name)
	})
}

// checkAll runs a table, as many mutations at once as there are processors.
func checkAll(t *testing.T, b *bench, table []mutation) {
	itself := b.compare(t, b.base)
	noDifference(t, itself)
	b.remain = map[string]bool{}
	for i := range itself.Findings {
		b.remain[itself.Findings[i].Fingerprint] = true
	}
	names := map[string]bool{}
	for _, m := range table {
		if names[m.name] {
			t.Errorf("two mutations are called %q", m.name)
		}
		names[m.name] = true
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			b.check(t, m)
		})
	}
}
