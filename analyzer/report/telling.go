package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// A telling puts findings into words, for the terminal and for pages alike.
type telling struct {
	r       *analyzer.Report
	results map[resultKey]*analyzer.Result
	// repairs reports whether repairs were looked for.
	repairs bool
}

func newTelling(r *analyzer.Report) *telling {
	looked := slices.ContainsFunc(r.Findings, func(f analyzer.Finding) bool { return f.Repair != nil })
	return &telling{r, resultsByKey(r), looked}
}

// consequence says what becomes of a broken rule, where, and since when: "silent
// in all 3 scenarios in which it fired: no line contains "x"".
func (t *telling) consequence(b *block) string {
	f := b.first
	what := t.what(b)
	if what == "" {
		text := withoutNearest(f)
		if len(b.scenarios) > 0 && (len(t.r.Scenarios) > 1 || b.declared()) {
			text = b.where(3) + t.load(b) + ": " + text
		}
		return text
	}
	return what + t.load(b) + ": " + since(f)
}

// load says under which load the scenarios of a block ran; empty: under none.
func (t *telling) load(b *block) string {
	if len(b.scenarios) == 0 || t.r.LoadOf(b.scenarios[0]) == "" {
		return ""
	}
	return " under load " + t.r.LoadOf(b.scenarios[0])
}

// short says what becomes of a rule, and in how many scenarios.
func (t *telling) short(b *block) string {
	word := ""
	switch b.first.ID {
	case "alert-lost":
		word = "silent"
	case "match-lost":
		word = "finds nothing"
	case "alert-false":
		word = "fires where it must not"
	case "alert-persists":
		word = "still fires"
	}
	if word == "" || len(b.scenarios) == 0 {
		return "in " + names(b.scenarios, 2)
	}
	must := len(b.expected[analyzer.MustFire])
	if must == len(b.scenarios) {
		word += " where it must fire"
	}
	switch {
	case len(t.r.Scenarios) == 1:
		return word
	case must > 0 && must < len(b.scenarios):
		return fmt.Sprintf("%s in %d of %d scenarios, where it must fire in %d", word, len(b.scenarios), len(t.r.Scenarios), must)
	case len(b.scenarios) == 1 && b.declared():
		return word + ", in " + b.scenarios[0]
	case len(b.scenarios) == 1:
		return word + " in " + b.scenarios[0]
	}
	return fmt.Sprintf("%s in %d of %d scenarios", word, len(b.scenarios), len(t.r.Scenarios))
}

// what says what a rule no longer does, or does now, and in which scenarios;
// empty where the message of the finding says it best.
func (t *telling) what(b *block) string {
	alert := b.first.Rule != nil && b.first.Rule.Kind == rules.Alert
	word := "finds nothing"
	if alert {
		word = "silent"
	}
	switch b.first.ID {
	case "alert-lost", "match-lost":
		must, may := b.expected[analyzer.MustFire], b.expected[analyzer.ExpectNone]
		if len(must) == 0 {
			return t.among(word, b, alert)
		}
		text := word + " where it must fire, in " + names(must, 3)
		if len(may) > 0 {
			text += "; also in " + names(may, 3)
		}
		return text
	case "alert-false":
		return "fires where it must stay silent, in " + names(b.scenarios, 3)
	case "alert-persists":
		return "still fires where it must clear, in " + names(b.scenarios, 3)
	}
	return ""
}

// among says in how many of the scenarios in which a rule did its work on the
// deployed build it does no more.
func (t *telling) among(word string, b *block, alert bool) string {
	did := "matched"
	if alert {
		did = "fired"
	}
	all := 0
	for _, scenario := range t.r.Scenarios {
		if res := t.results[resultKey{b.first.Rule, scenario}]; res != nil && res.Deployed.State.Yes() {
			all++
		}
	}
	n := len(b.scenarios)
	switch {
	case len(t.r.Scenarios) == 1 && alert:
		return "goes silent"
	case len(t.r.Scenarios) == 1:
		return word
	case n == 1 && all <= 1:
		return fmt.Sprintf("%s in %s, the only scenario in which it %s", word, b.scenarios[0], did)
	case n == all && n <= 3:
		return fmt.Sprintf("%s in %s, everywhere it %s", word, names(b.scenarios, 3), did)
	case n == all:
		return fmt.Sprintf("%s in all %d scenarios in which it %s", word, n, did)
	}
	return fmt.Sprintf("%s in %s, %d of %s in which it %s", word, names(b.scenarios, 3), n, plural(all, "scenario"), did)
}

// since says since which text or field a rule is broken, and what stands there
// now.
func since(f *analyzer.Finding) string {
	if f.Cause == "" {
		if p := f.Parting; p != nil {
			text := fmt.Sprintf("%s leaves %s on deployed, %d on candidate", p.Stage, plural(int(p.Deployed), "line"), p.Candidate)
			if f.Said != "" {
				text += ", such as: " + mentioned(f.Said)
			}
			return text
		}
		return withoutNearest(f)
	}
	if now := wording(f); now != "" {
		return f.Cause + "; " + now
	}
	return f.Cause
}

// wording says in short how a text was reworded; empty where no text is near,
// or the same text only stands elsewhere.
func wording(f *analyzer.Finding) string {
	const most = 60 // characters of each
	if len(f.Nearest) == 0 {
		return ""
	}
	if f.MovedFrom != "" {
		// Of a rule that asks for another field it says nothing.
		if p := f.Parting; p == nil || p.Responsible == nil || p.Responsible.Field == "" || p.Responsible.Field == f.MovedFrom {
			return "the text of field " + f.MovedFrom + " now stands in " + f.Nearest[0].Field
		}
		return ""
	}
	n := &f.Nearest[0]
	in := ""
	if n.Field != "" {
		in = " (in " + n.Field + ")"
	}
	was, is, pairs := "", "", 0
	for i, e := range n.Diff {
		switch e.Op {
		case analyzer.Delete:
			was += e.Text
		case analyzer.Insert:
			is += e.Text
		default:
			continue
		}
		if i == 0 || n.Diff[i-1].Op == analyzer.Keep {
			pairs++
		}
	}
	was, is = strings.TrimSpace(was), strings.TrimSpace(is)
	asked := f.Parting != nil && f.Parting.Responsible != nil && reworded(n, f.Parting.Responsible.Text)
	if pairs == 1 && asked && hasRepair(f) && strings.Contains(f.Repair.Kind, "wording") && was != "" && is != "" && len([]rune(was)) <= most && len([]rune(is)) <= most {
		return "reworded: " + was + " → " + is + in
	}
	return "nearest: " + mentioned(candidateWords(n)) + in
}

// mentioned cuts a text that is only mentioned.
func mentioned(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		return strings.TrimRight(string(r[:most-1]), " ") + "…"
	}
	return text
}

// candidateWords returns what the candidate says: what a diff keeps and inserts.
func candidateWords(n *analyzer.Near) string {
	var b strings.Builder
	for _, e := range n.Diff {
		if e.Op != analyzer.Delete {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

// remedy returns what to write instead, and what proves it; or, without it, in
// proof why there is none. Both are empty where a repair is no matter.
func (t *telling) remedy(b *block) (write, proof string) {
	f := b.first
	mended := t.mended(b)
	switch r := f.Repair; {
	case r == nil && f.ID != "alert-lost" && f.ID != "match-lost":
		return "", ""
	case r != nil && r.Expr != "":
		return changedPart(f), t.proof(f)
	case mended != "":
		return "", mended
	case r == nil && !t.repairs:
		return "", ""
	case r == nil && f.Rule != nil && f.Rule.Language == rules.PromQL:
		return "", "PromQL is not repaired"
	case r == nil:
		return "", "not looked for"
	}
	return "", f.Repair.Missing
}

// proof counts the scenarios in which a repair does on the candidate what it
// must: "fires in 3 of 3 scenarios where it must, silent in 2 of 2".
func (t *telling) proof(f *analyzer.Finding) string {
	type side struct{ runs, yes, unknown int }
	var scenarios []string
	at := map[string]*[2]side{}
	for _, p := range f.Repair.Proof {
		if at[p.Scenario] == nil {
			at[p.Scenario] = &[2]side{}
			scenarios = append(scenarios, p.Scenario)
		}
		s := &at[p.Scenario][0]
		if p.Role != "deployed" {
			s = &at[p.Scenario][1]
		}
		s.runs++
		switch {
		case p.State.Yes():
			s.yes++
		case !p.State.No():
			s.unknown++
		}
	}
	var fires, mustFire, silent, mustSilent, open int
	for _, scenario := range scenarios {
		d, c := at[scenario][0], at[scenario][1]
		expect := analyzer.ExpectNone
		if res := t.results[resultKey{f.Rule, scenario}]; res != nil {
			expect = res.Expect
		}
		switch {
		case c.runs == 0 || d.runs == 0 || c.unknown+d.unknown > 0:
			open++
		case expect == analyzer.MustStaySilent, expect == analyzer.MustClear, d.yes == 0 && expect != analyzer.MustFire:
			mustSilent++
			if c.yes == 0 {
				silent++
			}
		case d.yes == d.runs, expect == analyzer.MustFire:
			mustFire++
			if c.yes == c.runs {
				fires++
			}
		default:
			open++ // the deployed build does it in some repetitions
		}
	}
	verb := "matches"
	if f.Rule.Kind == rules.Alert {
		verb = "fires"
	}
	text := fmt.Sprintf("%s in %d of %s where it must", verb, fires, plural(mustFire, "scenario"))
	if mustSilent > 0 {
		text += fmt.Sprintf(", silent in %d of %d", silent, mustSilent)
	} else {
		text += ", silence untested"
	}
	if open > 0 {
		text += fmt.Sprintf(", not clear in %d", open)
	}
	return text
}

// mended says that the lines a rule matched tell of a panic that the candidate
// has no more; empty where they do not in each scenario.
func (t *telling) mended(b *block) string {
	if b.first.Rule == nil || len(b.scenarios) == 0 || b.expected[analyzer.MustFire] != nil {
		return ""
	}
	for _, scenario := range b.scenarios {
		if !t.sawFixed(b.first.Rule.Name, scenario) {
			return ""
		}
	}
	return "it saw a panic that the candidate fixes; if it is there for that, declare must-clear"
}

// sawFixed reports whether a rule saw a panic in a scenario that only the
// deployed build has.
func (t *telling) sawFixed(name, scenario string) bool {
	for i := range t.r.Panics {
		p := &t.r.Panics[i]
		if p.Class != "fixed" || p.Scenario != scenario {
			continue
		}
		for _, m := range p.Deployed.Modes {
			if slices.Contains(m.Alerts, name) || slices.Contains(m.Rules, name) {
				return true
			}
		}
	}
	return false
}
