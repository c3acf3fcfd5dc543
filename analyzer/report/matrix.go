package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/rules"
)

// A table holds the verdicts of rules (rows) in scenarios (columns).
type table struct {
	scenarios []string
	rows      []tableRow
}

type tableRow struct {
	rule     *rules.Rule
	verdicts []analyzer.Verdict // by scenario; 0: none
}

// verdictTable arranges the results, rules in the report's order.
func verdictTable(r *analyzer.Report) table {
	t := table{scenarios: r.Scenarios}
	column := map[string]int{}
	for i, name := range r.Scenarios {
		column[name] = i
	}
	at := map[*rules.Rule]int{}
	for _, res := range r.Results {
		i, ok := at[res.Rule]
		if !ok {
			i = len(t.rows)
			at[res.Rule] = i
			t.rows = append(t.rows, tableRow{res.Rule, make([]analyzer.Verdict, len(r.Scenarios))})
		}
		if c, ok := column[res.Scenario]; ok {
			t.rows[i].verdicts[c] = res.Verdict
		}
	}
	return t
}

// loud reports whether a row fails or is inconclusive in some scenario. What
// was not evaluated is listed with the warnings.
func (r tableRow) loud(told map[*rules.Rule]bool) bool {
	return slices.Contains(r.verdicts, analyzer.Inconclusive) ||
		slices.Contains(r.verdicts, analyzer.Fail) && !told[r.rule]
}

// cells are the verdicts in a narrow column.
var cells = map[analyzer.Verdict]string{
	0: "", analyzer.Pass: "pass", analyzer.Fail: "FAIL", analyzer.Inconclusive: "?",
	analyzer.NotExercised: "-", analyzer.NotEvaluated: "n/e",
}

const legend = "? inconclusive, - not exercised, n/e not evaluated"

// uniform reports whether all rows say the same in all scenarios: a table of
// them says nothing.
func uniform(rows []tableRow) bool {
	for _, row := range rows {
		for _, v := range row.verdicts {
			if v != rows[0].verdicts[0] {
				return false
			}
		}
	}
	return true
}

// matrix writes the rules that fail or are inconclusive, by scenario, without
// those that were told of. With one scenario the blocks above have said it all.
func (s *screen) matrix(r *analyzer.Report, told map[*rules.Rule]bool) {
	t := verdictTable(r)
	var loud []tableRow
	for _, row := range t.rows {
		if s.all || row.loud(told) {
			loud = append(loud, row)
		}
	}
	if len(t.scenarios) < 2 || len(loud) == 0 || uniform(loud) {
		return
	}
	const least, gap = 5, 2
	name := min(32, s.width/3)
	each := (s.width - name) / len(t.scenarios)
	if each < least+gap {
		return // too many scenarios for this width
	}
	each = min(each, 20)
	title := "Verdicts"
	if !s.all {
		title = "Rules that fail or are inconclusive"
		if len(told) > 0 {
			title += ", without those above"
		}
	}
	s.line("\n%s", s.paint(bold, cut(title, s.width)))
	s.wrap("  ", legend)
	var head strings.Builder
	head.WriteString(columns.FillRight("", name))
	for _, sc := range t.scenarios {
		head.WriteString(columns.FillRight("", gap) + columns.FillRight(cutMiddle(clean(sc), each-gap), each-gap))
	}
	s.line("%s", strings.TrimRight(head.String(), " "))
	for i, row := range loud {
		if i == matrixRows && !s.all {
			s.more(len(loud)-i, "rule")
			break
		}
		var line strings.Builder
		line.WriteString(columns.FillRight(cutMiddle(clean(row.rule.Name), name), name))
		for _, v := range row.verdicts {
			cell := columns.FillRight(cells[v], each-gap)
			if v == analyzer.Fail {
				cell = s.paint(red, cells[v]) + cell[len(cells[v]):]
			}
			fmt.Fprintf(&line, "%*s%s", gap, "", cell)
		}
		s.line("%s", strings.TrimRight(line.String(), " "))
	}
}
