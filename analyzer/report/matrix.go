package report

import (
	"fmt"
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

// quiet reports whether a row holds nothing to act on.
func (r tableRow) quiet() bool {
	for _, v := range r.verdicts {
		if v != analyzer.Pass && v != analyzer.NotExercised && v != 0 {
			return false
		}
	}
	return true
}

// cells are the verdicts in a narrow column.
var cells = map[analyzer.Verdict]string{
	0: "", analyzer.Pass: "pass", analyzer.Fail: "FAIL", analyzer.Inconclusive: "?",
	analyzer.NotExercised: "-", analyzer.NotEvaluated: "n/e",
}

const legend = "? inconclusive, - not exercised, n/e not evaluated"

// matrix writes rules × scenarios, without the rows where all is well. With
// one scenario the blocks above have said it all.
func (s *screen) matrix(r *analyzer.Report) {
	t := verdictTable(r)
	var loud []tableRow
	for _, row := range t.rows {
		if s.all || !row.quiet() {
			loud = append(loud, row)
		}
	}
	if len(t.scenarios) < 2 || len(loud) == 0 {
		return
	}
	const least, gap = 5, 2
	name := min(32, s.width/3)
	each := (s.width - name) / len(t.scenarios)
	if each < least+gap {
		return // too many scenarios for this width
	}
	each = min(each, 20)
	s.line("\n%s", s.paint(bold, "Verdicts"))
	s.wrap("  ", legend)
	var head strings.Builder
	head.WriteString(columns.FillRight("", name))
	for _, sc := range t.scenarios {
		head.WriteString(columns.FillRight("", gap) + columns.FillRight(cutMiddle(clean(sc), each-gap), each-gap))
	}
	s.line("%s", strings.TrimRight(head.String(), " "))
	for i, row := range loud {
		if i == matrixRows && !s.all {
			s.more(len(loud)-i, "rules that do not pass")
			break
		}
		var line strings.Builder
		line.WriteString(columns.FillRight(cutMiddle(clean(row.rule.Name), name), name))
		for _, v := range row.verdicts {
			cell := columns.FillRight(cells[v], each-gap)
			if v == analyzer.Fail {
				cell = s.paint(red, cells[v]) + cell[len(cells[v]):]
			}
			line.WriteString(fmt.Sprintf("%*s%s", gap, "", cell))
		}
		s.line("%s", strings.TrimRight(line.String(), " "))
	}
	if n := len(t.rows) - len(loud); n > 0 {
		s.line("  %s with nothing to act on not shown", plural(n, "rule"))
	}
}
