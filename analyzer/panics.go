package analyzer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/panics"
	"github.com/stillfires/stillfires/rules"
)

// A Panic is one panic in a scenario, on both builds.
type Panic struct {
	Scenario  string
	Signature string
	Kind      string
	Frames    []outcome.Frame // of the application, from where it panicked; as written most fully
	// Class is "new", "persists", "fixed", or "not-compared" if deployed
	// panicked in a scenario of which the candidate has no run.
	Class               string
	Deployed, Candidate PanicSide
	// Other are ways in which the same panic was handled in other scenarios.
	Other []string
}

// A PanicSide is what one build showed of a panic in a scenario.
type PanicSide struct {
	Runs  int   // of the scenario
	With  int   // of these, those in which it panicked
	Count int64 // occurrences, in all of them
	Modes []PanicMode
}

// A PanicMode is one way in which a panic was handled and written.
type PanicMode struct {
	Handling  outcome.Handling
	By        string // what recovered it; empty: not told
	Form      string
	Evidence  string // how the handling is known
	Operation string
	Fields    map[string]string // what the record of the first one says, by name
	Count     int64
	Restarts  int64 // occurrences that another process followed
	First     outcome.Evidence
	// Alerts are alerts that fired and had a line of it. Rules are others that
	// had one: rules that are no alerts, alerts that did not fire, and those
	// that fire without the panic, too. Names, ordered.
	Alerts, Rules []string
}

// panicViews returns the panics of all scenarios, ordered by scenario and
// signature.
func (c *comparison) panicViews() []Panic {
	if c.panics == nil {
		c.panics = &[]Panic{}
		*c.panics = c.lookAtPanics()
	}
	return *c.panics
}

func (c *comparison) lookAtPanics() []Panic {
	all := c.unifiedPanics()
	views := map[[2]string]*Panic{}
	add := func(role string, runs []outcome.Run) {
		for i := range runs {
			run := &runs[i]
			if !slices.Contains(c.in.Scenarios, run.Scenario) {
				continue
			}
			seen := map[*PanicSide]bool{}
			for n := range run.Panics {
				p := &run.Panics[n]
				k := [2]string{run.Scenario, all[p]}
				v := views[k]
				if v == nil {
					v = &Panic{Scenario: run.Scenario, Signature: all[p], Kind: p.Kind}
					views[k] = v
				}
				side := v.side(role)
				side.add(run, p, c.seenBy(run, n))
				if !seen[side] {
					seen[side] = true
					side.With++
				}
				v.know(p)
			}
		}
	}
	add("deployed", c.in.Deployed.Runs)
	add("candidate", c.in.Candidate.Runs)
	out := make([]Panic, 0, len(views))
	for _, v := range views {
		v.Deployed.Runs, v.Candidate.Runs = present(c.deployed[v.Scenario]), present(c.candidate[v.Scenario])
		v.Class = "persists"
		switch {
		case v.Deployed.With == 0:
			v.Class = "new"
			v.Candidate.discount(c.firedOn(c.deployed[v.Scenario]))
		case v.Candidate.Runs == 0:
			v.Class = "not-compared"
		case v.Candidate.With == 0:
			v.Class = "fixed"
			v.Deployed.discount(c.firedOn(c.candidate[v.Scenario]))
		}
		out = append(out, *v)
	}
	slices.SortFunc(out, func(a, b Panic) int {
		return cmp.Or(cmp.Compare(a.Scenario, b.Scenario), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Signature, b.Signature))
	})
	otherModes(out)
	return out
}

// unifiedPanics gives each panic of each run the signature that it has once
// the panics of all runs are known.
func (c *comparison) unifiedPanics() map[*outcome.Panic]string {
	var list []*outcome.Panic
	var known []panics.Known
	for _, runs := range [][]outcome.Run{c.in.Deployed.Runs, c.in.Candidate.Runs} {
		for i := range runs {
			for n := range runs[i].Panics {
				p := &runs[i].Panics[n]
				k := panics.Known{Signature: p.Signature, Kind: p.Kind, Partial: p.Partial}
				for _, f := range p.Frames {
					k.Frames = append(k.Frames, panics.Frame(f))
				}
				list, known = append(list, p), append(known, k)
			}
		}
	}
	out := map[*outcome.Panic]string{}
	for i, sig := range panics.Unify(known) {
		out[list[i]] = sig
	}
	return out
}

func present(runs []*outcome.Run) int {
	n := 0
	for _, r := range runs {
		if !r.Missing {
			n++
		}
	}
	return n
}

func (v *Panic) side(role string) *PanicSide {
	if role == "deployed" {
		return &v.Deployed
	}
	return &v.Candidate
}

// know keeps the kind and the frames of the one that was written most fully.
func (v *Panic) know(p *outcome.Panic) {
	var app []outcome.Frame
	for _, f := range p.Frames {
		if f.InApp {
			app = append(app, f)
		}
	}
	if len(app) > len(v.Frames) {
		v.Frames, v.Kind = app, p.Kind
	}
}

// add counts a panic of one run.
func (s *PanicSide) add(run *outcome.Run, p *outcome.Panic, by seers) {
	s.Count += p.Count
	i := slices.IndexFunc(s.Modes, func(m PanicMode) bool { return m.Handling == p.Handling && m.By == p.By && m.Form == p.Form })
	if i < 0 {
		i = len(s.Modes)
		s.Modes = append(s.Modes, PanicMode{
			Handling: p.Handling, By: p.By, Form: p.Form, Evidence: p.Evidence + podEvidence(run, p),
			Operation: p.Operation, Fields: p.Fields, First: *bounded(&p.First),
		})
	}
	m := &s.Modes[i]
	m.Count += p.Count
	m.Restarts += p.Restarts
	m.Alerts = union(m.Alerts, by.alerts)
	m.Rules = union(m.Rules, by.rules)
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Seers are the rules that had a line of a panic.
type seers struct{ alerts, rules []string }

// seenBy returns the rules that had a line of a run's panic.
func (c *comparison) seenBy(run *outcome.Run, panic int) seers {
	var s seers
	for i := range min(len(run.Outcomes), len(c.in.Rules)) {
		o := &run.Outcomes[i]
		if !slices.Contains(o.Panics, panic) {
			continue
		}
		if r := &c.in.Rules[i]; r.Kind == rules.Alert && o.State == outcome.Fired {
			s.alerts = append(s.alerts, r.Name)
		} else {
			s.rules = append(s.rules, r.Name)
		}
	}
	return s
}

// firedOn returns the names of the alerts that fired in some run in which they
// had a line of no panic: of those that had one it may be the reason.
func (c *comparison) firedOn(runs []*outcome.Run) []string {
	var names []string
	for _, run := range runs {
		for i := range min(len(run.Outcomes), len(c.in.Rules)) {
			o := &run.Outcomes[i]
			if o.State == outcome.Fired && len(o.Panics) == 0 && c.in.Rules[i].Kind == rules.Alert {
				names = append(names, c.in.Rules[i].Name)
			}
		}
	}
	return names
}

// discount takes away the alerts that fire where the build does not panic:
// they do not tell of the panic, although they had a line of it.
func (s *PanicSide) discount(anyway []string) {
	for i := range s.Modes {
		m := &s.Modes[i]
		var told, others []string
		for _, name := range m.Alerts {
			if slices.Contains(anyway, name) {
				others = append(others, name)
			} else {
				told = append(told, name)
			}
		}
		m.Alerts, m.Rules = told, union(m.Rules, others)
	}
}

// otherModes notes of each panic how it was handled in other scenarios.
func otherModes(all []Panic) {
	for i := range all {
		v := &all[i]
		here := map[string]bool{}
		for _, m := range slices.Concat(v.Deployed.Modes, v.Candidate.Modes) {
			here[m.Name()] = true
		}
		for j := range all {
			o := &all[j]
			if i == j || o.Signature != v.Signature {
				continue
			}
			for _, m := range slices.Concat(o.Deployed.Modes, o.Candidate.Modes) {
				if !here[m.Name()] {
					v.Other = union(v.Other, []string{m.Name()})
				}
			}
		}
	}
}

// Name says in words how a panic was handled and written.
func (m *PanicMode) Name() string {
	switch {
	case m.Handling == outcome.Crashed:
		return "crashed (" + m.form() + ")"
	case m.Handling == outcome.Recovered && m.By != "":
		return "recovered by " + shortFunction(m.By) + " (" + m.form() + ")"
	case m.Handling == outcome.Recovered:
		return "recovered (" + m.form() + ")"
	}
	return "handling not known (" + m.form() + ")"
}

func (m *PanicMode) form() string {
	switch m.Form {
	case panics.FormDump:
		return "goroutine dump"
	case panics.FormFatal:
		return "fatal error"
	case panics.FormObserved:
		return `"Observed a panic"`
	case panics.FormError:
		return "text of an error"
	case panics.FormRecovered:
		return "log message"
	case panics.FormHTTP:
		return "http server"
	case panics.FormLog:
		return "panic level"
	}
	return cmp.Or(m.Form, "form not known")
}

// shortFunction leaves of a function's name what follows the folders of its
// package; of a module, all.
func shortFunction(name string) string {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if strings.Contains(base, ".") && !strings.HasPrefix(base, "v") {
		return base
	}
	return name
}

// Title says what a panic is: its kind and where it was.
func (v *Panic) Title() string {
	kind := cmp.Or(v.Kind, "of unknown value")
	if len(v.Frames) == 0 {
		return kind
	}
	return kind + " in " + shortFunction(v.Frames[0].Function)
}

// told says what one build showed: how often, in how many runs, how handled.
func (s *PanicSide) told(role string) string {
	var modes []string
	for i := range s.Modes {
		m := s.Modes[i].Name()
		if op := s.Modes[i].Operation; op != "" {
			m += " in " + short(op)
		}
		if n := s.Modes[i].Restarts; n > 0 {
			m += ", " + count(n, "restart", "restarts")
		}
		modes = append(modes, m)
	}
	text := count(s.Count, "time", "times") + " on " + role
	if s.Runs > 1 {
		text += fmt.Sprintf(" in %d of %d runs", s.With, s.Runs)
	}
	return text + ": " + strings.Join(modes, "; ")
}

// evidence returns the first line of the panic.
func (s *PanicSide) evidence() *outcome.Evidence {
	if len(s.Modes) == 0 {
		return nil
	}
	return &s.Modes[0].First
}

// panicFindings makes a finding of each panic of a class.
func panicFindings(class string, message func(*comparison, *Panic) string) func(*comparison) []Finding {
	return func(c *comparison) []Finding {
		var out []Finding
		all := c.panicViews()
		for i := range all {
			if v := &all[i]; v.Class == class {
				out = append(out, v.finding(message(c, v)))
			}
		}
		return out
	}
}

func (v *Panic) finding(message string) Finding {
	return Finding{
		Scenario: v.Scenario, Subject: v.Signature, Message: message,
		Deployed: v.Deployed.evidence(), Candidate: v.Candidate.evidence(),
	}
}
