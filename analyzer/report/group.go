package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// A block is the findings with one ID about one rule in all scenarios: a
// reader mends a rule once. The findings keep the report's order.
type block struct {
	first     *analyzer.Finding
	findings  []*analyzer.Finding
	scenarios []string
	// expected holds the scenarios by what was declared in them.
	expected map[analyzer.Expect][]string
	// also holds the blocks of other rules with the same cause, where they
	// were grouped by cause.
	also []*block
}

// blocks groups the findings of one severity that nobody accepted, in the report's order.
func blocks(r *analyzer.Report, s analyzer.Severity) []*block {
	type key struct {
		id, group, name, subject string
		// What is found under load is not what is found without.
		load string
		pos  source.Position
		kind rules.Kind
	}
	at := map[key]*block{}
	results := resultsByKey(r)
	var out []*block
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != s || f.Accepted() {
			continue
		}
		k := key{id: f.ID, subject: f.Subject, load: r.LoadOf(f.Scenario)}
		if f.Rule != nil {
			k.group, k.name, k.pos, k.kind = f.Rule.Group, f.Rule.Name, f.Rule.Pos, f.Rule.Kind
		}
		b := at[k]
		if b == nil {
			b = &block{first: f, expected: map[analyzer.Expect][]string{}}
			at[k] = b
			out = append(out, b)
		}
		// The finding that explains most stands for the block.
		if weight(f, results) > weight(b.first, results) {
			b.first = f
		}
		b.findings = append(b.findings, f)
		if f.Scenario != "" {
			b.scenarios = append(b.scenarios, f.Scenario)
		}
		if res := results[resultKey{f.Rule, f.Scenario}]; res != nil {
			b.expected[res.Expect] = append(b.expected[res.Expect], f.Scenario)
		}
	}
	return out
}

// declared reports whether somebody declared what the rule must do in one of
// the scenarios.
func (b *block) declared() bool {
	for e := range b.expected {
		if e != analyzer.ExpectNone {
			return true
		}
	}
	return false
}

// where says in which scenarios, and what was declared there: "must-fire in
// drill; undeclared in restart". Up to most of each are named.
func (b *block) where(most int) string {
	if !b.declared() {
		return "in " + names(b.scenarios, most)
	}
	var parts []string
	for _, e := range []analyzer.Expect{analyzer.MustFire, analyzer.MustStaySilent, analyzer.MustClear, analyzer.ExpectNone} {
		if in := b.expected[e]; len(in) > 0 {
			word := e.String()
			if e == analyzer.ExpectNone {
				word = "undeclared"
			}
			parts = append(parts, word+" in "+names(in, most))
		}
	}
	return strings.Join(parts, "; ")
}

// names lists up to most of a list.
func names(list []string, most int) string {
	if len(list) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

// title names what the block is about.
func (b *block) title() string {
	switch f := b.first; {
	case f.Rule != nil:
		return f.Rule.Name
	case f.ID == "correlation-lost":
		return lostThing(f.Message)
	case strings.HasPrefix(f.ID, "panic-"):
		what, _, _ := strings.Cut(f.Message, ": ")
		return strings.TrimPrefix(what, "panic ")
	case isWork(f) && f.Rest:
		what, _, _ := strings.Cut(f.Message, " of work ")
		return what
	case isWork(f):
		return f.Subject
	case f.Case > 0, f.Unmatched == "" && f.Scenario == "":
		return f.Subject // of a case, or of both builds, such as a metric
	}
	return b.first.Unmatched
}

// isWork reports whether a finding is about work that did not recover.
func isWork(f *analyzer.Finding) bool {
	return f.ID == "recovery-failed" && f.Rule == nil && f.Case == 0 && f.Pos.Line == 0
}

// lostThing takes what was lost from the sentence about it: "the UID of the Job
// is no longer in the log: …".
func lostThing(sentence string) string {
	what, _, _ := strings.Cut(sentence, ": ")
	for _, end := range []string{" is no longer in the log", " can no longer be made from the log"} {
		what = strings.TrimSuffix(what, end)
	}
	return strings.TrimPrefix(what, "the ")
}

// weight is higher the more a finding has to tell: of a promise that was
// declared, then of what the candidate wrote instead.
func weight(f *analyzer.Finding, results map[resultKey]*analyzer.Result) int {
	w := 0
	if res := results[resultKey{f.Rule, f.Scenario}]; res != nil && res.Expect != analyzer.ExpectNone {
		w += 2
	}
	if len(f.Nearest) > 0 {
		w++
	}
	return w
}

// A resultKey finds the verdict row that a finding belongs to.
type resultKey struct {
	rule     *rules.Rule
	scenario string
}

// resultsByKey indexes the verdict rows of a report.
func resultsByKey(r *analyzer.Report) map[resultKey]*analyzer.Result {
	m := make(map[resultKey]*analyzer.Result, len(r.Results))
	for i := range r.Results {
		m[resultKey{r.Results[i].Rule, r.Results[i].Scenario}] = &r.Results[i]
	}
	return m
}
