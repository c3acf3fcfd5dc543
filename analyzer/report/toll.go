package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// tolls is what broken things have in common, worst first, for one of them and
// for several.
var tolls = []struct {
	id        string
	one, many string // the verb, after "1 alert" or "3 alerts"
	noun      string // of what is no rule; empty: the kind of the rule
	nouns     string
}{
	{"alert-lost", "goes silent", "go silent", "", ""},
	{"alert-false", "fires where it must not", "fire where they must not", "", ""},
	{"alert-persists", "still fires that must clear", "still fire that must clear", "", ""},
	{"recovery-failed", "does not recover", "do not recover", inScenario, "scenarios"},
	{"duplicate-execution", "executes work twice", "execute work twice", inScenario, "scenarios"},
	{"panic-new", "is new", "are new", "panic", "panics"},
	{"panic-persists", "is still there", "are still there", "panic", "panics"},
	{"budget-exceeded", "is exceeded", "are exceeded", "budget", "budgets"},
	{"manual-intervention", "takes manual action", "take manual action", inScenario, "scenarios"},
	{"recovery-slower", "recovers slower", "recover slower", inScenario, "scenarios"},
	{"match-lost", "finds nothing", "find nothing", "", ""},
	{"correlation-lost", "is lost to correlation", "are lost to correlation", "identifier", "identifiers"},
	{"correlation-lost", "between things is lost", "between things are lost", "link", "links"},
}

// inScenario is the noun of what is counted by scenario: it may have been found
// of much work there.
const inScenario = "scenario"

// ofRecovery reports whether a noun is of recoveries: of what was declared of
// drills in words of its own, the words say more.
func ofRecovery(noun string) bool { return noun == inScenario || noun == "budget" }

// kindNouns names the kinds of rules.
var kindNouns = []struct {
	kind      rules.Kind
	one, many string
}{
	{rules.Alert, "alert", "alerts"}, {rules.Recording, "recording rule", "recording rules"},
	{rules.Query, "saved query", "saved queries"}, {rules.Panel, "panel", "panels"},
	{rules.Metric, "metric", "metrics"}, {rules.Pattern, "pattern", "patterns"},
}

// toll counts what breaks on the candidate: "3 alerts go silent, 2 saved
// queries find nothing"; empty where none of these does.
func toll(r *analyzer.Report) string {
	all := blocks(r, analyzer.Break)
	var parts []string
	for _, t := range tolls {
		byNoun := map[string]int{}
		scenarios := map[string]bool{}
		for _, b := range all {
			if b.first.ID != t.id || b.first.Case > 0 && ofRecovery(t.noun) {
				continue
			}
			byNoun[nounOf(b, t.noun)]++
			scenarios[b.first.Scenario] = true
			for _, s := range b.scenarios {
				scenarios[s] = true
			}
		}
		if t.noun == inScenario {
			byNoun[inScenario] = len(scenarios)
		}
		count := func(one, many string) {
			switch n := byNoun[one]; {
			case n == 1:
				parts = append(parts, fmt.Sprintf("1 %s %s", one, t.one))
			case n > 1:
				parts = append(parts, fmt.Sprintf("%d %s %s", n, many, t.many))
			}
		}
		if t.noun != "" {
			count(t.noun, t.nouns)
			continue
		}
		for _, k := range kindNouns {
			count(k.one, k.many)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + " on the candidate"
}

// nounOf names what a block is about.
func nounOf(b *block, noun string) string {
	switch {
	case b.first.ID == "correlation-lost" && strings.HasPrefix(b.title(), "link "):
		return "link"
	case b.first.ID == "correlation-lost":
		return "identifier"
	case noun != "" || b.first.Rule == nil:
		return noun
	}
	for _, k := range kindNouns {
		if k.kind == b.first.Rule.Kind {
			return k.one
		}
	}
	return ""
}
