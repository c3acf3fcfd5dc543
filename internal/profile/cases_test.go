package profile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// assertions reads a list that is a document of its own.
func assertions(text string) ([]Assertion, []*source.Error) {
	docs, problems := yamlpos.Parse(yamlpos.NewFile("c.yaml", []byte(text)))
	if len(problems) > 0 || len(docs) == 0 || docs[0].Root == nil {
		return nil, problems
	}
	return ReadAssertions(docs[0], docs[0].Root, "assertions")
}

func TestReadAssertions(t *testing.T) {
	got, errs := assertions(`
- name: tide gate shut
  owner: harbour
  declaredAt: 2026-11-30T09:00:00Z
  expect: {deployed: fails}
  object: {kind: Gate, name: 'g-?', labels: {side: west}, moment: high-water}
  path: status.open
  equals: false
- name: two boats in
  within: 2m
  after: {action: {action: open}}
  reaches: {progress: {event: in}}
  count: {atLeast: 2}
`)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	no, two := "false", int64(2)
	want := []Assertion{
		{
			Name: "tide gate shut", Owner: "harbour", DeclaredAt: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Expect: CaseExpect{Deployed: MustFail},
			Object: &ObjectSelector{Kind: "Gate", Name: "g-?", Labels: map[string]string{"side": "west"}, Moment: "high-water"},
			Path:   "status.open", Condition: Condition{Equals: &no},
			Pos: source.Position{File: "c.yaml", Line: 2, Column: 3},
		},
		{
			Name: "two boats in", Within: Duration(2 * time.Minute), After: &Record{Action: &ActionSelector{Action: "open"}},
			Reaches: &Record{Progress: &ProgressSelector{Event: "in"}}, Condition: Condition{Count: &Count{AtLeast: &two}},
			Pos: source.Position{File: "c.yaml", Line: 9, Column: 3},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// A run's manifest holds the same as JSON.
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var back []Assertion
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, back, cmpopts.IgnoreFields(Assertion{}, "Pos")); diff != "" {
		t.Errorf("JSON and back (-want +got):\n%s\n%s", diff, text)
	}
}

func TestReadAssertions_Faults(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		_, errs := assertions(text)
		var got []string
		for _, e := range errs {
			got = append(got, e.Error())
		}
		for i, w := range want {
			if i >= len(got) || !strings.Contains(got[i], w) {
				t.Errorf("%q gives\n%s\nwant %q", text, strings.Join(got, "\n"), want)
				return
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q gives\n%s\nwant %q", text, strings.Join(got, "\n"), want)
		}
	}
	pod := "object: {kind: Pod, moment: after}"
	f("- {name: a, panics: {}}")
	f("- {name: a, panics: {knd: x}}", `c.yaml:1:22: unknown key "knd" in assertions[0].panics; did you mean kind?`)
	f("- {name: a, pnics: {}}", `did you mean panics?`)
	f("- {panics: {}}", "c.yaml:1:3: an assertion has no name; give it one")
	f("- {name: a}", "c.yaml:1:10: the assertion says nothing about the evidence; give one of object")
	f("- {name: a, panics: {}, restarts: {}}", "c.yaml:1:35: the assertion asks panics and restarts")
	f("- {name: a, panics: {}}\n- {name: a, panics: {}}", `c.yaml:2:10: assertion "a" is declared twice; the first is in line 1`)
	f("- {name: a, panics: {}, expect: {deployed: holdz}}", `c.yaml:1:44: unknown answer "holdz"; did you mean holds?`)
	f("- {name: a, panics: {}, restates: ['']}", "an empty phrase restates nothing")
	f("- {name: a, panics: {}, path: x}", "c.yaml:1:31: path without object")
	f("- {name: a, "+pod+"}", "nothing is said of the object")
	f("- {name: a, "+pod+", path: x, exists: true, absent: true}", "both exists and absent are asked")
	f("- {name: a, "+pod+", exists: true}", "exists needs a path")
	f("- {name: a, "+pod+", path: x, count: {equals: 1}}", "leave out the path")
	f("- {name: a, "+pod+", path: x, matches: '('}", "missing closing )")
	f("- {name: a, "+pod+", path: x, preservedFrom: after}", "the moment of the object itself")
	f("- {name: a, "+pod+", path: x, live: {}}", "live does not say what kind")
	f("- {name: a, "+pod+", path: x, live: {kind: Pod, entries: vals}}", `unknown entries "vals"`)
	f("- {name: a, "+pod+", live: {owners: true, kind: Pod}}", "owners goes with no other key")
	f("- {name: a, object: {kind: Pod}, path: x, exists: true}", "the moment of the object is missing")
	f("- {name: a, within: 30, reaches: {probe: {ok: true}}}", "want a duration such as 30s")
	f("- {name: a, within: -3s, reaches: {probe: {ok: true}}}", "the window must be longer than nothing")
	f("- {name: a, within: 3s}", "within without reaches")
	f("- {name: a, within: 3s, reaches: {}}", "0 kinds of evidence are named")
	f("- {name: a, within: 3s, reaches: {moment: x}}", "snapshots are not reached")
	f("- {name: a, within: 3s, reaches: {object: {kind: Pod, moment: after}}}", "the path of the object's time is missing")
	f("- {name: a, panics: {atLeast: 3, atMost: 2}}", "atLeast is above atMost")
	f("- {name: a, panics: {equals: 3, atMost: 2}}", "equals stands with atLeast or atMost")
	f("- {name: a, executions: {}}", "executions does not say what stands for one")
	f("name: a", "want a list")
}

// TestProfile_Cases: what is wrong in a profile's cases has its place, and
// owner and time are passed on.
func TestProfile_Cases(t *testing.T) {
	p, err := Parse("p.yaml", []byte("name: p\ncases:\n  declaredAt: 2026-11-30T09:00:00Z\n  owner: o\n  scenarios:\n    s:\n      assertions:\n      - {name: a, panics: {}}\n      - {name: b, owner: x, panics: {}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := p.Cases.Scenarios["s"].Assertions
	if a[0].Owner != "o" || a[1].Owner != "x" || a[0].DeclaredAt.IsZero() || a[1].Pos.Line != 9 {
		t.Errorf("%+v", a)
	}
	_, err = Parse("p.yaml", []byte("name: p\ncases:\n  scenarios:\n    s:\n      assertions:\n      - {name: a, panics: {}}\n      - {name: a, restarts: {atMost: -1}}\n"))
	if got := Problems(err); len(got) != 2 || !strings.Contains(err.Error(), `p.yaml:7:16: assertion "a" is declared twice`) || !strings.Contains(err.Error(), "p.yaml:7:29: a count is not below zero") {
		t.Errorf("%v", err)
	}
}

func FuzzReadAssertions(f *testing.F) {
	for _, file := range []string{"profiles/kai-binder.yaml", "../../docs/cases.md"} {
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("- {name: a, within: 3s, after: {start: true}, reaches: {object: {kind: Pod, moment: m, path: p}}}")
	f.Add("- &a {name: a, panics: {atMost: 1}}\n- {<<: *a, name: b}")
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := assertions(text)
		for i := range list {
			if faults := list[i].Faults(); len(faults) > 0 {
				t.Errorf("an assertion with a fault was read: %+v", faults)
			}
			if _, err := json.Marshal(&list[i]); err != nil {
				t.Error(err)
			}
		}
	})
}
