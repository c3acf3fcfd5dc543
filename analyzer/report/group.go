package report

import (
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
	// also holds the blocks of other rules with the same cause, where they
	// were grouped by cause.
	also []*block
}

// blocks groups the findings of one severity, in the report's order.
func blocks(r *analyzer.Report, s analyzer.Severity) []*block {
	type key struct {
		id, group, name, subject string
		pos                      source.Position
		kind                     rules.Kind
	}
	at := map[key]*block{}
	var out []*block
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity != s {
			continue
		}
		k := key{id: f.ID, subject: f.Subject}
		if f.Rule != nil {
			k.group, k.name, k.pos, k.kind = f.Rule.Group, f.Rule.Name, f.Rule.Pos, f.Rule.Kind
		}
		b := at[k]
		if b == nil {
			b = &block{first: f}
			at[k] = b
			out = append(out, b)
		}
		// The finding that explains most stands for the block.
		if len(b.first.Nearest) == 0 && len(f.Nearest) > 0 {
			b.first = f
		}
		b.findings = append(b.findings, f)
		if f.Scenario != "" {
			b.scenarios = append(b.scenarios, f.Scenario)
		}
	}
	return out
}

// byCause folds blocks together that part at the same stage, in the same
// scenarios and with the same nearest line: an alert and the panel beside it
// often break by one word. The order is that of the first of each.
func byCause(all []*block) []*block {
	type key struct{ stage, nearest, scenarios string }
	at := map[key]*block{}
	var out []*block
	for _, b := range all {
		if b.first.Parting == nil {
			out = append(out, b)
			continue
		}
		k := key{stage: b.first.Parting.Stage, scenarios: strings.Join(b.scenarios, "\x00")}
		if len(b.first.Nearest) > 0 {
			k.nearest = b.first.Nearest[0].Line
		}
		if of := at[k]; of != nil {
			of.also = append(of.also, b)
			continue
		}
		at[k] = b
		out = append(out, b)
	}
	return out
}

// title names what the block is about.
func (b *block) title() string {
	if b.first.Rule == nil {
		return ""
	}
	return b.first.Rule.Name
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
