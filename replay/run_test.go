package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/outcome"
	"github.com/stillfires/stillfires/rules"
)

// memory is a run of one stream held in memory.
type memory struct {
	entries []logs.Entry
	i       int
}

func (m *memory) Scan() bool         { m.i++; return m.i <= len(m.entries) }
func (m *memory) Stream() int        { return 0 }
func (m *memory) Entry() *logs.Entry { return &m.entries[m.i-1] }
func (m *memory) Err() error         { return nil }

// record makes a run of lines "SECONDS text".
func record(t testing.TB, lines ...string) *Source {
	t.Helper()
	m := &memory{}
	for _, l := range lines {
		at, text, _ := strings.Cut(l, " ")
		d, err := time.ParseDuration(at + "s")
		if err != nil {
			t.Fatal(err)
		}
		m.entries = append(m.entries, logs.Entry{Time: int64(d), Line: []byte(text)})
	}
	return &Source{
		Build: "deployed", Scenario: "drill", Repetition: 1,
		Streams: []logs.Labels{logs.New(logs.Label{Name: "app", Value: "web"})},
		First:   m.entries[0].Time, Last: m.entries[len(m.entries)-1].Time,
		Entries: m,
	}
}

// run replays one rule, every 10 s.
func run(t testing.TB, r rules.Rule, src *Source) Outcome {
	t.Helper()
	if r.Language == 0 {
		r.Language = rules.LogQL
	}
	res, err := NewPlan([]rules.Rule{r}, Options{Interval: 10 * time.Second}).Run(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	return res.Outcomes[0]
}

// firing prints the intervals in seconds: "10-30 50-50".
func firing(o Outcome) string {
	var parts []string
	for _, f := range o.Firing {
		parts = append(parts, fmt.Sprintf("%d-%d", f.From/1e9, f.To/1e9))
	}
	return strings.Join(parts, " ")
}

func TestAlert_States(t *testing.T) {
	const lost = `count_over_time({app="web"} |= "lost" [20s]) > 0`
	lines := []string{"1 start", "15 lost", "18 lost", "75 lost", "101 end"}
	f := func(name string, r rules.Rule, state outcome.State, want string) {
		t.Helper()
		r.Kind, r.Name = rules.Alert, name
		if r.Expr == "" {
			r.Expr = lost
		}
		o := run(t, r, record(t, lines...))
		if o.State != state || firing(o) != want {
			t.Errorf("%s: state %d, firing %q; want %d, %q (%s)", name, o.State, firing(o), state, want, o.Reason)
		}
	}
	f("plain", rules.Rule{}, outcome.Fired, "20-30 80-90")
	f("for 10s", rules.Rule{For: 10 * time.Second}, outcome.Fired, "30-30 90-90")
	f("for 30s", rules.Rule{For: 30 * time.Second}, outcome.Silent, "")
	f("for longer than the window", rules.Rule{For: 10 * time.Minute}, outcome.Pending, "")
	f("keep_firing_for", rules.Rule{KeepFiringFor: 30 * time.Second}, outcome.Fired, "20-60 80-110")
	f("offset of the query", rules.Rule{QueryOffset: 20 * time.Second}, outcome.Fired, "40-50 100-110")
	f("interval of the group", rules.Rule{Interval: 50 * time.Second}, outcome.Silent, "")
	f("no match", rules.Rule{Expr: `count_over_time({app="web"} |= "never" [20s]) > 0`}, outcome.Silent, "")
	f("limit of the group", rules.Rule{Expr: `sum by (w) (count_over_time({app="web"} | pattern "<w>" [90s])) > 0`, Limit: 1}, outcome.NotEvaluated, "")
	f("a log query", rules.Rule{Expr: `{app="web"}`}, outcome.NotEvaluated, "")
	f("PromQL", rules.Rule{Expr: `up == 0`, Language: rules.PromQL}, outcome.NotEvaluated, "")
}

// An alert that is pending at the last evaluation and never fired is pending.
func TestAlert_PendingAtEnd(t *testing.T) {
	r := rules.Rule{Kind: rules.Alert, Name: "x", Expr: `count_over_time({app="web"} |= "lost" [20s]) > 0`, For: 30 * time.Second}
	if o := run(t, r, record(t, "1 start", "95 lost", "101 end")); o.State != outcome.Pending {
		t.Errorf("state %d; want pending", o.State)
	}
}

// TestAlert_Waiting: the stretches in which alerts were pending and none fired;
// one that led to firing ends where that begins.
func TestAlert_Waiting(t *testing.T) {
	lines := []string{"1 start", "15 lost a", "38 lost b", "75 lost a", "85 lost a", "131 end"}
	f := func(expr string, hold time.Duration, want string) {
		t.Helper()
		o := run(t, rules.Rule{Kind: rules.Alert, Name: "x", Expr: expr, For: hold}, record(t, lines...))
		if got := firing(Outcome{Firing: o.Pending}); got != want {
			t.Errorf("for %s: pending %q; want %q (firing %q)", hold, got, want, firing(o))
		}
	}
	const lost = `count_over_time({app="web"} |= "lost" [20s]) > 0`
	f(lost, 0, "")
	f(lost, 10*time.Second, "20-30 80-90")
	f(lost, 20*time.Second, "20-40 80-100")
	f(lost, time.Minute, "20-50 80-100")
	// Of two alerts one fires while the other waits: that is firing.
	f(`sum by (who) (count_over_time({app="web"} | pattern "lost <who>" | who != "" [20s])) > 0`, 10*time.Second, "20-30 40-50 80-90")
}

// TestAlert_Held: of an alert that never fires, the longest stretch that one of
// its alerts was pending; where there is one, something was yielded.
func TestAlert_Held(t *testing.T) {
	lines := []string{"1 start", "15 lost b", "38 lost a", "75 lost a", "85 lost a", "131 end"}
	f := func(expr string, hold time.Duration, want string, nothing outcome.Nothing) {
		t.Helper()
		o := run(t, rules.Rule{Kind: rules.Alert, Name: "x", Expr: expr, For: hold}, record(t, lines...))
		got := "none"
		if o.Held != nil {
			got = fmt.Sprintf("%d-%d", o.Held.From/1e9, o.Held.To/1e9)
		}
		if got != want || o.Nothing != nothing {
			t.Errorf("%s for %s: held %s, nothing %d; want %s, %d (%s)", expr, hold, got, o.Nothing, want, nothing, o.Reason)
		}
	}
	const lost = `count_over_time({app="web"} |= "lost" [20s])`
	f(lost+" > 0", time.Minute, "20-50", outcome.Something)
	f(lost+" > 0", time.Hour, "20-50", outcome.Something) // pending: longer than the run
	f(lost+" > 0", 20*time.Second, "none", outcome.Something)
	f(lost+" > 1", time.Minute, "90-90", outcome.Something)
	f(lost+" > 2", time.Minute, "none", outcome.BelowThreshold)
	f(lost+" > 0", 0, "none", outcome.Something)
	// Two alerts that follow one another are two stretches.
	f(`sum by (w) (count_over_time({app="web"} | pattern "lost <w>" | w != "" [30s])) > 0`, time.Minute, "80-110", outcome.Something)
	f(`sum by (w) (count_over_time({app="web"} | pattern "lost <w>" | w != "" [30s])) > 1`, time.Minute, "90-100", outcome.Something)
	f(`absent_over_time({app="web"} |= "lost" [20s])`, time.Minute, "110-140", outcome.Something)
}

func TestAlert_LabelsAndAnnotations(t *testing.T) {
	o := run(t, rules.Rule{
		Kind: rules.Alert, Name: "Lost",
		Expr:        `sum by (peer) (count_over_time({app="web"} | logfmt | msg="lost" [20s])) > 0`,
		Labels:      map[string]string{"severity": "page"},
		Annotations: map[string]string{"summary": "{{ $labels.peer }} lost {{ $value }} times"},
	}, record(t, "1 msg=start", "15 msg=lost peer=b", "16 msg=lost peer=a", "17 msg=lost peer=a x=2", "21 msg=end"))
	var got []string
	for _, a := range o.Alerts {
		got = append(got, fmt.Sprintf("%v %v %d-%d %v", a.Labels, a.Annotations, a.First/1e9, a.Last/1e9, a.Value))
	}
	want := []string{
		`{alertname="Lost", peer="a", severity="page"} {summary="a lost 2 times"} 20-30 2`,
		`{alertname="Lost", peer="b", severity="page"} {summary="b lost 1 times"} 20-30 1`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
}

func TestHeadroom(t *testing.T) {
	f := func(expr, want string) {
		t.Helper()
		o := run(t, rules.Rule{Kind: rules.Alert, Name: "x", Expr: expr}, record(t, "1 lost", "12 lost now", "22 end"))
		got := "none"
		if h := o.Headroom; h != nil {
			got = fmt.Sprintf("%v…%v %s %v", h.Lowest, h.Value, h.Operator, h.Threshold)
		}
		if got != want {
			t.Errorf("%s: headroom %s; want %s", expr, got, want)
		}
	}
	f(`sum(count_over_time({app="web"} |= "lost" [1m])) > 5`, "1…2 > 5")
	f(`5 < sum(count_over_time({app="web"} |= "lost" [1m]))`, "1…2 > 5")
	f(`sum(count_over_time({app="web"} |= "lost" [1m])) <= 1`, "1…2 <= 1")
	f(`sum(count_over_time({app="web"} |= "never" [1m])) > 5`, "none")
	f(`sum(count_over_time({app="web"} |= "lost" [1m]))`, "none")
	f(`sum(count_over_time({app="web"} |= "lost" [1m])) > bool 5`, "none")
}

func TestNothing(t *testing.T) {
	f := func(expr string, want outcome.Nothing) {
		t.Helper()
		o := run(t, rules.Rule{Kind: rules.Alert, Name: "x", Expr: expr}, record(t, "1 lost", "12 end"))
		if o.Nothing != want {
			t.Errorf("%s: nothing = %d; want %d", expr, o.Nothing, want)
		}
	}
	f(`count_over_time({app="other"} |= "lost" [1m]) > 0`, outcome.NoStream)
	f(`count_over_time({app="web"} |= "never" [1m]) > 0`, outcome.NoLine)
	f(`count_over_time({app="web"} |= "lost" [1m]) > 5`, outcome.BelowThreshold)
	f(`count_over_time({app="web"} |= "lost" [1m]) > 0`, outcome.Something)
	// Of an operation it is the side that lacks the most.
	f(`count_over_time({app="web"} |= "never" [1m]) / count_over_time({app="web"} [1m])`, outcome.NoLine)
	f(`count_over_time({app="web"} [1m]) / count_over_time({app="other"} |= "never" [1m])`, outcome.NoStream)
	f(`(count_over_time({app="web"} [1m]) > 9) unless count_over_time({app="web"} |= "never" [1m])`, outcome.BelowThreshold)
	f(`(count_over_time({app="web"} |= "never" [1m]) or count_over_time({app="web"} [1m])) > 9`, outcome.BelowThreshold)
	f(`absent_over_time({app="web"} |= "lost" [1m])`, outcome.Something)
	f(`vector(0) > 1`, outcome.BelowThreshold)
}

func TestQuery_LinesFunnelAndEvidence(t *testing.T) {
	src := record(t, "1 a=1", "2 a=2", "3 b", "4 a=4", "5 a=5", "6 a=6", "7 a=7", "8 ", "9 b", "9 b")
	o := run(t, rules.Rule{Kind: rules.Query, Name: "q", Expr: `{app="web"} |= "a" | logfmt | a>1`}, src)
	var funnel []string
	for _, s := range o.Funnel {
		funnel = append(funnel, fmt.Sprintf("%s %d", s.Stage, s.Lines))
	}
	want := []string{`{app="web"} 8`, `|= "a" 6`, `| logfmt 6`, `| a > 1 5`}
	if diff := cmp.Diff(want, funnel); diff != "" {
		t.Errorf("funnel (-want +got):\n%s", diff)
	}
	var lines []string
	for _, e := range o.Evidence {
		lines = append(lines, e.Line)
	}
	if diff := cmp.Diff([]string{"a=2", "a=4", "a=5", "a=6", "a=7"}, lines); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	if o.State != outcome.Matched || o.Lines != 5 {
		t.Errorf("state %d, lines %d", o.State, o.Lines)
	}
}

// A run counts what a store would not keep.
func TestRun_Counts(t *testing.T) {
	src := record(t, "1 a", "2 ", "3 b", "3 b", "4 b")
	res, err := NewPlan(nil, Options{}).Run(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if res.Records != 5 || res.Empty != 1 || res.Repeats != 1 {
		t.Errorf("records %d, empty %d, repeats %d; want 5, 1, 1", res.Records, res.Empty, res.Repeats)
	}
}

// The labels that Loki adds at ingest are there for rules that name them, and
// for those alone.
func TestIngestLabels(t *testing.T) {
	f := func(expr string, all bool, want int64) {
		t.Helper()
		r := rules.Rule{Kind: rules.Query, Name: "q", Language: rules.LogQL, Expr: expr}
		res, err := NewPlan([]rules.Rule{r}, Options{IngestLabels: all}).Run(t.Context(), record(t, `1 {"level":"error","msg":"x"}`, `2 {"level":"info","msg":"y"}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Outcomes[0].Lines; got != want {
			t.Errorf("%s: %d lines; want %d (%s)", expr, got, want, res.Outcomes[0].Reason)
		}
	}
	f(`{service_name="web"}`, false, 2)
	f(`{service_name="web"} | detected_level="error"`, false, 1)
	f(`{app="web"} | detected_level="error"`, false, 1)
	f(`{app="web"} | keep app | label_format n="{{ len . }}" | n="1"`, false, 2)
	f(`{app="web"} | label_format n="{{ len . }}" | n="3"`, true, 2)
}

func TestRun_RefusesCenturies(t *testing.T) {
	src := record(t, "1 a", "9000000000 b")
	_, err := NewPlan(nil, Options{Interval: time.Second}).Run(t.Context(), src)
	if err == nil || !strings.Contains(err.Error(), "date of a record wrong") {
		t.Errorf("error %v; want one about a wrong date", err)
	}
}

func TestInstants(t *testing.T) {
	f := func(first, last, start, end int64) {
		t.Helper()
		s := &Source{First: first, Last: last}
		if a, b := s.instants(10, 0); a != start || b != end {
			t.Errorf("instants of %d to %d: %d to %d; want %d to %d", first, last, a, b, start, end)
		}
	}
	f(11, 19, 10, 20)
	f(10, 20, 10, 30) // the last is strictly after the last record
	f(-5, 5, -10, 10)
	f(0, 0, 0, 10)
}

// The lines of a rule are counted by the messages of the run that they belong
// to, also where texts became one message only in the end.
func TestRun_Uses(t *testing.T) {
	var lines []string
	for i, queue := range []string{"red", "green", "blue", "black"} {
		lines = append(lines, fmt.Sprintf(`%d {"level":"error","msg":"queue %s-queue is full","n":1}`, i+1, queue))
	}
	lines = append(lines, `5 {"level":"info","msg":"queue made"}`, `6 {"level":"info","msg":"queue made"}`, `7 other`)
	res := runAll(t, record(t, lines...),
		rules.Rule{Kind: rules.Query, Name: "queues", Language: rules.LogQL, Expr: `{app="web"} |= "queue"`},
		rules.Rule{Kind: rules.Query, Name: "errors", Language: rules.LogQL, Expr: `{app="web"} | json | level="error"`},
		rules.Rule{Kind: rules.Query, Name: "none", Language: rules.LogQL, Expr: `{app="web"} |= "nothing"`})
	var got []string
	for _, o := range res.Outcomes {
		text := ""
		for _, u := range o.Uses {
			text += fmt.Sprintf("%d %s;", u.Lines, res.Messages[u.Message].Text)
		}
		got = append(got, text)
	}
	want := []string{"4 queue <*> is full;2 queue made;", "4 queue <*> is full;", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
