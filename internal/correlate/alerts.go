package correlate

import (
	"cmp"
	"slices"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
)

// Alerts returns which labels and annotations of alerts that fired name a
// thing.
func (c *Collector) Alerts(outcomes []outcome.Outcome) []outcome.AlertName {
	if c == nil {
		return nil
	}
	carried := map[outcome.AlertName]int{}
	for i := range outcomes {
		for a := range outcomes[i].Alerts {
			alert := &outcomes[i].Alerts[a]
			seen := map[outcome.AlertName]bool{}
			for _, set := range alert.Sets() {
				for _, h := range c.find.inLabels(set.Of) {
					seen[outcome.AlertName{
						Rule: i, Where: set.Where, Name: h.field, Identifier: c.find.identName(h.ref),
						Entity: c.known.profile.Entities[c.known.things[h.thing].kind].Name,
					}] = true
				}
			}
			for n := range seen {
				carried[n]++
			}
		}
	}
	out := make([]outcome.AlertName, 0, len(carried))
	for n, alerts := range carried {
		n.Alerts = alerts
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b outcome.AlertName) int {
		return cmp.Or(cmp.Compare(a.Rule, b.Rule), -cmp.Compare(a.Where, b.Where), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Entity, b.Entity), cmp.Compare(a.Identifier, b.Identifier))
	})
	return out
}

// inLabels returns the things that labels name. Their names are as fields of
// one object. What it returns holds until the next call.
func (f *finder) inLabels(ls logs.Labels) []hit {
	f.cluster = ""
	f.fields, f.hits, f.values = f.fields[:0], f.hits[:0], 0
	for _, l := range ls {
		f.fields = append(f.fields, field{name: l.Name, text: l.Value})
	}
	for i := range f.fields {
		f.inField(&f.fields[i])
	}
	return f.hits
}
