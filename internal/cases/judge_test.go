package cases

import (
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/facts"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/profile"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

const second = int64(time.Second)

// base is 2026-11-30T09:00:00Z.
const base = 1796029200 * second

// parse reads one assertion without its name.
func parse(t *testing.T, text string) *profile.Assertion {
	t.Helper()
	docs, problems := yamlpos.Parse(yamlpos.NewFile("a.yaml", []byte("- {name: n, "+text+"}")))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	list, errs := profile.ReadAssertions(docs[0], docs[0].Root, "assertions")
	if len(errs) > 0 {
		t.Fatalf("%q: %v", text, errs)
	}
	return &list[0]
}

// harbour is a run of a lock with two gates and its boats.
func harbour() *outcome.Run {
	f := &facts.Facts{Moments: []string{"ebb", "flood"}}
	add := func(moment, kind, name, uid, raw string, owners ...facts.Owner) {
		f.Objects = append(f.Objects, facts.Object{
			Moment: moment, Time: base, Kind: kind, Namespace: "west", Name: name, UID: uid, Raw: raw, Owners: owners,
			Labels: map[string]string{"side": name[len(name)-1:]},
		})
	}
	add("ebb", "Gate", "gate-1", "g1", `{"spec":{"log":{"a":"1","b":{"x":1}},"crew":["ann","bo"]},"status":{"open":true}}`)
	add("ebb", "Boat", "swan", "b1", `{}`)
	add("flood", "Boat", "swan", "b1", `{"status":{"berth":3,"seen":"2026-11-30T09:00:20Z"}}`)
	add("flood", "Boat", "tern", "b2", `{"status":{"berth":"","note":null}}`)
	add("flood", "Gate", "gate-1", "g1", `{"spec":{"log":{"a":"1","b":{ "x" : 1},"c":"3"},"crew":["bo","ann","cy"]},"status":{"open":false,"n":"12","berths":{"swan":"3","west/tern":"4","gone":"5"}}}`,
		facts.Owner{Kind: "Boat", Name: "swan", UID: "b1"})
	add("flood", "Gate", "gate-2", "g2", `{"spec":{"crew":["ann","ann"]},"status":{"open":false,"n":7}}`,
		facts.Owner{Kind: "Boat", Name: "swan", UID: "b0"}, facts.Owner{Kind: "Pier", Name: "p"})
	f.Actions = []facts.Action{
		{Time: base + 1*second, Actor: "script", Action: "open", Target: "gate-1", Raw: `{"by":{"tool":"crank"}}`},
		{Time: base + 9*second, Actor: "master", Action: "shout", Target: "swan"},
		{Time: base + 30*second, Actor: "script", Action: "close", Target: "gate-1"},
	}
	f.Events = []facts.Event{
		{First: base + 5*second, Last: base + 25*second, Count: 3, Type: "Normal", Reason: "Moored", Message: "at berth 3", Object: facts.Ref{Kind: "Boat", Namespace: "west", Name: "swan"}},
	}
	f.Progress = []facts.Progress{
		{Time: base + 4*second, Event: "in", Namespace: "west", Workload: "swan", Pod: "p1", Cluster: "one"},
		{Time: base + 6*second, Event: "in", Namespace: "west", Workload: "tern", Pod: "p2", Cluster: "one"},
		{Time: base + 8*second, Event: "in", Namespace: "west", Workload: "swan", Pod: "p3", Cluster: "two"},
	}
	f.Probes = []facts.Probe{{Time: base + 2*second, Target: "lamp"}, {Time: base + 3*second, Target: "lamp", OK: true}}
	return &outcome.Run{
		Scenario: "tide", First: base + second/2, Last: base + 40*second, Records: 10, Facts: f,
		Logs:   []outcome.LogInfo{{Labels: logs.FromMap(map[string]string{"app": "lock"}), Epochs: []outcome.Epoch{{}, {}, {Build: 1}}}},
		Panics: []outcome.Panic{{Kind: "index out of range", Count: 2, Handling: outcome.Crashed}},
	}
}

const (
	gate1 = "object: {kind: Gate, name: gate-1, moment: flood}, "
	gates = "object: {kind: Gate, moment: flood}, "
	boats = "object: {kind: Boat, moment: flood}, "
)

func TestJudge(t *testing.T) {
	f := func(text string, want Status, reason string) {
		t.Helper()
		got := Judge(parse(t, text), harbour(), true)
		if got.Status != want || !strings.Contains(got.Reason, reason) {
			t.Errorf("%s: %s, %q; want %s, %q", text, got.Status, got.Reason, want, reason)
		}
	}
	// Values of objects.
	f(gate1+"path: status.open, equals: false", Holds, "1 object")
	f(gate1+"path: status.open, equals: true", Fails, `status.open is not "true"`)
	f(gates+"path: status.n, atLeast: 7, atMost: 12", Holds, "2 objects")
	f(gates+"path: status.n, atLeast: 8", Fails, "1 of 2 objects")
	f(boats+"path: status.berth, atLeast: 1", Fails, "1 of 2 objects") // "" is no number
	f(boats+"path: status.berth, in: [3, 4]", Fails, "not one of 3, 4")
	f(boats+"path: status.berth, notEmpty: true", Fails, "1 of 2 objects")
	f(boats+"path: status.berth, exists: true", Holds, "2 objects")
	f(boats+"path: status.note, absent: true", Holds, "")  // null is absent
	f(boats+"path: status.note, exists: true", Fails, "2") // of both
	f(gate1+"path: spec.crew.0, matches: '^b.$'", Holds, "")
	f(gate1+"path: spec.log, hasKeys: [a, c]", Holds, "has a, c")
	f(gates+"path: spec.log, hasKeys: [a]", Fails, "lacks some of a")
	f("object: {kind: Gate, name: gate-9, moment: flood}, path: a, absent: true", NotJudged, "no such object")
	f("object: {kind: Gate, labels: {side: '2'}, moment: flood}, path: status.n, equals: 7", Holds, "1 object")
	f("object: {kind: Gate, where: {status.n: 12}, moment: flood}, path: status.n, equals: 7", Fails, "")
	f("object: {kind: Door, moment: flood}, path: a, absent: true", NotJudged, "no object of kind Door")
	f("object: {kind: Gate, moment: noon}, path: a, absent: true", NotJudged, `no objects were recorded at "noon"; there are ebb, flood`)

	f(gates+"count: {equals: 2}", Holds, "2 objects")
	f(gates+"count: {atMost: 1}", Fails, "2 objects")
	f("object: {kind: Gate, name: x, moment: flood}, count: {equals: 0}", Holds, "0 objects")

	// What must stay.
	f(gate1+"path: spec.log, preservedFrom: ebb", Holds, "")
	f(gate1+"path: spec.crew, preservedFrom: ebb", Holds, "") // in another order
	f(gate1+"path: status.open, preservedFrom: ebb", Fails, "not preserved")
	f(gate1+"path: status.none, preservedFrom: ebb", NotJudged, "nothing to preserve")
	f("object: {kind: Gate, name: gate-2, moment: flood}, path: spec, preservedFrom: ebb", NotJudged, "nothing to preserve")

	// Entries.
	f(gate1+"path: spec.crew, unique: true", Holds, "3 entries")
	f(gates+"path: spec.crew, unique: true", Fails, "") // ann in both
	f(gate1+"path: status.berths, live: {kind: Boat}", Fails, "1 of 3 entries stale")
	f(gate1+"path: status.berths, live: {kind: Boat, pattern: '^(swan)$'}", Holds, "1 entry")
	f(gate1+"path: status.berths, live: {kind: Boat, entries: values, path: status.berth}", Fails, "2 of 3")
	f(gate1+"path: status.berths, live: {kind: Boat, where: {status.berth: 3}}", Fails, "2 of 3")
	f(gate1+"path: status.berths, live: {kind: Pier}", NotJudged, "no object of kind Pier")
	f(gate1+"live: {owners: true}", Holds, "1 entry")
	f(gates+"live: {owners: true}", Fails, "no object of kind Pier") // another boat of that name, and a pier nobody recorded
	f("object: {kind: Gate, name: x, moment: flood}, path: a, live: {kind: Boat}", Holds, "0 entries")

	// In time.
	f("within: 4s, after: {action: {action: open}}, reaches: {progress: {event: in, workload: swan}}", Holds, "1 within 4s")
	f("within: 4s, after: {action: {action: open}}, reaches: {progress: {event: in}}, count: {atLeast: 2}", Fails, "1 within 4s")
	f("within: 5s, after: {action: {action: open}}, reaches: {progress: {event: in}}, count: {atLeast: 2}", Holds, "2 within 5s")
	f("within: 5s, after: {action: {action: close}}, reaches: {progress: {event: in}}", Fails, "0 within 5s")
	f("within: 5s, after: {action: {action: close}}, reaches: {progress: {event: in}}, orBefore: true", Holds, "")
	f("within: 15s, after: {action: {action: close}}, reaches: {progress: {event: in}}", NotJudged, "the run ended 10s after")
	f("within: 5s, after: {action: {action: jump}}, reaches: {progress: {event: in}}", NotJudged, "begins after was not recorded")
	f("within: 4s, after: {action: {action: open}}, reaches: {event: {reason: Moored}}", Fails, "") // in whole seconds: up to 6
	f("within: 5s, after: {action: {action: open}}, reaches: {event: {reason: Moored, message: berth.3}}", Holds, "")
	f("within: 1s, after: {probe: {target: lamp}}, reaches: {probe: {target: lamp, ok: true}}", Holds, "")
	f("within: 21s, after: {moment: ebb}, reaches: {object: {kind: Boat, name: swan, moment: flood, path: status.seen}}", Holds, "")
	f("within: 9s, after: {moment: ebb}, reaches: {object: {kind: Boat, name: swan, moment: flood, path: status.seen}}", Fails, "")
	f("within: 21s, after: {moment: ebb}, reaches: {object: {kind: Boat, moment: flood, path: status.seen}}", Fails, "want at least 2")
	f("within: 3s, reaches: {action: {action: open, where: {by.tool: crank}}}", Holds, "start of the run")

	// Counts.
	f("panics: {}", Fails, "2 panics, want none")
	f("panics: {kind: 'nil*'}", Holds, "0 panics")
	f("panics: {handling: crashed, atMost: 2}", Holds, "2 panics")
	f("restarts: {}", Fails, "1 restart") // the third epoch is another build
	f("restarts: {labels: {app: other}}", NotJudged, "no log stream has the labels")
	f("restarts: {atMost: 1, action: {action: open}}", Holds, "1 restart")
	f("manualActions: {}", Holds, "0 manual")
	f("manualActions: {actors: [master]}", Fails, "1 manual action")
	f("manualActions: {actors: [master], except: ['sh*']}", Holds, "0 manual")
	f("manualActions: {actors: [script], after: {action: {action: open}}, until: {action: {action: shout}}}", Holds, "0 manual")
	f("manualActions: {actors: [script], after: {action: {action: jump}}}", NotJudged, "was not recorded")
	f("executions: {of: {progress: {event: in}}}", Fails, "1 of 2 pieces of work")
	f("executions: {of: {progress: {event: in, workload: tern}}}", Holds, "1 piece of work")
	f("executions: {of: {progress: {event: out}}}", NotJudged, "nothing was executed")
	f("executions: {of: {event: {reason: Moored}}}", Fails, "") // three times
}

// TestJudge_NoEntry: that there is no entry is an answer only where entries are
// known from some run: a path or a pattern may hold a slip of the pen.
func TestJudge_NoEntry(t *testing.T) {
	for _, c := range []struct {
		text string
		seen bool // Selects
		want Status
	}{
		{gate1 + "path: spec.crews, unique: true", false, NotJudged},
		{gate1 + "path: status.berth, live: {kind: Boat}", false, NotJudged},
		{gate1 + "path: status.berths, live: {kind: Boat, pattern: '^(stork)$'}", false, NotJudged},
		{"object: {kind: Boat, moment: flood}, live: {owners: true}", false, NotJudged},
		{gate1 + "live: {owners: true}", true, Holds},
		{gate1 + "path: status.berths, live: {kind: Boat, pattern: '^(swan)$'}", true, Holds},
	} {
		a := parse(t, c.text)
		seen := Selects(a, harbour())
		if got := Judge(a, harbour(), seen); seen != c.seen || got.Status != c.want {
			t.Errorf("%s: known %t, %s %q; want %t, %s", c.text, seen, got.Status, got.Reason, c.seen, c.want)
		}
		if c.want == NotJudged && Judge(a, harbour(), true).Status != Holds {
			t.Errorf("%s: none is no answer although entries are known", c.text)
		}
	}
}

// TestJudge_NoEvidence: without evidence nothing holds.
func TestJudge_NoEvidence(t *testing.T) {
	for _, text := range []string{
		gate1 + "path: a, absent: true", gates + "count: {equals: 0}", gate1 + "path: a, preservedFrom: ebb",
		gate1 + "path: a, unique: true", gate1 + "path: a, live: {kind: Boat}",
		"within: 1s, reaches: {action: {action: x}}", "within: 1s, reaches: {event: {reason: x}}, count: {equals: 0}",
		"panics: {}", "restarts: {}", "manualActions: {}", "executions: {of: {progress: {}}}",
	} {
		for name, run := range map[string]*outcome.Run{
			"nothing": {}, "facts only": {Facts: &facts.Facts{}}, "missing": {Missing: true, Records: 1},
		} {
			if got := Judge(parse(t, text), run, false); got.Status != NotJudged || got.Reason == "" {
				t.Errorf("%s on %s: %s, %q", text, name, got.Status, got.Reason)
			}
		}
	}
}

// TestJudge_Incomplete: what is not in half a recording may be in the rest.
func TestJudge_Incomplete(t *testing.T) {
	for _, text := range []string{"panics: {kind: 'nil*'}", "restarts: {labels: {app: other}}", "executions: {of: {progress: {workload: tern}}}"} {
		run := harbour()
		run.Incomplete = true
		if got := Judge(parse(t, text), run, true); got.Status != NotJudged {
			t.Errorf("%s: %s, %q", text, got.Status, got.Reason)
		}
	}
	run := harbour()
	run.Logs[0].Gaps = make([]outcome.Gap, 1)
	if got := Judge(parse(t, "panics: {kind: 'nil*'}"), run, true); got.Status != NotJudged {
		t.Errorf("a gap: %s, %q", got.Status, got.Reason)
	}
	run.Logs[0].Gaps, run.PanicsCut = nil, 1
	if got := Judge(parse(t, "panics: {kind: 'nil*'}"), run, true); got.Status != NotJudged {
		t.Errorf("panics that are not told apart: %s, %q", got.Status, got.Reason)
	}
	run.Facts.Actions[1].Actor = ""
	if got := Judge(parse(t, "manualActions: {}"), run, true); got.Status != NotJudged {
		t.Errorf("nobody says who: %s, %q", got.Status, got.Reason)
	}
}

// TestJudge_Unseen: a selector that never selects may hold a slip of the pen.
func TestJudge_Unseen(t *testing.T) {
	for _, text := range []string{
		"object: {kind: Gate, name: gaet, moment: flood}, count: {equals: 0}",
		"object: {kind: Gate, name: gaet, moment: flood}, path: a, live: {kind: Boat}",
		"object: {kind: Gate, name: gaet, moment: flood}, path: a, unique: true",
	} {
		if got := Judge(parse(t, text), harbour(), false); got.Status != NotJudged {
			t.Errorf("%s: %s, %q", text, got.Status, got.Reason)
		}
	}
}

func TestMatrix_Kind(t *testing.T) {
	f := func(declared, expected int64, words, phrase string, want Kind) {
		t.Helper()
		a := parse(t, "panics: {kind: 'nil*'}")
		if declared != 0 {
			a.DeclaredAt = time.Unix(0, declared)
		}
		if phrase != "" {
			a.Restates = []string{phrase}
		}
		run := harbour()
		run.Expected, run.ExpectedAt = words, expected
		all := Matrix([]Declaration{{"tide", a, "run"}}, []outcome.Run{*harbour()}, []outcome.Run{*run}, nil)
		if got := all[0].Kind; got != want || (all[0].Why == "") != (want == Assertion) {
			t.Errorf("declared %d, said %d %q, phrase %q: %s (%s); want %s", declared-base, expected-base, words, phrase, got, all[0].Why, want)
		}
	}
	begin := base + second/2 // the first record
	f(0, 0, "", "", Observation)
	f(begin-1, 0, "", "", Assertion)
	f(begin, 0, "", "", Observation)
	f(begin+1, begin-1, "boats dock, no panic", "no panic", Assertion)
	f(begin+1, begin-1, "boats dock, No  Panic", "no panic", Observation) // other words
	f(begin+1, begin-1, "no panics at all", "no panic", Observation)
	f(begin+1, begin+1, "no panic", "no panic", Observation)
	f(0, begin-1, "no panic", "no panic", Assertion)
	f(begin-2, begin+1, "no panic", "no panic", Assertion)
}

// TestMatrix_Repetitions: one that fails decides; else one not judged.
func TestMatrix_Repetitions(t *testing.T) {
	bad, blind := harbour(), harbour()
	bad.Facts.Objects[2].Raw = `{}`
	blind.Facts = nil
	f := func(want Status, times int, runs ...*outcome.Run) {
		t.Helper()
		var candidate []outcome.Run
		for i, r := range runs {
			r.Repetition = i + 1
			candidate = append(candidate, *r)
		}
		a := parse(t, "object: {kind: Boat, name: swan, moment: flood}, path: status.berth, exists: true")
		c := Matrix([]Declaration{{"tide", a, "run"}}, nil, candidate, nil)[0]
		if c.Candidate.Status != want || c.Candidate.Times != times || c.Deployed.Status != NotJudged {
			t.Errorf("%d runs: %s in %d of %d (%s)", len(runs), c.Candidate.Status, c.Candidate.Times, c.Candidate.Runs, c.Candidate.Reason)
		}
	}
	f(Holds, 2, harbour(), harbour())
	f(NotJudged, 1, harbour(), blind, harbour())
	f(Fails, 1, harbour(), blind, bad)
	f(Fails, 2, bad, harbour(), bad)
}

func TestGlobs(t *testing.T) {
	f := func(pattern, s string, want bool) {
		t.Helper()
		if got := profile.Glob(pattern, s); got != want {
			t.Errorf("profile.Glob(%q, %q) = %v", pattern, s, got)
		}
	}
	f("", "x", true)
	f("*", "", true)
	f("a*c", "abc", true)
	f("a*c", "abcd", false)
	f("*ab*", "aab", true)
	f("a?c", "aéc", true)
	f("a?", "a", false)
	f("x", "", false)
	f("*a*a*a*a*b", strings.Repeat("a", 1000), false)
}

// FuzzJudge: objects, paths and patterns may hold anything.
func FuzzJudge(f *testing.F) {
	f.Add(`{"a":{"b":[1,"x",null]}}`, "a.b", "x*")
	f.Add(`{"a":`, "@this|#(", "?")
	f.Add(`{"a":{"a":1,"a":2}}`, `a.#(b=="c")#.d`, "**")
	f.Fuzz(func(t *testing.T, raw, path, pattern string) {
		run := harbour()
		for i := range run.Facts.Objects {
			run.Facts.Objects[i].Raw = raw
		}
		for _, text := range []string{gates + "path: p, exists: true", gates + "path: p, preservedFrom: ebb", gates + "path: p, unique: true", gates + "path: p, live: {kind: Boat}", gates + "path: p, hasKeys: [a]"} {
			a := parse(t, text)
			a.Path, a.Object.Name = path, pattern
			for _, line := range append(Judge(a, run, true).Evidence, Judge(a, run, true).Reason) {
				if strings.ToValidUTF8(line, "") != line || strings.ContainsAny(line, "\n\x00\x1b") {
					t.Errorf("%q is shown", line)
				}
			}
		}
	})
}
