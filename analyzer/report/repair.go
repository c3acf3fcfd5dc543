package report

import (
	"fmt"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/outcome"
)

// The wire structs of a repair.
type (
	jsonRepair struct {
		Diff    *string     `json:"diff"`
		NoDiff  *string     `json:"noDiff"`
		Expr    *string     `json:"expr"`
		Kind    *string     `json:"kind"`
		Proof   []jsonProof `json:"proof"`
		Others  []jsonOther `json:"others"`
		Missing *string     `json:"missing"`
	}
	jsonProof struct {
		Scenario   string `json:"scenario"`
		Role       string `json:"role"`
		Repetition int    `json:"repetition"`
		State      string `json:"state"`
		Lines      int64  `json:"lines"`
		Before     int64  `json:"before"`
	}
	jsonOther struct {
		Expr string `json:"expr"`
		Kind string `json:"kind"`
	}
)

func toJSONRepair(r *analyzer.Repair) *jsonRepair {
	if r == nil {
		return nil
	}
	out := &jsonRepair{
		Diff: text(r.Diff), NoDiff: text(r.NoDiff), Expr: text(r.Expr), Kind: text(r.Kind), Missing: text(r.Missing),
		Proof: make([]jsonProof, 0, len(r.Proof)), Others: make([]jsonOther, 0, len(r.Others)),
	}
	for _, p := range r.Proof {
		out.Proof = append(out.Proof, jsonProof{p.Scenario, p.Role, p.Repetition, stateName(p.State), p.Lines, p.Before})
	}
	for _, o := range r.Others {
		out.Others = append(out.Others, jsonOther(o))
	}
	return out
}

// proven says in one sentence what proves a repair: the lines that it matches
// where the rule lost its own, and that it is silent elsewhere.
func proven(f *analyzer.Finding) string {
	var parts []string
	at := map[string]int{}
	silent := 0
	for _, p := range f.Repair.Proof {
		switch {
		case p.State != outcome.Fired && p.State != outcome.Matched:
			silent++
		case p.Role == "deployed":
			at[p.Scenario] = len(parts)
			parts = append(parts, fmt.Sprintf("%s %d of %s deployed", p.Scenario, p.Lines, plural(int(p.Before), "line")))
		default:
			if i, ok := at[p.Scenario]; ok {
				parts[i] += fmt.Sprintf(", %d on candidate", p.Lines)
			} else {
				parts = append(parts, fmt.Sprintf("%s %d on candidate", p.Scenario, p.Lines))
			}
		}
	}
	out := strings.Join(parts, "; ")
	if silent > 0 {
		out += "; silent in " + plural(silent, "other run")
	}
	return out
}

// changedPart returns what a repair puts into the expression, with what stands
// around it.
func changedPart(f *analyzer.Finding) string {
	was, is := oneLine(f.Rule.Expr), oneLine(f.Repair.Expr)
	n := 0
	for n < len(was) && n < len(is) && was[n] == is[n] {
		n++
	}
	m := 0
	for m < len(was)-n && m < len(is)-n && was[len(was)-1-m] == is[len(is)-1-m] {
		m++
	}
	// From the stage in which the change stands to its end.
	if i := strings.LastIndexAny(is[:n], "|{"); i >= 0 {
		n = i
	}
	head, tail := "", ""
	if n > 0 {
		head = "…"
	}
	end := len(is) - m
	if i := strings.IndexAny(is[end:], "|[}"); i >= 0 {
		end += i
	} else {
		end = len(is)
	}
	if end < len(is) {
		tail = "…"
	}
	return head + strings.TrimSpace(is[n:end]) + tail
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// repair writes a repair with its diff and what proves it.
func (p *page) repair(f *analyzer.Finding) {
	r := f.Repair
	switch {
	case r == nil:
		return
	case r.Expr == "":
		p.line("\nNo repair was found: %s.", md(bounded(r.Missing)))
		return
	}
	p.line("\nRepair (%s), tried on both builds: %s.", md(r.Kind), md(proven(f)))
	if r.Diff != "" {
		p.fence("diff", strings.Split(strings.TrimSuffix(r.Diff, "\n"), "\n")...)
		return
	}
	p.line("\nThe file was not changed in a diff (%s). The query becomes:", md(r.NoDiff))
	p.fence("logql", strings.Split(r.Expr, "\n")...)
}

// markdownPatch bounds the patch of all repairs in a page, in bytes.
const markdownPatch = 16 << 10

// patch writes the diffs of all repairs in one, folded away. Those of rules that
// break by one cause stand nowhere else on the page.
func (p *page) patch() {
	switch n := len(p.r.Patch); {
	case n == 0:
		return
	case n > markdownPatch:
		p.line("\nThe patch of all repairs is too long for this page: write it with --write-repairs FILE.")
		return
	}
	p.line("\n<details><summary>All repairs as one patch</summary>")
	p.fence("diff", strings.Split(strings.TrimSuffix(p.r.Patch, "\n"), "\n")...)
	p.line("\n</details>")
}
