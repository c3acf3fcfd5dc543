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
	{"panic-new", "is new", "are new", "panic", "panics"},
	{"panic-persists", "is still there", "are still there", "panic", "panics"},
	{"match-lost", "finds nothing", "find nothing", "", ""},
	{"correlation-lost", "is lost to correlation", "are lost to correlation", "identifier", "identifiers"},
	{"correlation-lost", "between things is lost", "between things are lost", "link", "links"},
}

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
		for _, b := range all {
			if b.first.ID == t.id {
				byNoun[nounOf(b, t.noun)]++
			}
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
