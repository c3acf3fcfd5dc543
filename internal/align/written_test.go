package align

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stillfires/stillfires/internal/logs"
	"github.com/stillfires/stillfires/internal/messages"
	"github.com/stillfires/stillfires/internal/outcome"
)

// written is a run of n records of each form, in which %[1]d is the number of
// the record and %02[2]d the second.
func written(n int, forms ...string) []outcome.Run {
	c := messages.NewCatalogue()
	stream := logs.Labels{{Name: "app", Value: "crane"}}
	for i := range n {
		for _, form := range forms {
			c.Add(stream, &logs.Entry{Time: int64(i) * 1e9, Line: fmt.Appendf(nil, form, i, i%60)})
		}
	}
	r := outcome.Run{Scenario: "drill", Repetition: 1, Last: int64(n) * 1e9}
	r.Messages, _, r.MessagesCut = c.Finish()
	return []outcome.Run{r}
}

// TestCompare_Written takes what loggers really write, one way on deployed and
// another on candidate.
func TestCompare_Written(t *testing.T) {
	const zap = `{"level":"info","ts":"2026-11-30T10:00:%02[2]d.000Z","logger":"hoist","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`
	for _, tt := range []struct {
		name                string
		deployed, candidate string
		want                []string
	}{
		{"nothing", zap, zap, []string{}},
		{
			"message, level and time renamed", zap,
			`{"severity":"info","time":"2026-11-30T10:00:%02[2]d.000Z","logger":"hoist","caller":"hoist/lift.go:12","message":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-renamed: Lift of crate done -> Lift of crate done renamed:level>severity renamed:msg>message renamed:ts>time"},
		},
		{
			"zap's development keys", zap,
			`{"L":"INFO","T":"2026-11-30T10:00:%02[2]d.000Z","N":"hoist","C":"hoist/lift.go:12","M":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-renamed: Lift of crate done -> Lift of crate done renamed:caller>C renamed:level>L renamed:logger>N renamed:msg>M renamed:ts>T"},
		},
		{
			"logger lost", zap,
			`{"level":"info","ts":"2026-11-30T10:00:%02[2]d.000Z","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-lost: Lift of crate done -> Lift of crate done lost:logger"},
		},
		{
			"caller lost", zap,
			`{"level":"info","ts":"2026-11-30T10:00:%02[2]d.000Z","logger":"hoist","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-lost: Lift of crate done -> Lift of crate done lost:caller"},
		},
		{
			"logger as any other field", zap,
			`{"level":"info","ts":"2026-11-30T10:00:%02[2]d.000Z","component":"hoist","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-renamed: Lift of crate done -> Lift of crate done renamed:logger>component"},
		},
		{
			"time as a number", zap,
			`{"level":"info","ts":17960596%02[2]d.5,"logger":"hoist","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"field-type-changed: Lift of crate done -> Lift of crate done type-changed:ts"},
		},
		{
			"another encoding has no names", zap,
			"2026-11-30T10:00:%02[2]d.000Z\tINFO\thoist\thoist/lift.go:12\tLift of crate done\t{\"crate\":\"crate-%[1]d\"}",
			[]string{"encoding-changed: Lift of crate done -> Lift of crate done"},
		},
		{
			"klog writes no verbosity",
			`I1130 10:00:%02[2]d.000000       1 lift.go:12] "Lift of crate done" logger="hoist" crate="crate-%[1]d"`,
			`{"level":"Level(-3)","ts":"2026-11-30T10:00:%02[2]d.000Z","logger":"hoist","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"encoding-changed: Lift of crate done -> Lift of crate done"},
		},
		{
			"klog tells an error from a verbosity",
			`E1130 10:00:%02[2]d.000000       1 lift.go:12] "Lift of crate done" logger="hoist" crate="crate-%[1]d"`,
			`{"level":"Level(-3)","ts":"2026-11-30T10:00:%02[2]d.000Z","logger":"hoist","caller":"hoist/lift.go:12","msg":"Lift of crate done","crate":"crate-%[1]d"}`,
			[]string{"level-changed+encoding-changed: Lift of crate done -> Lift of crate done"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := told(Compare(written(20, tt.deployed), written(20, tt.candidate)))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestCompare_Reencoded: the encoding is another one in one of two scenarios.
func TestCompare_Reencoded(t *testing.T) {
	const json = `{"level":"info","ts":"2026-11-30T10:00:%02[2]d.000Z","msg":"Lift of crate done","crate":"crate-%[1]d"}`
	const console = "2026-11-30T10:00:%02[2]d.000Z\tINFO\tLift of crate done\t{\"crate\":\"crate-%[1]d\"}"
	both := func(first, second string) []outcome.Run {
		out := append(written(20, first), written(20, second)...)
		out[1].Scenario = "other"
		return out
	}
	res := Compare(both(json, console), both(json, json))
	if len(res.Encodings) != 1 {
		t.Fatalf("%d changes of the encoding; want 1", len(res.Encodings))
	}
	got := &res.Encodings[0]
	if diff := cmp.Diff([]string{"other"}, got.Scenarios); diff != "" || got.From != outcome.Console || got.To != outcome.JSON {
		t.Errorf("%s to %s in %v", got.From, got.To, got.Scenarios)
	}
	if got.Deployed.Line[0] != '2' || got.Candidate.Line[0] != '{' {
		t.Errorf("shown are %s and %s", got.Deployed.Line, got.Candidate.Line)
	}
	if res := Compare(both(json, console), both(json, console)); len(res.Changes) > 0 {
		t.Errorf("nothing changed, but %v", told(res))
	}
}

// TestCompare_AbsentInOne: a message is gone in one of two scenarios.
func TestCompare_AbsentInOne(t *testing.T) {
	const lease = msg(`info lease lease.go "Lease renewed" 14`)
	both := func(list ...msg) []outcome.Run {
		return []outcome.Run{runOf("calm", 1, lease), runOf("drill", 1, list...)}
	}
	want := []string{"frequency-changed: Lease renewed -> Lease renewed"}
	if diff := cmp.Diff(want, told(Compare(both(lease), both()))); diff != "" {
		t.Errorf("gone (-want +got)\n%s", diff)
	}
	const few = msg(`info lease lease.go "Lease renewed" 7`)
	if got := told(Compare(both(few), both())); len(got) > 0 {
		t.Errorf("so few records may be chance: %q", got)
	}
}
