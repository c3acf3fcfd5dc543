package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// A broken is a finding about a rule under construction.
type broken struct{ analyzer.Finding }

func breaks(name, stage string) *broken {
	r := alert(name, dispatched)
	r.Pos.Line = len(name) + len(stage)
	return &broken{analyzer.Finding{
		ID: "alert-lost", Severity: analyzer.Break, Rule: &r, Pos: r.Pos, Scenario: "drill",
		Parting:  &analyzer.Parting{Stage: stage, Deployed: 4, Responsible: &analyzer.Responsible{Text: stage}},
		Deployed: &analyzer.Evidence{Line: "a line that passes " + name, Stream: evidence(1, "").Stream},
	}}
}

func (b *broken) field(name string) *broken { b.Parting.Responsible.Field = name; return b }
func (b *broken) mended() *broken           { b.Repair = &analyzer.Repair{Expr: "x"}; return b }
func (b *broken) line(text string) *broken  { b.Deployed.Line = text; return b }
func (b *broken) near(field string, edits ...analyzer.Edit) *broken {
	b.Nearest = []analyzer.Near{{Evidence: outcome.Evidence{Line: field + fmt.Sprint(edits)}, Field: field, Diff: edits}}
	return b
}

func lostIdentifier(what, field string) *broken {
	return &broken{analyzer.Finding{
		ID: "correlation-lost", Severity: analyzer.Break, Scenario: "drill", Subject: what, Through: field,
		Message: "the " + what + " is no longer in the log: it was there",
	}}
}

// TestByCause: what breaks by one cause is told as one, and nothing else is.
func TestByCause(t *testing.T) {
	f := func(want string, all ...*broken) {
		t.Helper()
		r := &analyzer.Report{Scenarios: []string{"drill"}}
		for _, b := range all {
			r.Findings = append(r.Findings, b.Finding)
		}
		var got []string
		for _, b := range byCause(blocks(r, analyzer.Break)) {
			names := []string{b.title()}
			for _, o := range b.also {
				names = append(names, o.title())
			}
			got = append(got, strings.Join(names, "+"))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("causes %q; want %q", s, want)
		}
	}
	keep := func(s string) analyzer.Edit { return analyzer.Edit{Op: analyzer.Keep, Text: s} }
	del := func(s string) analyzer.Edit { return analyzer.Edit{Op: analyzer.Delete, Text: s} }
	ins := func(s string) analyzer.Edit { return analyzer.Edit{Op: analyzer.Insert, Text: s} }
	reservation := []analyzer.Edit{keep("The workload "), del("got reservation"), ins("was admitted"), keep(" on")}

	// The same stage, in whatever scenario.
	f("A+B", breaks("A", `|= "x"`), breaks("B", `|= "x"`))
	f("A B", breaks("A", `|= "x"`), breaks("B", `|= "y"`))
	// Another stage that asks for the same words.
	f("A+B", breaks("A", `|= "got reservation on"`).near("note", reservation...), breaks("B", `| msg=~"The workload got reservation .*"`).near("note", reservation...))
	f("A B", breaks("A", `|= "got reservation on"`).near("note", reservation...), breaks("B", `| msg=~"The workload .*"`).near("note", reservation...))
	f("A B", breaks("A", `|= "got reservation on"`).near("note", reservation...), breaks("B", `| x="got reservation"`).near("msg", reservation...))
	// Texts of one field that moved to another.
	moved := func(b *broken, from string) *broken { b.MovedFrom = from; return b }
	f("A+B", moved(breaks("A", `| msg="x y"`).field("msg").near("note", keep("x y")), "msg"), moved(breaks("B", `| msg="z w"`).field("msg").near("note", keep("z w")), "msg"))
	f("A B", moved(breaks("A", `| msg="x y"`).field("msg").near("note", keep("x y")), "msg"), moved(breaks("B", `| kind="z"`).field("kind").near("note", keep("z w")), "msg"))
	// One record that is written no more, unless a repair says otherwise.
	f("A+B", breaks("A", `|= "x"`).line("boom"), breaks("B", `| level="error"`).line("boom"))
	f("A B", breaks("A", `|= "x"`).line("boom"), breaks("B", `| level="error"`).line("boom").mended())
	// Identifiers go with the field that told them, also where a rule asks for it.
	f("UID of a+UID of b name of c", lostIdentifier("UID of a", "object.uid"), lostIdentifier("UID of b", "object.uid"), lostIdentifier("name of c", "object.name"))
	f("A+UID of a B", breaks("A", `| object_uid!=""`).field("object_uid"), breaks("B", `| kind="x"`).field("kind"), lostIdentifier("UID of a", "object.uid"))
	// Metrics that are not there.
	metric := func(name, cause string) *broken {
		b := breaks(name, "")
		b.Parting, b.Deployed, b.Cause, b.Rule.Language = nil, nil, cause, rules.PromQL
		return b
	}
	f("A+B C", metric("A", "the metric m is not there on candidate"), metric("B", "the metric m is not there on candidate"), metric("C", "the metric n is not there on candidate"))
	f("A B", metric("A", "no evaluation fired on candidate"), metric("B", "no evaluation fired on candidate"))
}

// TestRanked: the worst first. What surely goes blind comes before what may
// only be mended.
func TestRanked(t *testing.T) {
	query := breaks("Query", `|= "q"`)
	query.Rule.Kind = rules.Query
	gone := breaks("Gone", `|= "g"`)
	twice := breaks("Twice", `|= "t"`)
	again := *twice
	again.Scenario = "other"
	fixed := breaks("SawThePanic", `|= "panic"`)
	reworded := breaks("Reworded", `|= "r"`).near("msg")
	declared := breaks("Declared", `|= "d"`)
	r := &analyzer.Report{
		Scenarios: []string{"drill", "other"},
		Findings: []analyzer.Finding{
			lostIdentifier("UID", "uid").Finding, query.Finding, fixed.Finding, gone.Finding, twice.Finding, again.Finding,
			reworded.Finding, declared.Finding,
		},
		Results: []analyzer.Result{{Rule: declared.Rule, Scenario: "drill", Expect: analyzer.MustFire}},
		Panics: []analyzer.Panic{{Scenario: "drill", Class: "fixed", Deployed: analyzer.PanicSide{
			Modes: []analyzer.PanicMode{{Alerts: []string{"SawThePanic"}}},
		}}},
	}
	var got []string
	for _, b := range newTelling(r).ranked(blocks(r, analyzer.Break)) {
		got = append(got, b.title())
	}
	const want = "Declared Reworded Twice Gone SawThePanic Query UID"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("ranked %q; want %q", s, want)
	}
}
