package syntax

import (
	"fmt"
	"strings"
)

// promQL says what to use in place of a PromQL function that LogQL lacks.
var promQL = map[string]string{
	"increase":           "count_over_time counts the lines of a range; for counters in lines use sum_over_time or rate_counter with unwrap",
	"irate":              "use rate",
	"delta":              "unwrap the value and compare max_over_time with min_over_time",
	"idelta":             "unwrap the value and compare last_over_time with first_over_time",
	"deriv":              "LogQL has no derivative; rate_counter with unwrap comes closest",
	"changes":            "LogQL cannot count changes; count the lines that report one",
	"resets":             "LogQL cannot count resets",
	"histogram_quantile": "LogQL has no histograms; use quantile_over_time(0.99, {…} | unwrap x [5m])",
	"quantile":           "use quantile_over_time(0.99, {…} | unwrap x [5m])",
	"present_over_time":  "use count_over_time({…}[5m]) > bool 0",
	"absent":             "use absent_over_time({…}[5m])",
	"mad_over_time":      "use stddev_over_time",
	"count_values":       "use sum by (label) (count_over_time({…} | json [5m]))",
	"group":              "use count by (…) (…)",
	"scalar":             "numbers and vectors mix without it",
	"label_join":         `use label_format, or label_replace(v, "dst", "$1", "src", "(.*)")`,
	"mean":               "use avg",
	"median":             "use quantile_over_time(0.5, {…} | unwrap x [5m])",
	"time":               "LogQL has no clock function in queries; templates have now",
	"clamp_max":          "compare instead: … <= 1",
	"clamp_min":          "compare instead: … >= 1",
	"floor":              "round in a template: line_format \"{{ floor .x }}\"",
	"ceil":               "round in a template: line_format \"{{ ceil .x }}\"",
	"round":              "round in a template: line_format \"{{ round .x 0 }}\"",
	"variants":           "variants are unsupported: write one query each",
}

// foreignStages says what to use in place of a stage that LogQL lacks.
var foreignStages = map[string]string{
	"limit": "the limit is a parameter of the request, not part of the query",
	"head":  "the limit is a parameter of the request, not part of the query",
	"where": "write the condition alone: | status >= 400",
	"grep":  `filter lines with |= "text" or |~ "regexp"`,
	"line":  `filter lines with |= "text" or |~ "regexp"`,
	"parse": "name the parser: json, logfmt, pattern or regexp",
	"not":   "negate the operator: != or !~, or turn the comparison round",
	"jq":    `take fields with | json x="path"`,
	"count": "write count_over_time({…}[5m])",
	"rate":  "write rate({…}[5m])",
	"sort":  "the order is a parameter of the request, not part of the query",
	"csv":   `cut the line with | pattern "<a>,<b>"`,
	"xml":   `cut the line with | regexp "(?P<x>…)"`,
	"yaml":  `cut the line with | regexp "(?P<x>…)"`,
}

// stageHint explains a word after a pipe that is no stage; "" if it looks
// like a label whose comparison is faulty.
func stageHint(name, op token) string {
	word := strings.ToLower(name.text)
	switch op.kind {
	case tEOF, tString, tNumber, tWord, tPipe, tLParen, tRange, tRParen:
	default:
		return ""
	}
	if hint, ok := foreignStages[word]; ok {
		return hint
	}
	if op.is("in") {
		return fmt.Sprintf(`write %s=~"a|b"`, name.text)
	}
	if near := nearest(word, stageNames[:]); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return ""
}

// noFunction refuses a word where an operand should stand.
func (p *parser) noFunction() {
	t := p.tok
	word := strings.ToLower(t.text)
	next := p.peek()
	switch {
	case reserved[word]:
		p.noOperand()
	case next.kind == tLBrace:
		p.fail(t.pos, "LogQL selects streams by labels: leave out the name, or evaluate the query as PromQL", "%q is a metric name of PromQL", t.text)
	case next.kind == tLParen:
		p.fail(t.pos, functionHint(word), "there is no function %q", t.text)
	case next.kind == tEq || next.kind == tNeq || next.kind == tEqTilde || next.kind == tBangTilde:
		p.fail(t.pos, "put the matchers in braces: {"+t.text+`="…"}`, "expected a query, found %s", t.describe())
	case next.kind == tRange:
		p.fail(t.pos, `LogQL has no metrics by name: write a function of a log range, such as rate({app="x"}[5m])`, "%q is a metric name of PromQL", t.text)
	default:
		hint := `begin with a selector such as {app="x"} or a function such as rate(…)`
		if near := nearest(word, functionNames()); near != "" {
			hint = fmt.Sprintf("did you mean %s(…)?", near)
		}
		p.fail(t.pos, hint, "expected a query, found %s", t.describe())
	}
}

// functionHint says what to write in place of an unknown function.
func functionHint(word string) string {
	if hint, ok := promQL[word]; ok {
		return hint
	}
	if near := nearest(word, functionNames()); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "LogQL has range functions such as rate and count_over_time, and aggregations such as sum and topk"
}

func functionNames() []string {
	var names []string
	for _, d := range rangeOps[1:] {
		names = append(names, d.name)
	}
	for _, d := range vectorOps[1:] {
		names = append(names, d.name)
	}
	return append(names, "label_replace", "vector")
}

// noOperand refuses a token with which no query begins.
func (p *parser) noOperand() {
	hint := ""
	switch {
	case p.tok.kind == tEOF && p.prev.kind == tEOF:
		p.fail(p.tok.pos, `write a selector such as {app="x"} or a function such as rate({app="x"}[5m])`, "the query is empty")
	case p.tok.kind == tPipe || lineFilterOpOf(p.tok.kind) != 0:
		hint = `a pipeline needs a selector before it: {app="x"}`
	case p.tok.kind == tRBrace:
		hint = `there is no "{" before it`
	case p.tok.kind == tDuration || p.tok.kind == tBytes:
		hint = "numbers of a metric query have no unit: durations are seconds, sizes bytes"
	case p.tok.is("by") || p.tok.is("without"):
		hint = "grouping stands before or after the brackets of an aggregation"
	case p.tok.kind == tString:
		hint = "compare with a number, without quotes"
	}
	p.unexpected("a query", hint)
}

// noSelector refuses what stands in place of the selector of a log range.
func (p *parser) noSelector(op RangeOp) {
	t := p.tok
	next := p.peek()
	switch {
	case t.kind == tWord && (next.kind == tRange || next.kind == tLBrace):
		p.fail(t.pos, fmt.Sprintf(`write %s({app="x"}[5m]), or evaluate the query as PromQL`, op), "expected a stream selector, but %q is a metric name of PromQL", t.text)
	case t.kind == tWord && next.kind == tLParen:
		p.fail(t.pos, fmt.Sprintf("write %s({…}[5m]); LogQL has no subqueries", op), "%s works on log lines, not on the result of %s", op, t.text)
	case t.kind == tNumber:
		p.fail(t.pos, "only quantile_over_time takes a number first", "%s takes no number", op)
	case t.kind == tWord && matchOpOf(next.kind) != 0:
		p.fail(t.pos, "put the matchers in braces: {"+t.text+`="…"}`, "expected a stream selector, found %s", t.describe())
	}
}

// trailing refuses what stands after a complete query.
func (p *parser) trailing() {
	t := p.tok
	hint := ""
	switch {
	case t.kind == tRParen:
		hint = `there is no "(" for it`
	case t.kind == tRange:
		hint = "a range needs a function around it: count_over_time({…}[5m])"
	case t.kind == tPipe || lineFilterOpOf(t.kind) != 0:
		hint = "stages follow a log query; write them inside its brackets"
	case t.is("by") || t.is("without"):
		hint = "grouping belongs to an aggregation: sum by (…) (…)"
	case t.is("on") || t.is("ignoring"):
		hint = "write it after the operator: a + on (x) b"
	case t.is("offset"):
		hint = "offset follows the range: rate({…}[5m] offset 1h)"
	case t.kind == tEq:
		hint = `compare numbers with "=="`
	case t.is("limit"):
		hint = foreignStages["limit"]
	case t.kind == tString && p.prev.kind == tString:
		hint = `write "or" between two strings`
	case t.kind == tComma && p.prev.kind == tNumber:
		hint = "write digits without commas, or with _ between them"
	case t.kind == tComma:
		hint = "write one query only"
	case t.kind == tDuration && p.prev.kind == tDuration:
		hint = "write a duration without blanks: " + p.prev.text + t.text
	case t.kind == tLParen && p.prev.kind == tWord:
		hint = p.prev.text + " takes no brackets"
	case t.label():
		hint = p.afterQueryHint()
	}
	p.unexpected("the end of the query", hint)
}

// afterQueryHint explains a word after a complete query.
func (p *parser) afterQueryHint() string {
	if hint := p.unitHint(); hint != "" {
		return hint
	}
	if p.prev.kind == tWord && !reserved[strings.ToLower(p.prev.text)] {
		return "write a comma between two labels"
	}
	return ""
}

// nearest returns the one of names that is a slip of the pen away from word,
// "" if none is.
func nearest(word string, names []string) string {
	best, least := "", 1+min(2, len(word)/3)
	if len(word) > 32 {
		return ""
	}
	for _, name := range names {
		if d := distance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour to turn a into b.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
