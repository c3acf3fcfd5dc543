package review

import (
	"slices"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/suggest"
	"github.com/stillfires/stillfires/rules"
)

// A Declared is an expectation that was recorded with a run.
type Declared struct {
	Scenario string
	Rule     string // see rules.Set.Find
	Expect   analyzer.Expect
	// Reason says why the expectation names no rule. It is set in
	// [Resolution.Unmatched] only.
	Reason string
}

// A Resolution holds what is expected of every rule in every scenario.
type Resolution struct {
	// Problems are those of the review file, and its entries that name no
	// rule or scenario or contradict one another, in the order of the file.
	Problems []*source.Error
	// Unmatched are expectations declared with runs of the given scenarios
	// that name no rule, each once, in the order given.
	Unmatched []Declared
	// Notes tell the reader where a run and the review file differ.
	Notes []string

	set       *rules.Set
	found     map[string]match // by name
	named     map[cell]analyzer.Expect
	scenarios map[string]analyzer.Expect // defaults
	fallback  analyzer.Expect
	alerts    []bool // by index of the rule
}

// A cell is one rule in one scenario.
type cell struct {
	scenario string
	rule     int
}

// A match is what rules.Set.Find found.
type match struct {
	rules []int
	err   error
}

// find finds each name once: many scenarios name the same rules.
func (r *Resolution) find(pattern string) ([]int, error) {
	if rules.IsPattern(pattern) {
		return r.set.Find(pattern) // may be very many rules
	}
	m, ok := r.found[pattern]
	if !ok {
		m.rules, m.err = r.set.Find(pattern)
		r.found[pattern] = m
	}
	return m.rules, m.err
}

// Expect returns what is expected of the rule with the given index. In the
// order of weight: what the review file says of the rule, what was declared
// with the runs, the scenario's default, the file's default. Defaults are for
// alert rules.
func (r *Resolution) Expect(rule int, scenario string) analyzer.Expect {
	if e, ok := r.named[cell{scenario, rule}]; ok {
		return e
	}
	if rule < 0 || rule >= len(r.alerts) || !r.alerts[rule] {
		return analyzer.ExpectNone
	}
	if e, ok := r.scenarios[scenario]; ok {
		return e
	}
	return r.fallback
}

// Resolve holds the file against the rules and the names of the scenarios that
// there are, and joins it with what was declared with the runs. A nil File
// says nothing.
func (f *File) Resolve(set *rules.Set, scenarios []string, declared []Declared) *Resolution {
	r := &Resolution{
		set: set, found: map[string]match{},
		named: map[cell]analyzer.Expect{}, scenarios: map[string]analyzer.Expect{},
	}
	for _, rule := range set.Rules {
		r.alerts = append(r.alerts, rule.Kind == rules.Alert)
	}
	if f != nil {
		r.fallback = f.Default
		r.Problems = slices.Clone(f.Problems)
		for _, s := range f.Scenarios {
			r.scenario(s, scenarios)
		}
		sortErrors(r.Problems)
	}
	r.declared(scenarios, declared)
	return r
}

// scenario adds what the file says of one scenario.
func (r *Resolution) scenario(s Scenario, scenarios []string) {
	if !slices.Contains(scenarios, s.Name) {
		r.problem(s.Pos, suggest.Hint(s.Name, scenarios), "no run has the scenario %q", s.Name)
	}
	if s.HasDefault {
		r.scenarios[s.Name] = s.Default
	}
	first := map[int]Expectation{} // by rule
	for _, e := range s.Rules {
		found, err := r.find(e.Pattern)
		if err != nil {
			r.Problems = append(r.Problems, &source.Error{Pos: e.Pos, Msg: err.Error()})
			continue
		}
		for _, i := range found {
			before, ok := first[i]
			if ok && before.Expect != e.Expect {
				r.problem(e.Pos, "keep one of them", "rule %q is under %v by %q and under %v by %q in line %d",
					r.set.Rules[i].Name, e.Expect, e.Pattern, before.Expect, before.Pattern, before.Pos.Line)
				break
			}
			first[i] = e
			r.named[cell{s.Name, i}] = e.Expect
		}
	}
}

func (r *Resolution) problem(pos source.Position, hint, format string, args ...any) {
	r.Problems = append(r.Problems, &source.Error{Pos: pos, Msg: source.Sprintf(format, args...), Hint: hint})
}

// declared adds what was declared with the runs. The review file wins. What
// several runs of a scenario declare is taken once; of two that differ the
// first holds.
func (r *Resolution) declared(scenarios []string, declared []Declared) {
	reviewed := make(map[cell]bool, len(r.named))
	for c := range r.named {
		reviewed[c] = true
	}
	noted := map[string]bool{}
	note := func(format string, args ...any) {
		if text := source.Sprintf(format, args...); !noted[text] {
			noted[text] = true
			r.Notes = append(r.Notes, text)
		}
	}
	unmatched := map[Declared]bool{}
	for _, d := range declared {
		found, err := r.find(d.Rule)
		if err != nil {
			d.Reason = err.Error()
			if slices.Contains(scenarios, d.Scenario) && !unmatched[d] {
				unmatched[d] = true
				r.Unmatched = append(r.Unmatched, d)
			}
			continue
		}
		for _, i := range found {
			c := cell{d.Scenario, i}
			have, ok := r.named[c]
			switch {
			case !ok:
				r.named[c] = d.Expect
			case have == d.Expect:
			case reviewed[c]:
				note("scenario %q, rule %q: the review file says %v and the run was declared %v; the review file holds",
					d.Scenario, r.set.Rules[i].Name, have, d.Expect)
			default:
				note("scenario %q, rule %q: one run was declared %v and another %v; the first holds",
					d.Scenario, r.set.Rules[i].Name, have, d.Expect)
			}
		}
	}
}
