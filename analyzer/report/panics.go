package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/panics"
)

// Bounds of what is told of panics.
const (
	panicRows   = 4  // on a terminal
	panicLines  = 3  // of each
	panicFrames = 12 // in Markdown
)

// The wire structs of panics.
type (
	jsonPanic struct {
		Scenario  string        `json:"scenario"`
		Signature string        `json:"signature"`
		Kind      string        `json:"kind"`
		Class     string        `json:"class"`
		Frames    []jsonFrame   `json:"frames"`
		Deployed  jsonPanicSide `json:"deployed"`
		Candidate jsonPanicSide `json:"candidate"`
		Other     []string      `json:"other"`
	}
	jsonFrame struct {
		Function string  `json:"function"`
		File     *string `json:"file"`
	}
	jsonPanicSide struct {
		Runs  int             `json:"runs"`
		With  int             `json:"with"`
		Count int64           `json:"count"`
		Modes []jsonPanicMode `json:"modes"`
	}
	jsonPanicMode struct {
		Handling  string            `json:"handling"`
		By        *string           `json:"by"`
		Form      string            `json:"form"`
		Evidence  *string           `json:"evidence"`
		Operation *string           `json:"operation"`
		Fields    map[string]string `json:"fields"`
		Count     int64             `json:"count"`
		Restarts  int64             `json:"restarts"`
		First     *jsonEvidence     `json:"first"`
		Alerts    []string          `json:"alerts"`
		Rules     []string          `json:"rules"`
	}
)

func toJSONPanic(p *analyzer.Panic) jsonPanic {
	out := jsonPanic{
		Scenario: p.Scenario, Signature: p.Signature, Kind: p.Kind, Class: p.Class, Frames: make([]jsonFrame, 0, len(p.Frames)),
		Deployed: toJSONPanicSide(&p.Deployed), Candidate: toJSONPanicSide(&p.Candidate), Other: list(p.Other),
	}
	for _, f := range p.Frames {
		out.Frames = append(out.Frames, jsonFrame{f.Function, text(f.File)})
	}
	return out
}

func toJSONPanicSide(s *analyzer.PanicSide) jsonPanicSide {
	out := jsonPanicSide{Runs: s.Runs, With: s.With, Count: s.Count, Modes: make([]jsonPanicMode, 0, len(s.Modes))}
	for i := range s.Modes {
		m := &s.Modes[i]
		fields := m.Fields
		if fields == nil {
			fields = map[string]string{}
		}
		out.Modes = append(out.Modes, jsonPanicMode{
			Handling: string(m.Handling), By: text(m.By), Form: m.Form, Evidence: text(m.Evidence),
			Operation: text(m.Operation), Fields: fields, Count: m.Count, Restarts: m.Restarts,
			First: toJSONEvidence(&m.First), Alerts: list(m.Alerts), Rules: list(m.Rules),
		})
	}
	return out
}

// panicsTerminal writes a line for each panic: what it is, in which scenarios,
// and how it was handled.
func panicsTerminal(s *screen, r *analyzer.Report) {
	if len(r.Panics) == 0 {
		return
	}
	all := samePanics(r)
	s.line("\n%s", s.paint(bold, "Panics"))
	for i, same := range all {
		if i == panicRows && !s.all {
			s.more(len(all)-i, "panic")
			break
		}
		p := same[0]
		var scenarios []string
		for _, o := range same {
			scenarios = append(scenarios, o.Scenario)
		}
		tail := ": " + clean(handled(same))
		if len(r.Scenarios) > 1 {
			tail = ", in " + clean(names(scenarios, 3)) + tail
		}
		room := s.width - 2
		if title := clean(panicClasses[p.Class] + ": " + p.Title()); columns.StringWidth(title+tail) <= room {
			s.line("  %s%s", title, tail)
		} else {
			s.wrapUpTo(panicLines, "  ", "    ", cut(title, room)+tail)
		}
	}
}

// panicClasses says where a panic is seen.
var panicClasses = map[string]string{"new": "new", "persists": "on both builds", "fixed": "fixed", "not-compared": "only deployed was run"}

// samePanics gathers the panics of one signature and class in all scenarios, in
// the report's order.
func samePanics(r *analyzer.Report) [][]*analyzer.Panic {
	at := map[[2]string]int{}
	var out [][]*analyzer.Panic
	for i := range r.Panics {
		p := &r.Panics[i]
		k := [2]string{p.Class, p.Signature}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, nil)
		}
		out[n] = append(out[n], p)
	}
	return out
}

// handled says how a panic was handled on both builds, over all scenarios.
func handled(same []*analyzer.Panic) string {
	var parts []string
	for _, candidate := range []bool{false, true} {
		role, count := "deployed", int64(0)
		var modes []string
		for _, p := range same {
			side := &p.Deployed
			if candidate {
				role, side = "candidate", &p.Candidate
			}
			count += side.Count
			for i := range side.Modes {
				if m := side.Modes[i].Name(); !slices.Contains(modes, m) {
					modes = append(modes, m)
				}
			}
		}
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%s %d× %s", role, count, strings.Join(modes, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

func sideText(s *analyzer.PanicSide) string {
	if s.With == 0 {
		return "–"
	}
	var modes []string
	for i := range s.Modes {
		modes = append(modes, s.Modes[i].Name())
	}
	text := fmt.Sprintf("%d× ", s.Count) + strings.Join(modes, ", ")
	if s.Runs > 1 {
		text += fmt.Sprintf(", in %d of %d runs", s.With, s.Runs)
	}
	return text
}

// panicsMarkdown writes a table of all panics, and of each how it was handled
// and who saw it.
func panicsMarkdown(p *page, r *analyzer.Report) {
	if len(r.Panics) == 0 {
		return
	}
	p.line("\n## Panics (%d)\n\n| scenario | panic | | deployed | candidate |\n|---|---|---|---|---|", len(r.Panics))
	for i := range r.Panics {
		if i == markdownRows {
			p.line("| | … and %d more (see the JSON report) | | | |", len(r.Panics)-i)
			break
		}
		v := &r.Panics[i]
		p.line("| %s | %s | %s | %s | %s |", md(v.Scenario), md(bounded(v.Title())), v.Class,
			md(bounded(sideText(&v.Deployed))), md(bounded(sideText(&v.Candidate))))
	}
	told := map[string]bool{}
	for i := range r.Panics {
		v := &r.Panics[i]
		if told[v.Signature] {
			continue
		}
		if len(told) == markdownBlocks {
			break
		}
		told[v.Signature] = true
		p.panic(r, v)
	}
}

// panic writes what is known of one signature.
func (p *page) panic(r *analyzer.Report, v *analyzer.Panic) {
	p.line("\n<details><summary>%s (signature %s)</summary>\n", md(bounded(v.Title())), mdCode(v.Signature))
	for i, f := range v.Frames {
		if i == panicFrames {
			p.line("- … and %d more frames", len(v.Frames)-i)
			break
		}
		line := mdCode(f.Function)
		if f.File != "" {
			line += ", " + md(f.File)
		}
		p.line("- %s", line)
	}
	p.line("")
	for i := range r.Panics {
		o := &r.Panics[i]
		if o.Signature != v.Signature {
			continue
		}
		p.panicModes(o, "deployed", &o.Deployed)
		p.panicModes(o, "candidate", &o.Candidate)
	}
	if missing := modesNotShown(r, v.Signature); len(missing) > 0 {
		p.line("\nNo run shows it %s: whether a rule would see that is not known.", strings.Join(missing, " or "))
	}
	p.line("\n</details>")
}

// modesNotShown names the ways of handling in which no run shows a panic: a
// build that recovers elsewhere, or not at all, writes it in another form.
func modesNotShown(r *analyzer.Report, signature string) []string {
	shown := map[string]bool{}
	for i := range r.Panics {
		v := &r.Panics[i]
		if v.Signature != signature {
			continue
		}
		for _, m := range slices.Concat(v.Deployed.Modes, v.Candidate.Modes) {
			way := "crashed"
			switch {
			case m.Handling == outcome.Crashed:
			case m.Handling != outcome.Recovered, m.By == "":
				continue
			default:
				way = "recovered by a library"
				if slices.ContainsFunc(v.Frames, func(f outcome.Frame) bool { return panics.Key(f.Function) == m.By }) || strings.HasPrefix(m.By, "main.") {
					way = "recovered by the application"
				}
			}
			shown[way] = true
		}
	}
	var out []string
	for _, way := range []string{"crashed", "recovered by the application", "recovered by a library"} {
		if !shown[way] {
			out = append(out, way)
		}
	}
	return out
}

func (p *page) panicModes(v *analyzer.Panic, role string, s *analyzer.PanicSide) {
	for i := range s.Modes {
		m := &s.Modes[i]
		text := fmt.Sprintf("%s, %s: %d× %s: %s", v.Scenario, role, m.Count, m.Name(), m.Evidence)
		if m.Operation != "" {
			text += "; in " + m.Operation
		}
		if len(m.Fields) > 0 {
			text += "; the first record names " + fieldsText(m.Fields)
		}
		p.line("- %s; %s", md(bounded(text)), seenText(m))
		p.evidence(role, &outcome.Evidence{Stream: m.First.Stream, Time: m.First.Time, Line: m.First.Line})
	}
}

func fieldsText(fields map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, k+"="+fields[k])
	}
	return strings.Join(out, ", ")
}

// seenText says which alerts fired on a panic.
func seenText(m *analyzer.PanicMode) string {
	if len(m.Alerts) == 0 {
		return "**no alert that fired saw it**"
	}
	return "alerts that saw it: " + md(names(m.Alerts, 6))
}
