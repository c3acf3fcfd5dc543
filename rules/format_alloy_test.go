package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The stages of Alloy give the queries that those of Promtail give.
func TestLoad_AlloyEqualsPromtail(t *testing.T) {
	for _, c := range []struct{ name, alloy, promtail string }{
		{"counter", `stage.json { expressions = { lvl = "level", "msg" = "" } }
			stage.metrics { metric.counter {
				name = "n"
				source = "lvl" // why
				value = "error"
				action = "inc"
			} }`,
			"json: {expressions: {lvl: level, msg: ''}}\nmetrics: {n: {type: Counter, source: lvl, config: {value: error, action: inc}}}"},
		{"match", "stage.match {\n selector = `{app=\"a\"} |~ \"x\\\\d\"`\n stage.regex { expression = \"a(?P<b>\\\\w+)\" }\n stage.metrics { metric.gauge { name = \"n\"\n source = \"b\"\n action = \"set\" } } }",
			`match: {selector: '{app="a"} |~ "x\\d"', stages: [{regex: {expression: 'a(?P<b>\w+)'}}, {metrics: {n: {type: Gauge, source: b, config: {action: set}}}}]}`},
		{"drop", "stage.drop {\n expression = \"a|b\"\n}\nstage.match {\n selector = \"{app=\\\"x\\\"}\"\n action = \"drop\"\n}\nstage.metrics { metric.histogram { name = \"n\"\n buckets = [1, 2,\n 3] } }",
			"drop: {expression: 'a|b'}\nmatch: {selector: '{app=\"x\"}', action: drop}\nmetrics: {n: {type: Histogram, config: {buckets: [1]}}}"},
		{"labels", "stage.logfmt { mapping = { a = \"b\" } }\nstage.labels { values = { l = \"a\" } }\nstage.match { selector = \"{l=\\\"1\\\"}\"\n stage.metrics { metric.counter { name = \"n\"\n match_all = true\n action = \"inc\" } } }",
			"logfmt: {mapping: {a: b}}\nlabels: {l: a}\nmatch: {selector: '{l=\"1\"}', stages: [{metrics: {n: {type: Counter, config: {match_all: true, action: inc}}}}]}"},
		{"computed", "stage.match { selector = env(\"S\") + \"}\"\n stage.metrics { metric.counter { name = \"n\"\n match_all = true\n action = \"inc\" } } }", ""},
		{"computed name", "stage.metrics { metric.counter { name = \"c\" + \"x\"\n match_all = true\n action = \"inc\" } }", ""},
	} {
		one := loadString(t, "c.alloy", "loki.process \"p\" {\n\tforward_to = []\n"+c.alloy+"\n}\n")
		if len(one.Rules) != 1 || len(one.Problems) > 0 {
			t.Errorf("%s: %d rules, problems %v", c.name, len(one.Rules), one.Problems)
			continue
		}
		if c.promtail == "" {
			if one.Rules[0].NotEvaluated == "" {
				t.Errorf("%s: %s; want no query", c.name, one.Rules[0].Expr)
			}
			continue
		}
		two := loadString(t, "p.yaml", "scrape_configs:\n- job_name: p\n  kubernetes_sd_configs: []\n  pipeline_stages:\n  - "+strings.ReplaceAll(c.promtail, "\n", "\n  - ")+"\n")
		if len(two.Rules) != 1 || len(two.Problems) > 0 {
			t.Errorf("%s: %d rules, problems %v", c.name, len(two.Rules), two.Problems)
			continue
		}
		if one.Rules[0].Expr != two.Rules[0].Expr || one.Rules[0].NotEvaluated != "" {
			t.Errorf("%s: %s %s\n  want %s", c.name, one.Rules[0].Expr, one.Rules[0].NotEvaluated, two.Rules[0].Expr)
		}
	}
}

func TestLoad_AlloyFaults(t *testing.T) {
	const good = "\nloki.process \"p\" {\n stage.metrics {\n metric.counter {\n name = \"n\"\n match_all = true\n action = \"inc\"\n }\n }\n}\n"
	for _, c := range []struct{ text, want string }{
		{"}" + good, "c.alloy:1:1: there is no block to close"},
		{"a b\n" + good, "c.alloy:1:1: a has neither a value nor a body; write a = … or a { … }"},
		{"?\n" + good, "c.alloy:1:1: neither an attribute nor a block begins here"},
		{"a = \"x\n" + good, "c.alloy:1:5: the string is not closed"},
		{"a = \"\\q\"\n" + good, "c.alloy:1:6: the string has an escape that does not exist; write a backslash twice"},
		{"a = { b }\n" + good, "c.alloy:1:7: a name and = are missing in the object; write name = value"},
		{good + "b {", "c.alloy:11:1: block b is not closed; end it with }"},
		{good + "/* x", "c.alloy:11:1: the comment is not closed; end it with */"},
		{good + "a = [1,", "c.alloy:11:5: the list is not closed; end it with ]"},
		{"a = [{b = [f(1, \"}\")]}, c.d + 2]\nx \"y\" { }\n" + good, ""},
	} {
		set := loadString(t, "c.alloy", c.text)
		var got []string
		for _, p := range set.Problems {
			got = append(got, p.Error())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
		if len(set.Rules) != 1 || set.Rules[0].Name != "loki_process_custom_n" {
			t.Errorf("%q hides the metric", c.text)
		}
	}
}
