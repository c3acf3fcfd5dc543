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

// A mutation is one change of a run and the findings that it must give: these,
// each once, and no others. Each is written as "severity id about", where about
// is the rule, the subject or both as [about] gives them; one that begins with ~
// is a part of the finding's message. One that ends in * stands for any number of
// findings, of which about is the beginning.
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
	itself      string // the run itself, imported, as CORPUS:BUILD
	rules       []string
	review      *review.File
	step        time.Duration
	swap        bool // each mutation is looked at either way round
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
	b.itself = b.imported(t, b.base, "deployed")
	return b
}

// imported returns the changed run in a corpus, as a build with that name.
func (b *bench) imported(t *testing.T, changed tree, build string) string {
	t.Helper()
	root := t.TempDir()
	changed.write(t, filepath.Join(root, b.scenario, build))
	return importRuns(t, b.description, root) + ":" + build
}

// compare compares two builds, as CORPUS:BUILD.
func (b *bench) compare(t *testing.T, deployed, candidate string) *analyzer.Report {
	t.Helper()
	return run(t, compare.Options{Review: b.review, Deployed: deployed, Candidate: candidate, Rules: b.rules, Interval: b.step})
}

// check compares a mutation and holds it to what it must give.
func (b *bench) check(t *testing.T, m mutation) {
	t.Helper()
	changed := m.change(b.base)
	if changed.same(b.base) {
		t.Fatal("the mutation changes nothing")
	}
	candidate := b.imported(t, changed, "candidate")
	rep := b.compare(t, b.itself, candidate)
	times := make([]int, len(m.want))
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if b.remain[f.Fingerprint] {
			continue
		}
		at := slices.IndexFunc(m.want, func(w string) bool { return matches(f, w) })
		if at >= 0 {
			times[at]++
			t.Log(tell(f))
			continue
		}
		t.Errorf("not wanted: %s", tell(f))
	}
	for i, w := range m.want {
		switch {
		case times[i] == 1, times[i] > 1 && strings.HasSuffix(w, "*"):
		case times[i] == 0 && implemented(w):
			t.Errorf("missing: %s", w)
		case times[i] > 1:
			t.Errorf("%d findings are %s", times[i], w)
		}
	}
	if b.swap {
		mirrors(t, rep, b.compare(t, candidate, b.itself))
	}
}

// about names what a finding is about: its rule and its subject.
func about(f *analyzer.Finding) string {
	if f.Rule == nil {
		return f.Subject
	}
	return strings.TrimSpace(f.Rule.Name + " " + f.Subject)
}

// matches reports whether f is the wanted finding.
func matches(f *analyzer.Finding, want string) bool {
	severity, rest, _ := strings.Cut(want, " ")
	id, subject, _ := strings.Cut(rest, " ")
	if f.Severity.String() != severity || f.ID != id {
		return false
	}
	if part, ok := strings.CutPrefix(subject, "~"); ok {
		return strings.Contains(f.Message, part)
	}
	if start, ok := strings.CutSuffix(subject, "*"); ok {
		return strings.HasPrefix(about(f), start)
	}
	return about(f) == subject
}

// implemented reports whether some check yields the wanted finding. What is
// reserved for later cannot be asked for.
func implemented(want string) bool {
	return slices.ContainsFunc(analyzer.IDs(), func(id analyzer.ID) bool { return id.Implemented && id.Name == strings.Fields(want)[1] })
}

// checkAll runs a table, as many mutations at once as there are processors.
func checkAll(t *testing.T, b *bench, table []mutation) {
	itself := b.compare(t, b.itself, b.itself)
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
