package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// said is a message with a text, a number of records, and fields as names and
// values. A value of several words is a sentence.
func said(text string, n int64, fields ...string) []outcome.Message {
	m := outcome.Message{Text: text, Logger: "disk", Function: "disk/disk.go", Level: "info", Encoding: outcome.JSON, Count: n}
	m.First = outcome.Evidence{Stream: logs.New(logs.Label{Name: "app", Value: "kueue"}), Time: start, Line: `{"msg":"` + text + `","claim":"data-a"}`}
	for i := 0; i < len(fields); i += 2 {
		k := outcome.Key{Name: fields[i], Count: n, Looked: n, Types: []string{"string"}, Values: []string{fields[i+1]}}
		if strings.Contains(fields[i+1], " ") {
			k.Texts = []outcome.KeyText{{Text: fields[i+1], Count: n, First: m.First}}
		}
		m.Keys = append(m.Keys, k)
	}
	m.Last = m.First
	return []outcome.Message{m}
}

func at(level string, verbosity int, list []outcome.Message) []outcome.Message {
	for i := range list {
		list[i].Level, list[i].Verbosity = level, verbosity
	}
	return list
}

func encoded(e outcome.Encoding, list []outcome.Message) []outcome.Message {
	for i := range list {
		list[i].Encoding = e
	}
	return list
}

func retyped(list []outcome.Message, types ...string) []outcome.Message {
	for i := range list {
		for j := range list[i].Keys {
			list[i].Keys[j].Types = types
		}
	}
	return list
}

// becomes is a rule that passes beside messages of the deployed build and what
// the candidate writes in their place. Both write some more.
func becomes(deployed []outcome.Message, candidate ...[]outcome.Message) func() trial {
	return func() trial {
		tr := query(outcome.Matched, outcome.Matched)()
		both := slices.Concat(said("Starting manager", 1), said("Node registered", 12, "node", "node-a"), said("Could not sync pod", 22, "pod", "web-1"))
		tr.deployedMessages = ordered(slices.Concat(both, deployed))
		tr.messages = ordered(slices.Concat(append([][]outcome.Message{both}, candidate...)...))
		return tr
	}
}

func ordered(list []outcome.Message) []outcome.Message {
	slices.SortFunc(list, func(a, b outcome.Message) int { return outcome.CompareMessages(&a, &b) })
	return list
}

// becomesFact is a message that is gone where the candidate has an event.
func becomesFact(text string) func() trial {
	tr := becomes(said("Volume is not bound to any claim", 9))()
	tr.change = func(in *Input) {
		in.Candidate.Runs[0].Facts = &facts.Facts{Events: []facts.Event{{Message: text, Object: facts.Ref{Namespace: "team-a", Name: "data-a"}}}}
	}
	return func() trial { return tr }
}

// unparseable is a stream of 900 records of which so many are not in its
// format on each build.
func unparseable(deployed, candidate int64) func() trial {
	tr := query(outcome.Matched, outcome.Matched)()
	tr.change = func(in *Input) {
		in.Deployed.Runs[0].Logs = []outcome.LogInfo{{Records: 900, Unparseable: deployed}}
		in.Candidate.Runs[0].Logs = []outcome.LogInfo{{Records: 900, Unparseable: candidate}}
	}
	return func() trial { return tr }
}

// uses makes the rule's lines on a build those of the messages with the texts.
func uses(in *Side, lines map[string]int64) {
	for r := range in.Runs {
		run := &in.Runs[r]
		o := &run.Outcomes[0]
		o.Uses = nil
		for i := range run.Messages {
			if n := lines[run.Messages[i].Text]; n > 0 {
				o.Uses = append(o.Uses, outcome.Use{Message: i, Lines: n})
			}
		}
	}
}

// TestMessages_Depends: a change is a warning where a rule depends on it.
func TestMessages_Depends(t *testing.T) {
	reworded := becomes(said("Successfully loaded settings", 9, "file", "a.yaml"), said("Settings loaded", 9, "file", "a.yaml"))
	for _, tt := range []struct {
		name                string
		trial               func() trial
		expr                string
		deployed, candidate map[string]int64
		id                  string
		want                Severity
	}{
		{"no rule", reworded, `{app="x"} |= "y"`, nil, nil, "message-reworded", Info},
		{"the rule's own message", reworded, `{app="x"} |= "y"`, map[string]int64{"Successfully loaded settings": 9}, nil, "message-reworded", Warn},
		{
			"one of many that the rule still sees", reworded, `{app="x"}`,
			map[string]int64{"Successfully loaded settings": 1, "Node registered": 99}, map[string]int64{"Settings loaded": 1, "Node registered": 99}, "message-reworded", Info,
		},
		{
			"one of many that the rule no more sees", reworded, `{app="x"}`,
			map[string]int64{"Successfully loaded settings": 1, "Node registered": 99}, map[string]int64{"Node registered": 99}, "message-reworded", Warn,
		},
		{"rare, with a rule", becomes(said("Quota is used up", 2)), `{app="x"}`, map[string]int64{"Quota is used up": 2}, nil, "message-removed", Info},
		{
			"field that no rule names", becomes(said("Link is up", 9, "nic.name", "eth0"), said("Link is up", 9)), `{app="x"} | json | name="eth0"`,
			map[string]int64{"Link is up": 9}, nil, "field-lost", Info,
		},
		{
			"field that the rule names", becomes(said("Link is up", 9, "nic.name", "eth0"), said("Link is up", 9)), `{app="x"} | json | nic_name="eth0"`,
			map[string]int64{"Link is up": 9}, nil, "field-lost", Warn,
		},
		{
			"field by a path", becomes(said("Link is up", 9, "nic.name", "eth0"), said("Link is up", 9)), `{app="x"} | json n="nic.name"`,
			map[string]int64{"Link is up": 9}, nil, "field-lost", Warn,
		},
		{
			"field in a text", becomes(said("Link is up", 9, "nic.name", "eth0"), said("Link is up", 9)), "{app=\"x\"} |= `\"name\":`",
			map[string]int64{"Link is up": 9}, nil, "field-lost", Warn,
		},
		{
			"field of other messages", becomes(said("Link is up", 9, "nic.name", "eth0"), said("Link is up", 9)), `{app="x"} | json | nic_name="eth0"`,
			map[string]int64{"Node registered": 9}, nil, "field-lost", Info,
		},
		{
			"encoding, parsed", becomes(said("Link is up", 9), encoded(outcome.Console, said("Link is up", 9))), `{app="x"} | json`,
			map[string]int64{"Link is up": 9}, map[string]int64{"Link is up": 9}, "encoding-changed", Warn,
		},
		{
			"encoding, not parsed", becomes(said("Link is up", 9), encoded(outcome.Console, said("Link is up", 9))), `{app="x"} |= "Link"`,
			map[string]int64{"Link is up": 9}, map[string]int64{"Link is up": 9}, "encoding-changed", Info,
		},
	} {
		tr := tt.trial()
		tr.rule.Expr = tt.expr
		in := tr.input()
		uses(&in.Deployed, tt.deployed)
		uses(&in.Candidate, tt.candidate)
		found := Severity(0)
		for _, f := range Compare(in).Findings {
			if f.ID == tt.id {
				found = f.Severity
			}
		}
		if found != tt.want {
			t.Errorf("%s: %s is %v; want %s", tt.name, tt.id, found, tt.want)
		}
	}
}

// TestMessages_Swapped: the other way round what was removed is added.
func TestMessages_Swapped(t *testing.T) {
	opposite := map[string]string{"message-removed": "message-added", "message-added": "message-removed"}
	for _, c := range checkCases {
		if c.positive == nil || !strings.HasPrefix(c.id, "message-") || c.id == "message-moved" {
			continue // what moved to an event cannot move back from one
		}
		want := cmp.Or(opposite[c.id], c.id)
		if got := ids(c.positive().swapped().run()); !contains(got, want) {
			t.Errorf("%s swapped gives %v; want %s", c.id, got, want)
		}
	}
}

func TestNamesOf(t *testing.T) {
	f := func(expr, field string, want bool) {
		t.Helper()
		n := namesOf(&rules.Rule{Language: rules.LogQL, Expr: expr})
		if got := n.names(field); got != want {
			t.Errorf("%s names %s: %v; want %v", expr, field, got, want)
		}
	}
	f(`{app="x"} | json | object_uid!=""`, "object.uid", true)
	f(`{app="x"} | json | replica_role="leader"`, "replica-role", true)
	f(`{app="x"} | json | object_name="a"`, "object", true)
	f(`{app="x"} | json | object_name="a"`, "object.uid", false)
	f(`{object_uid="x"} | json`, "object.uid", false)
	f(`sum by (queue) (count_over_time({app="x"} | json [1m]))`, "queue", true)
	f(`sum(sum_over_time({app="x"} | logfmt | unwrap wait [1m]))`, "wait", true)
	f(`{app="x"} | json | line_format "{{ .job }}"`, "job", true)
	f(`{app="x"} | json | label_format a=job`, "job", true)
	f(`{app="x"} | json uid="object.uid"`, "object.uid", true)
	f("{app=\"x\"} |= `\"controller\":\"job\"`", "controller", true)
	f(`{app="x"} |= "controller"`, "controller", false)
	f(`{app="x"} | wait > 5s or n > 3 or b > 5KB or a = ip("10.0.0.0/8")`, "wait", true)
}
