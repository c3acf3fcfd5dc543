package align

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stillfires/stillfires/internal/outcome"
)

// summarize gathers what became of fields and encodings over all messages: an
// encoding that changed, or a field that one library adds, is one thing.
func (c *comparison) summarize() {
	at := map[[3]string]int{}
	for i := range c.res.Changes {
		ch := &c.res.Changes[i]
		for _, f := range ch.Fields {
			key := [3]string{string(f.Class), f.Name, f.To}
			j, ok := at[key]
			if !ok {
				j = len(c.res.Fields)
				at[key] = j
				c.res.Fields = append(c.res.Fields, FieldSummary{FieldChange: f, Of: c.withField(&f)})
			}
			c.res.Fields[j].merge(f, i, ch)
		}
	}
	slices.SortFunc(c.res.Fields, func(a, b FieldSummary) int {
		return cmp.Or(cmp.Compare(rank(a.Class), rank(b.Class)), cmp.Compare(a.Name, b.Name), cmp.Compare(a.To, b.To))
	})
	c.encodings()
}

func (s *FieldSummary) merge(f FieldChange, change int, ch *Change) {
	s.Changes = append(s.Changes, change)
	s.Deployed, s.Candidate = union(s.Deployed, f.Deployed), union(s.Candidate, f.Candidate)
	s.Shared = union(s.Shared, f.Shared)
	s.Weak = s.Weak && f.Weak
	side := ch.Deployed
	if f.Class == FieldGained {
		side = ch.Candidate
	}
	for _, k := range side {
		s.Count += k.Count
	}
}

// withField counts the messages of the deployed build, or of the candidate for
// a gained field, that have a field and are on both builds.
func (c *comparison) withField(f *FieldChange) int {
	n := 0
	for _, p := range c.m.pairs {
		side := p.deployed
		if f.Class == FieldGained {
			side = p.candidate
		}
		s := shapeOf(side)
		name := f.Name
		if len(f.Within) > 0 {
			name = f.Within[0]
		}
		if k := s.find(name); k != nil && k.Count > 0 {
			n++
		}
	}
	return n
}

// inferRenames takes a field that one message lost and gained under another
// name for renamed too where other messages prove that renaming.
func (c *comparison) inferRenames() {
	to := map[string]string{}
	for i := range c.res.Changes {
		for _, f := range c.res.Changes[i].Fields {
			if f.Class == FieldRenamed && len(f.Shared) > 0 {
				to[f.Name] = f.To
			}
		}
	}
	for i := range c.res.Changes {
		ch := &c.res.Changes[i]
		candidate := shapeOf(ch.Candidate)
		deployed := shapeOf(ch.Deployed)
		for j := range ch.Fields {
			f := &ch.Fields[j]
			name, ok := to[f.Name]
			if f.Class != FieldLost || !ok || candidate.find(name) == nil || deployed.find(name) != nil {
				continue
			}
			f.Class, f.To, f.Candidate = FieldRenamed, name, candidate.find(name).Types
			ch.Fields = slices.DeleteFunc(ch.Fields, func(g FieldChange) bool { return g.Class == FieldGained && g.Name == name })
			ch.reclass()
			break
		}
	}
}

// reclass derives the classes of a change that its fields give.
func (c *Change) reclass() {
	c.Classes = slices.DeleteFunc(c.Classes, func(k Class) bool {
		return k == FieldLost || k == FieldGained || k == FieldRenamed || k == FieldTypeChanged || k == LevelSpelled
	})
	for _, f := range c.Fields {
		c.add(f.Class)
	}
	order(c)
}

// encodings gathers the messages whose encoding changed.
func (c *comparison) encodings() {
	for i := range c.res.Changes {
		ch := &c.res.Changes[i]
		if !ch.Has(EncodingChanged) {
			continue
		}
		told := map[int]bool{}
		for _, r := range ch.Reencoded {
			j := slices.IndexFunc(c.res.Encodings, func(e EncodingSummary) bool { return e.From == r.From && e.To == r.To })
			if j < 0 {
				j = len(c.res.Encodings)
				c.res.Encodings = append(c.res.Encodings, EncodingSummary{
					From: r.From, To: r.To,
					Deployed:  c.deployed.example(ch.Deployed, r.Scenario, r.From),
					Candidate: c.candidate.example(ch.Candidate, r.Scenario, r.To),
				})
			}
			e := &c.res.Encodings[j]
			if !told[j] {
				told[j] = true
				e.Messages++
			}
			if k, ok := slices.BinarySearch(e.Scenarios, r.Scenario); !ok {
				e.Scenarios = slices.Insert(e.Scenarios, k, r.Scenario)
			}
		}
	}
	slices.SortFunc(c.res.Encodings, func(a, b EncodingSummary) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}

// example returns the first record of kinds in a scenario and an encoding.
func (b *build) example(kinds []*Kind, scenario string, e outcome.Encoding) *outcome.Evidence {
	for _, k := range kinds {
		for _, p := range k.Parts {
			if m := &b.runs[p.Run].Messages[p.Message]; b.runs[p.Run].Scenario == scenario && m.Encoding == e {
				return &m.First
			}
		}
	}
	return &kinds[0].First
}

// note says what could not be compared.
func (c *comparison) note() {
	for _, s := range []struct {
		role string
		b    *build
	}{{"deployed", c.deployed}, {"candidate", c.candidate}} {
		for _, run := range s.b.runs {
			if run.MessagesCut > 0 {
				c.res.Notes = append(c.res.Notes, cutNote(s.role, run))
			}
		}
	}
	if n := c.m.skipped; n > 0 {
		c.res.Notes = append(c.res.Notes, fmt.Sprintf("%d of the rarest messages that have no equal on the other build were not compared: there are too many", n))
	}
}

func cutNote(role string, run *outcome.Run) string {
	return fmt.Sprintf("the %s run of %s has more messages than are kept: %d records are not in its catalogue, so a message that is absent may have been written",
		role, run.Scenario, run.MessagesCut)
}
