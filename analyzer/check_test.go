package analyzer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// checkCases holds, for each check, a case that it must find and one close to
// it that it must leave alone.
var checkCases = []struct {
	id                 string
	positive, nearMiss func() trial
}{
	{"alert-lost", plain(MustFire, outcome.Fired, outcome.Silent), plain(MustFire, outcome.Fired, outcome.Pending)},
	{"match-lost", query(outcome.Matched, outcome.None), flaky},
	{"alert-false", plain(MustStaySilent, outcome.Silent, outcome.Fired), plain(MustStaySilent, outcome.Fired, outcome.Fired)},
	{"alert-persists", plain(MustClear, outcome.Fired, outcome.Fired), plain(MustClear, outcome.Silent, outcome.Fired)},
	{"corpus-incomplete", nil, nil}, // TestCorpusIncomplete
	{"alert-never-fired", plain(MustFire, outcome.Silent, outcome.Silent), plain(ExpectNone, outcome.Silent, outcome.Silent)},
	{"alert-not-reproduced", plain(MustClear, outcome.Silent, outcome.Silent), plain(MustClear, outcome.Fired, outcome.Silent)},
	{"alert-flaky", repeated(outcome.Fired, outcome.Silent), repeated(outcome.Fired, outcome.Pending)},
	{"window-too-short", plain(MustFire, outcome.Fired, outcome.Pending), plain(MustFire, outcome.Fired, outcome.Silent)},
	{"not-evaluated", plain(MustFire, outcome.NotEvaluated, outcome.Fired), plain(MustFire, outcome.Silent, outcome.Fired)},
	{"alert-noisy", plain(MustStaySilent, outcome.Fired, outcome.Fired), plain(ExpectNone, outcome.Fired, outcome.Fired)},
	{"alert-gained", plain(ExpectNone, outcome.Silent, outcome.Fired), plain(MustStaySilent, outcome.Silent, outcome.Fired)},
	{"alert-quietened", plain(MustStaySilent, outcome.Fired, outcome.Silent), plain(ExpectNone, outcome.Fired, outcome.Silent)},
	{"alert-cleared", plain(MustClear, outcome.Fired, outcome.Silent), plain(MustClear, outcome.Silent, outcome.Silent)},
	{"match-gained", query(outcome.None, outcome.Matched), query(outcome.Matched, outcome.Matched)},
	{"match-flaky", flaky, query(outcome.Matched, outcome.None)},
	// Deployed fires 60 s after the first record; 90 s would be late.
	{"alert-late", firesAt(91), firesAt(90)},
	{"alert-labels-lost", relabelled(logs.Label{Name: "severity", Value: "page"}), relabelled(
		logs.Label{Name: "severity", Value: "page"}, logs.Label{Name: "queue", Value: "another"})},
	{"notification-context-lost", annotated("<no value> dispatched"), annotated("b dispatched")},
	// Threshold 10, deployed at 30.
	{"headroom-shrunk", headroom(12.5), headroom(12.6)},
	{"frequency-changed", lines(126), lines(125)},
	{"labels-lost", answers("cluster"), answers("cluster", "queue")},
	{"suppression-expired", nil, nil}, // TestSuppress_Ends
	{"suppression-unused", nil, nil},
	{"metric-lost", metricsOf("other_total", "counter", "queue", "a"), metricsOf("pending_total", "", "", "")},
	{"metric-type-changed", metricsOf("pending_total", "gauge", "queue", "a"), metricsOf("pending_total", "", "queue", "a")},
	{"message-removed", becomes(said("Quota is used up", 30)), becomes(said("Quota is used up", 2))},
	{"message-added", becomes(nil, said("Quota is used up", 30)), becomes(nil, said("Quota is used up", 2))},
	{"message-reworded", becomes(said("Successfully loaded settings", 9), said("Settings loaded", 9)), becomes(said("Link to site opened", 9), said("Link to site closed", 9))},
	{"message-moved-to-field", becomes(said("Volume <*> was attached", 9), said("Event", 9, "note", "Volume <*> was attached")), becomes(said("Volume <*> was attached", 9), said("Event", 9, "note", "Backup of <*> is done"))},
	{"message-moved", becomesFact("Volume is not bound to a claim"), becomesFact("Volume was resized")},
	{"granularity-changed", becomes(said("Device allocated and attached to pod", 9), said("Device allocated", 9), said("Device attached to pod", 9)), becomes(said("Device allocated and attached to pod", 9), said("Device allocated", 9), said("Quota of queue is used up", 9))},
	{"level-changed", becomes(said("Disk is almost full", 9), at("warn", 0, said("Disk is almost full", 9))), becomes(said("Disk is almost full", 9), said("Disk is almost full", 90))},
	{"verbosity-hidden", becomes(at("debug", 4, append(said("Disk probed", 9), said("Fan checked", 9)...))), becomes(at("debug", 4, said("Disk probed", 9)))},
	{"field-lost", becomes(said("Link is up", 9, "nic", "eth0"), said("Link is up", 9)), becomes(said("Link is up", 9, "nic", "eth0"), said("Link is up", 1), said("Link is up", 8, "nic", "eth1"))},
	{"field-renamed", becomes(said("Link is up", 9, "nic", "eth0"), said("Link is up", 9, "device", "eth0")), becomes(said("Link is up", 9, "nic", "eth0"), said("Link is up", 9, "driver", "ixgbe"))},
	{"field-type-changed", becomes(said("Link is up", 9, "speed", "10000"), retyped(said("Link is up", 9, "speed", "10000"), "number")), becomes(said("Link is up", 9, "speed", "10000"), retyped(said("Link is up", 9, "speed", "10000"), "null", "string"))},
	{"encoding-changed", becomes(said("Link is up", 9), encoded(outcome.Console, said("Link is up", 9))), becomes(said("Link is up", 9), append(encoded(outcome.Console, said("Link is up", 9)), said("Link is up", 9)...))},
	{"unparseable-grew", unparseable(0, 40), unparseable(30, 40)},
	{"metric-label-lost", metricsOf("pending_total", "counter", "queue", "b"), metricsOf("pending_total", "counter", "queue", "a")},
	{"correlation-lost", nil, nil}, // TestCorrelationLost
	{"sensitive-data", annotated("see https://bot:hunter22@wiki.example/x"), annotated("see https://bot@wiki.example/password")},
	{"recovery-failed", caseOf(docked, raw(2, `{"status":{"dock":""}}`)), caseOf(docked, raw(2, `{"status":{"dock":"west"}}`))},
	{"budget-exceeded", caseOf(inTime, delay(32)), caseOf(inTime, delay(31))},
	{"duplicate-execution", caseOf(once, act(12, "sensor", "docked", "r1")), caseOf(once, act(12, "sensor", "docked", "r2"))},
	{"stale-entry", caseOf(noStale, raw(3, `{"data":{"r1":"east","r7":"x"}}`)), caseOf(noStale, raw(3, `{"data":{}}`))},
	{"manual-intervention", caseOf(byHand, act(12, "operator", "push", "r1")), caseOf(byHand, act(12, "script", "push", "r1"))},
	{"recovery-slower", crossings(15, 26), crossings(30, 41)},
	{"confounder", flagged(5, 15, "--wind=low", "--wind=high"), flagged(5, 5, "--wind=low", "--wind=high")},
	{"clock-skew", skewed(5), skewed(1)},
	{"panic-new", panicking(nil, crash), panicking(recovered, crash)},
	{"panic-persists", panicking(recovered, crash), panicking(recovered, elsewhere)},
	{"panic-fixed", panicking(recovered, nil), panicking(recovered, crash)},
	{"panic-unseen", panicking(recovered, nil), quiet(seen(panicking(recovered, nil)))},
	{"panic-not-reproduced", mustClear(panicking(nil, nil)), mustClear(panicking(recovered, nil))},
	{"restart", caseOf(calm, act(12, "sensor", "restart", "controller")), caseOf(calm, act(12, "sensor", "restarted-belt", "r1"))},
}

func plain(expect Expect, d, c outcome.State) func() trial {
	return func() trial {
		return trial{rule: alertRule(), expect: expect, deployed: states(d), candidate: states(c)}
	}
}

func query(d, c outcome.State) func() trial {
	return func() trial { return trial{rule: queryRule(), deployed: states(d), candidate: states(c)} }
}

func flaky() trial {
	return trial{
		rule:     queryRule(),
		deployed: states(outcome.Matched, outcome.Matched), candidate: states(outcome.None, outcome.Matched),
	}
}

// repeated fires in every repetition on deployed, and as given on candidate.
func repeated(c ...outcome.State) func() trial {
	return func() trial {
		return trial{rule: alertRule(), expect: MustFire, deployed: states(outcome.Fired, outcome.Fired), candidate: states(c...)}
	}
}

// bothFire is a rule that must fire and does on both builds, the candidate's
// outcome changed.
func bothFire(change func(*outcome.Outcome)) func() trial {
	return func() trial {
		tr := trial{rule: alertRule(), expect: MustFire, deployed: states(outcome.Fired), candidate: states(outcome.Fired)}
		for _, o := range []*outcome.Outcome{&tr.deployed[0], &tr.candidate[0]} {
			o.Alerts = []outcome.Alert{{
				Labels:      logs.New(logs.Label{Name: "queue", Value: "a"}, logs.Label{Name: "severity", Value: "page"}),
				Annotations: logs.New(logs.Label{Name: "summary", Value: "a dispatched"}),
			}}
			o.Headroom = &outcome.Headroom{Value: 30, Operator: ">", Threshold: 10}
		}
		change(&tr.candidate[0])
		return tr
	}
}

func firesAt(seconds int64) func() trial {
	return bothFire(func(o *outcome.Outcome) { o.Firing[0].From = start + seconds*second })
}

func relabelled(ls ...logs.Label) func() trial {
	return bothFire(func(o *outcome.Outcome) { o.Alerts[0].Labels = logs.New(ls...) })
}

func annotated(text string) func() trial {
	return bothFire(func(o *outcome.Outcome) {
		o.Alerts[0].Annotations = logs.New(logs.Label{Name: "summary", Value: text})
	})
}

func headroom(value float64) func() trial {
	return bothFire(func(o *outcome.Outcome) { o.Headroom.Value = value })
}

func lines(n int64) func() trial {
	return func() trial {
		tr := query(outcome.Matched, outcome.Matched)()
		tr.candidate[0].Lines = n
		return tr
	}
}

// answers is a metric query with one series on deployed, which carries queue
// and cluster, and on candidate one series for each label given.
func answers(labels ...string) func() trial {
	return func() trial {
		tr := query(outcome.Matched, outcome.Matched)()
		tr.rule.Kind = rules.Panel
		tr.deployed[0].Result = []outcome.Sample{{Labels: logs.New(
			logs.Label{Name: "queue", Value: "a"}, logs.Label{Name: "cluster", Value: "w"})}}
		for _, l := range labels {
			tr.candidate[0].Result = append(tr.candidate[0].Result, outcome.Sample{Labels: logs.New(logs.Label{Name: l, Value: "a"})})
		}
		return tr
	}
}

// TestChecks holds each check to its table line, its page and its cases.
func TestChecks(t *testing.T) {
	for _, k := range checks {
		if k.ID == "" || k.Doc == "" || k.Severity < Info || k.Severity > Break || k.cell == nil && k.runs == nil && !k.cases {
			t.Errorf("check %q: incomplete", k.ID)
		}
		file := "check_" + strings.ReplaceAll(k.ID, "-", "_") + ".go"
		if _, err := os.Stat(file); err != nil {
			t.Errorf("check %s has no file of its own: %v", k.ID, err)
		}
		page, err := os.ReadFile(filepath.Join("..", "docs", "findings", k.ID+".md"))
		switch {
		case err != nil:
			t.Errorf("check %s has no page: %v", k.ID, err)
		case !strings.HasPrefix(string(page), "# "+k.ID+"\n"), !strings.Contains(string(page), "`"+k.Severity.String()+"`"):
			t.Errorf("docs/findings/%s.md must begin with its ID and name the default severity", k.ID)
		}
		if !slices.ContainsFunc(checkCases, func(c struct {
			id                 string
			positive, nearMiss func() trial
		}) bool {
			return c.id == k.ID
		}) {
			t.Errorf("check %s has no positive and near-miss case", k.ID)
		}
	}
	index, err := os.ReadFile("../docs/findings/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range checks {
		line := "| [" + k.ID + "](" + k.ID + ".md) | `" + k.Severity.String() + "` | " + k.Doc + " |\n"
		if !strings.Contains(string(index), line) {
			t.Errorf("docs/findings/README.md lacks the line %q", line)
		}
	}
	pages, err := filepath.Glob("../docs/findings/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		id := strings.TrimSuffix(filepath.Base(p), ".md")
		if id != "README" && !slices.ContainsFunc(checks, func(k check) bool { return k.ID == id }) {
			t.Errorf("%s describes a finding that no check yields", p)
		}
	}
}

func TestChecks_Cases(t *testing.T) {
	for _, c := range checkCases {
		if c.positive == nil {
			continue // has a test of its own
		}
		if got := ids(c.positive().run()); !contains(got, c.id) {
			t.Errorf("%s: positive case gives %v", c.id, got)
		}
		if got := ids(c.nearMiss().run()); contains(got, c.id) {
			t.Errorf("%s: near miss gives %v", c.id, got)
		}
	}
}

func TestCorpusIncomplete(t *testing.T) {
	in := plain(MustFire, outcome.Fired, outcome.Fired)().input()
	if got := Compare(in); got.Verdict != Pass || len(got.Findings) != 0 {
		t.Errorf("complete runs: %s %v", got.Verdict, ids(got))
	}
	in.Candidate.Runs[0].Incomplete = true
	r := Compare(in)
	if r.Verdict != Fail || !contains(ids(r), "corpus-incomplete") || r.Findings[0].Subject != "candidate" || r.Findings[0].Scenario != "drill" {
		t.Errorf("incomplete run: %s %+v", r.Verdict, r.Findings)
	}
}

// TestFrequencyChanged_NoLines: a rule that yields without a line on candidate
// no longer sees what it was written for.
func TestFrequencyChanged_NoLines(t *testing.T) {
	f := func(expect Expect, rule rules.Rule, s outcome.State, deployed, candidate int64, want string) {
		t.Helper()
		tr := trial{rule: rule, expect: expect, deployed: states(s), candidate: states(s)}
		for o, n := range map[*outcome.Outcome]int64{&tr.deployed[0]: deployed, &tr.candidate[0]: candidate} {
			o.Lines, o.Funnel[1].Lines = n, n
			o.Funnel[1].Start = strings.Index(rule.Expr, "|=")
		}
		got := ""
		for _, f := range tr.run().Findings {
			if f.ID == "frequency-changed" {
				got = f.Message
			}
		}
		if got != want {
			t.Errorf("%s %s, %d and %d lines: %q; want %q", expect, rule.Kind, deployed, candidate, got, want)
		}
	}
	const gone = `still %s on both builds, but without a line on candidate, with 5 on deployed: no line contains "got reservation on" (of 900)`
	for _, e := range []Expect{ExpectNone, MustFire} {
		f(e, alertRule(), outcome.Fired, 5, 0, strings.ReplaceAll(gone, "%s", "fires"))
		f(e, alertRule(), outcome.Fired, 5, 1, "")
		f(e, alertRule(), outcome.Fired, 0, 0, "")
		f(e, alertRule(), outcome.Fired, 0, 5, "")
		f(e, queryRule(), outcome.Matched, 5, 0, strings.ReplaceAll(gone, "%s", "matches"))
	}
	f(MustStaySilent, alertRule(), outcome.Fired, 5, 0, "") // noisy says enough
}

// TestIDs pins the names and default severities of all findings.
func TestIDs(t *testing.T) {
	breaks := strings.Fields("alert-lost match-lost alert-false alert-persists correlation-lost panic-new panic-persists " +
		"recovery-failed budget-exceeded duplicate-execution metric-lost corpus-incomplete")
	infos := strings.Fields("match-gained match-flaky alert-quietened alert-cleared panic-fixed")
	names := strings.Fields(`
		alert-late alert-labels-lost notification-context-lost headroom-shrunk alert-lost alert-gained alert-never-fired
		alert-false alert-noisy alert-cleared alert-persists alert-not-reproduced alert-quietened frequency-changed
		labels-lost match-lost match-gained
		message-removed message-added message-reworded message-moved-to-field message-moved granularity-changed
		level-changed verbosity-hidden encoding-changed unparseable-grew field-lost field-renamed field-type-changed
		correlation-lost metric-lost metric-type-changed metric-label-lost panic-new panic-persists panic-fixed
		panic-not-reproduced panic-unseen restart recovery-slower recovery-failed budget-exceeded duplicate-execution
		stale-entry manual-intervention clock-skew confounder receiver-lost grouping-changed sensitive-data
		uncovered-error alert-flaky match-flaky window-too-short suppression-unused suppression-expired not-evaluated
		corpus-incomplete`)
	slices.Sort(names)
	if got := FindingIDs(); !slices.Equal(got, names) {
		t.Errorf("FindingIDs() = %v; want %v", got, names)
	}
	for _, id := range IDs() {
		want := Warn
		if contains(breaks, id.Name) {
			want = Break
		} else if contains(infos, id.Name) {
			want = Info
		}
		if id.Severity != want {
			t.Errorf("%s is %s by default; want %s", id.Name, id.Severity, want)
		}
		if id.Implemented != (id.Doc != "") {
			t.Errorf("%s: implemented %v, doc %q", id.Name, id.Implemented, id.Doc)
		}
	}
}
