package analyzer

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// wrote makes a catalogue of one record a line.
func wrote(lines ...string) []outcome.Message {
	var out []outcome.Message
	for _, l := range lines {
		out = append(out, outcome.Message{Text: strings.Join(words(l), " "), Level: "info", Count: 5, First: outcome.Evidence{
			Stream: logs.New(logs.Label{Name: "app", Value: "kueue"}), Time: start, Line: l,
		}})
	}
	return out
}

// others are records that have little to do with the ones in question.
var others = []string{
	`{"level":"info","msg":"Starting EventSource","source":"kind source: *v1.Workload"}`,
	`{"level":"info","msg":"Quota reserved in ClusterQueue gpu-queue, wait time since queued was 2s"}`,
	`{"level":"error","msg":"Reconciler error","error":"the object has been modified; please apply your changes to the latest version"}`,
	`{"level":"info","msg":"Workload is orphaned; finishing to release quota"}`,
	`{"level":"info","msg":"Configuration loaded"}`,
}

// lostTo is a query that loses its line to what the candidate writes.
func lostTo(expr, line string, candidate ...string) *Finding {
	tr := trial{rule: queryRule(), deployed: states(outcome.Matched), candidate: states(outcome.None)}
	tr.rule.Expr = expr
	stage := strings.Index(expr, "} ") + 2
	for _, o := range []*outcome.Outcome{&tr.deployed[0], &tr.candidate[0]} {
		o.Funnel[1].Start, o.Funnel[1].Stage = stage, expr[stage:]
	}
	tr.deployed[0].Evidence[0].Line = line
	tr.messages = wrote(append(candidate, others...)...)
	return &tr.run().Findings[0]
}

func TestNearest(t *testing.T) {
	f := func(expr, line, candidate, wantMessage string, wantDiff ...string) {
		t.Helper()
		got := lostTo(expr, line, candidate)
		if !strings.HasSuffix(got.Message, wantMessage) {
			t.Errorf("%s: message %q; want … %q", expr, got.Message, wantMessage)
		}
		var diffs []string
		for _, n := range got.Nearest {
			diffs = append(diffs, printDiff(n.Diff))
		}
		if strings.Join(diffs, "\n") != strings.Join(wantDiff, "\n") {
			t.Errorf("%s: nearest\n%s\nwant\n%s", expr, strings.Join(diffs, "\n"), strings.Join(wantDiff, "\n"))
		}
	}
	f(`{app="kueue"} |= "got reservation on"`,
		`{"level":"info","logger":"events","msg":"The workload got reservation on \"worker-1\""}`,
		`{"level":"info","logger":"events","msg":"Event occurred","note":"The workload was admitted on \"worker-1\""}`,
		`no line contains "got reservation on" (of 900); nearest: The workload was admitted on "worker-1"`,
		`The workload [-got reservation-]{+was admitted+} on "worker-1"`)
	f(`{app="kueue"} | msg="Job changed queues"`,
		`{"msg":"Job changed queues"}`, `{"msg":"Job changed queue-name"}`,
		`no line has msg="Job changed queues" (of 900); nearest: Job changed queue-name`,
		`Job changed [-queues-]{+queue-name+}`)
	// Console encoder: columns by tab, the fields at the end.
	f(`{app="kueue"} |~ "Job .* queues"`,
		"2026-01-02T03:04:05Z\tINFO\tjob\tJob changed queues\t{\"name\": \"a b\"}",
		"2026-01-02T03:04:05Z\tINFO\tjob\tJob changed queue-name\t{\"name\": \"a b\"}",
		`no line matches "Job .* queues" (of 900); nearest: Job changed queue-name`,
		`Job changed [-queues-]{+queue-name+}`)
	// klog: the message in quotes.
	f(`{app="kueue"} |= "Pod bound to node"`,
		`I0102 03:04:05.123456   12 binder.go:64] "Pod bound to node" pod="a/b-1"`,
		`I0102 03:04:05.123456   12 binder.go:71] "Pod assigned to node" pod="a/b-2"`,
		`no line contains "Pod bound to node" (of 900); nearest: Pod assigned to node`,
		`Pod [-bound-]{+assigned+} to node`)
	// The text is still there, in another field.
	f(`{app="kueue"} | msg=~"Created Workload.*"`,
		`{"msg":"Created Workload: team-a/job-1"}`, `{"msg":"Event occurred","note":"Created Workload: team-a/job-2"}`,
		`(of 900); the text of field msg now stands in note`,
		`Created Workload: team-a/job-[-1-]{+2+}`)
	// The stage that parts says little; what the rule is about comes later.
	f(`{app="kueue"} | level="error" | error=~".*no active clusters"`,
		`{"level":"error","logger":"multikueue workload","msg":"Reconciler error","error":"no active clusters"}`, `{"msg":"Starting workers"}`,
		`no line has level="error" (of 900)`)
	// Nothing alike: nothing is shown.
	f(`{app="kueue"} |= "no active clusters"`,
		`{"level":"error","msg":"Reconciler error","error":"no active clusters"}`, `{"msg":"Starting workers"}`,
		`no line contains "no active clusters" (of 900)`)
	// Words that are common in the candidate do not make lines alike.
	f(`{app="kueue"} |= "Workload evicted"`, `{"msg":"Workload evicted"}`, `{"msg":"Workload finalized"}`,
		`no line contains "Workload evicted" (of 900)`)
}

func printDiff(edits []Edit) string {
	var b strings.Builder
	for _, e := range edits {
		switch e.Op {
		case Keep:
			b.WriteString(e.Text)
		case Delete:
			b.WriteString("[-" + e.Text + "-]")
		case Insert:
			b.WriteString("{+" + e.Text + "+}")
		}
	}
	return b.String()
}

// TestNearest_NotNew: what the deployed build writes as well is no
// replacement for what it writes no more.
func TestNearest_NotNew(t *testing.T) {
	both := `{"msg":"Workload is evicted due to admission checks"}`
	replacement := `{"msg":"Workload is deactivated due to rejected admission checks"}`
	tr := trial{rule: queryRule(), deployed: states(outcome.Matched), candidate: states(outcome.None)}
	tr.deployed[0].Evidence[0].Line = `{"msg":"Workload is evicted due to rejected admission checks"}`
	tr.messages = wrote(append([]string{both, replacement}, others...)...)
	in := tr.input()
	in.Deployed.Runs[0].Messages = wrote(both)
	got := Compare(in).Findings[0]
	if len(got.Nearest) == 0 || got.Nearest[0].Line != replacement {
		t.Errorf("nearest %+v; want %s first", got.Nearest, replacement)
	}
}

// TestNearest_NotSelected: a line in a stream that the rule does not look at
// is named so, and comes after one in a stream that it does.
func TestNearest_NotSelected(t *testing.T) {
	tr := trial{rule: queryRule(), deployed: states(outcome.Matched), candidate: states(outcome.None)}
	tr.rule.Expr = `{app="kueue", cluster=~"manage.*"} |= "got reservation on"`
	tr.messages = wrote(append([]string{
		`{"msg":"The workload was admitted on \"worker-1\""}`, `{"msg":"The workload was dispatched on \"worker-1\""}`,
	}, others...)...)
	tr.messages[0].First.Stream = logs.FromMap(map[string]string{"app": "kueue", "cluster": "management"})
	tr.messages[1].First.Stream = logs.FromMap(map[string]string{"app": "kueue", "cluster": "worker"})
	near := tr.run().Findings[0].Nearest
	selected := map[string]bool{}
	for _, n := range near {
		selected[n.Stream.Get("cluster")] = n.Selected
	}
	if len(near) != 2 || !near[0].Selected || !selected["management"] || selected["worker"] {
		t.Errorf("nearest %+v", near)
	}
}

// TestNothing: the three ways to find nothing are told apart, and so is what
// the highest value was.
func TestNothing(t *testing.T) {
	f := func(change func(*outcome.Outcome), want string) {
		t.Helper()
		tr := plain(MustFire, outcome.Fired, outcome.Silent)()
		change(&tr.candidate[0])
		if got := tr.run().Findings[0].Message; !strings.Contains(got, want) {
			t.Errorf("message %q; want %q in it", got, want)
		}
	}
	f(func(o *outcome.Outcome) {
		o.Nothing = outcome.NoStream
		o.Funnel[0].Streams, o.Funnel[0].Lines = 0, 0
	}, `no stream was selected on candidate by {app="kueue"}`)
	f(func(*outcome.Outcome) {}, `no line contains "got reservation on" (of 900)`)
	f(func(o *outcome.Outcome) {
		o.Nothing, o.Lines, o.Funnel[1].Lines = outcome.BelowThreshold, 7, 7
		o.Headroom = &outcome.Headroom{Value: 7, Operator: ">", Threshold: 20}
	}, `7 lines matched on candidate, but the highest value was 7, not > 20`)
	f(func(o *outcome.Outcome) { o.Funnel, o.Nothing = nil, outcome.NoLine }, "no line matched")
}

// TestNothing_Held: an alert that met its condition, but not for its for, did
// not miss its threshold.
func TestNothing_Held(t *testing.T) {
	f := func(change func(*rules.Rule, *outcome.Outcome), want string) {
		t.Helper()
		tr := plain(MustFire, outcome.Fired, outcome.Silent)()
		tr.rule.For = 4 * time.Minute
		o := &tr.candidate[0]
		o.Nothing, o.Lines, o.Funnel[1].Lines = outcome.Something, 10, 10
		o.Headroom = &outcome.Headroom{Value: 6, Lowest: 1, Operator: ">", Threshold: 2}
		o.Held = &outcome.Interval{From: 0, To: int64(150 * time.Second)}
		change(&tr.rule, o)
		fi := tr.run().Findings[0]
		if fi.Cause != want || len(fi.Nearest) > 0 {
			t.Errorf("cause %q, nearest %v; want %q", fi.Cause, fi.Nearest, want)
		}
	}
	f(func(*rules.Rule, *outcome.Outcome) {},
		"10 lines matched on candidate, but it crossed its threshold for 2m30s at most, and needs for: 4m")
	f(func(_ *rules.Rule, o *outcome.Outcome) { o.Held.To = 0 },
		"10 lines matched on candidate, but it crossed its threshold at single evaluations only, and needs for: 4m")
	f(func(r *rules.Rule, o *outcome.Outcome) { r.For, o.Headroom = time.Hour, nil },
		"10 lines matched on candidate, but its condition was met for 2m30s at most, and needs for: 1h")
	f(func(_ *rules.Rule, o *outcome.Outcome) { o.Lines = 0 },
		"it crossed its threshold on candidate for 2m30s at most, and needs for: 4m")
	f(func(r *rules.Rule, _ *outcome.Outcome) { r.Grafana = &rules.GrafanaChain{} },
		"10 lines matched on candidate, but its condition was met for 2m30s at most, and needs for: 4m")
}

// TestFellShort: no operator is told a value that crosses it.
func TestFellShort(t *testing.T) {
	f := func(lowest, highest float64, op string, bound float64, want string) {
		t.Helper()
		if got := fellShort(&outcome.Headroom{Value: highest, Lowest: lowest, Operator: op, Threshold: bound}); got != want {
			t.Errorf("%v…%v %s %v: %q; want %q", lowest, highest, op, bound, got, want)
		}
	}
	f(1, 7, ">", 20, "the highest value was 7, not > 20")
	f(1, 7, ">=", 8, "the highest value was 7, not >= 8")
	f(1, 7, "<", 1, "the lowest value was 1, not < 1")
	f(3, 7, "<=", 2, "the lowest value was 3, not <= 2")
	f(1, 7, "==", 0, "no value was == 0")
	f(2, 2, "!=", 2, "no value was != 2")
	f(1, 7, ">", 2, "no series crossed the threshold")
	f(1, 7, "<", 2, "no series crossed the threshold")
	f(math.NaN(), math.NaN(), ">", 2, "no series crossed the threshold")
}

// TestNothing_Threshold: only a rule that compares has a threshold.
func TestNothing_Threshold(t *testing.T) {
	f := func(expr, want string) {
		t.Helper()
		tr := plain(MustFire, outcome.Fired, outcome.Silent)()
		tr.rule.Expr = expr
		o := &tr.candidate[0]
		o.Nothing, o.Lines, o.Funnel[1].Lines = outcome.BelowThreshold, 7, 7
		if got := tr.run().Findings[0].Cause; got != "7 lines matched on candidate, but "+want {
			t.Errorf("%s: cause %q; want … but %q", expr, got, want)
		}
	}
	const a, b = `sum(rate({app="a"}[1m]))`, `sum(rate({app="b"}[1m]))`
	f(a+" > 5", "no series crossed the threshold")
	f("5 < "+a, "no series crossed the threshold")
	f("("+a+" / "+b+") > 2 * 3", "no series crossed the threshold")
	f(a+" > "+b, "the comparison > holds for no series, or one of its sides is empty")
	f(a+" / "+b, "the query yields no series: one side of / may be empty, or no labels agree")
	f(a+" > 1 and "+b+" > 1", "the query yields no series: one side of and may be empty, or no labels agree")
	f(a+" > bool "+b, "the query yields no series: one side of > may be empty, or no labels agree")
	f(a, "the query yields no series")
	f("not a query", "no series was left")
}

// TestParting: the finding points at the stage where the builds part, not at
// the rule.
func TestParting(t *testing.T) {
	type counts = []int64
	f := func(d, c counts, want int) {
		t.Helper()
		k := cell{rule: &rules.Rule{}}
		for _, h := range []struct {
			half  *half
			lines counts
		}{{&k.deployed, d}, {&k.candidate, c}} {
			o := &outcome.Outcome{}
			for _, n := range h.lines {
				o.Funnel = append(o.Funnel, outcome.Step{Lines: n})
			}
			h.half.outcomes = []*outcome.Outcome{o}
		}
		got := -1
		if p := k.parting(); p != nil {
			got = p.Step
		}
		if got != want {
			t.Errorf("parting of %v and %v is %d; want %d", d, c, got, want)
		}
	}
	f(counts{900, 42}, counts{800, 0}, 1)
	f(counts{900, 500, 42}, counts{800, 400, 0}, 2)
	f(counts{900, 500, 42}, counts{0, 0, 0}, 0)
	f(counts{900, 0, 0}, counts{800, 12, 12}, 1)
	f(counts{900, 450, 90}, counts{900, 400, 10}, 2)
	f(counts{900, 450, 90}, counts{900, 440, 80}, -1)
	f(counts{900}, counts{900, 1}, -1)
	f(nil, nil, -1)
}

// TestStageInWords: every kind of stage has words.
func TestStageInWords(t *testing.T) {
	f := func(stage, want string) {
		t.Helper()
		got := lostTo(`{app="kueue"} `+stage, "x")
		if !strings.Contains(got.Message, ": "+want+" (of 900)") {
			t.Errorf("%s: message %q; want %q in it", stage, got.Message, want)
		}
	}
	f(`|= "a"`, `no line contains "a"`)
	f(`|= "a" or "b"`, `no line contains "a" or "b"`)
	f(`!= "a"`, `every line contains "a"`)
	f(`|~ "a.b"`, `no line matches "a.b"`)
	f(`|> "<_> a"`, `no line fits the pattern "<_> a"`)
	f(`|= ip("10.0.0.0/8")`, `no line contains an address in "10.0.0.0/8"`)
	f(`| level="error"`, `no line has level="error"`)
	f(`| level=~"err.*"`, `no line has level matching "err.*"`)
	f(`| object_uid!=""`, `no line has the field object_uid`)
	f(`| size > 5`, `no line has size > 5`)
	f(`| json`, `no line passes | json`)
}
