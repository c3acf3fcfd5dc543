package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/internal/source"
	"github.com/stillfires/stillfires/rules"
)

// fixtures are the reports behind the golden files.
var fixtures = []struct {
	name    string
	report  func() *analyzer.Report
	options Options
	only    string // format with a golden file; empty: each
}{
	{"upgrade", func() *analyzer.Report { return mended(analyzer.Compare(upgrade())) }, Options{Width: 100}, ""},
	{"upgrade-color", func() *analyzer.Report { return mended(analyzer.Compare(upgrade())) }, Options{Width: 80, Color: true}, "terminal"},
	{"hostile", func() *analyzer.Report { return mended(analyzer.Compare(hostile())) }, Options{Width: 80}, ""},
	{"many", func() *analyzer.Report { return analyzer.Compare(many(300)) }, Options{Width: 100}, "terminal"},
	{"pass", func() *analyzer.Report { return analyzer.Compare(passing()) }, Options{}, ""},
	{"accepted", func() *analyzer.Report { return analyzer.Compare(accepting()) }, Options{Width: 100}, ""},
	{"cases", func() *analyzer.Report { return analyzer.Compare(drilled()) }, Options{Width: 100}, ""},
	{"timelines", func() *analyzer.Report { return analyzer.Compare(recovering()) }, Options{Width: 100, Pictures: []string{"../pictures/recovery-cut (1).svg"}}, ""},
	{"recoveries", func() *analyzer.Report { return analyzer.Compare(demanding()) }, Options{Width: 100}, ""},
	{"panics", func() *analyzer.Report { return analyzer.Compare(panicked()) }, Options{Width: 100}, ""},
	{"rewritten", func() *analyzer.Report { return analyzer.Compare(rewritten()) }, Options{Width: 100}, ""},
	{"empty", func() *analyzer.Report { return analyzer.Compare(analyzer.Input{}) }, Options{Width: 60}, ""},
}

// mended puts repairs into a report, as trying them does: one for each rule
// that looks for a wording, with a diff where its file is YAML.
func mended(r *analyzer.Report) *analyzer.Report {
	for i := range r.Findings {
		f := &r.Findings[i]
		const lost, found = `|= "got reservation on"`, `|= "got reservation on" or "was admitted on"`
		switch {
		case f.ID != "alert-lost" && f.ID != "match-lost":
			continue
		case f.Rule.Name == "ErrorBurst":
			f.Repair = &analyzer.Repair{Missing: "its lines are still there, but too few"}
			continue
		}
		f.Repair = &analyzer.Repair{
			Expr: strings.Replace(f.Rule.Expr, lost, found, 1), Kind: "wording",
			Proof: []analyzer.Proof{
				{Scenario: f.Scenario, Role: "deployed", Repetition: 1, State: outcome.Fired, Lines: 42, Before: 42},
				{Scenario: f.Scenario, Role: "candidate", Repetition: 1, State: outcome.Fired, Lines: 59},
				{Scenario: "negative", Role: "deployed", Repetition: 1, State: outcome.Silent},
				{Scenario: "negative", Role: "candidate", Repetition: 1, State: outcome.Silent},
			},
			Others: []analyzer.OtherRepair{{Expr: `{app="kueue"} |~ "got reservation on|was admitted on"`, Kind: "wording"}},
		}
		if f.Rule.Kind == rules.Alert {
			f.Repair.Diff = "--- a/" + f.Rule.Pos.File + "\n+++ b/" + f.Rule.Pos.File + "\n@@ -8 +8 @@\n-        expr: " + f.Rule.Expr + "\n+        expr: " + f.Repair.Expr + "\n"
			r.Patch += f.Repair.Diff
		} else {
			f.Repair.NoDiff = "the expression does not stand in the file as it is evaluated"
		}
	}
	return r
}

const (
	second = int64(1e9)
	// start is 2026-01-02T03:04:00Z.
	start = 1767323040 * second
)

// An input under construction: rules are added with what they did.
type input struct {
	analyzer.Input
	expect map[string]analyzer.Expect // by rule/scenario
}

func newInput(scenarios ...string) *input {
	in := &input{expect: map[string]analyzer.Expect{}}
	in.Scenarios = scenarios
	in.Deployed = analyzer.Side{Build: "deployed", Version: "v0.17.0", Commit: "4d5f7ffc", Component: "kueue"}
	in.Candidate = analyzer.Side{Build: "candidate", Version: "v0.20.0-devel-377", Commit: "ff69552e", Component: "kueue"}
	for _, side := range []*analyzer.Side{&in.Deployed, &in.Candidate} {
		for _, sc := range scenarios {
			side.Runs = append(side.Runs, outcome.Run{
				Build: side.Build, Scenario: sc, Repetition: 1,
				Start: start, End: start + 300*second, Step: 5 * second, First: start, Last: start + 299*second,
				Streams: 2, Records: 2400, Repeats: 3,
			})
		}
	}
	in.Expect = func(i int, scenario string) analyzer.Expect {
		return in.expect[in.Rules[i].Name+"/"+scenario]
	}
	return in
}

// add appends a rule and what it did in each scenario, deployed before
// candidate.
func (in *input) add(r rules.Rule, did ...[2]outcome.Outcome) {
	r.Pos.Line += 10 * len(in.Rules)
	in.Rules = append(in.Rules, r)
	for i := range in.Scenarios {
		d, c := &in.Deployed.Runs[i], &in.Candidate.Runs[i]
		d.Outcomes = append(d.Outcomes, did[i][0])
		c.Outcomes = append(c.Outcomes, did[i][1])
	}
}

func alert(name, expr string) rules.Rule {
	return rules.Rule{
		Kind: rules.Alert, Name: name, Group: "kueue-multikueue", Language: rules.LogQL, Expr: expr,
		Pos: source.Position{File: "rules/kueue-multikueue.rules.yaml", Line: 8, Column: 17}, Interval: 5e9,
	}
}

const (
	dispatched = `sum(count_over_time({app="kueue",cluster="management"} |= "got reservation on" [1m])) > 0`
	selector   = `{app="kueue", cluster="management"}`
)

// funnel returns the stages of a rule with one line filter.
func funnel(stage string, at int, all, left int64) []outcome.Step {
	return []outcome.Step{
		{Stage: selector, Start: 20, Lines: all, Streams: 1},
		{Stage: stage, Start: at, End: at + len(stage), Lines: left},
	}
}

func evidence(at int64, line string) outcome.Evidence {
	return outcome.Evidence{
		Stream: logs.FromMap(map[string]string{"app": "kueue", "cluster": "management"}),
		Time:   start + at*second, Line: line,
	}
}

func fired(n int64, line string) outcome.Outcome {
	peak := float64(n)
	return outcome.Outcome{
		State: outcome.Fired, Lines: n, Series: 1, Peak: &peak, Points: 13,
		Headroom: &outcome.Headroom{Value: peak, Operator: ">", Threshold: 0},
		Firing:   []outcome.Interval{{From: start + 65*second, To: start + 125*second}},
		Funnel:   funnel(`|= "got reservation on"`, strings.Index(dispatched, "|="), 2400, n),
		Evidence: []outcome.Evidence{evidence(61, line)},
	}
}

func silent() outcome.Outcome {
	return outcome.Outcome{
		State: outcome.Silent, Nothing: outcome.NoLine,
		Funnel: funnel(`|= "got reservation on"`, strings.Index(dispatched, "|="), 1204, 0),
	}
}

const (
	reservation = `{"level":"debug","ts":"2026-01-02T03:05:01.5Z","logger":"events","caller":"recorder/recorder.go:104","msg":"The workload got reservation on \"worker-1\"","type":"Normal","object":{"kind":"Workload","namespace":"team-a","name":"job-train-0-d86da"},"reason":"MultiKueue"}`
	admitted    = `{"level":"debug","ts":"2026-01-02T03:05:01.5Z","logger":"events","caller":"events/event_broadcaster.go:338","msg":"Event occurred","object":{"name":"job-train-0-d86da","namespace":"team-a"},"kind":"Workload","type":"Normal","reason":"MultiKueue","action":"MultiKueue","note":"The workload was admitted on \"worker-1\""}`
	quota       = `{"level":"debug","ts":"2026-01-02T03:05:00.5Z","logger":"events","msg":"Event occurred","kind":"Workload","reason":"QuotaReserved","note":"Quota reserved in ClusterQueue gpu-queue, wait time since queued was 2s"}`
	orphaned    = `{"level":"info","ts":"2026-01-02T03:06:00Z","logger":"job","msg":"Workload is orphaned; finishing to release quota","name":"job-train-0-d86da"}`
	suspended   = `{"level":"Level(-3)","ts":"2026-01-02T03:06:00Z","logger":"workload-reconciler","msg":"Workload update event","name":"job-train-0-d86da"}`
)

func catalogue(lines ...string) []outcome.Message {
	var out []outcome.Message
	for i, l := range lines {
		out = append(out, outcome.Message{Text: fmt.Sprint("kind ", i), Level: "debug", Count: int64(59 - i), First: evidence(61, l)})
	}
	return out
}

// upgrade is a review as the recorded corpora give it: a reworded event, a
// new line that reads like a fault, rules that prove nothing.
func upgrade() analyzer.Input {
	in := newInput("ordinary-reconnect", "delayed-canary")
	for i := range in.Candidate.Runs {
		in.Candidate.Runs[i].Messages = catalogue(admitted, quota, orphaned, suspended)
	}
	lost := [2]outcome.Outcome{fired(42, reservation), silent()}
	in.add(alert("DispatchConfirmed", dispatched), lost, lost)
	in.expect["DispatchConfirmed/ordinary-reconnect"] = analyzer.MustFire

	twin := alert("DispatchConfirmedLines", `{app="kueue",cluster="management"} |= "got reservation on"`)
	twin.Kind, twin.Group = rules.Query, ""
	matched, none := fired(42, reservation), silent()
	matched.State, matched.Firing, none.State = outcome.Matched, nil, outcome.None
	for _, o := range []*outcome.Outcome{&matched, &none} {
		o.Funnel[1].Start = strings.Index(twin.Expr, "|=")
	}
	in.add(twin, [2]outcome.Outcome{matched, none}, [2]outcome.Outcome{matched, none})

	false1 := [2]outcome.Outcome{silent(), fired(12, orphaned)}
	orphan := alert("OrphanedWorkload", `count_over_time({app="kueue"} |= "orphaned" [1m]) > 0`)
	for _, o := range []*outcome.Outcome{&false1[0], &false1[1]} {
		o.Funnel[1].Stage, o.Funnel[1].Start = `|= "orphaned"`, strings.Index(orphan.Expr, "|=")
	}
	in.add(orphan, false1, [2]outcome.Outcome{silent(), silent()})
	in.expect["OrphanedWorkload/ordinary-reconnect"] = analyzer.MustStaySilent

	below := silent()
	below.Nothing, below.Lines = outcome.BelowThreshold, 7
	below.Headroom = &outcome.Headroom{Value: 7, Operator: ">", Threshold: 20}
	in.add(alert("ErrorBurst", `sum(count_over_time({app="kueue"} | json | level="error" [1m])) > 20`),
		[2]outcome.Outcome{silent(), below}, [2]outcome.Outcome{silent(), below})
	in.expect["ErrorBurst/delayed-canary"] = analyzer.MustFire

	pending := silent()
	pending.State = outcome.Pending
	held := alert("WorkerUnreachableLong", dispatched)
	held.For = 5 * 60e9
	in.add(held, [2]outcome.Outcome{pending, pending}, [2]outcome.Outcome{fired(3, orphaned), fired(3, orphaned)})
	in.expect["WorkerUnreachableLong/delayed-canary"] = analyzer.MustStaySilent

	cannot := outcome.Outcome{State: outcome.NotEvaluated, Reason: "1:1: approx_topk is probabilistic: its answer cannot be reproduced"}
	panel := alert("Top queues", `approx_topk(3, sum by (queue) (rate({app="kueue"} [1m])))`)
	panel.Kind, panel.Group = rules.Panel, ""
	in.add(panel, [2]outcome.Outcome{cannot, cannot}, [2]outcome.Outcome{cannot, cannot})
	in.Notes = []string{"detected_level is added for the rules that name it, as Loki 3 does at ingest"}
	in.Problems = []*source.Error{{
		Pos: source.Position{File: "rules/broken.yaml", Line: 7, Column: 27},
		Msg: "unexpected }", Hint: "close the selector before the pipeline",
		Show: source.Caret("      expr: '{app=\"kueue\" |= \"x\"}'", 26, 27),
	}}
	in.Unmatched = []analyzer.Unmatched{{Scenario: "ordinary-reconnect", Rule: "WorkerGone", Expect: analyzer.MustFire}}
	return in.Input
}

// hostile is full of text that means something to a terminal, to Markdown, to
// HTML and to GitHub.
func hostile() analyzer.Input {
	nasty := "\x1b]0;owned\a\x1b[31mred\x1b[0m \u202egnp.exe\u202c \xff\xfe <script>alert(1)</script> | a | `code` ``` **b** [x](http://evil.example) www.evil.example @admin #12 \u200b\u2066x\u2069 \r\nFAIL\x00 &lt; $x$ <!-- --> got reservation on"
	in := newInput("drill | <b>x</b> `y`")
	in.Candidate.Version = "v2\x1b[2J|<i>"
	in.Candidate.Runs[0].Messages = catalogue(strings.ReplaceAll(nasty, "got reservation", "was\x1b[1A admitted"))
	r := alert("Na\x1b[31mme | <img src=x onerror=alert(1)> `` [l](javascript:x)", `{app="kueue"} |= "got reservation on"`)
	r.Kind = rules.Query
	r.Pos.File = "rules/\u202e|`evil`.yaml"
	d := fired(1, nasty)
	d.State, d.Firing = outcome.Matched, nil
	d.Evidence[0].Stream = logs.New(logs.Label{Name: "app", Value: "<b>\x1b[31m`|"})
	c := silent()
	c.State = outcome.None
	for _, o := range []*outcome.Outcome{&d, &c} {
		o.Funnel[1].Start = strings.Index(r.Expr, "|=")
		o.Funnel[1].Stage = nasty
	}
	in.add(r, [2]outcome.Outcome{d, c})
	in.Notes = []string{nasty}
	in.Problems = []*source.Error{{Pos: source.Position{File: "a|<b>.yaml", Line: 1}, Msg: nasty, Show: source.Caret(nasty, 150, 160)}}
	return in.Input
}

// many is a review with far more broken rules than a screen holds.
func many(n int) analyzer.Input {
	in := newInput("a", "b", "c")
	for i := range n {
		expr := strings.ReplaceAll(dispatched, "got reservation on", fmt.Sprintf("reason %d", i%60))
		row := [2]outcome.Outcome{fired(int64(i+1), reservation), silent()}
		for j := range row {
			row[j].Funnel[1].Stage = fmt.Sprintf("|= %q", fmt.Sprintf("reason %d", i%60))
		}
		row[0].Evidence[0].Line = fmt.Sprintf(`{"msg":"It failed","because":"reason %d"}`, i%60)
		in.add(alert(fmt.Sprintf("Rule%03d", i), expr), row, row, row)
	}
	return in.Input
}

// accepting is the upgrade with one finding accepted of two that a rule has in
// two scenarios, one accepted too long ago, and an entry that fits nothing.
func accepting() analyzer.Input {
	in := upgrade()
	in.Problems, in.Unmatched, in.Notes = nil, nil, nil
	in.Now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	day := func(month time.Month) time.Time { return time.Date(2026, month, 30, 0, 0, 0, 0, time.UTC) }
	add := func(line int, print, reason string, until time.Time) {
		in.Suppressions = append(in.Suppressions, analyzer.Suppression{
			Fingerprint: print, Reason: reason, Owner: "team <b>queues</b>", Expires: until,
			Pos: source.Position{File: "stillfires.yaml", Line: line, Column: 3},
		})
	}
	for _, f := range analyzer.Compare(in).Findings {
		switch {
		case f.ID == "alert-lost" && f.Scenario == "ordinary-reconnect":
			add(4, f.Fingerprint, "the dashboard replaces it | see \x1b[31mCHG-1", day(time.November))
		case f.ID == "alert-false":
			add(9, f.Fingerprint, "a false alarm at night was agreed", day(time.October))
		case f.ID == "not-evaluated":
			add(14, f.Fingerprint, "the panel is for show", day(time.December))
		}
	}
	add(19, strings.Repeat("0", 32), "was mended since", day(time.December))
	return in
}

// passing is the best that can happen.
func passing() analyzer.Input {
	in := newInput("drill")
	in.add(alert("DispatchConfirmed", dispatched), [2]outcome.Outcome{fired(42, reservation), fired(40, reservation)})
	in.expect["DispatchConfirmed/drill"] = analyzer.MustFire
	return in.Input
}
