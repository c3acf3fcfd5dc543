package rules

import (
	"strings"
	"testing"
)

// What users wrote can be of any length, and messages quote it.
func TestLoad_MessagesAreBounded(t *testing.T) {
	long := strings.Repeat("z", 4000)
	group := func(fields string) string { return "groups:\n- name: g\n  rules:\n  - {" + fields + "}\n" }
	for _, text := range []string{
		group("alert: " + long + ", expr: '('"),
		group("alert: " + long + ", expr: '{a=\"" + long + "\"} |= '"),
		group("alert: " + long + ", expr: '" + long + " " + long + "'"),
		group("alert: " + long + ", expr: '" + long + "(up)'"),
		group("alert: " + long + ", expr: 'rate({a=~\"(" + long + "\"}[5m])'"),
		group("alert: " + long + ", expr: 'up{a=~\"(" + long + "\"}'"),
		group("alert: " + long + ", expr: 'up{a=~\"" + long + "'"),
		group("alert: " + long + ", expr: 'rate({a=\"b\"} | label_format " + long + "={{ [5m])'"),
		group("alert: " + long + ", expr: up, for: " + long),
		group("alert: " + long + ", expr: up, " + long + ": x"),
		group("alert: " + long + ", expr: up, labels: {" + long + ": [x]}"),
		group("alert: " + long + ", expr: up, labels: {" + long + ": '{{ " + long + " }}'}"),
		group("alert: " + long + ", expr: up, annotations: {" + long + ": '{{ if }}" + long + "'}"),
		group("alert: " + long + ", expr: up, labels: {__name__: " + long + "}"),
		group("alert: " + long + ", record: " + long + ", expr: up"),
		group("record: '{" + long + "', expr: up"),
		group("alert: " + long + ", expr: up, " + long + ": a, " + long + ": b"),
		"groups:\n- {name: " + long + ", rules: []}\n- {name: " + long + ", rules: []}\n",
		"groups:\n- {name: " + long + ", labels: {__name__: " + long + "}, rules: []}\n",
		"groups:\n- {name: " + long + ", interval: " + long + ", rules: []}\n",
		"groups:\n- {name: *" + long + "}\n",
		"queries:\n- {name: " + long + ", expr: up}\n- {name: " + long + ", expr: up}\n",
		"queries:\n- {name: " + long + ", language: " + long + ", expr: up}\n",
		"queries:\n- {name: " + long + "}\n",
	} {
		set := loadString(t, "r.yaml", text)
		if len(set.Problems) == 0 {
			t.Errorf("no problem in %.200q", strings.ReplaceAll(text, long, "z…z"))
		}
		for _, p := range set.Problems {
			if n := strings.Count(p.Msg+p.Hint, "z"); n > 300 {
				t.Errorf("%d characters are quoted in %s; want at most 300", n, p)
			}
			if n := strings.Count(p.Show, "z"); n > 300 {
				t.Errorf("%d characters are shown:\n%s", n, p.Show)
			}
		}
		for _, pattern := range []string{long, "g/" + long, long + "*", "g/" + long + "z", "[" + long} {
			if _, err := set.Find(pattern); err != nil && strings.Count(err.Error(), "z") > 300 {
				t.Errorf("Find gives a long error: %v", err)
			}
		}
	}
}
