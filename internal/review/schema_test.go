package review

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/analyzer"
)

const docs = "../../docs"

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(docs, "review-file.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid reports whether the schema takes a YAML text.
func valid(t testing.TB, s *jsonschema.Schema, text string) error {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	datesAreText(&doc)
	var v any
	if err := doc.Decode(&v); err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(string(encoded)))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(instance)
}

// datesAreText makes texts of dates, as editors see them.
func datesAreText(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		datesAreText(c)
	}
}

func TestSchema_DocumentedExamples(t *testing.T) {
	s := schema(t)
	examples := 0
	for _, name := range []string{"review-file.md", "rules.md", "cases.md", "capacity.md", "acceptance.md"} {
		text, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}
		for i, block := range strings.Split(string(text), "```yaml\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			examples++
			if err := valid(t, s, block); err != nil {
				t.Errorf("%s, example %d: %v", name, i+1, err)
			}
			if _, err := check(name, block, analyzer.FindingIDs()); err != nil {
				t.Errorf("%s, example %d: %v", name, i+1, err)
			}
		}
	}
	if examples == 0 {
		t.Error("no examples are documented")
	}
}

const (
	accepted    = `{fingerprint: "fadc128a87f185c40f8c32aeae48e23d", reason: r, owner: o, expires: 2027-01-31}`
	acceptedToo = `{fingerprint: 'fadc128a87f185c40f8c32aeae48e23d', id: alert-lost, scenario: s, reason: "r s", owner: o, expires: "2027-01-31"}`
)

// The schema of a file of suppressions, and its entries, which the review file
// has too.
func TestSchema_Suppressions(t *testing.T) {
	own, err := jsonschema.NewCompiler().Compile(filepath.Join(docs, "suppressions.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(docs, "suppressions.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	both := schema(t)
	f := func(good bool, text string) {
		t.Helper()
		list, problems, err := parseSuppressions("s.yaml", []byte(text), analyzer.FindingIDs())
		if (err == nil && len(problems) == 0) != good {
			t.Errorf("parseSuppressions(%q): %v, %v; want good=%v", text, err, problems, good)
		}
		if good && strings.Contains(text, "finger") != (len(list) > 0) {
			t.Errorf("parseSuppressions(%q): %d entries", text, len(list))
		}
		for _, s := range []*jsonschema.Schema{own, both} {
			if err := valid(t, s, text); (err == nil) != good {
				t.Errorf("schema on %q: %v; want good=%v", text, err, good)
			}
		}
	}
	f(true, example)
	f(true, "version: 1\n")
	f(false, "suppressions: []\n")
	f(false, "version: 2\nsuppressions: []\n")
	f(true, "version: 1\nsuppressions: ["+accepted+"]\n")
	for _, change := range [][2]string{
		{"fadc", "FADC"}, {"fadc", "fad"}, {"fadc", "gadc"}, {"owner: o", "owner: ''"}, {"owner: o", "owner: ' '"}, {"owner: o", "owner: 5"},
		{"owner: o", "ownr: o"}, {"owner: o, ", ""}, {"reason: r, ", ""}, {"reason: r", "reason: [r]"}, {", expires: 2027-01-31", ""},
		{"2027-01-31", "tomorrow"}, {"2027-01-31", "2027-1-31"}, {"2027-01-31", "2027-01-31T00:00:00Z"}, {"2027-01-31", ""}, {"2027-01-31", "20270131"},
		{"reason: r", "reason: r, id: ''"}, {"reason: r", "reason: r, scenario: ''"},
	} {
		f(false, "version: 1\nsuppressions: ["+strings.Replace(accepted, change[0], change[1], 1)+"]\n")
	}
}

func TestSchema_AgreesWithParse(t *testing.T) {
	s := schema(t)
	f := func(good bool, text string) {
		t.Helper()
		if err := valid(t, s, text); (err == nil) != good {
			t.Errorf("schema on %q: %v; want good=%v", text, err, good)
		}
		if _, err := check("s.yaml", text, ids); (err == nil) != good {
			t.Errorf("parse(%q): %v; want good=%v", text, err, good)
		}
	}
	f(true, sample)
	f(true, "version: 1")
	assertion := func(good bool, text string) {
		t.Helper()
		f(good, "version: 1\nscenarios: {s: {loadOf: t, declaredAt: 2026-11-30T09:00:00Z, assertions: [{name: n, "+text+"}]}}")
	}
	assertion(true, "object: {kind: Pod, moment: after}, path: a, equals: 3")
	assertion(true, "object: {kind: Pod, moment: after, where: {a: true}}, count: {equals: 0}")
	assertion(true, "within: 30s, after: {start: true}, reaches: {event: {reason: Bound}}")
	assertion(true, "panics: {kind: 'nil*', atMost: 2}, declaredAt: 2026-11-30T09:00:00Z, expect: {deployed: fails}")
	assertion(true, "executions: {of: {progress: {event: started}}}")
	assertion(true, "manualActions: {actors: [op], until: {moment: after}}, restates: [no hands]")
	assertion(true, "restarts: {labels: {app: x}, pods: {kind: Pod, moment: after}}")
	assertion(false, "")
	assertion(false, "panics: {}, restarts: {}")
	assertion(false, "object: {kind: Pod}, path: a, exists: true")
	assertion(false, "object: {kind: Pod, moment: after}, path: a, in: []")
	assertion(false, "panics: {kid: x}")
	assertion(false, "panics: {atMost: -1}")
	assertion(false, "panics: {}, expect: {candidate: maybe}")
	assertion(false, "panics: {}, declaredAt: today")
	assertion(false, "within: 3s, reaches: {probe: {ok: true}, moment: x}")
	assertion(false, "executions: {}")
	recovery := func(good bool, parts ...string) {
		t.Helper()
		for _, part := range parts {
			f(good, "version: 1\n"+part)
		}
	}
	recovery(true, "capacity: {}", "acceptance: []", "manual: {}", "manual: {actors: [a], except: [b], managers: [c]}",
		"capacity: {units: [{class: a, units: 32, busy: 0.5}], incidents: 10, window: 1h30m}", "capacity: {rates: [{deviceHour: 4.00}, {class: a, deviceHour: '4.0', currency: EUR}]}",
		"capacity: {windows: [{class: a, devices: 4, length: 8h, busy: 60%}, {class: a, devices: 4, length: 8h, busy: '12.5 %', lost: 2h}]}",
		"capacity: {devices: [{kind: mig, resource: a.*, labels: {x: y}}], reserved: {taints: [a], labels: {a: b}}, requests: [{kind: a/B, class: c, units: 1}]}",
		"acceptance: [{owner: o, total: {within: 3s}, stages: [{to: a, within: 2s, from: b, owner: c}], noDuplicates: {}, notSlower: {owner: x}, recoveryAlerts: {rules: [a]}, rollback: [{when: [total, case x]}]}]")
	recovery(false, "capacity:", "capacity: []", "acceptance: {}", "acceptance: [x]", "manual: [x]", "manual: {actor: [x]}",
		"capacity: {units: [{class: a}]}", "capacity: {units: [{class: a, units: -1}]}", "capacity: {units: [{class: a, units: lots}]}", "capacity: {incidents: 0}", "capacity: {incidents: 1.5}",
		"capacity: {window: 3}", "capacity: {rates: [{class: a}]}", "capacity: {windows: [{class: a, devices: 4, length: 8h}]}", "capacity: {windows: [{class: a, devices: 4, length: 8h, busy: 60}]}",
		"capacity: {devices: [{kind: half, resource: a}]}", "capacity: {devices: [{kind: mig}]}", "capacity: {requests: [{kind: a/B, class: c}]}", "capacity: {requests: [{kind: a/B, class: c, units: 1, path: x}]}",
		"acceptance: [{owner: o, total: {}}]", "acceptance: [{owner: o, total: {within: 3}}]", "acceptance: [{owner: o, stages: [{to: a}]}]", "acceptance: [{owner: o, rollback: [{name: x}]}]", "acceptance: [{owner: o, noDuplicate: {}}]")
	f(true, "version: 1.0")
	f(true, "{\"version\": 1, \"rules\": [\"a\"]}")
	f(false, "version: 2")
	f(false, "version: '1'")
	f(false, "version: null")
	f(false, "version: [1]")
	f(false, "corpus: x")
	f(false, "[version]")
	f(false, "text")
	for _, good := range []string{
		"corpus: x", "deployed: v1", "deployed: a/b:c", "deployed: 'x:y:z'", "candidate: \"1.20\"", "candidate: x",
		"rules: [a, 'b*']", "rules: [a, a]", "interval: 1m", "interval: 1h30m", "interval: 500ms", "interval: 1m0s", "interval: 0h1m",
		"defaults: {}", "defaults: {expect: none}", "defaults: {expect: must-clear}", "scenarios: {}", "scenarios: {a: {}}",
		"scenarios: {a: {must-fire: []}}", "scenarios: {a: {must-fire: [x], must-clear: [y], must-stay-silent: [z], expect: must-fire}}",
		"scenarios: {a: {must-fire: [x]}, b: {must-clear: [x]}}", "severities: {}", "severities: {alert-lost: warn}",
		"suppressions: []", "suppressions: accepted.yaml", "suppressions: [" + accepted + "]", "suppressions: [" + acceptedToo + "]",
	} {
		f(true, "version: 1\n"+good)
	}
	for _, bad := range []string{
		"corpus: ''", "corpus:", "corpus: 5", "corpus: [x]", "deployed: ''", "deployed: 'x:'", "deployed: ':'", "deployed: 1.20", "candidate: true", "candidate: {}",
		"rules: a", "rules: []", "rules: ['']", "rules: [5]", "rules: [null]", "rules: {}", "rules:", "interval: 5", "interval: 5x", "interval: ''",
		"interval: 0s", "interval: '0'", "interval: -5s", "interval: 1s1m", "interval: 1.5m", "interval: ' 1m'", "interval:", "defaults:", "defaults: none", "defaults: {expct: none}",
		"defaults: {expect: maybe}", "defaults: {expect:}", "defaults: {expect: 5}", "scenarios: []", "scenarios:", "scenarios: {a: }", "scenarios: {a: [x]}",
		"scenarios: {'': {}}", "scenarios: {a: {must-fire: x}}", "scenarios: {a: {must-fire: [5]}}", "scenarios: {a: {must-fire: ['']}}", "scenarios: {a: {must-fire: }}",
		"scenarios: {a: {must-fire: [x, x]}}", "scenarios: {a: {fire: [x]}}", "scenarios: {a: {expect: fire}}", "severities: []", "severities:",
		"severities: {alert-lost: bad}", "severities: {alert-lost: 1}", "severities: {alert-lost: }", "severities: {Alert Lost: warn}", "more: 1",
		"suppressions:", "suppressions: ''", "suppressions: {}", "suppressions: [x]", "suppressions: [{}]", "suppressions: 5",
	} {
		f(false, "version: 1\n"+bad)
	}
}

// What only stillfires can tell is not in the schema.
func TestSchema_Blind(t *testing.T) {
	s := schema(t)
	for _, text := range []string{
		"version: 1\nseverities: {alert-lots: warn}",
		"version: 1\nscenarios: {a: {must-fire: [x], must-clear: [x]}}",
		"version: 1\nsuppressions: [" + accepted + ", " + acceptedToo + "]",
		"version: 1\nsuppressions: [" + strings.Replace(acceptedToo, "alert-lost", "alert-lots", 1) + "]",
		"version: 1\nsuppressions: [" + strings.Replace(accepted, "01-31", "02-31", 1) + "]",
	} {
		if err := valid(t, s, text); err != nil {
			t.Errorf("schema on %q: %v", text, err)
		}
		if _, err := check("s.yaml", text, ids); err == nil {
			t.Errorf("parse(%q) gives no error", text)
		}
	}
}

// The schema lists expectations and severities; they must be those that there
// are, and all finding IDs must have the form it asks for.
func TestSchema_Enums(t *testing.T) {
	s := schema(t)
	for _, e := range expectNames() {
		if err := valid(t, s, "version: 1\ndefaults: {expect: "+e+"}"); err != nil {
			t.Error(err)
		}
	}
	for severity := analyzer.Info; severity <= analyzer.Break; severity++ {
		for _, id := range analyzer.FindingIDs() {
			if err := valid(t, s, fmt.Sprintf("version: 1\nseverities: {%s: %v}", id, severity)); err != nil {
				t.Error(err)
			}
		}
	}
}
